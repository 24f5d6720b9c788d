//! The JavaScript handle of a store. IndexedDB is in the main wasm; the other stores, and the methods of a store for
//! JavaScript, are in a chunk ([`super::chunks::stores`]).

use super::chunks;
use crate::{
    error::Result,
    store::{Durability, Store},
    web::{guard::promise, indexed_db::IndexedDbStore},
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Object, Promise};
use std::rc::Rc;
use uuid::Uuid;
use wasm_bindgen::prelude::*;

/// The interface of the chunk.
pub trait Stores {
    /// A store in memory, empty at first.
    fn memory(&self) -> Rc<dyn Store>;

    /// A store that the host wrote in JavaScript.
    fn host(&self, object: Object) -> Rc<dyn Store>;

    /// See `CoreStore.call`.
    fn call(
        &self,
        store: Rc<dyn Store>,
        method: String,
        arguments: Array,
    ) -> LocalBoxFuture<'static, Result<JsValue>>;
}

/// The JavaScript handle of a store.
#[wasm_bindgen]
pub struct CoreStore {
    store: Rc<dyn Store>,
    lock_scope: String,
}

impl CoreStore {
    /// The store behind the handle.
    pub fn inner(&self) -> Rc<dyn Store> {
        Rc::clone(&self.store)
    }

    /// The part of a lock's name that distinguishes conversations of this store from those of others. Stores with the same
    /// conversations have the same one.
    pub fn lock_scope(&self) -> String {
        self.lock_scope.clone()
    }
}

#[wasm_bindgen]
impl CoreStore {
    /// A store in memory, empty at first. Resolves to a `CoreStore`.
    #[wasm_bindgen(unchecked_return_type = "Promise<CoreStore>")]
    pub fn memory() -> Promise {
        let lock_scope = format!("memory:{}", Uuid::new_v4());
        promise(async move { Ok(Self { store: chunks::stores().await?.memory(), lock_scope }.into()) })
    }

    /// The IndexedDB database called `name`; `durability`, if given, overrides that of every commit.
    #[wasm_bindgen(js_name = indexedDb)]
    pub fn indexed_db(name: String, durability: Option<String>) -> CoreStore {
        let durability = durability.map(|durability| match durability.as_str() {
            "relaxed" => Durability::Relaxed,
            _ => Durability::Strict,
        });
        let lock_scope = format!("indexeddb:{name}");
        Self { store: Rc::new(IndexedDbStore::new(&name, durability)), lock_scope }
    }

    /// A store that the host has written; stores with the same conversations have the same `name`. Resolves to a `CoreStore`.
    #[wasm_bindgen(unchecked_return_type = "Promise<CoreStore>")]
    pub fn host(store: Object, name: Option<String>) -> Promise {
        let lock_scope = format!("host:{}", name.unwrap_or_else(|| Uuid::new_v4().to_string()));
        promise(async move { Ok(Self { store: chunks::stores().await?.host(store), lock_scope }.into()) })
    }

    /// Calls the method of `Store` in `js/store/store.ts` with this name. One export for all of them is smaller than one for each,
    /// which would have promise code of its own.
    pub fn call(&self, method: String, arguments: Array) -> Promise {
        let store = self.inner();
        promise(async move { chunks::stores().await?.call(store, method, arguments).await })
    }

    /// Closes the connections.
    pub fn close(&self) {
        self.store.close();
    }
}
