//! The input of a hook (`hooks/types.py`, `HookEvent`), and its record in the log.

use crate::{
    event::HookEventType,
    json::{RawJson, object},
};

/// The most characters of a text that the log stores (`hooks/conversation_hooks.py`).
const MAX_LOGGED: usize = 50_000;

const CUT: &str = "\n<TRUNCATED>";

/// The input of a hook.
#[derive(Clone, Debug, PartialEq)]
pub struct HookInput {
    /// The occasion.
    pub event_type: HookEventType,
    /// The tool's name, for hooks around tools.
    pub tool_name: Option<String>,
    /// The arguments of the call, an object.
    pub tool_input: Option<RawJson>,
    /// The result of the call, an observation of the SDK.
    pub tool_response: Option<RawJson>,
    /// The text of a user's message.
    pub message: Option<String>,
    /// The reason why the agent stops.
    pub reason: Option<&'static str>,
    /// The event id of the action, for hooks around tools.
    pub action_id: Option<String>,
    /// The event id of the message.
    pub message_id: Option<String>,
}

impl HookInput {
    /// An input without the optional fields.
    pub fn new(event_type: HookEventType) -> Self {
        Self {
            event_type,
            tool_name: None,
            tool_input: None,
            tool_response: None,
            message: None,
            reason: None,
            action_id: None,
            message_id: None,
        }
    }

    /// The input as JSON of the SDK's `HookEvent`. `session_id` is the conversation's id.
    pub fn to_json(&self, session_id: &str) -> String {
        object! {
            "event_type": self.event_type,
            "tool_name"?: self.tool_name,
            "tool_input"?: self.tool_input,
            "tool_response"?: self.tool_response,
            "message"?: self.message,
            "session_id": session_id,
            "metadata": object! { "reason"?: self.reason },
        }
        .finish()
    }

    /// The form of this input that is stored in the log; `None` if it has no fields.
    pub(super) fn record(&self) -> Option<RawJson> {
        let record = RawJson::from(object! {
            "tool_name"?: self.tool_name,
            "tool_input"?: self.tool_input.as_ref().map(bounded),
            "tool_response"?: self.tool_response.as_ref().map(bounded),
            "message"?: self.message.as_deref().map(cut),
            "reason"?: self.reason,
        });
        (record.as_str() != "{}").then_some(record)
    }
}

/// The name of this hook in the host's options.
pub(super) fn option_name(event_type: HookEventType) -> String {
    let mut option = event_type.as_str().to_owned();
    if let Some(first) = option.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    option
}

/// A text, shortened if it is too long for the log.
pub(super) fn cut(text: &str) -> String {
    if text.chars().count() <= MAX_LOGGED {
        return text.to_owned();
    }
    text.chars().take(MAX_LOGGED - CUT.len()).chain(CUT.chars()).collect()
}

/// A JSON value; if it is too long, the beginning of its text as a string. The log contains the complete value already.
fn bounded(value: &RawJson) -> RawJson {
    let text = value.as_str();
    if text.chars().count() <= MAX_LOGGED { value.clone() } else { RawJson::of(&cut(text)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_of_a_hook_is_that_of_the_sdk() {
        let stop = HookInput { reason: Some("agent_finished"), ..HookInput::new(HookEventType::Stop) };
        assert_eq!(
            stop.to_json("c1"),
            r#"{"event_type":"Stop","session_id":"c1","metadata":{"reason":"agent_finished"}}"#
        );
        assert_eq!(stop.record().unwrap().as_str(), r#"{"reason":"agent_finished"}"#);
        let after = HookInput {
            tool_name: Some("t".into()),
            tool_input: RawJson::parse("{}"),
            tool_response: RawJson::parse(r#"{"content":[]}"#),
            ..HookInput::new(HookEventType::PostToolUse)
        };
        assert_eq!(
            after.to_json("c1"),
            r#"{"event_type":"PostToolUse","tool_name":"t","tool_input":{},"tool_response":{"content":[]},"session_id":"c1","metadata":{}}"#
        );
    }

    #[test]
    fn a_long_result_is_recorded_as_a_shortened_text() {
        let long = RawJson::of("x".repeat(60_000).as_str());
        let input = HookInput { tool_response: Some(long), ..HookInput::new(HookEventType::PostToolUse) };
        let recorded: String = input.record().unwrap().field("tool_response").unwrap();
        assert_eq!(recorded.chars().count(), MAX_LOGGED);
        assert!(recorded.starts_with("\"xxx") && recorded.ends_with(CUT));
    }
}
