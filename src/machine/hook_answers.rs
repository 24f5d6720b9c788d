//! The answers of hooks: which actions and messages they have denied.

use super::calls;
use crate::{
    agent::NewEvent,
    format::base_state::BaseState,
    id::EventId,
    json::{EditableObject, RawJson, ToJson as _},
};

/// Field of the base state: reasons why messages are not answered, by message id.
const BLOCKED_MESSAGES: &str = "blocked_messages";

/// Answers of hooks, until they are committed together with the actions or the message they were asked about.
#[derive(Default)]
pub struct HookAnswers {
    /// The events that record the answers.
    pub events: Vec<NewEvent>,
    /// The ids of denied events, with the reasons.
    pub denied: Vec<(EventId, String)>,
}

impl HookAnswers {
    /// Stores which actions were denied.
    pub fn block_actions(&self, state: &mut BaseState) {
        calls::deny(state, &self.denied);
    }

    /// Stores that the message was denied, if it was.
    pub fn block_message(&self, state: &mut BaseState) {
        if self.denied.is_empty() {
            return;
        }
        let mut blocked = blocked_messages(state);
        for (id, reason) in &self.denied {
            blocked.set(id.as_str(), &reason.to_json_text());
        }
        state.set_field(BLOCKED_MESSAGES, Some(&RawJson::of(&blocked)));
    }
}

/// Whether a hook has denied this message.
pub fn is_blocked_message(state: &BaseState, message: &EventId) -> bool {
    blocked_messages(state).get(message.as_str()).is_some()
}

/// Removes the denial of a message once the run has ended at it.
pub fn unblock_message(state: &mut BaseState, message: &EventId) {
    let mut blocked = blocked_messages(state);
    if blocked.remove(message.as_str()).is_some() {
        state.set_field(BLOCKED_MESSAGES, Some(&RawJson::of(&blocked)));
    }
}

fn blocked_messages(state: &BaseState) -> EditableObject {
    state.field(BLOCKED_MESSAGES).and_then(|blocked| blocked.read()).unwrap_or_default()
}
