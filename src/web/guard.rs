//! Futures under way, and no promise that stays unsettled after a trap.
//!
//! A panic ends the call in a trap, and so does memory that runs out; an exception that JavaScript throws where none
//! was expected leaves the wasm in the same way. The future that was polled cannot be polled again, so its promise
//! would wait for ever, and so would every other promise whose state it left borrowed. Therefore futures are polled
//! in reactions of a promise, where whatever comes out of the wasm is a rejection that another reaction hears of:
//! then all promises are rejected, and later calls reject at once. The page has to be reloaded. Nothing that was
//! stored is lost.
//!
//! A stack that overflows is beyond this: no code of the instance can run on it afterwards.

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
    /// Few are under way at a time.
    static TASKS: RefCell<Vec<Task>> = const { RefCell::new(Vec::new()) };
    static NEXT: Cell<u32> = const { Cell::new(0) };
    /// The numbers of those that can go on.
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

/// What runs the futures as soon as the code of the page has returned.
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

/// A promise of what `future` gives. It settles, whatever happens.
pub fn promise(future: impl Future<Output = Result<JsValue>> + 'static) -> Promise {
    boxed(Box::pin(future))
}

/// Apart from [`promise`], so that a page downloads it once and not for each future.
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

/// A waker has to be one that threads could share, which a future is not; its number is.
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
        // A promise's reaction comes as soon as what `queueMicrotask` is given, and costs an append less.
        TURN.with(|turn| {
            turn.now
                .then(turn.poll.as_ref(), &JsValue::UNDEFINED)
                .then(&JsValue::UNDEFINED, turn.crashed.as_ref())
        });
    }
}

/// Those that are woken meanwhile get a turn of their own.
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
        let place = tasks.iter().position(|task| task.number == number)?;
        match polled {
            Poll::Pending => {
                tasks.get_mut(place)?.future = Some(future);
                None
            }
            Poll::Ready(result) => Some((tasks.swap_remove(place), result)),
        }
    });
    match ended {
        Some((task, Ok(value))) => settle(&task.resolve, &value),
        Some((task, Err(error))) => settle(&task.reject, &error_object(&error)),
        None => {}
    }
}

/// Also runs inside the panic hook, where whatever panicked may hold any borrow.
fn crash(words: &str) {
    if CRASH.with(|crash| crash.try_borrow().is_ok_and(|crash| crash.is_some())) {
        return;
    }
    let message = format!("threadkeep crashed; reload the page, nothing that was stored is lost ({words})");
    let error = error_object(&Error::new(ErrorCode::Internal, message));
    web_sys::console::error_1(&words.into());
    let _ = CRASH.try_with(|crash| crash.try_borrow_mut().map(|mut crash| *crash = Some(error.clone())));
    let tasks = TASKS.try_with(|tasks| tasks.try_borrow_mut().map(|mut tasks| std::mem::take(&mut *tasks)));
    for task in tasks.into_iter().flatten().flatten() {
        settle(&task.reject, &error);
        // Dropping what trapped, or what shares its state, could trap again.
        std::mem::forget(task.future);
    }
}

fn message_of(thrown: &JsValue) -> String {
    let message = Reflect::get(thrown, &"message".into()).ok().and_then(|message| message.as_string());
    message.unwrap_or_default()
}

/// `{code, message, status?}`: an error on its way to JavaScript, whose side makes its error class of it.
fn error_object(error: &Error) -> JsValue {
    let object = Object::new();
    // Properties of an object of our own can always be set.
    let set = |name: &str, value: JsValue| drop(Reflect::set(&object, &name.into(), &value));
    set("code", error.code().as_str().into());
    set("message", error.message().into());
    if let Some(status) = error.status() {
        set("status", status.into());
    }
    object.into()
}

fn settle(settle: &Function, value: &JsValue) {
    // A promise's own functions do not throw.
    let _ = settle.call1(&JsValue::UNDEFINED, value);
}
