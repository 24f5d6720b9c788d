//! The last response of the agent to the user.

use crate::event::{Body, Event, Source};

/// The last `finish` or agent message of these events (`conversation/response_utils.py`), except for answers that were
/// cut off.
pub fn final_response(events: &[Event]) -> Option<String> {
    events.iter().rev().find_map(|event| match event.body() {
        Body::ActionEvent(action) if action.tool_name == "finish" => Some(
            action.action.as_ref().and_then(|action| action.as_json().field("message")).unwrap_or_default(),
        ),
        Body::MessageEvent(message) if event.source() == Source::Agent && !message.is_cut_off() => {
            Some(message.llm_message.text())
        }
        _ => None,
    })
}
