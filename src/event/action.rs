//! Actions: one event for each call in a response of the model.
//!
//! Mirrors `event/llm_convertible/action.py`.

use crate::{
    event::{body::event_body, message::CriticResult},
    json::{EditableObject, FromJson, ObjectWriter, RawJson, ToJson, object, string_enum},
    llm::message::{Message, MessageToolCall, ReasoningItem, Role, TextContent, ThinkingBlock},
};

event_body! {
    /// One call of a tool.
    ///
    /// Text and reasoning that the answer has beside its calls are in the event of its first call. All calls of an answer are
    /// durable before the first of them runs; a call without a result may have run.
    ActionEvent {
        /// The text of the answer beside its calls.
        required thought: Vec<TextContent>,
        /// The reasoning, of models that show it.
        optional reasoning_content: String,
        /// Signed reasoning of Anthropic models.
        defaulted thinking_blocks: Vec<ThinkingBlock>,
        /// The reasoning item of the Responses API.
        optional responses_reasoning_item: ReasoningItem,
        /// The validated arguments. Absent where the call was not valid; an `AgentErrorEvent` then says why.
        optional action: Action,
        /// The tool's name.
        required tool_name: String,
        /// The provider's id of the call.
        required tool_call_id: String,
        /// The call as the model made it.
        required tool_call: MessageToolCall,
        /// The id of the response: the same for all its calls, and different for each response.
        required llm_response_id: String,
        /// How dangerous the model rates the call.
        defaulted security_risk: SecurityRisk,
        /// The rating by a critic.
        optional critic_result: CriticResult,
        /// The purpose of the call, in a few words.
        optional summary: String,
    }
}

impl ActionEvent {
    /// The event of a call without text or reasoning.
    pub fn new(tool_call: MessageToolCall, llm_response_id: String, action: Option<Action>) -> Self {
        Self {
            thought: Vec::new(),
            reasoning_content: None,
            thinking_blocks: Vec::new(),
            responses_reasoning_item: None,
            action,
            tool_name: tool_call.name.clone(),
            tool_call_id: tool_call.id.clone(),
            tool_call,
            llm_response_id,
            security_risk: SecurityRisk::Unknown,
            critic_result: None,
            summary: None,
        }
    }

    /// The assistant message of this call alone.
    pub fn to_llm_message(&self) -> Message {
        let mut message = Message::new(Role::Assistant, self.thought.clone());
        message.tool_calls = Some(vec![self.tool_call.clone()]);
        message.reasoning_content.clone_from(&self.reasoning_content);
        message.thinking_blocks.clone_from(&self.thinking_blocks);
        message.responses_reasoning_item.clone_from(&self.responses_reasoning_item);
        message
    }
}

/// The security risk of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecurityRisk {
    /// Not rated.
    #[default]
    Unknown,
    /// Only reads.
    Low,
    /// Makes changes that can be undone.
    Medium,
    /// Can cause harm.
    High,
}

string_enum!(SecurityRisk {
    Unknown = "UNKNOWN",
    Low = "LOW",
    Medium = "MEDIUM",
    High = "HIGH",
});

/// The validated arguments of a call, as an object of the SDK's `Action` classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Action(RawJson);

impl FromJson for Action {
    /// `None` if the value is not an object: the call could not be run.
    fn from_json(json: &str) -> Option<Self> {
        RawJson::from_json(json).filter(|json| json.as_str().starts_with('{')).map(Self)
    }
}

impl ToJson for Action {
    fn write_json(&self, out: &mut String) {
        self.0.write_json(out);
    }
}

impl Action {
    /// A call of a tool without a class in the SDK. `arguments` is a JSON object.
    pub fn mcp_tool(arguments: &RawJson) -> Self {
        Self(object! { "data": arguments, "kind": "MCPToolAction" }.into())
    }

    /// A call of `finish` with the last message to the user.
    pub fn finish(message: &str) -> Self {
        Self(object! { "message": message, "kind": "FinishAction" }.into())
    }

    /// A call of `think`.
    pub fn think(thought: &str) -> Self {
        Self(object! { "thought": thought, "kind": "ThinkAction" }.into())
    }

    /// A call of a built-in tool of the SDK whose classes have names that begin with `class`.
    pub fn of_class(class: &str, fields: &EditableObject) -> Self {
        let mut out = ObjectWriter::new();
        for (name, value) in fields.iter() {
            out.raw(name, value);
        }
        out.field("kind", &[class, "Action"].concat());
        Self(out.into())
    }

    /// The name of the SDK's class.
    pub fn kind(&self) -> Option<String> {
        self.0.field("kind")
    }

    /// The arguments, if this is a call of a tool without a class in the SDK.
    pub fn mcp_arguments(&self) -> Option<RawJson> {
        if self.kind()? == "MCPToolAction" { self.0.field("data") } else { None }
    }

    /// The object with all its fields.
    pub fn as_json(&self) -> &RawJson {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        event::{Body, Event},
        id::EventId,
    };

    #[test]
    fn an_event_whose_action_is_not_an_object_is_unknown() {
        let event = |action: &str| {
            let id: EventId = "0a0a0a0a-0000-4000-8000-000000000000".parse().unwrap();
            let call = r#"{"id":"c","name":"t","arguments":"{}","origin":"completion"}"#;
            let json = format!(
                r#"{{"id":"{id}","timestamp":"t","source":"agent","thought":[],"action":{action},"tool_name":"t","tool_call_id":"c","tool_call":{call},"llm_response_id":"r","kind":"ActionEvent"}}"#
            );
            Event::decode(id, json.into())
        };
        assert!(matches!(event(r#"{"kind":"ThinkAction","thought":"x"}"#).body(), Body::ActionEvent(_)));
        assert_eq!(event("\"text\"").body(), &Body::Unknown);
        assert_eq!(event("[]").body(), &Body::Unknown);
    }
}
