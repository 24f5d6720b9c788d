//! A change of a field of the conversation's state.
//!
//! Agent servers send these to their clients and keep some in the log; they hang on the tree without ever becoming
//! its HEAD. Mirrors `event/conversation_state.py`.

use crate::{event::body::event_body, json::RawJson};

event_body! {
    /// The new value of one field of the state, or of all.
    ConversationStateUpdateEvent {
        /// The name of the field, or `full_state`.
        defaulted key: String,
        /// The value; absent for `null`.
        optional value: RawJson,
    }
}
