//! The system prompt, and messages of the user, the environment and the model.
//!
//! Mirrors `event/llm_convertible/{system,message}.py`.

use crate::{
    event::{body::event_body, tool_definition::ToolDefinition},
    id::EventId,
    json::RawJson,
    llm::message::{Content, Message, Role, TextContent},
};
use std::borrow::Cow;

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

/// The longest text that is kept and sent of an answer that was cut off, in bytes: an endless one would be in every later request.
pub const LONGEST_CUT_OFF: usize = 1 << 20;

/// Room in it for the sentence about the rest.
const ROOM: usize = 128;

/// The text of an answer that was cut off; of one that is too long, its beginning, and how long the rest is. The answer had as many
/// characters more as `left_out`.
pub fn beginning_of(text: &str, left_out: usize) -> Cow<'_, str> {
    if text.len() <= LONGEST_CUT_OFF && left_out == 0 {
        return text.into();
    }
    let (beginning, rest) = split_before(text, LONGEST_CUT_OFF - ROOM);
    let rest = rest.chars().count().saturating_add(left_out);
    format!("{beginning}\n[The answer went on for {rest} more characters, which were not kept.]").into()
}

/// The part of a text with at most so many bytes, and the rest.
pub fn split_before(text: &str, bytes: usize) -> (&str, &str) {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    end.and_then(|end| text.split_at_checked(end)).unwrap_or((text, ""))
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

    /// Whether this event, if it is of the agent, ended its turn: also at a limit, but not by an interruption, after which there is
    /// no response of a model.
    pub fn is_answer(&self) -> bool {
        !self.is_cut_off() || self.llm_response_id.is_some()
    }

    /// The message without the extended content, for one that is cut off.
    pub fn shown_beginning(&self) -> Message {
        let mut message = self.llm_message.clone();
        for part in &mut message.content {
            if let Some(text) = part.as_text().filter(|text| text.len() > LONGEST_CUT_OFF) {
                *part = Content::text(&*beginning_of(text, 0));
            }
        }
        message
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
