//! A follower: a handle that shows what another page writes, and takes its place when that page has ended or has to give way.

use super::open::copy_of_server;
use crate::{
    error::{ErrorCode, Result},
    fair_mutex::FairGuard,
    format::{base_state::ExecutionStatus, server_mark::SERVER},
    handle::{Access, Conversation, warning::interrupted_run},
    id::EventId,
    log::active_branch::BranchPart,
    store::StoredEvent,
};

/// How often a handle that takes the place of a writer which is alive tries to get its commit before the writer's next one.
const CLAIMS: usize = 100;

impl Conversation {
    /// Takes in what the writer has stored since, and notifies listeners as a commit does. Does nothing in a writer.
    ///
    /// # Errors
    /// `store_lost` if the conversation was deleted, which also closes it; `invalid_state` once it is closed, and those of
    /// the store.
    pub async fn catch_up(&self) -> Result<()> {
        let lock = self.0.log.lock().await;
        self.ensure_open()?;
        match self.access() {
            Access::Writer => Ok(()),
            Access::Follower => self.take_in(&lock).await,
        }
    }

    async fn take_in(&self, lock: &FairGuard) -> Result<()> {
        // The calls are known from the first time on, so that every later change of them is reported.
        self.0.log.load_branch(lock, BranchPart::End).await?;
        self.learn_pending();
        if let Err(error) = self.0.log.take_in(lock).await {
            if error.code() == ErrorCode::StoreLost {
                self.0.page.borrow_mut().is_lost = true;
                self.let_go();
            }
            return Err(error);
        }
        self.0.log.load_branch(lock, BranchPart::End).await?;
        self.report();
        Ok(())
    }

    /// Makes a follower the writer, and repairs what the last one has left, as opening does. What this handle was opened with
    /// for new conversations and for settings has no effect: the conversation goes on as it is. Does nothing in a writer.
    ///
    /// The caller holds the lock, or has taken it away: the next commit of the last writer is refused.
    ///
    /// # Errors
    /// As for [`Conversation::catch_up`]; this handle follows then. Those of repairing; it has to step down then.
    pub async fn become_writer(&self) -> Result<()> {
        let torn = {
            let lock = self.0.log.lock().await;
            self.ensure_open()?;
            if self.access() == Access::Writer {
                return Ok(());
            }
            let torn = self.claim(&lock).await?;
            // They are read again when they are needed: the last writer may have recorded more commands since.
            self.0.page.borrow_mut().commands.clear();
            self.0.access.set(Access::Writer);
            torn
        };
        if self.execution_status() == ExecutionStatus::Running {
            self.0.warnings.borrow_mut().push(interrupted_run());
        }
        self.recover(&torn).await?;
        self.load_inbox(None).await?;
        self.open_draft(self.0.resume, None).await?;
        self.append_inbox().await
    }

    /// Takes in everything, and makes this handle the only one whose commits the store accepts. Returns the unreadable events
    /// at the end of the log.
    async fn claim(&self, lock: &FairGuard) -> Result<Vec<StoredEvent>> {
        let mut left = CLAIMS;
        loop {
            self.take_in(lock).await?;
            // It has moved to a server.
            if self.state().field(SERVER).is_some() {
                return Err(copy_of_server());
            }
            match self.0.log.claim(lock).await {
                Err(error) if error.code() == ErrorCode::LockedElsewhere && left > 0 => left -= 1,
                Err(error) => return Err(error),
                Ok(torn) => {
                    // The other one may have changed the state until then, without a change of the log's length.
                    self.take_in(lock).await?;
                    self.0.log.keep_torn(&torn);
                    return Ok(torn);
                }
            }
        }
    }

    /// Makes a writer a follower, because another handle has taken its place: ends what is under way, of which nothing more is
    /// stored, and forgets what is only in memory. Does nothing in a follower.
    pub async fn step_down(&self) {
        if self.0.access.replace(Access::Follower) == Access::Follower {
            return;
        }
        self.0.displaced.set(self.0.displaced.get() + 1);
        let hooks_cancel = std::mem::take(&mut self.0.page.borrow_mut().hooks_cancel);
        hooks_cancel.cancel();
        self.stop_run().await;
        let _lock = self.0.log.lock().await;
        let page = &mut *self.0.page.borrow_mut();
        page.inbox.clear();
        page.draft = None;
        page.unsaved_status = None;
        self.0.log.forget_held();
    }

    /// The answer that is under way, as far as it was shown: the id of its first event, and its text.
    pub fn answer_under_way(&self) -> Option<(EventId, String)> {
        let page = self.0.page.borrow();
        let answer = page.run.as_ref()?.answer.as_ref()?;
        Some((answer.id.clone(), answer.text()))
    }
}
