//! The last response of the agent to the user.

use crate::event::{Body, Event, Source};

/// The last `finish` or agent message of these events (`conversation/response_utils.py`), except for answers that were
/// stopped or broke off.
pub fn final_event(events: &[Event]) -> Option<&Event> {
    events.iter().rev().find(|event| match event.body() {
        Body::ActionEvent(action) => action.tool_name == "finish",
        Body::MessageEvent(message) => event.source() == Source::Agent && message.is_answer(),
        _ => false,
    })
}

/// The text of this event.
pub fn final_response(events: &[Event]) -> Option<String> {
    final_event(events).map(|event| match event.body() {
        Body::ActionEvent(action) => {
            action.action.as_ref().and_then(|action| action.as_json().field("message")).unwrap_or_default()
        }
        Body::MessageEvent(message) => message.llm_message.text(),
        _ => String::new(),
    })
}
