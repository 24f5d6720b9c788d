//! `pause` and `interrupt`.

use super::{Conversation, machine::Command};
use crate::error::Result;
use futures_channel::oneshot;

impl Conversation {
    /// Lets what is under way end and stops the run then: tools that run are waited for, and an answer of the model
    /// is kept, but its calls wait for the next run. Returns when the pause is stored. Nothing happens unless the
    /// conversation is idle or running.
    ///
    /// # Errors
    /// `locked_elsewhere`, and those of the store.
    pub async fn pause(&self) -> Result<()> {
        self.writable()?;
        self.0.page.borrow_mut().is_pausing = true;
        let paused = self.perform(Command::Pause).await;
        self.0.page.borrow_mut().is_pausing = false;
        paused.map(drop)
    }

    /// Stops the run that is under way, now. Returns when the conversation is paused and every call is answered.
    /// Without a run it is a pause.
    ///
    /// # Errors
    /// As for [`Conversation::pause`].
    pub async fn interrupt(&self) -> Result<()> {
        self.writable()?;
        match self.stop_run().await {
            true => Ok(()),
            false => self.pause().await,
        }
    }

    /// Cancels the run that is under way and returns when it has ended. Returns whether there was one.
    pub(super) async fn stop_run(&self) -> bool {
        let (sender, ended) = oneshot::channel::<()>();
        let cancel = match &mut self.0.page.borrow_mut().run {
            Some(run) => {
                run.ends.push(sender);
                run.cancel.clone()
            }
            None => return false,
        };
        cancel.cancel();
        // The sender goes away with this run; another one may have begun by the time we hear of it.
        let _ = ended.await;
        true
    }
}
