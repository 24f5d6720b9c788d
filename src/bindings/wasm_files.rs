//! Loads the other files of the wasm: the TypeScript side does. The attribute `wasm_file` says what is in them.

use super::error::error_of;
use crate::wasm_file::{self, LoadFile};
use js_sys::{Function, Promise};
use std::{cell::RefCell, rc::Rc};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

thread_local! {
    static LOADER: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Sets the function that loads files: it takes the name of one and returns a promise, or nothing if the file is there. With
/// `true` as its second argument the promise is also fulfilled if the file cannot be loaded.
#[wasm_bindgen(js_name = loadChunksWith)]
pub fn load_chunks_with(loader: Function) {
    wasm_file::load_with(loading(loader.clone()));
    LOADER.set(Some(loader));
}

/// Begins to load a file that will be needed soon. A failure is left to the function that needs it.
pub(super) fn load_ahead(name: &'static str) {
    if let Some(loader) = LOADER.with_borrow(Clone::clone) {
        // The promise is always fulfilled.
        let _ = loader.call2(&JsValue::UNDEFINED, &name.into(), &true.into());
    }
}

/// Loads files with such a function.
pub(super) fn loading(loader: Function) -> LoadFile {
    Rc::new(move |name| {
        let loader = loader.clone();
        Box::pin(async move {
            let loading =
                loader.call1(&JsValue::UNDEFINED, &name.into()).map_err(|thrown| error_of(&thrown))?;
            if loading.is_undefined() {
                // The file is there: a method does not lose its place to one that is called later.
                return Ok(());
            }
            let loaded = JsFuture::from(Promise::resolve(&loading)).await;
            loaded.map(drop).map_err(|thrown| error_of(&thrown))
        })
    })
}
