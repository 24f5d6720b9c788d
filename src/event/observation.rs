//! Answers to calls: observations, rejections and errors.
//!
//! Mirrors `event/llm_convertible/observation.py`.

use crate::{
    event::{body::event_body, classification::ErrorClassification, observation_text},
    json::{EditableObject, FromJson, ObjectWriter, RawJson, ToJson, object, string_enum},
    llm::message::{Content, Message, Role, TextContent},
};

event_body! {
    /// The result of a call. The files of the conversation that the tool has changed are stored in the same transaction.
    ObservationEvent {
        /// The tool's name.
        required tool_name: String,
        /// The provider's id of the call.
        required tool_call_id: String,
        /// The result.
        required observation: Observation,
        /// The id of the `ActionEvent`.
        required action_id: String,
        /// Texts that skills add for the model.
        defaulted extended_content: Vec<TextContent>,
    }
}

impl ObservationEvent {
    /// The tool message.
    pub fn to_llm_message(&self) -> Message {
        let mut content = self.observation.to_llm_content();
        content.extend(self.extended_content.iter().cloned());
        tool_message(&self.tool_name, &self.tool_call_id, content)
    }
}

event_body! {
    /// The rejection of a call by the user or a hook, which the model reads: the call is not run, or not again.
    UserRejectObservation {
        /// The tool's name.
        required tool_name: String,
        /// The provider's id of the call.
        required tool_call_id: String,
        /// The reason that the model is given.
        defaulted rejection_reason: String = "User rejected the action",
        /// The origin of the rejection: the user or a hook.
        defaulted rejection_source: RejectionSource,
        /// The id of the `ActionEvent`.
        required action_id: String,
    }
}

impl UserRejectObservation {
    /// The tool message.
    pub fn to_llm_message(&self) -> Message {
        let text = format!("Action rejected: {}", self.rejection_reason);
        tool_message(&self.tool_name, &self.tool_call_id, vec![Content::text(text)])
    }
}

/// The origin of a rejection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RejectionSource {
    /// The user.
    #[default]
    User,
    /// A hook.
    Hook,
}

string_enum!(RejectionSource {
    User = "user",
    Hook = "hook",
});

event_body! {
    /// The failure of a call, which is identified by its `tool_call_id` only: it was not valid, it has thrown, or nobody knows
    /// whether it took effect because the page died in the middle of it. The model reads it and goes on.
    AgentErrorEvent {
        /// The tool's name.
        required tool_name: String,
        /// The provider's id of the call.
        required tool_call_id: String,
        /// The error, as the model reads it.
        required error: String,
        /// The kind of failure.
        optional classification: ErrorClassification,
    }
}

impl AgentErrorEvent {
    /// An error with this classification.
    pub fn new(
        tool_name: impl Into<String>,
        tool_call_id: impl Into<String>,
        error: impl Into<String>,
        classification: ErrorClassification,
    ) -> Self {
        Self {
            tool_name: tool_name.into(),
            tool_call_id: tool_call_id.into(),
            error: error.into(),
            classification: Some(classification),
        }
    }

    /// The stored classification, or the unknown one.
    pub fn classification(&self) -> ErrorClassification {
        self.classification.clone().unwrap_or(ErrorClassification::UNKNOWN)
    }

    /// The tool message.
    pub fn to_llm_message(&self) -> Message {
        tool_message(&self.tool_name, &self.tool_call_id, vec![Content::text(self.error.as_str())])
    }
}

fn tool_message(tool_name: &str, tool_call_id: &str, content: Vec<Content>) -> Message {
    let mut message = Message::new(Role::Tool, content);
    message.name = Some(tool_name.to_owned());
    message.tool_call_id = Some(tool_call_id.to_owned());
    message
}

/// The result of a call, as an object of the SDK's `Observation` classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation(RawJson);

impl FromJson for Observation {
    fn from_json(json: &str) -> Option<Self> {
        RawJson::from_json(json).map(Self)
    }
}

impl ToJson for Observation {
    fn write_json(&self, out: &mut String) {
        self.0.write_json(out);
    }
}

impl Observation {
    /// The result of a tool without a class in the SDK.
    pub fn mcp_tool(tool_name: &str, content: &[Content], is_error: bool) -> Self {
        let mut out = Self::start(content, is_error);
        out.field("tool_name", tool_name);
        Self::of_kind(out, "MCPToolObservation")
    }

    /// The result of `finish`, which repeats the message to the user.
    pub fn finish(message: &str) -> Self {
        Self::of_kind(Self::start(&[Content::text(message)], false), "FinishObservation")
    }

    /// The result of `think`.
    pub fn think(text: &str) -> Self {
        Self::of_kind(Self::start(&[Content::text(text)], false), "ThinkObservation")
    }

    /// The result of a built-in tool of the SDK whose classes have names that begin with `class`.
    pub fn of_class(class: &str, content: &[Content], is_error: bool, fields: &EditableObject) -> Self {
        let mut out = Self::start(content, is_error);
        for (name, value) in fields.iter() {
            out.raw(name, value);
        }
        Self::of_kind(out, &[class, "Observation"].concat())
    }

    fn start(content: &[Content], is_error: bool) -> ObjectWriter {
        object! { "content": content, "is_error": is_error }
    }

    fn of_kind(mut out: ObjectWriter, kind: &str) -> Self {
        out.field("kind", kind);
        Self(out.into())
    }

    /// The name of the SDK's class.
    pub fn kind(&self) -> Option<String> {
        self.0.field("kind")
    }

    /// The content that the tool returned.
    pub fn content(&self) -> Vec<Content> {
        self.0.field("content").unwrap_or_default()
    }

    /// Whether the tool reported a failure.
    pub fn is_error(&self) -> bool {
        self.0.field("is_error").unwrap_or_default()
    }

    /// The content for the model. For some classes the SDK creates it from other fields than `content`.
    pub fn to_llm_content(&self) -> Vec<Content> {
        observation_text::to_llm_content(self)
    }

    /// The object with all its fields.
    pub fn as_json(&self) -> &RawJson {
        &self.0
    }
}
