//! When a model counts as silent, by a clock that moves on to the next timer once everybody waits.

use crate::calls::{HELLO, options};
use futures_util::{FutureExt as _, future::LocalBoxFuture};
use std::{
    cell::{Cell, RefCell},
    future::{Future as _, poll_fn},
    pin::pin,
    rc::Rc,
    task::{Context, Poll, Waker},
    time::Duration,
};
use threadkeep::{
    host::Host,
    llm::{
        CallContext, Completion, Llm, LlmError, LlmFailure, LlmOptions,
        message::{Content, Message, Role},
        transport::{HttpBody, HttpClient, HttpError, HttpRequest, HttpResponse},
    },
};
use uuid::Uuid;

/// In milliseconds. Of the clock and all timers.
#[derive(Clone, Default)]
struct World {
    now: Rc<Cell<u64>>,
    rings_at: Rc<RefCell<Vec<u64>>>,
    /// How many timers the core has set.
    set: Rc<Cell<usize>>,
    /// So much is the clock wrong.
    shift: Rc<Cell<f64>>,
    /// The pieces of the answer, each so long after the one before it.
    pieces: Rc<RefCell<Vec<(u64, String)>>>,
}

impl World {
    async fn until(self, due: u64) {
        poll_fn(|_| {
            if self.now.get() >= due {
                return Poll::Ready(());
            }
            self.rings_at.borrow_mut().push(due);
            Poll::Pending
        })
        .await;
    }
}

impl Host for World {
    fn now(&self) -> f64 {
        self.now.get() as f64 + self.shift.get()
    }

    fn local_time(&self) -> String {
        "2026-01-31T09:15:02.123456".into()
    }

    fn random_uuid(&self) -> Uuid {
        Uuid::from_u128(1)
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        self.set.set(self.set.get() + 1);
        self.clone().until(self.now.get() + duration.as_millis() as u64).boxed_local()
    }
}

impl HttpClient for World {
    fn send(&self, _: HttpRequest) -> LocalBoxFuture<'static, Result<HttpResponse, HttpError>> {
        let body = Box::new(Body(self.clone()));
        async { Ok(HttpResponse { status: 200, headers: Vec::new(), body }) }.boxed_local()
    }
}

struct Body(World);

impl HttpBody for Body {
    fn chunk(&mut self) -> LocalBoxFuture<'_, Result<Option<Vec<u8>>, HttpError>> {
        let world = self.0.clone();
        async move {
            let next = world.pieces.borrow_mut().pop();
            let Some((after, data)) = next else { return std::future::pending().await };
            world.clone().until(world.now.get() + after).await;
            Ok(Some(format!("data: {data}\n\n").into_bytes()))
        }
        .boxed_local()
    }
}

const LIMIT: u64 = 30_000;

struct Outcome {
    result: Result<Completion, LlmError>,
    ended: u64,
    set: usize,
}

/// Asks a model whose answer comes in these pieces, behind which it is silent.
fn ask(pieces: Vec<(u64, &str)>, on_delta: impl Fn(&World)) -> Outcome {
    let world = World::default();
    world.pieces.replace(pieces.into_iter().rev().map(|(after, data)| (after, data.to_owned())).collect());
    let options = LlmOptions { timeout: Some(LIMIT as f64 / 1000.0), num_retries: Some(1), ..options() };
    let llm = Llm::new(options, Rc::new(world.clone()), Rc::new(world.clone())).unwrap();
    let messages = [Rc::new(Message::new(Role::User, vec![Content::text("Hi")]))];
    let (context, show) = (CallContext::default(), |_| on_delta(&world));
    let mut asked = pin!(llm.complete(&messages, &[], &context, &show));
    loop {
        if let Poll::Ready(result) = asked.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return Outcome { result, ended: world.now.get(), set: world.set.get() };
        }
        world.now.set(world.rings_at.take().into_iter().min().expect("somebody who waits for a time"));
    }
}

#[test]
fn a_silence_is_as_long_as_the_limit_wherever_it_begins() {
    for after in [0, 1, 7_000, 15_000, 29_999] {
        let pieces = [HELLO[0]; 1].into_iter().chain([HELLO[1]; 9]).map(|data| (after, data)).collect();
        let outcome = ask(pieces, |_| {});
        assert_eq!(outcome.result.unwrap_err().failure, LlmFailure::Timeout);
        assert_eq!(outcome.ended, 10 * after + LIMIT, "after {after} ms");
    }
    let outcome = ask(vec![(LIMIT + 1, HELLO[0])], |_| {});
    assert_eq!((outcome.result.unwrap_err().failure, outcome.ended), (LlmFailure::Timeout, LIMIT));
}

#[test]
fn a_timer_is_set_for_a_silence_and_not_for_each_piece() {
    let pieces: Vec<_> = [HELLO[0]; 1].into_iter().chain([HELLO[1]; 10_000]).map(|data| (1, data)).collect();
    let outcome =
        ask(pieces.into_iter().chain([(1, HELLO[2]), (1, HELLO[3]), (1, "[DONE]")]).collect(), |_| {});
    assert!(outcome.result.is_ok());
    // And a shorter one once the model has ended.
    assert_eq!(outcome.set, 2);
}

#[test]
fn behind_the_end_of_an_answer_nobody_waits_long() {
    let outcome = ask(vec![(20_000, HELLO[1]), (20_000, HELLO[2])], |_| {});
    assert_eq!((outcome.result.unwrap().usage, outcome.ended), (None, 45_000));
}

#[test]
fn a_clock_that_is_set_back_makes_no_silence_longer_than_two() {
    let outcome = ask(vec![(20_000, HELLO[1]), (20_000, HELLO[1])], |world| {
        world.shift.set(world.shift.get() - 3_600_000.0)
    });
    assert_eq!(outcome.result.unwrap_err().failure, LlmFailure::Timeout);
    assert!((40_000 + LIMIT..=40_000 + 2 * LIMIT).contains(&outcome.ended), "{}", outcome.ended);
}
