//! Stores as JavaScript holds them: ours, and a host's own.

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

/// A store.
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

    /// What tells conversations of this store from those of others in the name of a lock. Stores that share their
    /// conversations share it.
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

    /// The IndexedDB database called `name`; `durability`, if given, is that of every commit.
    #[wasm_bindgen(js_name = indexedDb)]
    pub fn indexed_db(name: String, durability: Option<String>) -> CoreStore {
        let durability = durability.map(|durability| match durability.as_str() {
            "relaxed" => Durability::Relaxed,
            _ => Durability::Strict,
        });
        let lock_scope = format!("indexeddb:{name}");
        Self { store: Rc::new(IndexedDbStore::new(&name, durability)), lock_scope }
    }

    /// A store that the host wrote; `name` is the same for all that share their conversations.
    pub fn host(store: Object, name: Option<String>) -> CoreStore {
        let lock_scope = format!("host:{}", name.unwrap_or_else(|| Uuid::new_v4().to_string()));
        Self { store: Rc::new(HostStore::new(store)), lock_scope }
    }

    /// Answers a method of `Store` in `js/store.ts`. One export for all: each would be downloaded with a promise of
    /// its own.
    pub fn call(&self, method: String, arguments: Array) -> Promise {
        let store = self.inner();
        promise(async move { answer(&*store, &method, &arguments).await })
    }

    /// Lets go of connections.
    pub fn close(&self) {
        self.store.close();
    }
}

async fn answer(store: &dyn Store, method: &str, arguments: &Array) -> Result<JsValue> {
    if method == "list" {
        let listings = Array::new();
        for listing in store.list().await? {
            listings.push(&host_store::listing_object(&listing));
        }
        return Ok(listings.into());
    }
    // What is no text or number is taken for one that is refused, or is the first.
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
