//! A few futures under way at the same time.
//!
//! Whenever one of them can go on all are asked, which is right for a handful and spares a page the bookkeeping of
//! `FuturesUnordered`.

use futures_util::future::LocalBoxFuture;
use std::{
    future::poll_fn,
    task::{Context, Poll},
};

/// Futures in the order in which they were added. Dropping it drops those that have not ended.
pub struct Together<'a, T>(Vec<Member<'a, T>>);

enum Member<'a, T> {
    Running(LocalBoxFuture<'a, T>),
    Ended(T),
}

impl<T> Default for Together<'_, T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'a, T> Together<'a, T> {
    /// Adds one, which begins when a result is asked for.
    pub fn push(&mut self, future: LocalBoxFuture<'a, T>) {
        self.0.push(Member::Running(future));
    }

    /// How many results have not been taken.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether all results have been taken.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The result of one that has ended; `None` if there are none left.
    pub async fn any(&mut self) -> Option<T> {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<T>> {
        if self.0.is_empty() {
            return Poll::Ready(None);
        }
        for member in &mut self.0 {
            if let Member::Running(future) = member
                && let Poll::Ready(result) = future.as_mut().poll(context)
            {
                *member = Member::Ended(result);
            }
        }
        let ended = self.0.iter().position(|member| matches!(member, Member::Ended(_)));
        match ended.map(|place| self.0.remove(place)) {
            Some(Member::Ended(result)) => Poll::Ready(Some(result)),
            _ => Poll::Pending,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oneshot::channel;
    use futures_executor::block_on;
    use futures_util::FutureExt as _;

    #[test]
    fn results_come_as_they_are_there() {
        let (late, soon) = (channel(), channel());
        let mut together = Together::default();
        for receiver in [late.1, soon.1] {
            together.push(async move { receiver.await.unwrap() }.boxed_local());
        }
        assert_eq!(together.any().now_or_never(), None);
        soon.0.send("soon").unwrap();
        assert_eq!(block_on(together.any()), Some("soon"));
        late.0.send("late").unwrap();
        assert_eq!(block_on(together.any()), Some("late"));
        assert!(together.is_empty());
        assert_eq!(block_on(together.any()), None);
    }
}
