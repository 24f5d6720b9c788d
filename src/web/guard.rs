//! Runs futures as promises that settle even after a trap.
//!
//! A panic ends the call in a trap, and so does a lack of memory; an unexpected exception of JavaScript leaves the wasm in
//! the same way. The future that was polled cannot be polled again, so its promise would stay pending for ever, and so
//! would every other promise whose state it left borrowed. Therefore futures are polled in reactions of a promise, where
//! any exception of the wasm becomes a rejection that another reaction handles: it rejects all promises, and later calls
//! reject at once. The page has to be reloaded. Stored data is not lost.
//!
//! A stack overflow cannot be handled: no code of the instance can run afterwards.

use crate::error::{Error, ErrorCode, Result};
use futures_util::future::LocalBoxFuture;
use js_sys::{Function, Object, Promise, Reflect};
use std::{
    cell::{Cell, RefCell},
    future::Future,
    sync::{Arc, Once},
    task::{Context, Poll, Wake, Waker},
};
use wasm_bindgen::prelude::*;

static HOOK: Once = Once::new();

thread_local! {
    /// A list, because few tasks exist at a time.
    static TASKS: RefCell<Vec<Task>> = const { RefCell::new(Vec::new()) };
    static NEXT: Cell<u32> = const { Cell::new(0) };
    /// The numbers of the tasks that can be polled.
    static AWAKE: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
    static TURN: Turn = Turn {
        now: Promise::resolve(&JsValue::UNDEFINED).unchecked_into(),
        poll: Closure::new(|_| poll_awake()),
        crashed: Closure::new(|thrown| crash(&message_of(&thrown))),
    };
    static CRASH: RefCell<Option<JsValue>> = const { RefCell::new(None) };
}

struct Task {
    number: u32,
    /// Taken out while it is polled, so that nothing is borrowed meanwhile.
    future: Option<LocalBoxFuture<'static, Result<JsValue>>>,
    resolve: Function,
    reject: Function,
}

/// Polls the futures as soon as the code of the page has returned.
struct Turn {
    now: Thenable,
    poll: Closure<dyn FnMut(JsValue)>,
    crashed: Closure<dyn FnMut(JsValue)>,
}

#[wasm_bindgen]
extern "C" {
    /// A promise whose handlers are plain functions.
    pub(super) type Thenable;

    #[wasm_bindgen(method)]
    pub(super) fn then(this: &Thenable, fulfilled: &JsValue, rejected: &JsValue) -> Thenable;
}

/// A promise of the result of `future`, which settles in any case.
pub fn promise(future: impl Future<Output = Result<JsValue>> + 'static) -> Promise {
    boxed(Box::pin(future))
}

/// Apart from [`promise`], which is generic, so that the wasm has this code once and not for each future.
fn boxed(future: LocalBoxFuture<'static, Result<JsValue>>) -> Promise {
    HOOK.call_once(|| std::panic::set_hook(Box::new(|panic| crash(&panic.to_string()))));
    let mut future = Some(future);
    Promise::new(&mut |resolve, reject| {
        if let Some(crash) = CRASH.with_borrow(Clone::clone) {
            settle(&reject, &crash);
            return;
        }
        let number = NEXT.replace(NEXT.get().wrapping_add(1));
        let task = Task { number, future: future.take(), resolve, reject };
        TASKS.with_borrow_mut(|tasks| tasks.push(task));
        awake(number);
    })
}

/// The number of a task as a waker, which must be `Send` and `Sync`; the future is neither.
struct Number(u32);

impl Wake for Number {
    fn wake(self: Arc<Self>) {
        awake(self.0);
    }
}

fn awake(number: u32) {
    let is_first = AWAKE.with_borrow_mut(|awake| {
        awake.push(number);
        awake.len() == 1
    });
    if is_first {
        // The reaction of a promise runs as soon as a microtask of `queueMicrotask`, and is faster.
        TURN.with(|turn| {
            turn.now
                .then(turn.poll.as_ref(), &JsValue::UNDEFINED)
                .then(&JsValue::UNDEFINED, turn.crashed.as_ref())
        });
    }
}

/// Polls the awake tasks; tasks that are woken meanwhile get another turn.
fn poll_awake() {
    for number in AWAKE.take() {
        poll(number);
    }
}

fn poll(number: u32) {
    let taken = TASKS.with_borrow_mut(|tasks| {
        tasks.iter_mut().find(|task| task.number == number).and_then(|task| task.future.take())
    });
    // Woken after its end, or twice.
    let Some(mut future) = taken else { return };
    let waker = Waker::from(Arc::new(Number(number)));
    let polled = future.as_mut().poll(&mut Context::from_waker(&waker));
    let ended = TASKS.with_borrow_mut(|tasks| {
        let position = tasks.iter().position(|task| task.number == number)?;
        match polled {
            Poll::Pending => {
                tasks.get_mut(position)?.future = Some(future);
                None
            }
            Poll::Ready(result) => Some((tasks.swap_remove(position), result)),
        }
    });
    match ended {
        Some((task, Ok(value))) => settle(&task.resolve, &value),
        Some((task, Err(error))) => settle(&task.reject, &error_object(&error)),
        None => {}
    }
}

/// Also runs inside the panic hook, where the code that panicked may hold any borrow.
fn crash(reason: &str) {
    if CRASH.with(|crash| crash.try_borrow().is_ok_and(|crash| crash.is_some())) {
        return;
    }
    let message = format!("threadkeep crashed; reload the page, stored data is not lost ({reason})");
    let error = error_object(&Error::new(ErrorCode::Internal, message));
    web_sys::console::error_1(&reason.into());
    let _ = CRASH.try_with(|crash| crash.try_borrow_mut().map(|mut crash| *crash = Some(error.clone())));
    let tasks = TASKS.try_with(|tasks| tasks.try_borrow_mut().map(|mut tasks| std::mem::take(&mut *tasks)));
    for task in tasks.into_iter().flatten().flatten() {
        settle(&task.reject, &error);
        // Dropping the future that trapped, or one that shares its state, could trap again.
        std::mem::forget(task.future);
    }
}

fn message_of(thrown: &JsValue) -> String {
    let message = Reflect::get(thrown, &"message".into()).ok().and_then(|message| message.as_string());
    message.unwrap_or_default()
}

/// An error for JavaScript, `{code, message, status?, retryable?}`, from which the TypeScript side makes a `ThreadkeepError`.
fn error_object(error: &Error) -> JsValue {
    let object = Object::new();
    // Setting a property of a plain object cannot fail.
    let set = |name: &str, value: JsValue| drop(Reflect::set(&object, &name.into(), &value));
    set("code", error.code().as_str().into());
    set("message", error.message().into());
    if let Some(status) = error.status() {
        set("status", status.into());
    }
    if error.is_retryable() {
        set("retryable", true.into());
    }
    object.into()
}

fn settle(settle: &Function, value: &JsValue) {
    // The resolving functions of a promise do not throw.
    let _ = settle.call1(&JsValue::UNDEFINED, value);
}
