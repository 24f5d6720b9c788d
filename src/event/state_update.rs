//! A field of the conversation's state has another value.
//!
//! Agent servers send these to their clients and keep some in the log; they hang on the tree without ever becoming
//! its HEAD. Mirrors `event/conversation_state.py`.

use crate::{event::body::event_body, json::RawJson};

event_body! {
    /// The new value of one field, or of the whole state.
    ConversationStateUpdateEvent {
        /// The field's name, or `full_state`.
        defaulted key: String,
        /// The value. The SDK does not write `null`.
        optional value: RawJson,
    }
}
