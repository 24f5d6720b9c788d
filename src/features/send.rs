//! Sends a message of the user (`conversation/impl/local_conversation.py`, `send_message`).

use super::hooks::{interrupted, unless_interrupted};
use crate::{
    error::{Error, ErrorCode, Result},
    event::{Event, Head, MessageEvent, Parent, Source},
    handle::Conversation,
    id::EventId,
    llm::{
        attachment::Attachment,
        files::file_input,
        message::{Content, Message, Role, TextContent},
    },
    log::active_branch::BranchPart,
    machine::{Command, Ended, WaitingCalls},
    tool::FileChange,
};

/// The files that come with a message.
#[derive(Default)]
pub struct Attached {
    /// The texts that name the files, for the message's `extended_content` ([`crate::llm::attachment::attachment_texts`]).
    pub texts: Vec<TextContent>,
    /// Changes of the conversation's files that are stored together with the message. None for files of another
    /// workspace, which are written before.
    pub files: Vec<FileChange>,
}

/// What is done with a message.
enum Purpose<'a> {
    /// It follows the others.
    Send { sender: Option<String>, waiting_calls: Option<WaitingCalls> },
    /// It takes the place of this one, on a new branch.
    Replace(&'a EventId),
}

impl Conversation {
    /// Whether the current model is given these files themselves: `None`, or else the reason, which is empty for a file of a
    /// kind that no model is given.
    ///
    /// # Errors
    /// Those of the model's data.
    pub async fn reasons_against(&self, files: &[Attachment]) -> Result<Vec<Option<String>>> {
        let input = file_input(&self.llm()).await?;
        Ok(files
            .iter()
            .map(|file| input.kind_of(file).map_or(Some(String::new()), |kind| kind.err()))
            .collect())
    }

    /// Appends a user message, after an answer to every call that has no result. While the model answers or tools run,
    /// the message is stored in the inbox and appended later, so the returned event has no parent yet. A run that is
    /// under way picks the message up with its next request. Returns once the message is on disk.
    ///
    /// # Errors
    /// `invalid_options` for a message without content, `invalid_state` while calls wait for a decision of the user,
    /// `aborted` if the user interrupts before a hook has answered,
    /// `locked_elsewhere`, and those of the store; nothing is stored then.
    pub fn send_message(
        &self,
        content: Vec<Content>,
        sender: Option<String>,
    ) -> impl Future<Output = Result<Event>> {
        self.send_message_while_waiting(content, sender, None)
    }

    /// As [`Conversation::send_message`], with an instruction about calls that wait for a decision of the user.
    ///
    /// # Errors
    /// As for [`Conversation::send_message`].
    pub fn send_message_while_waiting(
        &self,
        content: Vec<Content>,
        sender: Option<String>,
        waiting_calls: Option<WaitingCalls>,
    ) -> impl Future<Output = Result<Event>> {
        self.send_with_files(content, Attached::default(), sender, waiting_calls)
    }

    /// Stores a message with this content on a new branch that begins before `message`, which stays in the log with its
    /// answers. Returns the new event.
    ///
    /// # Errors
    /// `not_found` for an event that does not exist, `invalid_options` for one that is not a message of the user and for
    /// a message without content, `invalid_state` during a run and while calls wait for the user, `locked_elsewhere`,
    /// and those of the store.
    pub fn edit_message(
        &self,
        message: &EventId,
        content: Vec<Content>,
    ) -> impl Future<Output = Result<Event>> {
        self.edit_with_files(message, content, Attached::default())
    }

    /// As [`Conversation::send_message_while_waiting`], with files, which are stored in the transaction of the message.
    ///
    /// # Errors
    /// As for [`Conversation::send_message`].
    pub fn send_with_files(
        &self,
        content: Vec<Content>,
        attached: Attached,
        sender: Option<String>,
        waiting_calls: Option<WaitingCalls>,
    ) -> impl Future<Output = Result<Event>> {
        self.take_message(content, attached, Purpose::Send { sender, waiting_calls })
    }

    /// As [`Conversation::edit_message`], with files, which are stored in the transaction of the message.
    ///
    /// # Errors
    /// As for [`Conversation::edit_message`].
    pub fn edit_with_files(
        &self,
        message: &EventId,
        content: Vec<Content>,
        attached: Attached,
    ) -> impl Future<Output = Result<Event>> {
        self.take_message(content, attached, Purpose::Replace(message))
    }

    /// The steps that both have in common: checks, hooks, and one transaction.
    async fn take_message(
        &self,
        content: Vec<Content>,
        attached: Attached,
        purpose: Purpose<'_>,
    ) -> Result<Event> {
        if attached.texts.is_empty() {
            ensure_content(&content)?;
        }
        self.ensure_writable()?;
        let turn = self.0.turns.lock().await;
        // Checked before any hook is asked.
        let part = match purpose {
            Purpose::Send { .. } => BranchPart::All,
            Purpose::Replace(_) => BranchPart::End,
        };
        self.0.log.ensure_loaded(part).await?;
        self.with_machine(|machine| match purpose {
            Purpose::Send { waiting_calls, .. } => machine.check_message(waiting_calls).map(drop),
            Purpose::Replace(_) => machine.check_leaving(),
        })?;
        let (sender, waiting_calls, place) = match purpose {
            Purpose::Send { sender, waiting_calls } => (sender, waiting_calls, None),
            Purpose::Replace(message) => {
                let (place, sender) = self.place_of_message(message).await?;
                (sender, None, Some(place))
            }
        };
        // A hook answers when it likes, and may call other methods.
        let _turn = self.0.hooks.is_none().then_some(turn);
        let hooks_cancel = self.0.page.borrow().hooks_cancel.clone();
        if self.begin_session(&hooks_cancel).await? == Ended::Cancelled {
            return Err(interrupted());
        }
        let id = self.0.log.new_id();
        // Texts of hooks follow; those of skills come before.
        let message = MessageEvent::new(Message::new(Role::User, content));
        let mut message = MessageEvent { sender, extended_content: attached.texts, ..message };
        let asked = self.ask_about_message(&id, &mut message);
        let hook_answers = unless_interrupted(Box::pin(asked), &hooks_cancel).await?;
        let timestamp = self.0.log.host.local_time();
        let head = Head { id, timestamp, source: Source::User, parent: Parent::Unset };
        let message = Event::new(head, message)?;
        let sent = message.clone();
        let files = attached.files;
        let command = match place {
            Some(place) => Command::EditMessage { message, files, hook_answers, place },
            None => Command::SendMessage { message, files, hook_answers, waiting_calls },
        };
        let events = self.perform(command).await?;
        if let Some(event) = events.into_iter().find(|event| event.id() == sent.id()) {
            return Ok(event);
        }
        // The message is in the inbox. The reason for that may be over by now.
        self.append_inbox().await?;
        Ok(sent)
    }
}

/// # Errors
/// `invalid_options` for a message without content.
pub(crate) fn ensure_content(content: &[Content]) -> Result<()> {
    let is_empty = content.iter().all(|part| match part {
        Content::Text { text, .. } => text.trim().is_empty(),
        Content::Image { image_urls, .. } => image_urls.is_empty(),
        Content::File(_) => false,
    });
    match is_empty {
        true => Err(Error::new(ErrorCode::InvalidOptions, "a message needs text or an image")),
        false => Ok(()),
    }
}
