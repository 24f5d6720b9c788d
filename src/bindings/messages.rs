//! Conversations as other programs write them down, and back.
//!
//! What JavaScript calls; what is done is in a chunk ([`super::messages_chunk`]), which comes with the first call.

use super::{chunks, error::invalid, wire_apis::ChunkWireApis};
use crate::{
    error::Result,
    json::{FromJson as _, quoted},
    llm::wire_api::{Api, WireApi, WireApis as _},
    web::guard::promise,
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Function, Object, Promise};
use std::rc::Rc;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// What the chunk does.
pub trait Messages {
    /// See `importInterchange`.
    fn import(
        &self,
        text: String,
        store: Object,
        claim: Function,
    ) -> LocalBoxFuture<'static, Result<JsValue>>;

    /// See `written`.
    fn written(
        &self,
        store: Object,
        conversation: String,
        form: String,
    ) -> LocalBoxFuture<'static, Result<JsValue>>;

    /// See `requestBody`.
    fn request_body(
        &self,
        store: Object,
        conversation: String,
        api: Rc<dyn WireApi>,
        llm: String,
        row: String,
    ) -> LocalBoxFuture<'static, Result<JsValue>>;
}

/// Imports a conversation that another program wrote down as JSON, as a new one. `claim` as for `importArchive`.
#[wasm_bindgen(js_name = importInterchange, unchecked_return_type = "Promise<CoreImported>")]
pub fn import_interchange(text: String, store: Object, claim: Function) -> Promise {
    promise(async move { chunks::messages().await?.import(text, store, claim).await })
}

/// A stored conversation as JSON text: `"message"`, `"chat"`, `"session"` or `"trajectory"`.
#[wasm_bindgen(unchecked_return_type = "Promise<string>")]
pub fn written(store: Object, conversation: String, form: String) -> Promise {
    promise(async move { chunks::messages().await?.written(store, conversation, form).await })
}

/// What a wire API sends of a stored conversation's messages: the body of a request, as JSON text. `llm` is the stored
/// model and `row` what is known of it, both JSON.
#[wasm_bindgen(js_name = requestBody, unchecked_return_type = "Promise<string>")]
pub fn request_body(store: Object, conversation: String, api: String, llm: String, row: String) -> Promise {
    promise(async move {
        let api = Api::from_json(&quoted(&api)).ok_or_else(|| invalid("there is no such wire API"))?;
        let api = ChunkWireApis.load(api).await?;
        chunks::messages().await?.request_body(store, conversation, api, llm, row).await
    })
}
