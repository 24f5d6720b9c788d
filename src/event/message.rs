//! The system prompt, and messages of the user, the environment and the model.
//!
//! Mirrors `event/llm_convertible/{system,message}.py`.

use crate::{
    event::{body::event_body, tool_definition::ToolDefinition},
    id::EventId,
    json::RawJson,
    llm::message::{Content, Message, Role, TextContent},
};

event_body! {
    /// The instructions and the tools that a conversation began with.
    SystemPromptEvent {
        /// The part that is the same for every conversation.
        required system_prompt: TextContent,
        /// Tool definitions for documentation. Requests contain the agent's current tools instead.
        required tools: Vec<ToolDefinition>,
        /// The part that belongs to this conversation.
        optional dynamic_context: TextContent,
    }
}

impl SystemPromptEvent {
    /// The system message, of one or two parts.
    pub fn to_llm_message(&self) -> Message {
        let parts = std::iter::once(&self.system_prompt).chain(&self.dynamic_context);
        Message::new(Role::System, parts.cloned().collect())
    }
}

/// The SDK's `CriticResult`: a score from 0 to 1, a message, and optional metadata.
pub type CriticResult = RawJson;

event_body! {
    /// A message of the user, the model, or the environment in the user's place. One of the user is durable when
    /// `sendMessage()` resolves; an answer with calls has `ActionEvent`s in its place. In TypeScript, where this type is
    /// imported it hides the DOM's type of the same name.
    MessageEvent {
        /// The message.
        required llm_message: Message,
        /// The id of the response that it comes from.
        optional llm_response_id: String,
        /// The names of the skills that this message activated.
        defaulted activated_skills: Vec<String>,
        /// Texts that skills and hooks add for the model.
        defaulted extended_content: Vec<TextContent>,
        /// The name of the sender, in conversations with several.
        optional sender: String,
        /// The rating by a critic.
        optional critic_result: CriticResult,
    }
}

impl MessageEvent {
    /// An event with this message, without the optional fields.
    pub fn new(llm_message: Message) -> Self {
        Self {
            llm_message,
            llm_response_id: None,
            activated_skills: Vec::new(),
            extended_content: Vec::new(),
            sender: None,
            critic_result: None,
        }
    }

    /// Whether this event, if it is of the agent, is only the beginning of an answer. Nothing else adds texts to those.
    pub fn is_cut_off(&self) -> bool {
        self.llm_message.role == Role::Assistant && !self.extended_content.is_empty()
    }

    /// The message, followed by the extended content.
    pub fn to_llm_message(&self) -> Message {
        let mut message = self.llm_message.clone();
        message.content.extend(self.extended_content.iter().cloned());
        message
    }

    /// The same, in which a request finds the files of the event with this id.
    pub fn to_llm_message_of(&self, event: &EventId) -> Message {
        let mut message = self.to_llm_message();
        for part in message.content.iter_mut().skip(self.llm_message.content.len()) {
            if let (true, Some(text)) = (part.names_file(), part.as_text()) {
                *part = Content::file(text, event.as_str());
            }
        }
        message
    }
}
