//! `send_message` (`conversation/impl/local_conversation.py`).

use super::{
    Change, Conversation,
    pending::forget_pending,
    status::{Happening, happens},
};
use crate::{
    agent::Draft,
    cancel::CancelToken,
    error::{Error, ErrorCode, Result},
    event::{Body, Event, MessageEvent, Source, SystemPromptEvent},
    llm::message::{Content, Message, Role},
    tool::record_of_tool,
};

/// What a message does with calls that wait for the user to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitingCalls {
    /// It answers them: they will not run.
    Reject,
    /// It waits beside the log until they have their results.
    Keep,
}

impl Conversation {
    /// Appends a user message, after answering every call that still waits for a result. While the model answers or
    /// tools run it is kept beside the log and appended when they are through, so the event that is returned has no
    /// parent yet. A run that is under way picks the message up with its next request. Returns once the message is on
    /// the disk.
    ///
    /// # Errors
    /// `invalid_options` for a message without content, `invalid_state` while calls wait for the user to decide,
    /// `locked_elsewhere`, and those of the store; nothing is stored then.
    pub async fn send_message(&self, content: Vec<Content>, sender: Option<String>) -> Result<Event> {
        self.send_message_while_waiting(content, sender, None).await
    }

    /// As [`Conversation::send_message`], and says what becomes of calls that wait for the user to decide.
    ///
    /// # Errors
    /// As for [`Conversation::send_message`].
    pub async fn send_message_while_waiting(
        &self,
        content: Vec<Content>,
        sender: Option<String>,
        waiting_calls: Option<WaitingCalls>,
    ) -> Result<Event> {
        let is_empty = content.iter().all(|part| match part {
            Content::Text { text, .. } => text.trim().is_empty(),
            Content::Image { image_urls, .. } => image_urls.is_empty(),
        });
        if is_empty {
            return Err(Error::new(ErrorCode::InvalidOptions, "a message needs text or an image"));
        }
        self.writable()?;
        self.must_be_decided(waiting_calls).await?;
        self.begin_session(&CancelToken::default()).await?;
        let id = self.0.log.new_id();
        let mut message = MessageEvent { sender, ..MessageEvent::new(Message::new(Role::User, content)) };
        let mut said = self.ask_about_message(&id, &mut message).await;
        self.writable()?;
        let Some(_turn) = self.turn_between_tools().await else {
            self.writable()?;
            self.must_be_decided(waiting_calls).await?;
            let event = self.queue_message(id, message, said).await?;
            if !self.0.runs_tools.get() {
                // They were through before the message was on the disk.
                let _turn = self.0.turn.take().await;
                self.take_in_messages().await?;
            }
            return Ok(event);
        };
        self.writable()?;
        let is_kept = self.must_be_decided(waiting_calls).await? && waiting_calls == Some(WaitingCalls::Keep);
        if is_kept || self.0.asks_model.get() {
            return self.queue_message(id, message, said).await;
        }
        self.append_kept().await?;
        let mut drafts = self.answers_to_pending().await?;
        drafts.extend(self.system_prompt_if_missing().await?);
        drafts.append(&mut said.drafts);
        drafts.push(Draft { id: Some(id), ..Draft::new(Source::User, message) });
        let change = Change::append(drafts).and_edit(|state| {
            said.block_message(state);
            // Calls that nobody may answer but the user are decided about by now.
            happens(state, Happening::SendMessageRejecting);
            forget_pending(state);
            self.keep_model_settings(state, &self.llm());
        });
        let events = self.append(change.strictly()).await?;
        events
            .into_iter()
            .next_back()
            .ok_or_else(|| Error::new(ErrorCode::Internal, "the message was not appended"))
    }

    /// Whether calls wait for the user to decide.
    ///
    /// # Errors
    /// `invalid_state` where it is not said what becomes of them, or what is said cannot be done.
    async fn must_be_decided(&self, waiting_calls: Option<WaitingCalls>) -> Result<bool> {
        let undecided = self.undecided_actions().await?;
        let runs_tools = self.0.runs_tools.get();
        match waiting_calls {
            _ if undecided.is_empty() => Ok(false),
            Some(WaitingCalls::Keep) => Ok(true),
            Some(WaitingCalls::Reject) if !runs_tools => Ok(true),
            // What runs cannot be answered yet, so neither can the rest of its batch.
            _ if runs_tools => {
                Err(undecided_error(&undecided, "let the others end first, or pass pending: \"keep\""))
            }
            _ => Err(undecided_error(
                &undecided,
                "decide about them first, or pass pending: \"reject\" or \"keep\"",
            )),
        }
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

fn undecided_error(undecided: &[Event], advice: &str) -> Error {
    let mut calls = String::new();
    for event in undecided {
        let Body::ActionEvent(action) = event.body() else { continue };
        let comma = if calls.is_empty() { "" } else { ", " };
        calls.push_str(&format!("{comma}{} ({})", action.tool_name, event.id()));
    }
    Error::new(ErrorCode::InvalidState, format!("calls wait for the user: {calls}; {advice}"))
}
