//! Stores as JavaScript holds them: ours, and a host's own.

use super::host_store::{self, HostStore};
use crate::{
    id::{EventId, StorePath},
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

    /// `Listing[]`
    pub fn list(&self) -> Promise {
        let store = self.inner();
        promise(async move {
            let listings = store.list().await?;
            Ok(listings.iter().map(host_store::listing_object).collect::<Array>().into())
        })
    }

    /// `Listing | undefined`
    pub fn load(&self, conversation: String) -> Promise {
        let store = self.inner();
        promise(async move {
            let listing = store.load(conversation.parse()?).await?;
            Ok(listing.as_ref().map_or(JsValue::UNDEFINED, host_store::listing_object))
        })
    }

    /// `StoredEvent[]`
    pub fn events(&self, conversation: String, start: f64, end: f64) -> Promise {
        let store = self.inner();
        promise(async move {
            let events = store.events(conversation.parse()?, start as u64..end as u64).await?;
            Ok(events.iter().map(host_store::event_object).collect::<Array>().into())
        })
    }

    /// `number | undefined`
    #[wasm_bindgen(js_name = indexOf)]
    pub fn index_of(&self, conversation: String, event: String) -> Promise {
        let store = self.inner();
        promise(async move {
            let event: EventId = event.parse()?;
            let index = store.index_of(conversation.parse()?, &event).await?;
            Ok(index.map_or(JsValue::UNDEFINED, |index| JsValue::from_f64(index as f64)))
        })
    }

    /// Takes a `Commit`.
    pub fn commit(&self, conversation: String, commit: JsValue) -> Promise {
        let store = self.inner();
        promise(async move {
            store.commit(conversation.parse()?, host_store::commit(&commit)?).await?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// `string[]`
    pub fn files(&self, conversation: String) -> Promise {
        let store = self.inner();
        promise(async move {
            let paths = store.files(conversation.parse()?).await?;
            Ok(paths.iter().map(|path| JsValue::from_str(path.as_str())).collect::<Array>().into())
        })
    }

    /// `Uint8Array | undefined`
    #[wasm_bindgen(js_name = readFile)]
    pub fn read_file(&self, conversation: String, path: String) -> Promise {
        let store = self.inner();
        promise(async move {
            let path: StorePath = path.parse()?;
            let content = store.read_file(conversation.parse()?, &path).await?;
            Ok(content.map_or(JsValue::UNDEFINED, |bytes| Uint8Array::from(&*bytes).into()))
        })
    }

    /// Resolves when it is gone.
    pub fn delete(&self, conversation: String) -> Promise {
        let store = self.inner();
        promise(async move {
            store.delete(conversation.parse()?).await?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Lets go of connections.
    pub fn close(&self) {
        self.store.close();
    }
}
