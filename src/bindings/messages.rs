//! Conversations in the formats of other programs, in both directions.
//!
//! These are the exports that JavaScript calls. A chunk ([`super::chunks::messages`]), loaded with the first call, does the
//! work.

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

/// The functions of the chunk.
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
        leaf: Option<String>,
        since: Option<String>,
        mask: Option<Function>,
    ) -> LocalBoxFuture<'static, Result<JsValue>>;

    /// See `ofEvents`.
    fn of_events(&self, events: Vec<String>, form: String) -> Result<JsValue>;

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

/// Imports the JSON of another program as a new conversation. `claim` as for `importArchive`.
#[wasm_bindgen(js_name = importInterchange, unchecked_return_type = "Promise<CoreImported>")]
pub fn import_interchange(text: String, store: Object, claim: Function) -> Promise {
    promise(async move { chunks::messages().await?.import(text, store, claim).await })
}

/// A stored conversation as JSON text: `"message"`, `"chat"`, `"session"` or `"trajectory"`; or as `"markdown"` or `"html"`.
/// `leaf` is the last event of another branch than the active one, and `since` the first event. `mask` hides secrets in a text of
/// the last two.
#[wasm_bindgen(unchecked_return_type = "Promise<string>")]
pub fn written(
    store: Object,
    conversation: String,
    form: String,
    leaf: Option<String>,
    since: Option<String>,
    mask: Option<Function>,
) -> Promise {
    promise(
        async move { chunks::messages().await?.written(store, conversation, form, leaf, since, mask).await },
    )
}

/// The content of these events, as JSON texts: `"message"`, the SDK's messages as JSON text, or `"response"`, the last response
/// of the agent or `null`.
#[wasm_bindgen(js_name = ofEvents, unchecked_return_type = "Promise<string | null>")]
pub fn of_events(events: Vec<String>, form: String) -> Promise {
    promise(async move { chunks::messages().await?.of_events(events, form) })
}

/// The body of the request that a wire API would send for a stored conversation, as JSON text. `llm` is the stored model
/// and `row` its row of the model data, both JSON.
#[wasm_bindgen(js_name = requestBody, unchecked_return_type = "Promise<string>")]
pub fn request_body(store: Object, conversation: String, api: String, llm: String, row: String) -> Promise {
    promise(async move {
        let api =
            Api::from_json(&quoted(&api)).ok_or_else(|| invalid(format!("there is no wire API {api}")))?;
        let api = ChunkWireApis(None).load(api).await?;
        chunks::messages().await?.request_body(store, conversation, api, llm, row).await
    })
}
