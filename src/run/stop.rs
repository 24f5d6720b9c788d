//! `pause` and `interrupt`.

use crate::{error::Result, handle::Conversation, machine::Command};
use futures_channel::oneshot;

impl Conversation {
    /// Stops the run after its current part: running tools are waited for, and an answer of the model is stored, but its
    /// calls wait for the next run. Returns when the pause is stored. Does nothing unless the conversation is idle or
    /// running.
    ///
    /// # Errors
    /// `locked_elsewhere`, and those of the store.
    pub async fn pause(&self) -> Result<()> {
        self.ensure_writable()?;
        let is_first = {
            let page = &mut *self.0.page.borrow_mut();
            page.is_pausing = true;
            page.run.iter_mut().for_each(|run| run.is_paused = true);
            !page.is_running() || page.has_begun()
        };
        // A run that was asked for before this pause begins first, so that the pause stops it.
        let _turn = if is_first { None } else { Some(self.0.turns.lock().await) };
        let paused = self.perform(Command::Pause).await;
        self.0.page.borrow_mut().is_pausing = false;
        paused.map(drop)
    }

    /// Stops the run at once, and refuses a message or an edited call whose hook has not answered yet: whatever was to be
    /// decided about it, nobody has. Returns when the conversation is paused and every call is answered. Without a run,
    /// this is otherwise the same as [`Conversation::pause`].
    ///
    /// # Errors
    /// As for [`Conversation::pause`].
    pub async fn interrupt(&self) -> Result<()> {
        self.ensure_writable()?;
        let hooks_cancel = std::mem::take(&mut self.0.page.borrow_mut().hooks_cancel);
        hooks_cancel.cancel();
        match self.stop_run().await {
            true => Ok(()),
            false => self.pause().await,
        }
    }

    /// Cancels the run that is under way and returns when it has ended. Returns whether there was one.
    pub(crate) async fn stop_run(&self) -> bool {
        let (sender, ended) = oneshot::channel::<()>();
        let cancel = match &mut self.0.page.borrow_mut().run {
            Some(run) => {
                run.ends.push(sender);
                run.cancel.clone()
            }
            None => return false,
        };
        cancel.cancel();
        // The sender is dropped with the run, which gives an error here. Another run may have begun by then.
        let _ = ended.await;
        true
    }
}
