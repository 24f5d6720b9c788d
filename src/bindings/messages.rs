//! Conversations as other programs write them down, and back.
//!
//! A wasm of its own, which a page loads when such a form is first asked for. Like the archive's it sees a store as
//! JavaScript does, and asks JavaScript for the right to write.

use super::{
    host_store::HostStore,
    imported::{claimed, imported_to_js},
};
use crate::{
    archive::{
        Claim, ImportOptions,
        foreign::{Form, import_foreign, written},
    },
    error::{Error, ErrorCode},
    host::Host as _,
    json::{FromJson as _, quoted},
    web::{guard::promise, host::WebHost},
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Function, Object, Promise};
use wasm_bindgen::prelude::wasm_bindgen;

/// Imports a conversation that another program wrote down as JSON, as a new one. `claim` as for `importArchive`.
#[wasm_bindgen(js_name = importForeign, unchecked_return_type = "Promise<CoreImported>")]
pub fn import_foreign_js(text: String, store: Object, claim: Function) -> Promise {
    promise(async move {
        let store = HostStore::new(store);
        let claim = |id| -> LocalBoxFuture<'_, Option<Claim>> { claimed(&claim, id) };
        let options = ImportOptions { now: WebHost.now(), on_progress: &|_| {}, claim: &claim };
        Ok(imported_to_js(&import_foreign(&text, &store, &WebHost, &options).await?))
    })
}

/// A stored conversation as JSON text: `"message"`, `"chat"`, `"session"` or `"trajectory"`.
#[wasm_bindgen(js_name = written, unchecked_return_type = "Promise<string>")]
pub fn written_js(store: Object, conversation: String, form: String) -> Promise {
    promise(async move {
        let form = Form::from_json(&quoted(&form))
            .ok_or_else(|| Error::new(ErrorCode::InvalidOptions, "there is no such format of messages"))?;
        Ok(written(&HostStore::new(store), conversation.parse()?, form).await?.into())
    })
}
