//! No promise stays unsettled after a panic.
//!
//! A panic ends the call in a trap. The future that was polled is never polled again, so its promise would wait for
//! ever, and so would every other promise of this instance whose state the panic left borrowed. Therefore each
//! promise that is handed out is written down here; the panic hook rejects them all, and later calls reject at once.
//! The page has to be reloaded then. Nothing that was stored is lost.

use crate::error::{Error, ErrorCode};
use futures_util::future::LocalBoxFuture;
use js_sys::{Function, Object, Promise, Reflect};
use std::{cell::RefCell, future::Future, sync::Once};
use wasm_bindgen::JsValue;

static HOOK: Once = Once::new();

thread_local! {
    /// How to reject each promise that is not settled, in the place that its future knows.
    static PENDING: RefCell<Vec<Option<Function>>> = const { RefCell::new(Vec::new()) };
    static CRASH: RefCell<Option<JsValue>> = const { RefCell::new(None) };
}

/// A promise of what `future` gives. It settles, whatever happens.
pub fn promise(future: impl Future<Output = Result<JsValue, JsValue>> + 'static) -> Promise {
    // Boxed at once, so that what follows is compiled once and not for each future.
    promise_of(Box::pin(future))
}

fn promise_of(future: LocalBoxFuture<'static, Result<JsValue, JsValue>>) -> Promise {
    HOOK.call_once(|| std::panic::set_hook(Box::new(|panic| crash(&panic.to_string()))));
    let mut future = Some(future);
    Promise::new(&mut |resolve, reject| {
        if let Some(crash) = CRASH.with_borrow(Clone::clone) {
            settle(&reject, &crash);
            return;
        }
        let Some(future) = future.take() else { return };
        let place = PENDING.with_borrow_mut(|pending| write_down(pending, reject.clone()));
        wasm_bindgen_futures::spawn_local(async move {
            let result = future.await;
            PENDING.with_borrow_mut(|pending| pending.get_mut(place).and_then(Option::take));
            match result {
                Ok(value) => settle(&resolve, &value),
                Err(error) => settle(&reject, &error),
            }
        });
    })
}

fn write_down(pending: &mut Vec<Option<Function>>, reject: Function) -> usize {
    match pending.iter_mut().enumerate().find(|(_, free)| free.is_none()) {
        Some((place, free)) => {
            *free = Some(reject);
            place
        }
        None => {
            pending.push(Some(reject));
            pending.len() - 1
        }
    }
}

/// Runs inside the panic hook, where whatever panicked may hold any borrow.
fn crash(words: &str) {
    let message = format!("threadkeep crashed; reload the page, nothing that was stored is lost ({words})");
    let error = as_object(&Error::new(ErrorCode::Internal, message));
    web_sys::console::error_1(&words.into());
    let _ = CRASH.try_with(|crash| crash.try_borrow_mut().map(|mut crash| *crash = Some(error.clone())));
    let pending =
        PENDING.try_with(|pending| pending.try_borrow_mut().map(|mut pending| std::mem::take(&mut *pending)));
    for reject in pending.into_iter().flatten().flatten().flatten() {
        settle(&reject, &error);
    }
}

/// `{code, message}`, as errors cross to JavaScript.
fn as_object(error: &Error) -> JsValue {
    let object = Object::new();
    // Properties of an object of our own can always be set.
    let _ = Reflect::set(&object, &"code".into(), &error.code().as_str().into());
    let _ = Reflect::set(&object, &"message".into(), &error.message().into());
    object.into()
}

fn settle(settle: &Function, value: &JsValue) {
    // A promise's own functions do not throw.
    let _ = settle.call1(&JsValue::UNDEFINED, value);
}
