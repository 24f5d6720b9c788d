//! Sends a message of the user (`conversation/impl/local_conversation.py`, `send_message`).

use super::{
    Conversation,
    hooks::HookAnswers,
    machine::{Command, WaitingCalls},
};
use crate::{
    cancel::CancelToken,
    error::{Error, ErrorCode, Result},
    event::{Event, Head, MessageEvent, Parent, Source},
    llm::message::{Content, Message, Role},
};

impl Conversation {
    /// Appends a user message, after an answer to every call that has no result. While the model answers or tools run,
    /// the message is stored in the inbox and appended later, so the returned event has no parent yet. A run that is
    /// under way picks the message up with its next request. Returns once the message is on disk.
    ///
    /// # Errors
    /// `invalid_options` for a message without content, `invalid_state` while calls wait for a decision of the user,
    /// `locked_elsewhere`, and those of the store; nothing is stored then.
    pub async fn send_message(&self, content: Vec<Content>, sender: Option<String>) -> Result<Event> {
        self.send_message_while_waiting(content, sender, None).await
    }

    /// As [`Conversation::send_message`], with an instruction about calls that wait for a decision of the user.
    ///
    /// # Errors
    /// As for [`Conversation::send_message`].
    pub async fn send_message_while_waiting(
        &self,
        content: Vec<Content>,
        sender: Option<String>,
        waiting_calls: Option<WaitingCalls>,
    ) -> Result<Event> {
        ensure_content(&content)?;
        self.ensure_writable()?;
        // Checked before any hook is asked.
        self.inspect(|machine| machine.check_message(waiting_calls)).await??;
        let (message, hook_answers) = self.new_message(content, sender).await?;
        let events = self
            .perform(Command::SendMessage { message: message.clone(), hook_answers, waiting_calls })
            .await?;
        if let Some(event) = events.into_iter().find(|event| event.id() == message.id()) {
            return Ok(event);
        }
        // The message is in the inbox. The reason for that may be over by now.
        self.append_inbox().await?;
        Ok(message)
    }

    /// A message of the user that is not stored yet, with the answers of the hooks that were asked about it.
    pub(super) async fn new_message(
        &self,
        content: Vec<Content>,
        sender: Option<String>,
    ) -> Result<(Event, HookAnswers)> {
        self.begin_session(&CancelToken::default()).await?;
        let id = self.0.log.new_id();
        let mut message = MessageEvent { sender, ..MessageEvent::new(Message::new(Role::User, content)) };
        let hook_answers = self.ask_about_message(&id, &mut message).await;
        let timestamp = self.0.log.host.local_time();
        let head = Head { id, timestamp, source: Source::User, parent: Parent::Unset };
        Ok((Event::new(head, message)?, hook_answers))
    }
}

/// # Errors
/// `invalid_options` for a message without content.
pub(super) fn ensure_content(content: &[Content]) -> Result<()> {
    let is_empty = content.iter().all(|part| match part {
        Content::Text { text, .. } => text.trim().is_empty(),
        Content::Image { image_urls, .. } => image_urls.is_empty(),
    });
    match is_empty {
        true => Err(Error::new(ErrorCode::InvalidOptions, "a message needs text or an image")),
        false => Ok(()),
    }
}
