//! Bindings that `web-sys` has only behind an unstable flag, or declares without the exception.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// An `IDBDatabase` whose transactions take options.
    #[wasm_bindgen(extends = web_sys::IdbDatabase, js_name = IDBDatabase)]
    #[derive(Clone)]
    pub type DurableDatabase;

    #[wasm_bindgen(method, catch, js_name = transaction)]
    pub fn begin(
        this: &DurableDatabase,
        stores: &JsValue,
        mode: &JsValue,
        options: &TransactionOptions,
    ) -> Result<FinishingTransaction, JsValue>;

    /// An `IDBTransaction` that can be told to commit without waiting for the events of its requests.
    #[wasm_bindgen(extends = web_sys::IdbTransaction, js_name = IDBTransaction)]
    #[derive(Clone)]
    pub type FinishingTransaction;

    #[wasm_bindgen(method, catch, js_name = objectStore)]
    pub fn table(this: &FinishingTransaction, name: &JsValue) -> Result<web_sys::IdbObjectStore, JsValue>;

    #[wasm_bindgen(method, catch, js_name = commit)]
    pub fn finish(this: &FinishingTransaction) -> Result<(), JsValue>;

    /// `IDBTransactionOptions`.
    pub type TransactionOptions;

    #[wasm_bindgen(method, setter, structural)]
    pub fn set_durability(this: &TransactionOptions, durability: &str);

    /// A DOMException, or any other object that was thrown.
    pub type Thrown;

    #[wasm_bindgen(method, catch, getter, structural)]
    pub fn name(this: &Thrown) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, getter, structural)]
    pub fn message(this: &Thrown) -> Result<JsValue, JsValue>;
}
