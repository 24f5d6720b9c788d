//! Pending calls: calls without a result, because the user has to approve them or because a page died.
//!
//! They are derived from the log, so they survive reloads and a transfer to Python and back.

use crate::{error::Result, event::Event, handle::Conversation, id::EventId, machine::Command};

impl Conversation {
    /// The actions of the pending calls, oldest first.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn pending_actions(&self) -> Result<Vec<Event>> {
        self.inspect(|machine| machine.calls.open().map(|call| call.event.clone()).collect()).await
    }

    /// Rejects these pending calls; without a list, all of them. The model reads the rejections in the next run. For a
    /// call that was under way in a dead page, the rejection adds that it may have taken effect.
    ///
    /// # Errors
    /// `not_found` for an action that does not wait, `invalid_state` while tools run, `locked_elsewhere`, and those of
    /// the store.
    pub async fn reject_pending_actions(
        &self,
        reason: Option<String>,
        actions: Option<&[EventId]>,
    ) -> Result<()> {
        self.ensure_writable()?;
        let actions = actions.map(<[EventId]>::to_vec);
        self.perform(Command::RejectPendingActions { reason, actions }).await?;
        self.append_inbox().await
    }
}
