//! Conversion of errors of IndexedDB to [`StoreError`].

use super::platform::Thrown;
use crate::store::StoreError;
use std::cell::Cell;
use wasm_bindgen::{JsCast as _, JsValue};

thread_local! {
    static LOSSES: Cell<u32> = const { Cell::new(0) };
}

/// How often a connection to a database was found lost; all that are open are lost then.
pub(super) fn losses() -> u32 {
    LOSSES.get()
}

/// The store error for a DOMException.
pub(super) fn failure(thrown: &JsValue) -> StoreError {
    let (name, message) = describe(thrown);
    match name.as_str() {
        "QuotaExceededError" => StoreError::Quota,
        "VersionError" => StoreError::Newer,
        "SecurityError" => unavailable(&message),
        // The error of Chromium if the user has forbidden sites to store data.
        "UnknownError" if message == "The user denied permission to access the database." => {
            unavailable(&message)
        }
        // Something below the database has failed. Safari says so when its process for databases has ended, of everything
        // until the database is opened again.
        "UnknownError" => {
            LOSSES.set(LOSSES.get().wrapping_add(1));
            StoreError::Disconnected(message)
        }
        _ => StoreError::Failed { name, message },
    }
}

/// The same for an error of the `idb` crate, which wraps a DOMException or has none.
pub(super) fn idb_failure(error: idb::Error) -> StoreError {
    use idb::Error::{
        DomException, IndexCreateFailed, IndexedDbDeleteFailed, IndexedDbNotFound, IndexedDbOpenFailed,
        ObjectStoreCreateFailed, RequestErrorNotFound, RequestResultNotFound,
    };
    match error {
        DomException(exception) => failure(&exception),
        IndexedDbNotFound(_) => unavailable("it does not exist"),
        IndexedDbOpenFailed(thrown)
        | IndexedDbDeleteFailed(thrown)
        | ObjectStoreCreateFailed(thrown)
        | IndexCreateFailed(thrown)
        | RequestErrorNotFound(thrown)
        | RequestResultNotFound(thrown) => failure(&thrown),
        _ => {
            StoreError::Failed { name: "UnknownError".to_owned(), message: "the idb crate failed".to_owned() }
        }
    }
}

fn unavailable(reason: &str) -> StoreError {
    let advice = "; let this site store data, or use memoryStore()";
    StoreError::Unavailable(["IndexedDB cannot be used here: ", reason, advice].concat())
}

/// Whether this is the named DOMException.
pub(super) fn is_named(thrown: &JsValue, name: &str) -> bool {
    describe(thrown).0 == name
}

fn describe(thrown: &JsValue) -> (String, String) {
    if !thrown.is_object() {
        return ("UnknownError".to_owned(), thrown.as_string().unwrap_or_default());
    }
    let thrown: &Thrown = thrown.unchecked_ref();
    let text = |field: Result<JsValue, JsValue>| field.ok().and_then(|value| value.as_string());
    (
        text(thrown.name()).unwrap_or_else(|| "UnknownError".to_owned()),
        text(thrown.message()).unwrap_or_default(),
    )
}
