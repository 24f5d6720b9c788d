//! A change of a field of the conversation's state.
//!
//! Agent servers send these events to clients and store some of them in the log. They have a parent, but never become
//! HEAD. Mirrors `event/conversation_state.py`.

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
