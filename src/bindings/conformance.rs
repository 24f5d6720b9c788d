//! The store conformance suite for JavaScript, in the wasm that is built for tests.

use super::{error::message_of, listing::HeldLock, store::CoreStore};
use crate::{
    store::{Store, StoreError, conformance},
    web::{guard, locks},
};
use js_sys::{Function, Promise};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    /// The value that `open` returns: an object whose `CoreStore` is moved out of it.
    type Opened;

    #[wasm_bindgen(method, catch)]
    fn take(this: &Opened) -> Result<CoreStore, JsValue>;
}

/// The names of all cases, in the recommended order.
#[wasm_bindgen(js_name = conformanceCases)]
pub fn conformance_cases() -> Vec<String> {
    conformance::CASES.iter().map(|case| case.name.to_owned()).collect()
}

/// Runs one case. `open(place)` returns or promises `{ take(): CoreStore }`.
///
/// Resolves to undefined if the case passes, otherwise to `{ message, expected, actual }`.
#[wasm_bindgen(js_name = runConformanceCase)]
pub fn run_conformance_case(name: String, open: Function) -> Promise {
    guard::promise(async move {
        let Some(case) = conformance::CASES.iter().find(|case| case.name == name) else {
            return Ok(value(conformance::Failure::from(format!("there is no case {name}"))));
        };
        let open_place: &conformance::Open = &|place| {
            let opened = open.call1(&JsValue::UNDEFINED, &place.into());
            Box::pin(async move { take(opened).await.map_err(|thrown| failed(&thrown)) })
        };
        let report = case.run(open_place).await;
        Ok(report.failure.map_or(JsValue::UNDEFINED, value))
    })
}

fn value(failure: conformance::Failure) -> JsValue {
    serde_wasm_bindgen::to_value(&failure).unwrap_or_else(|_| failure.message.into())
}

async fn take(opened: Result<JsValue, JsValue>) -> Result<Rc<dyn Store>, JsValue> {
    let opened = JsFuture::from(Promise::resolve(&opened?)).await?;
    Ok(opened.unchecked_into::<Opened>().take()?.inner())
}

fn failed(thrown: &JsValue) -> StoreError {
    StoreError::Failed { name: "open".to_owned(), message: message_of(thrown) }
}

/// Resolves to a `HeldLock`, or to undefined if the lock is taken.
#[wasm_bindgen(js_name = tryLock)]
pub fn try_lock(name: String) -> Promise {
    guard::promise(async move {
        let lock = locks::try_lock(&name).await;
        Ok(lock.map_or(JsValue::UNDEFINED, |lock| HeldLock::from(lock).into()))
    })
}

/// Traps inside a promise, in the given way: for the test that no promise stays unsettled.
#[wasm_bindgen(js_name = trapInPromise)]
pub fn trap_in_promise(way: String) -> Promise {
    guard::promise(async move {
        match way.as_str() {
            "panic" => panic!("a panic on purpose"),
            "trap" => std::arch::wasm32::unreachable(),
            "exception" => wasm_bindgen::throw_str("an exception on purpose"),
            _ => Ok(JsValue::UNDEFINED),
        }
    })
}

/// A promise that only a crash settles.
#[wasm_bindgen(js_name = waitForever)]
pub fn wait_forever() -> Promise {
    guard::promise(std::future::pending())
}
