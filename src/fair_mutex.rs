//! A lock over futures that is given in the order in which it was asked for, as the SDK's `fifo_lock.py`.
//!
//! Commands of a conversation stand in line for it, and commits in a store. The mutex of `futures-util` is not fair: a
//! run that takes it again and again could keep a message waiting for ever.

use futures_channel::oneshot;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

/// The lock. Clones are the same lock.
#[derive(Clone, Default)]
pub struct FairMutex(Rc<Shared>);

#[derive(Default)]
struct Shared {
    is_taken: Cell<bool>,
    waiting: RefCell<Vec<oneshot::Sender<FairGuard>>>,
}

/// Holds the lock while it lives; dropping it passes the lock on.
pub struct FairGuard(Rc<Shared>);

impl FairMutex {
    /// Resolves when everybody who asked earlier is through. Dropping the future gives up the place.
    pub async fn lock(&self) -> FairGuard {
        if !self.0.is_taken.replace(true) {
            return FairGuard(self.0.clone());
        }
        let (sender, receiver) = oneshot::channel();
        self.0.waiting.borrow_mut().push(sender);
        match receiver.await {
            Ok(guard) => guard,
            // A sender only goes away by sending, while the lock itself is alive.
            Err(_) => FairGuard(self.0.clone()),
        }
    }

    /// Whether nobody has it.
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
            // A guard that arrives nowhere is dropped by the channel, which passes the lock on.
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
    fn it_is_given_in_the_order_of_asking() {
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
    fn a_lock_given_up_while_waiting_or_on_arrival_is_not_lost() {
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
