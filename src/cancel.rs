//! Cancels several futures at once.

use futures_channel::oneshot;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

/// A token that can be cancelled once. Clones share the state.
#[derive(Clone, Default)]
pub struct CancelToken(Rc<Shared>);

#[derive(Default)]
struct Shared {
    is_cancelled: Cell<bool>,
    waiting: RefCell<Vec<oneshot::Sender<()>>>,
}

impl CancelToken {
    /// Cancels the token and wakes all futures that wait on [`CancelToken::cancelled`]. A second call does nothing.
    pub fn cancel(&self) {
        self.0.is_cancelled.set(true);
        let waiting = std::mem::take(&mut *self.0.waiting.borrow_mut());
        for waiter in waiting {
            // An error means that the receiver was dropped.
            let _ = waiter.send(());
        }
    }

    /// Whether the token has been cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.get()
    }

    /// Resolves when the token is cancelled.
    pub async fn cancelled(&self) {
        if self.is_cancelled() {
            return;
        }
        let (sender, receiver) = oneshot::channel();
        {
            let mut waiting = self.0.waiting.borrow_mut();
            waiting.retain(|waiter| !waiter.is_canceled());
            waiting.push(sender);
        }
        let _ = receiver.await;
    }
}
