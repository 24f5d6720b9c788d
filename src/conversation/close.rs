//! Closes a conversation.

use crate::{
    error::Result,
    handle::{Conversation, closed},
};
use futures_util::future::{Either, LocalBoxFuture, select};
use std::pin::pin;

impl Conversation {
    /// Stops the run, releases the log, and refuses every later call. Committed data stays. Waits without a limit for
    /// code of the host, such as its store; [`Conversation::let_go`] does not.
    pub async fn close(&self) {
        loop {
            self.stop_run().await;
            self.end_session().await;
            // No write may be in progress when the conversation is opened again.
            let _lock = self.0.log.lock().await;
            let page = &mut *self.0.page.borrow_mut();
            // A run may have started while the session ended.
            if !page.is_running() {
                page.is_closed = true;
                break;
            }
        }
        self.let_go();
    }

    /// Closes the conversation without waiting. If the store is still executing a commit, either that commit fails or
    /// the first one of the next handle does.
    pub fn let_go(&self) {
        self.0.page.borrow_mut().is_closed = true;
        self.0.closed.cancel();
    }

    /// The result of a verb, or an error as soon as the conversation is closed: a verb that waits for code of the host
    /// does not keep its caller waiting any longer.
    ///
    /// # Errors
    /// Those of the verb, and `invalid_state` once the conversation is closed.
    pub async fn until_closed<T>(&self, verb: LocalBoxFuture<'_, Result<T>>) -> Result<T> {
        if self.0.closed.is_cancelled() {
            return verb.await;
        }
        match select(verb, pin!(self.0.closed.cancelled())).await {
            Either::Left((result, _)) => result,
            Either::Right(_) => Err(closed()),
        }
    }
}
