//! A follower: a handle that shows what another page writes; and how a handle takes the place of another writer.

use super::{Access, Conversation, active_branch::Part};
use crate::error::{ErrorCode, Result};

/// How often a handle tries to take the place of a writer that stores something meanwhile.
const CLAIMS: u32 = 10;

impl Conversation {
    /// Takes in what the writer has stored since, and notifies listeners as a commit does. Does nothing in a writer.
    ///
    /// # Errors
    /// `store_lost` if the conversation was deleted, which also closes it; `invalid_state` once it is closed, and those of
    /// the store.
    pub async fn catch_up(&self) -> Result<()> {
        let queue = self.0.log.queue().await;
        self.ensure_open()?;
        if self.0.access == Access::Writer {
            return Ok(());
        }
        // The calls are known from the first time on, so that every later change of them is reported.
        self.0.log.load_branch(&queue, Part::End).await?;
        self.learn_pending();
        if let Err(error) = self.0.log.take_in(&queue).await {
            if error.code() == ErrorCode::StoreLost {
                self.0.page.borrow_mut().is_lost = true;
                self.let_go();
            }
            return Err(error);
        }
        self.0.log.load_branch(&queue, Part::End).await?;
        self.report();
        Ok(())
    }

    /// Makes this handle the only writer, with all that was stored before: the one that was, if it still lives, stores nothing
    /// any more.
    ///
    /// # Errors
    /// `locked_elsewhere` for a follower, and if the other one stores something each time; `invalid_state` once the
    /// conversation is closed, and those of the store.
    pub async fn claim(&self) -> Result<()> {
        let queue = self.0.log.queue().await;
        self.ensure_writable()?;
        let mut left = CLAIMS;
        while let Err(error) = self.0.log.claim(&queue).await {
            left -= 1;
            if error.code() != ErrorCode::LockedElsewhere || left == 0 {
                return Err(error);
            }
            self.0.log.take_in(&queue).await?;
        }
        // Without a change of the log's length, the other one may have changed the state until then.
        self.0.log.take_in(&queue).await?;
        self.0.log.load_branch(&queue, Part::End).await?;
        self.report();
        Ok(())
    }
}
