//! Messages of the user that no model has read: seeing, editing and taking back what is in the inbox. A chunk of the
//! wasm has these verbs, because most conversations never need them.

use crate::{
    error::Result,
    event::{Body, Event, Head, MessageEvent, Parent, Source},
    features::{
        hooks::{interrupted, unless_interrupted},
        send::ensure_content,
    },
    handle::Conversation,
    id::EventId,
    llm::message::{Content, Message, Role},
    machine::{Command, Ended},
};

impl Conversation {
    /// The messages of the inbox, in the order of their arrival. A follower knows none.
    pub fn queued_messages(&self) -> Vec<Event> {
        self.0.page.borrow().inbox.clone()
    }

    /// Takes back a message of the inbox: no model will read it. Returns once this is on disk.
    ///
    /// # Errors
    /// `invalid_state` for a message that is in the log already, `not_found` for one that does not exist,
    /// `locked_elsewhere`, and those of the store; nothing has changed then.
    pub async fn remove_queued_message(&self, message: &EventId) -> Result<()> {
        let lock = self.0.log.lock().await;
        self.ensure_queued(message).await?;
        self.perform_now(&lock, Command::RemoveQueuedMessage(message.clone())).await.map(drop)
    }

    /// Puts a message with this content, and the files of the old one, in the place of one of the inbox. It has another id, because the log may say of the
    /// old one that a hook denied it. Returns once this is on disk.
    ///
    /// # Errors
    /// As for [`Conversation::remove_queued_message`]; `invalid_options` for a message without content, `aborted` if the
    /// user interrupts before a hook has answered.
    pub async fn edit_queued_message(&self, id: &EventId, content: Vec<Content>) -> Result<Event> {
        ensure_content(&content)?;
        self.ensure_queued(id).await?;
        let hooks_cancel = self.0.page.borrow().hooks_cancel.clone();
        if self.begin_session(&hooks_cancel).await? == Ended::Cancelled {
            return Err(interrupted());
        }
        let old = self.with_machine(|machine| machine.in_inbox(id).cloned())?;
        let Body::MessageEvent(body) = old.body() else { return Ok(old) };
        let sender = body.sender.clone();
        // The files of the message stay with it; the new content takes the place of everything else.
        let extended_content =
            body.extended_content.iter().filter(|text| text.names_file()).cloned().collect();
        let message = MessageEvent::new(Message::new(Role::User, content));
        let mut message = MessageEvent { sender, extended_content, ..message };
        let new_id = self.0.log.new_id();
        let asked = self.ask_about_message(&new_id, &mut message);
        let hook_answers = unless_interrupted(Box::pin(asked), &hooks_cancel).await?;
        let timestamp = old.timestamp().to_owned();
        let head = Head { id: new_id, timestamp, source: Source::User, parent: Parent::Unset };
        let message = Event::new(head, message)?;

        let lock = self.0.log.lock().await;
        // A model may have read it while the hook was asked.
        self.ensure_queued(id).await?;
        let command = Command::EditQueuedMessage { old: id.clone(), message: message.clone(), hook_answers };
        self.perform_now(&lock, command).await?;
        Ok(message)
    }

    async fn ensure_queued(&self, message: &EventId) -> Result<()> {
        self.ensure_writable()?;
        if self.0.page.borrow().inbox.iter().any(|waiting| waiting.id() == message) {
            return Ok(());
        }
        self.index_of(message).await?;
        self.with_machine(|machine| machine.in_inbox(message).map(drop))
    }
}
