//! No promise stays unsettled after a trap.
//!
//! A panic ends the call in a trap, and so does memory that runs out; an exception that JavaScript throws where none
//! was expected leaves the wasm in the same way. The future that was polled is never polled again, so its promise
//! would wait for ever, and so would every other promise whose state it left borrowed. Therefore each promise that is
//! handed out is written down here, and each poll goes through a call to JavaScript that catches whatever comes out
//! of it: then all promises are rejected, and later calls reject at once. The page has to be reloaded. Nothing that
//! was stored is lost.
//!
//! A stack that overflows is beyond this: no code of the instance can run on it afterwards.

use crate::error::{Error, ErrorCode, Result};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Function, Object, Promise, Reflect};
use std::{
    cell::{Cell, RefCell},
    future::Future,
    pin::Pin,
    sync::Once,
    task::{Context, Poll},
};
use wasm_bindgen::prelude::*;

static HOOK: Once = Once::new();

thread_local! {
    /// By number, ascending. Few are under way at a time.
    static PENDING: RefCell<Vec<(u32, Function)>> = const { RefCell::new(Vec::new()) };
    static NEXT: Cell<u32> = const { Cell::new(0) };
    static CRASH: RefCell<Option<JsValue>> = const { RefCell::new(None) };
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
        let Some(future) = future.take() else { return };
        let number = NEXT.replace(NEXT.get().wrapping_add(1));
        PENDING.with_borrow_mut(|pending| pending.push((number, reject.clone())));
        wasm_bindgen_futures::spawn_local(async move {
            let result = Guarded(future).await;
            PENDING.with_borrow_mut(|pending| pending.retain(|(other, _)| *other != number));
            match result {
                Ok(value) => settle(&resolve, &value),
                Err(error) => settle(&reject, &error_object(&error)),
            }
        });
    })
}

/// Polls through JavaScript, where a trap is an exception like any other.
struct Guarded(LocalBoxFuture<'static, Result<JsValue>>);

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = Reflect, js_name = apply)]
    fn attempt(
        call: &mut dyn FnMut(),
        this: &JsValue,
        arguments: &Array,
    ) -> std::result::Result<JsValue, JsValue>;
}

impl Future for Guarded {
    type Output = Result<JsValue>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut polled = Poll::Pending;
        let mut poll = || polled = self.0.as_mut().poll(context);
        if let Err(thrown) = attempt(&mut poll, &JsValue::UNDEFINED, &Array::new()) {
            let message =
                Reflect::get(&thrown, &"message".into()).ok().and_then(|message| message.as_string());
            crash(&message.unwrap_or_default());
            // Dropping what trapped could trap again.
            std::mem::forget(std::mem::replace(&mut self.0, Box::pin(std::future::pending())));
        }
        polled
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
    let pending =
        PENDING.try_with(|pending| pending.try_borrow_mut().map(|mut pending| std::mem::take(&mut *pending)));
    for (_, reject) in pending.into_iter().flatten().flatten() {
        settle(&reject, &error);
    }
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
