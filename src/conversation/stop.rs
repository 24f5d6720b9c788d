//! `pause` and `interrupt`.

use super::{
    Change, Conversation,
    pending::set_interrupted,
    status::{Effect, Happening, effect, happens},
};
use crate::oneshot;

use crate::{
    agent::Draft,
    error::Result,
    event::{PauseEvent, Source},
};

impl Conversation {
    /// Lets what is under way end and stops the run then: tools that run are waited for, and an answer of the model
    /// is kept, but its calls wait for the next run. Returns when the pause is stored. Nothing happens unless the
    /// conversation is idle or running.
    ///
    /// # Errors
    /// `locked_elsewhere`, and those of the store.
    pub async fn pause(&self) -> Result<()> {
        self.writable()?;
        let _turn = self.turn_between_tools().await;
        self.writable()?;
        if effect(Happening::Pause, self.execution_status()) == Effect::Stays {
            return Ok(());
        }
        let change = Change::append(vec![Draft::new(Source::User, PauseEvent {})]).and_edit(|state| {
            happens(state, Happening::Pause);
            // Nobody would know that they had begun, if the page died before they end.
            set_interrupted(state, &self.0.under_way.borrow(), None);
        });
        self.0.is_pausing.set(true);
        let paused = self.append(change.strictly()).await;
        self.0.is_pausing.set(false);
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
        let Some(cancel) = self.0.running.borrow().clone() else { return false };
        let (sender, ended) = oneshot::channel::<()>();
        self.0.run_ends.borrow_mut().push(sender);
        cancel.cancel();
        // The sender goes away with this run; another one may have begun by the time we hear of it.
        let _ = ended.await;
        true
    }
}
