//! Failures that the user sees and the model does not.
//!
//! Mirrors `event/conversation_error.py` and, for the server's kind, `agent_server/models.py`.

use crate::event::{body::event_body, classification::ErrorClassification};

event_body! {
    /// A failure that ended a run. It is stored, so that a view shows it after a reload; the next run tries again.
    ConversationErrorEvent {
        /// An exception's class name, or a name for the limit that was reached.
        required code: String,
        /// The message for people.
        required detail: String,
        /// The kind of failure.
        optional classification: ErrorClassification,
    }
}

impl ConversationErrorEvent {
    /// A failure, classified by its code and detail.
    pub fn new(code: impl Into<String>, detail: impl Into<String>) -> Self {
        let (code, detail) = (code.into(), detail.into());
        let classification = Some(ErrorClassification::of(&code, &detail));
        Self { code, detail, classification }
    }

    /// The stored classification, or one derived from code and detail.
    pub fn classification(&self) -> ErrorClassification {
        self.classification.clone().unwrap_or_else(|| ErrorClassification::of(&self.code, &self.detail))
    }
}

event_body! {
    /// A failure of an agent server. Sent to its clients and never stored.
    ServerErrorEvent {
        /// The kind of failure.
        required code: String,
        /// The message for people.
        required detail: String,
    }
}
