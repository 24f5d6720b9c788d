//! The request to condense a history, and the result.
//!
//! Mirrors `event/condenser.py`.

use crate::{
    event::body::event_body,
    llm::message::{Content, Message, Role},
};

event_body! {
    /// Events that the model is no longer sent, and the summary that replaces them. They stay in the log and in every export.
    Condensation {
        /// The ids of these events, in no particular order.
        defaulted forgotten_event_ids: Vec<String>,
        /// The summary.
        optional summary: String,
        /// The position of the summary in the view, counted without the forgotten events.
        optional summary_offset: u64,
        /// The id of the response that the summary comes from.
        required llm_response_id: String,
    }
}

impl Condensation {
    /// The message with the summary. The view contains it only if there is a summary and an offset.
    pub fn to_llm_message(&self) -> Message {
        summary_message(self.summary.as_deref().unwrap_or_default())
    }
}

event_body! {
    /// Asks for a condensation at the next step.
    CondensationRequest {}
}

event_body! {
    /// A summary as the SDK passes it to a condenser. Never stored.
    CondensationSummaryEvent {
        /// The summary.
        required summary: String,
    }
}

impl CondensationSummaryEvent {
    /// The summary as a message of the user.
    pub fn to_llm_message(&self) -> Message {
        summary_message(&self.summary)
    }
}

fn summary_message(summary: &str) -> Message {
    Message::new(Role::User, vec![Content::text(summary)])
}
