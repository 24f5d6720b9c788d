//! The JavaScript handle of a store: one of the library's, or one that the host has written.

use super::{
    error::invalid,
    host_store::{self, HostStore},
};
use crate::{
    error::Result,
    id::{ConversationId, EventId, StorePath},
    store::{Durability, MemoryStore, Store},
    web::{guard::promise, indexed_db::IndexedDbStore},
};
use js_sys::{Array, Object, Promise, Uint8Array};
use std::rc::Rc;
use uuid::Uuid;
use wasm_bindgen::prelude::*;

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
    /// A store in memory.
    pub fn memory() -> CoreStore {
        let lock_scope = format!("memory:{}", Uuid::new_v4());
        Self { store: Rc::new(MemoryStore::new()), lock_scope }
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

    /// A store that the host has written; stores with the same conversations have the same `name`.
    pub fn host(store: Object, name: Option<String>) -> CoreStore {
        let lock_scope = format!("host:{}", name.unwrap_or_else(|| Uuid::new_v4().to_string()));
        Self { store: Rc::new(HostStore::new(store)), lock_scope }
    }

    /// Calls the method of `Store` in `js/store.ts` with this name. One export for all of them is smaller than one for each,
    /// which would have promise code of its own.
    pub fn call(&self, method: String, arguments: Array) -> Promise {
        let store = self.inner();
        promise(async move { call_method(&*store, &method, &arguments).await })
    }

    /// Closes the connections.
    pub fn close(&self) {
        self.store.close();
    }
}

async fn call_method(store: &dyn Store, method: &str, arguments: &Array) -> Result<JsValue> {
    if method == "list" {
        let listings = Array::new();
        for listing in store.list().await? {
            listings.push(&host_store::listing_object(&listing));
        }
        return Ok(listings.into());
    }
    // An argument of the wrong type becomes an empty text, which is refused as an id or path, or the index 0.
    let text = |at| arguments.get(at).as_string().unwrap_or_default();
    let index = |at| arguments.get(at).as_f64().unwrap_or_default() as u64;
    let conversation: ConversationId = text(0).parse()?;
    Ok(match method {
        "load" => {
            let listing = store.load(conversation).await?;
            listing.map_or(JsValue::UNDEFINED, |listing| host_store::listing_object(&listing))
        }
        "events" => {
            let events = Array::new();
            for event in store.events(conversation, index(1)..index(2)).await? {
                events.push(&host_store::event_object(&event));
            }
            events.into()
        }
        "indexOf" => {
            let event: EventId = text(1).parse()?;
            let index = store.index_of(conversation, &event).await?;
            index.map_or(JsValue::UNDEFINED, |index| JsValue::from_f64(index as f64))
        }
        "commit" => {
            store.commit(conversation, host_store::commit(&arguments.get(1))?).await?;
            JsValue::UNDEFINED
        }
        "files" => {
            let paths = Array::new();
            for path in store.files(conversation).await? {
                paths.push(&path.as_str().into());
            }
            paths.into()
        }
        "readFile" => {
            let path: StorePath = text(1).parse()?;
            let content = store.read_file(conversation, &path).await?;
            content.map_or(JsValue::UNDEFINED, |bytes| Uint8Array::from(&*bytes).into())
        }
        "delete" => {
            store.delete(conversation).await?;
            JsValue::UNDEFINED
        }
        _ => return Err(invalid(format!("a store has no method {method}"))),
    })
}
