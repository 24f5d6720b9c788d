//! The suite that every store must pass, for JavaScript.

use js_sys::{Function, Object, Promise};
use std::rc::Rc;
use threadkeep::{
    store::{
        Store, StoreError,
        conformance::{self, Failure, Open},
    },
    web::{
        guard,
        host_store::{HostStore, store_error_of},
        indexed_db::IndexedDbStore,
    },
};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// The names of all cases, in the recommended order.
#[wasm_bindgen(js_name = conformanceCases)]
pub fn conformance_cases() -> Vec<String> {
    conformance::CASES.iter().map(|case| case.name.to_owned()).collect()
}

/// Runs one case on a store in JavaScript: `open(place)` returns or promises a `Store` of `js/store/types.ts`.
///
/// Resolves to undefined if the case passes, otherwise to `{ message, expected, actual }`.
#[wasm_bindgen(js_name = runConformanceCase)]
pub fn run_conformance_case(name: String, open: Function) -> Promise {
    guard::promise(async move {
        let open_place: &Open<'_> = &|place| {
            let opened = open.call1(&JsValue::UNDEFINED, &place.into());
            Box::pin(async move { opened_store(opened).await.map_err(|thrown| store_error_of(&thrown)) })
        };
        Ok(run(&name, open_place).await)
    })
}

/// Runs one case on IndexedDB without JavaScript in between, which sorts, closes and completes by itself: what a store must not
/// leave to it shows here only.
#[wasm_bindgen(js_name = runCaseOnDatabase)]
pub fn run_case_on_database(name: String) -> Promise {
    guard::promise(async move {
        let open: &Open<'_> = &|place| {
            let store: Rc<dyn Store> = Rc::new(IndexedDbStore::new(&format!("suite {place}"), None));
            Box::pin(async { Ok::<_, StoreError>(store) })
        };
        Ok(run(&name, open).await)
    })
}

async fn run(name: &str, open: &Open<'_>) -> JsValue {
    let Some(case) = conformance::CASES.iter().find(|case| case.name == name) else {
        return value(Failure::from(format!("there is no case {name}")));
    };
    case.run(open).await.failure.map_or(JsValue::UNDEFINED, value)
}

fn value(failure: Failure) -> JsValue {
    serde_wasm_bindgen::to_value(&failure).unwrap_or_else(|_| failure.message.into())
}

async fn opened_store(opened: Result<JsValue, JsValue>) -> Result<Rc<dyn Store>, JsValue> {
    let opened = JsFuture::from(Promise::resolve(&opened?)).await?;
    Ok(Rc::new(HostStore::new(opened.unchecked_into::<Object>())))
}
