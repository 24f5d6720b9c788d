//! One value, handed over once, to a future that waits for it.
//!
//! As `futures_channel::oneshot`, for one thread: without its locks, which a page would download for each type.

use std::{
    cell::Cell,
    future::Future,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, Waker},
};

/// The end that gives. Dropped without a value, it tells the other end that none will come.
pub struct Sender<T>(Rc<Slot<T>>);

/// The end that waits.
pub struct Receiver<T>(Rc<Slot<T>>);

/// No value will come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Canceled;

struct Slot<T> {
    value: Cell<Option<T>>,
    waiting: Cell<Option<Waker>>,
    /// Whether one of the two ends has gone.
    is_over: Cell<bool>,
}

/// Two ends of a new channel.
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let slot = Rc::new(Slot { value: Cell::new(None), waiting: Cell::new(None), is_over: Cell::new(false) });
    (Sender(Rc::clone(&slot)), Receiver(slot))
}

impl<T> Sender<T> {
    /// Hands the value over, or back if nobody waits any more.
    ///
    /// # Errors
    /// The value.
    pub fn send(self, value: T) -> Result<(), T> {
        if self.is_canceled() {
            return Err(value);
        }
        self.0.value.set(Some(value));
        Ok(())
    }

    /// Whether nobody waits any more.
    pub fn is_canceled(&self) -> bool {
        self.0.is_over.get()
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.is_over.set(true);
        if let Some(waiting) = self.0.waiting.take() {
            waiting.wake();
        }
    }
}

impl<T> Future for Receiver<T> {
    type Output = Result<T, Canceled>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.0.value.take() {
            Some(value) => Poll::Ready(Ok(value)),
            None if self.0.is_over.get() => Poll::Ready(Err(Canceled)),
            None => {
                self.0.waiting.set(Some(context.waker().clone()));
                Poll::Pending
            }
        }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.0.is_over.set(true);
        // What was handed over and not taken goes at once, whoever still holds the other end.
        drop(self.0.value.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_executor::block_on;
    use futures_util::future::join;

    #[test]
    fn a_value_arrives_before_or_after_it_is_waited_for() {
        let (sender, receiver) = channel();
        sender.send(7).unwrap();
        assert_eq!(block_on(receiver), Ok(7));
        let (sender, receiver) = channel();
        let (received, ()) = block_on(join(receiver, async { sender.send(8).unwrap() }));
        assert_eq!(received, Ok(8));
    }

    #[test]
    fn each_end_knows_that_the_other_has_gone() {
        let (sender, receiver) = channel::<()>();
        let (received, ()) = block_on(join(receiver, async { drop(sender) }));
        assert_eq!(received, Err(Canceled));
        let (sender, receiver) = channel();
        assert!(!sender.is_canceled());
        drop(receiver);
        assert!(sender.is_canceled());
        assert_eq!(sender.send(9), Err(9));
    }

    #[test]
    fn what_nobody_takes_is_dropped_with_the_end_that_waits() {
        let (value, (sender, receiver)) = (Rc::new(()), channel());
        sender.send(Rc::clone(&value)).unwrap();
        drop(receiver);
        assert_eq!(Rc::strong_count(&value), 1);
    }
}
