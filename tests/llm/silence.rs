//! The limit for silence of a model, measured by a simulated clock that jumps to the next timer once nothing else can run.

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

/// The simulated clock, its timers and the scripted answer. All times are in milliseconds.
#[derive(Clone, Default)]
struct World {
    now: Rc<Cell<u64>>,
    timers: Rc<RefCell<Vec<u64>>>,
    /// The number of timers that the core has set.
    timers_set: Rc<Cell<usize>>,
    /// The error of the clock that the core reads.
    clock_error: Rc<Cell<f64>>,
    /// The pieces of the answer in reverse order, each with the time since the previous one.
    pieces: Rc<RefCell<Vec<(u64, String)>>>,
}

impl World {
    async fn until(self, due: u64) {
        poll_fn(|_| {
            if self.now.get() >= due {
                return Poll::Ready(());
            }
            self.timers.borrow_mut().push(due);
            Poll::Pending
        })
        .await;
    }
}

impl Host for World {
    fn now(&self) -> f64 {
        self.now.get() as f64 + self.clock_error.get()
    }

    fn local_time(&self) -> String {
        "2026-01-31T09:15:02.123456".into()
    }

    fn random_uuid(&self) -> Uuid {
        Uuid::from_u128(1)
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        self.timers_set.set(self.timers_set.get() + 1);
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
    timers_set: usize,
}

/// Calls a model whose answer has these pieces and then stays silent.
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
            return Outcome { result, ended: world.now.get(), timers_set: world.timers_set.get() };
        }
        world.now.set(world.timers.take().into_iter().min().expect("the call is pending without a timer"));
    }
}

#[test]
fn silence_times_out_after_exactly_the_limit_wherever_it_begins() {
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
fn timers_are_not_set_for_each_piece() {
    let pieces: Vec<_> = [HELLO[0]; 1].into_iter().chain([HELLO[1]; 10_000]).map(|data| (1, data)).collect();
    let outcome =
        ask(pieces.into_iter().chain([(1, HELLO[2]), (1, HELLO[3]), (1, "[DONE]")]).collect(), |_| {});
    assert!(outcome.result.is_ok());
    // The second is the shorter one after the end of the answer.
    assert_eq!(outcome.timers_set, 2);
}

#[test]
fn the_wait_after_the_end_of_an_answer_is_short() {
    let outcome = ask(vec![(20_000, HELLO[1]), (20_000, HELLO[2])], |_| {});
    assert_eq!((outcome.result.unwrap().usage, outcome.ended), (None, 45_000));
}

#[test]
fn an_answer_that_went_on_after_its_end_is_waited_for_as_before_it() {
    let more = r#"{"choices":[{"index":0,"delta":{"content":"!"},"finish_reason":"stop"}]}"#;
    let outcome = ask(vec![(1_000, HELLO[1]), (1_000, HELLO[2]), (1_000, more), (20_000, more)], |_| {});
    assert_eq!(outcome.ended, 23_000 + LIMIT);
    assert!(outcome.result.unwrap().message.text().ends_with("!!"));
}

#[test]
fn a_clock_that_is_set_back_at_most_doubles_the_limit() {
    let outcome = ask(vec![(20_000, HELLO[1]), (20_000, HELLO[1])], |world| {
        world.clock_error.set(world.clock_error.get() - 3_600_000.0)
    });
    assert_eq!(outcome.result.unwrap_err().failure, LlmFailure::Timeout);
    assert!((40_000 + LIMIT..=40_000 + 2 * LIMIT).contains(&outcome.ended), "{}", outcome.ended);
}
