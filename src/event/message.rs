//! What is said: the instructions, and messages of the user, the environment and the model.
//!
//! Mirrors `event/llm_convertible/{system,message}.py`.

use crate::{
    event::{body::event_body, tool_definition::ToolDefinition},
    json::RawJson,
    llm::message::{Content, Message, Role},
};

event_body! {
    /// The instructions and the tools that a conversation began with.
    SystemPromptEvent {
        /// The part that is the same for every conversation.
        required system_prompt: Content,
        /// Tool definitions, for the record: what a model is sent comes from the tools that are there at the time.
        required tools: Vec<ToolDefinition>,
        /// The part that belongs to this conversation.
        optional dynamic_context: Content,
    }
}

impl SystemPromptEvent {
    /// The system message, of one or two parts.
    pub fn to_llm_message(&self) -> Message {
        let parts = std::iter::once(&self.system_prompt).chain(&self.dynamic_context);
        Message::new(Role::System, parts.cloned().collect())
    }
}

event_body! {
    /// A message of the user, the model, or the environment in the user's place.
    MessageEvent {
        /// What is said.
        required llm_message: Message,
        /// The response that said it.
        optional llm_response_id: String,
        /// Skills that this message brought in.
        defaulted activated_skills: Vec<String>,
        /// Text that skills and hooks add for the model.
        defaulted extended_content: Vec<Content>,
        /// Who sent it, where several can.
        optional sender: String,
        /// A critic's verdict.
        optional critic_result: RawJson,
    }
}

impl MessageEvent {
    /// An event of this message and nothing else.
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

    /// The message with the extended content after its own.
    pub fn to_llm_message(&self) -> Message {
        let mut message = self.llm_message.clone();
        message.content.extend(self.extended_content.iter().cloned());
        message
    }
}
