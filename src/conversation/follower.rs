//! A follower: a handle that shows what another page writes.

use super::{Access, Conversation, active_branch::Part};
use crate::error::{ErrorCode, Result};

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
}
