//! `send_message` (`conversation/impl/local_conversation.py`).

use super::{Change, Conversation, base_state::ExecutionStatus, pending::INTERRUPTED};
use crate::{
    agent::Draft,
    error::{Error, ErrorCode, Result},
    event::{Event, MessageEvent, Source, SystemPromptEvent},
    llm::message::{Content, Message, Role},
    tool::record_of_tool,
};

impl Conversation {
    /// Appends a user message, after answering every call that still waits for a result. While tools run it is kept
    /// beside the log and appended when they are through, so the event that is returned has no parent yet. A run
    /// that is under way picks the message up with its next request. Returns once the message is on the disk.
    ///
    /// # Errors
    /// `invalid_options` for a message without content, `locked_elsewhere`, and those of the store; nothing is
    /// stored then.
    pub async fn send_message(&self, content: Vec<Content>, sender: Option<String>) -> Result<Event> {
        let is_empty = content.iter().all(|part| match part {
            Content::Text { text, .. } => text.trim().is_empty(),
            Content::Image { image_urls, .. } => image_urls.is_empty(),
        });
        if is_empty {
            return Err(Error::new(ErrorCode::InvalidOptions, "a message needs text or an image"));
        }
        self.writable()?;
        let message = MessageEvent { sender, ..MessageEvent::new(Message::new(Role::User, content)) };
        if self.0.runs_tools.get() {
            return self.queue_message(message).await;
        }
        let _turn = self.0.turn.take().await;
        self.writable()?;
        self.take_in_messages().await?;
        let mut drafts = self.answers_to_pending().await?;
        drafts.extend(self.system_prompt_if_missing().await?);
        drafts.push(Draft::new(Source::User, message));
        let change = Change::append(drafts).and_edit(|state| {
            use ExecutionStatus::{Finished, Stuck, WaitingForConfirmation};
            if matches!(state.execution_status(), Finished | Stuck | WaitingForConfirmation) {
                state.set_execution_status(ExecutionStatus::Idle);
            }
            state.set_in_agent_state(INTERRUPTED, None);
            self.keep_model_settings(state);
        });
        let events = self.append(change.strictly()).await?;
        events
            .into_iter()
            .next_back()
            .ok_or_else(|| Error::new(ErrorCode::Internal, "the message was not appended"))
    }

    /// The instructions come first in the log, and only there: in the middle of a history they would be lost on
    /// the SDK and refused by providers.
    pub(super) async fn system_prompt_if_missing(&self) -> Result<Option<Draft>> {
        let is_empty = self.0.log.read(|branch| branch.view.events().is_empty()).await?;
        if !is_empty {
            return Ok(None);
        }
        let agent = &self.0.agent;
        // A conversation that was made elsewhere, or by an earlier page, may have instructions that were never given.
        let stored = self.state().agent().and_then(|agent| agent.field::<String>("system_prompt"));
        let event = SystemPromptEvent {
            system_prompt: Content::text(stored.unwrap_or_else(|| agent.system_prompt.to_string())),
            tools: agent.tools.iter().map(|tool| record_of_tool(tool.definition())).collect(),
            dynamic_context: None,
        };
        Ok(Some(Draft::new(Source::Agent, event)))
    }
}
