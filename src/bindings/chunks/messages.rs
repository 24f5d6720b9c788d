//! Reading and writing the formats of other programs: a chunk of the wasm, see [`super`].
//!
//! Like the chunk for archives it uses a store through its JavaScript interface, and takes write locks through JavaScript.

use crate::{
    archive::{
        Claim, ImportOptions,
        history::Part,
        interchange::{
            Form, final_response_of_events, import_interchange, messages_of_events, request_body, written,
        },
    },
    bindings::{
        error::invalid,
        given,
        host_store::HostStore,
        imported::claimed,
        messages::Messages,
        values::{ImportedObject, to_js},
    },
    error::Result,
    host::Host as _,
    json::{FromJson as _, quoted},
    llm::wire_api::WireApi,
    web::host::WebHost,
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Function, Object};
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// The object of this chunk.
pub struct MessagesChunk;

impl Messages for MessagesChunk {
    fn import(
        &self,
        text: String,
        store: Object,
        claim: Function,
    ) -> LocalBoxFuture<'static, Result<JsValue>> {
        Box::pin(async move {
            let store = HostStore::new(store);
            let claim = |id| -> LocalBoxFuture<'_, Option<Claim>> { claimed(&claim, id) };
            let options = ImportOptions { now: WebHost.now(), on_progress: &|_| {}, claim: &claim };
            let imported = import_interchange(&text, &store, &WebHost, &options).await?;
            Ok(to_js(&ImportedObject::from(&imported))?)
        })
    }

    fn written(
        &self,
        store: Object,
        conversation: String,
        form: String,
        leaf: Option<String>,
        since: Option<String>,
        mask: Option<Function>,
    ) -> LocalBoxFuture<'static, Result<JsValue>> {
        Box::pin(async move {
            let form = Form::from_json(&quoted(&form))
                .ok_or_else(|| invalid(format!("there is no format of messages {form}")))?;
            let event = |id: Option<String>| id.map(|id| id.parse()).transpose();
            let part = Part { leaf: event(leaf)?, since: event(since)? };
            let masked = |text: &str| {
                let masked = mask.as_ref().map(|mask| mask.call1(&JsValue::UNDEFINED, &text.into()));
                // A text that could not be searched is not shown.
                masked.map_or_else(
                    || text.to_owned(),
                    |text| text.ok().and_then(|text| text.as_string()).unwrap_or_default(),
                )
            };
            Ok(written(&HostStore::new(store), conversation.parse()?, form, &part, &masked).await?.into())
        })
    }

    fn of_events(&self, events: Vec<String>, form: String) -> Result<JsValue> {
        if form == "response" {
            return Ok(final_response_of_events(&events)?.map_or(JsValue::NULL, JsValue::from));
        }
        Ok(messages_of_events(&events)?.into())
    }

    fn request_body(
        &self,
        store: Object,
        conversation: String,
        api: Rc<dyn WireApi>,
        llm: String,
        row: String,
    ) -> LocalBoxFuture<'static, Result<JsValue>> {
        Box::pin(async move {
            let store = HostStore::new(store);
            Ok(request_body(&*api, &store, conversation.parse()?, &given::text(&llm), &row).await?.into())
        })
    }
}
