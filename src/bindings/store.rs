//! The JavaScript handle of a store. IndexedDB is in the main wasm; the other stores, and the methods of a store for
//! JavaScript, are in the file of the formats.

use super::{control::tag_changes, error::invalid, listing::describe};
use crate::{
    conversation::change_tags,
    error::Result,
    id::StorePath,
    store::{Durability, MemoryStore, Store},
    web::{
        guard::promise,
        host_store::{self, HostStore},
        indexed_db::IndexedDbStore,
        store_values::{EventObject, ListingObject, to_js},
    },
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Object, Promise, Uint8Array};
use std::rc::Rc;
use uuid::Uuid;
use wasm_bindgen::prelude::*;
use wasm_file::wasm_file;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"import type { Commit, Listing, StoredEvent } from "../js/store/types.js";"#;

/// The JavaScript handle of a store. Its methods are those of `Store` in `js/store/types.ts` with the same names, where they have no
/// description.
#[wasm_bindgen]
#[derive(Clone)]
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

    /// The promise of a method.
    fn promised(&self, method: LocalBoxFuture<'static, Result<JsValue>>) -> Promise {
        promise(method)
    }
}

#[wasm_file(formats)]
#[wasm_bindgen]
impl CoreStore {
    /// A store in memory, empty at first. Resolves to a `CoreStore`.
    #[wasm_bindgen(unchecked_return_type = "Promise<CoreStore>")]
    pub async fn memory() -> Result<JsValue> {
        let lock_scope = format!("memory:{}", Uuid::new_v4());
        Ok(Self { store: Rc::new(MemoryStore::new()), lock_scope }.into())
    }

    /// The IndexedDB database called `name`; `durability`, if given, overrides that of every commit.
    #[wasm_bindgen(js_name = indexedDb)]
    pub fn indexed_db(
        name: String,
        #[wasm_bindgen(unchecked_param_type = "Commit['durability'] | undefined")] durability: Option<String>,
    ) -> CoreStore {
        let durability = durability.map(|durability| match durability.as_str() {
            "relaxed" => Durability::Relaxed,
            _ => Durability::Strict,
        });
        let lock_scope = format!("indexeddb:{name}");
        Self { store: Rc::new(IndexedDbStore::new(&name, durability)), lock_scope }
    }

    /// A store that the host has written; stores with the same conversations have the same `name`. Resolves to a `CoreStore`.
    #[wasm_bindgen(unchecked_return_type = "Promise<CoreStore>")]
    pub async fn host(store: Object, name: Option<String>) -> Result<JsValue> {
        let lock_scope = format!("host:{}", name.unwrap_or_else(|| Uuid::new_v4().to_string()));
        Ok(Self { store: Rc::new(HostStore::new(store)), lock_scope }.into())
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Listing[]>")]
    pub async fn list(&self) -> Result<JsValue> {
        let listings = Array::new();
        for listing in self.store.list().await? {
            listings.push(&to_js(&ListingObject::from(&listing))?);
        }
        Ok(listings.into())
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Listing | undefined>")]
    pub async fn load(&self, conversation: String) -> Result<JsValue> {
        let listing = self.store.load(conversation.parse()?).await?;
        Ok(listing.map_or(Ok(JsValue::UNDEFINED), |listing| to_js(&ListingObject::from(&listing)))?)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<StoredEvent[]>")]
    pub async fn events(&self, conversation: String, start: f64, end: f64) -> Result<JsValue> {
        let events = Array::new();
        for event in self.store.events(conversation.parse()?, start as u64..end as u64).await? {
            events.push(&to_js(&EventObject::from(&event))?);
        }
        Ok(events.into())
    }

    #[wasm_bindgen(js_name = indexOf, unchecked_return_type = "Promise<number | undefined>")]
    pub async fn index_of(&self, conversation: String, event: String) -> Result<JsValue> {
        let index = self.store.index_of(conversation.parse()?, &event.parse()?).await?;
        Ok(index.map_or(JsValue::UNDEFINED, |index| JsValue::from_f64(index as f64)))
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub async fn commit(
        &self,
        conversation: String,
        #[wasm_bindgen(unchecked_param_type = "Commit")] commit: JsValue,
    ) -> Result<JsValue> {
        self.store.commit(conversation.parse()?, host_store::commit(&commit)?).await?;
        Ok(JsValue::UNDEFINED)
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<string[]>")]
    pub async fn files(&self, conversation: String, folder: Option<String>) -> Result<JsValue> {
        let conversation = conversation.parse()?;
        let folder: Option<StorePath> = folder.map(|folder| folder.parse()).transpose()?;
        let paths = self.store.files(conversation, folder.as_ref()).await?;
        Ok(paths.iter().map(|path| JsValue::from(path.as_str())).collect::<Array>().into())
    }

    #[wasm_bindgen(js_name = readFile, unchecked_return_type = "Promise<Uint8Array | undefined>")]
    pub async fn read_file(&self, conversation: String, path: String) -> Result<JsValue> {
        let content = self.store.read_file(conversation.parse()?, &path.parse()?).await?;
        Ok(content.map_or(JsValue::UNDEFINED, |bytes| Uint8Array::from(&*bytes).into()))
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub async fn delete(&self, conversation: String) -> Result<JsValue> {
        self.store.delete(conversation.parse()?).await?;
        Ok(JsValue::UNDEFINED)
    }

    /// Resolves to the JSON of the conversation's entry in a list: see [`super::listing::list_conversations`].
    #[wasm_bindgen(unchecked_return_type = "Promise<string | undefined>")]
    pub async fn describe(&self, conversation: String) -> Result<JsValue> {
        Ok(match self.store.load(conversation.parse()?).await? {
            Some(listing) => describe(&*self.store, &listing).await.into(),
            None => JsValue::UNDEFINED,
        })
    }

    /// Reads the first of these files, up to about so many bytes, at least one, in a transaction. Only a database has this.
    #[wasm_bindgen(js_name = readFiles, unchecked_return_type = "Promise<(Uint8Array | undefined)[]>")]
    pub async fn read_files(&self, conversation: String, paths: Vec<String>, bytes: u32) -> Result<JsValue> {
        let database =
            database(&*self.store).ok_or_else(|| invalid("only a database reads many files at once"))?;
        let conversation = conversation.parse()?;
        let paths = paths.iter().map(|path| path.parse()).collect::<Result<Vec<StorePath>>>()?;
        Ok(database.read_files(conversation, &paths, bytes).await?.into())
    }

    /// Takes a JSON object of strings, in which `null` removes a tag: see [`crate::conversation::change_tags`].
    #[wasm_bindgen(js_name = changeTags, unchecked_return_type = "Promise<void>")]
    pub async fn change_tags(&self, conversation: String, changes: String, now: f64) -> Result<JsValue> {
        change_tags(&*self.store, conversation.parse()?, &tag_changes(&changes)?, now).await?;
        Ok(JsValue::UNDEFINED)
    }

    /// Closes the connections.
    pub fn close(&self) {
        self.store.close();
    }
}

fn database(store: &dyn Store) -> Option<&IndexedDbStore> {
    store.as_any()?.downcast_ref()
}
