//! The files of the inbox, whose purpose is explained in `features/inbox/mod.rs`, and changes of messages in it.

use super::{
    HookAnswers, Machine, Transition,
    change::{Change, Effect},
    hook_answers::unblock_message,
};
use crate::{
    error::{Error, ErrorCode, Result},
    event::Event,
    format::layout::inbox_path,
    id::{EventId, StorePath},
    tool::FileChange,
};

/// The path of a message's file.
pub fn path_of(event: &Event) -> Result<StorePath> {
    inbox_path(event.timestamp(), event.id())
}

impl Machine<'_> {
    /// Takes a message out of the inbox. If the branch ends with an answer in text, and the run goes on only because of this
    /// message, that answer ends it: nobody can answer a history that ends with an answer.
    ///
    /// # Errors
    /// `invalid_state` if the message is not in the inbox.
    pub fn remove_from_inbox(&mut self, id: &EventId) -> Result<Change> {
        let message = self.in_inbox(id)?.clone();
        unblock_message(&mut self.state, id);
        if self.ends_with_answer && self.page.is_running() && self.page.inbox.len() == 1 {
            Transition::Answered.apply(&mut self.state)?;
        }
        let mut change = Change::default().strictly();
        change.files.push(FileChange::new(path_of(&message)?, None));
        change.effects.push(Effect::RemoveFromInbox(vec![message]));
        Ok(change)
    }

    /// Replaces this message in the inbox by one of the same time, which therefore takes its place.
    ///
    /// # Errors
    /// `invalid_state` if it is not in the inbox.
    pub fn edit_in_inbox(
        &mut self,
        id: EventId,
        message: Event,
        hook_answers: HookAnswers,
    ) -> Result<Change> {
        let old = path_of(self.in_inbox(&id)?)?;
        unblock_message(&mut self.state, &id);
        hook_answers.block_message(&mut self.state);
        let mut change = Change::append(hook_answers.events).strictly();
        let content = message.json().as_bytes().to_vec();
        change.files.push(FileChange::new(old, None));
        change.files.push(FileChange::new(path_of(&message)?, Some(content)));
        change.effects.push(Effect::ReplaceInInbox(id, message));
        Ok(change)
    }

    /// The message of the inbox with this id.
    ///
    /// # Errors
    /// `invalid_state`.
    pub fn in_inbox(&self, id: &EventId) -> Result<&Event> {
        self.page.inbox.iter().find(|message| message.id() == id).ok_or_else(|| {
            let text = format!("message {id} does not wait any more, so the agent may have read it");
            Error::new(ErrorCode::InvalidState, text)
        })
    }
}
