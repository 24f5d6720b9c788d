//! Calls that wait for a result: because a user has to approve them, or because a page died.
//!
//! They are a function of the log, so they survive reloads and the way through Python.

use super::{Conversation, machine::Command};
use crate::{error::Result, event::Event, id::EventId};

impl Conversation {
    /// The calls that wait for a result, oldest first.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn pending_actions(&self) -> Result<Vec<Event>> {
        self.look(|machine| machine.calls.open().map(|call| call.event.clone()).collect()).await
    }

    /// Answers waiting calls with a rejection, which the model reads at the next run: these ones, or all. Of a call
    /// that a dead page had under way the model is also told that nobody knows whether it took effect.
    ///
    /// # Errors
    /// `not_found` for an action that does not wait, `invalid_state` while tools run, `locked_elsewhere`, and those of
    /// the store.
    pub async fn reject_pending_actions(
        &self,
        reason: Option<String>,
        actions: Option<&[EventId]>,
    ) -> Result<()> {
        self.writable()?;
        let actions = actions.map(<[EventId]>::to_vec);
        self.perform(Command::RejectPendingActions { reason, actions }).await?;
        self.take_in_messages().await
    }
}
