//! Copies of conversations that an agent server runs, for JavaScript, which does the requests. The work is done in a chunk
//! ([`super::chunks::server`]), loaded with the first such conversation.

use super::{chunks, store::CoreStore};
use crate::{error::Result, id::ConversationId, store::Store, web::guard::promise};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Promise};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// The interface of the chunk.
pub trait Servers {
    /// See `CoreServerCopy.open`.
    fn open(
        &self,
        store: Rc<dyn Store>,
        id: ConversationId,
        server: String,
    ) -> LocalBoxFuture<'static, Result<Rc<dyn CopyPart>>>;
}

/// An open copy.
pub trait CopyPart {
    /// See `CoreServerCopy.call`.
    fn call(&self, method: String, arguments: Array) -> Promise;
}

/// The copy of a conversation of an agent server.
#[wasm_bindgen]
pub struct CoreServerCopy {
    part: Rc<dyn CopyPart>,
}

#[wasm_bindgen]
impl CoreServerCopy {
    /// The copy of the conversation `id` of the server at this address. Resolves to a `CoreServerCopy`.
    #[wasm_bindgen(unchecked_return_type = "Promise<CoreServerCopy>")]
    pub fn open(store: &CoreStore, id: String, server: String) -> Promise {
        let store = store.inner();
        promise(async move {
            let part = chunks::server().await?.open(store, id.parse()?, server).await?;
            Ok(Self { part }.into())
        })
    }

    /// Calls a method by its name: those of [`crate::server::ServerCopy`], `afterClose`, and `awaitRun` and
    /// `lookAtRun` for [`crate::server::RunEnd`].
    #[wasm_bindgen(unchecked_return_type = "Promise<any>")]
    pub fn call(&self, method: String, arguments: Array) -> Promise {
        self.part.call(method, arguments)
    }
}
