//! An async mutex that is acquired in the order of the requests, as the SDK's `fifo_lock.py`.
//!
//! It orders the commands of a conversation, and the commits of a store. The mutex of `futures-util` is not fair: a run
//! that acquires it repeatedly could keep a message waiting forever.

use futures_channel::oneshot;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

/// The mutex. Clones are the same mutex.
#[derive(Clone, Default)]
pub struct FairMutex(Rc<Shared>);

#[derive(Default)]
struct Shared {
    is_taken: Cell<bool>,
    waiting: RefCell<Vec<oneshot::Sender<FairGuard>>>,
}

/// Holds the lock until it is dropped, which passes the lock to the next waiter.
pub struct FairGuard(Rc<Shared>);

impl FairMutex {
    /// Resolves when all earlier requests are done. Dropping the future gives up its place in the queue.
    pub async fn lock(&self) -> FairGuard {
        if !self.0.is_taken.replace(true) {
            return FairGuard(self.0.clone());
        }
        let (sender, receiver) = oneshot::channel();
        self.0.waiting.borrow_mut().push(sender);
        match receiver.await {
            Ok(guard) => guard,
            // Cannot happen: while the mutex exists, a sender is consumed only by sending.
            Err(_) => FairGuard(self.0.clone()),
        }
    }

    /// Whether no guard exists.
    pub fn is_free(&self) -> bool {
        !self.0.is_taken.get()
    }
}

impl Drop for FairGuard {
    fn drop(&mut self) {
        loop {
            let next = {
                let mut waiting = self.0.waiting.borrow_mut();
                if waiting.is_empty() {
                    self.0.is_taken.set(false);
                    return;
                }
                waiting.remove(0)
            };
            if next.is_canceled() {
                continue;
            }
            // If the receiver is gone, the guard in the error is dropped, which passes the lock on.
            let _ = next.send(FairGuard(self.0.clone()));
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{FutureExt, future::join3};

    #[test]
    fn the_lock_is_acquired_in_the_order_of_the_requests() {
        let lock = FairMutex::default();
        let order = RefCell::new(Vec::new());
        let first = lock.lock().now_or_never().unwrap();
        let wait = |name: u8| {
            let (lock, order) = (lock.clone(), &order);
            async move {
                let _guard = lock.lock().await;
                order.borrow_mut().push(name);
            }
        };
        let (mut one, mut two) = (Box::pin(wait(1)), Box::pin(wait(2)));
        assert!(one.as_mut().now_or_never().is_none());
        assert!(two.as_mut().now_or_never().is_none());
        drop(first);
        futures_executor::block_on(join3(wait(3), two, one));
        assert_eq!(*order.borrow(), [1, 2, 3]);
    }

    #[test]
    fn dropping_a_request_before_or_after_its_turn_does_not_lose_the_lock() {
        let lock = FairMutex::default();
        let first = lock.lock().now_or_never().unwrap();
        let mut gives_up = Box::pin(lock.lock());
        assert!(gives_up.as_mut().now_or_never().is_none());
        let mut too_late = Box::pin(lock.lock());
        assert!(too_late.as_mut().now_or_never().is_none());
        drop(gives_up);
        drop(first);
        drop(too_late);
        assert!(lock.lock().now_or_never().is_some());
    }
}
