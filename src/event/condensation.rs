//! Forgetting: the request to condense a history, and what came of it.
//!
//! Mirrors `event/condenser.py`.

use crate::{
    event::body::event_body,
    llm::message::{Content, Message, Role},
};

event_body! {
    /// Events that a model is no longer sent, and the summary it is sent in their place.
    Condensation {
        /// The forgotten events, in no particular order.
        defaulted forgotten_event_ids: Vec<String>,
        /// The summary.
        optional summary: String,
        /// Where the summary stands in the view, counted after the forgotten events are gone.
        optional summary_offset: u64,
        /// The response that wrote the summary.
        required llm_response_id: String,
    }
}

impl Condensation {
    /// The message that stands for the summary, if there is a place for it.
    pub fn to_llm_message(&self) -> Message {
        summary_message(self.summary.as_deref().unwrap_or_default())
    }
}

event_body! {
    /// The wish that the history be condensed at the next step.
    CondensationRequest {}
}

event_body! {
    /// A summary as the SDK shows it to a condenser. The SDK makes these up and never stores one.
    CondensationSummaryEvent {
        /// The summary.
        required summary: String,
    }
}

impl CondensationSummaryEvent {
    /// The summary in the user's place.
    pub fn to_llm_message(&self) -> Message {
        summary_message(&self.summary)
    }
}

fn summary_message(summary: &str) -> Message {
    Message::new(Role::User, vec![Content::text(summary)])
}
