//! The JavaScript handle of a store. IndexedDB is in the main wasm; the other stores, and the methods of a store for
//! JavaScript, are in a chunk ([`super::chunks::stores`]).

use super::chunks::{self, Answer};
use crate::{
    store::{Durability, Store},
    web::{guard::promise, indexed_db::IndexedDbStore},
};
use js_sys::{Object, Promise};
use std::rc::Rc;
use uuid::Uuid;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"import type { Commit, Listing, StoredEvent } from "../js/store/types.js";"#;

/// The functions of the chunk. Each has the arguments of its export.
pub trait Stores {
    /// A store in memory, empty at first.
    fn memory(&self) -> Rc<dyn Store>;

    /// A store that the host wrote in JavaScript.
    fn host(&self, object: Object) -> Rc<dyn Store>;

    /// See [`CoreStore::list`].
    fn list(&self, store: Rc<dyn Store>) -> Answer;

    /// See [`CoreStore::load`].
    fn load(&self, store: Rc<dyn Store>, conversation: String) -> Answer;

    /// See [`CoreStore::events`].
    fn events(&self, store: Rc<dyn Store>, conversation: String, start: f64, end: f64) -> Answer;

    /// See [`CoreStore::index_of`].
    fn index_of(&self, store: Rc<dyn Store>, conversation: String, event: String) -> Answer;

    /// See [`CoreStore::commit`].
    fn commit(&self, store: Rc<dyn Store>, conversation: String, commit: JsValue) -> Answer;

    /// See [`CoreStore::files`].
    fn files(&self, store: Rc<dyn Store>, conversation: String, folder: Option<String>) -> Answer;

    /// See [`CoreStore::read_file`].
    fn read_file(&self, store: Rc<dyn Store>, conversation: String, path: String) -> Answer;

    /// See [`CoreStore::delete`].
    fn delete(&self, store: Rc<dyn Store>, conversation: String) -> Answer;

    /// See [`CoreStore::describe`].
    fn describe(&self, store: Rc<dyn Store>, conversation: String) -> Answer;

    /// See [`CoreStore::read_files`].
    fn read_files(
        &self,
        store: Rc<dyn Store>,
        conversation: String,
        paths: Vec<String>,
        bytes: u32,
    ) -> Answer;

    /// See [`CoreStore::change_tags`].
    fn change_tags(&self, store: Rc<dyn Store>, conversation: String, changes: String, now: f64) -> Answer;
}

/// The JavaScript handle of a store. Its methods are those of `Store` in `js/store/types.ts` with the same names, where they have no
/// description.
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
    pub fn host(store: Object, name: Option<String>) -> Promise {
        let lock_scope = format!("host:{}", name.unwrap_or_else(|| Uuid::new_v4().to_string()));
        promise(async move { Ok(Self { store: chunks::stores().await?.host(store), lock_scope }.into()) })
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Listing[]>")]
    pub fn list(&self) -> Promise {
        self.in_stores(Box::new(|chunk, store| chunk.list(store)))
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<Listing | undefined>")]
    pub fn load(&self, conversation: String) -> Promise {
        self.in_stores(Box::new(|chunk, store| chunk.load(store, conversation)))
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<StoredEvent[]>")]
    pub fn events(&self, conversation: String, start: f64, end: f64) -> Promise {
        self.in_stores(Box::new(move |chunk, store| chunk.events(store, conversation, start, end)))
    }

    #[wasm_bindgen(js_name = indexOf, unchecked_return_type = "Promise<number | undefined>")]
    pub fn index_of(&self, conversation: String, event: String) -> Promise {
        self.in_stores(Box::new(|chunk, store| chunk.index_of(store, conversation, event)))
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn commit(
        &self,
        conversation: String,
        #[wasm_bindgen(unchecked_param_type = "Commit")] commit: JsValue,
    ) -> Promise {
        self.in_stores(Box::new(|chunk, store| chunk.commit(store, conversation, commit)))
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<string[]>")]
    pub fn files(&self, conversation: String, folder: Option<String>) -> Promise {
        self.in_stores(Box::new(|chunk, store| chunk.files(store, conversation, folder)))
    }

    #[wasm_bindgen(js_name = readFile, unchecked_return_type = "Promise<Uint8Array | undefined>")]
    pub fn read_file(&self, conversation: String, path: String) -> Promise {
        self.in_stores(Box::new(|chunk, store| chunk.read_file(store, conversation, path)))
    }

    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn delete(&self, conversation: String) -> Promise {
        self.in_stores(Box::new(|chunk, store| chunk.delete(store, conversation)))
    }

    /// Resolves to the JSON of the conversation's entry in a list: see [`super::listing::list_conversations`].
    #[wasm_bindgen(unchecked_return_type = "Promise<string | undefined>")]
    pub fn describe(&self, conversation: String) -> Promise {
        self.in_stores(Box::new(|chunk, store| chunk.describe(store, conversation)))
    }

    /// Reads the first of these files, up to about so many bytes, at least one, in a transaction. Only a database has this.
    #[wasm_bindgen(js_name = readFiles, unchecked_return_type = "Promise<(Uint8Array | undefined)[]>")]
    pub fn read_files(&self, conversation: String, paths: Vec<String>, bytes: u32) -> Promise {
        self.in_stores(Box::new(move |chunk, store| chunk.read_files(store, conversation, paths, bytes)))
    }

    /// Takes a JSON object of strings, in which `null` removes a tag: see [`crate::conversation::change_tags`].
    #[wasm_bindgen(js_name = changeTags, unchecked_return_type = "Promise<void>")]
    pub fn change_tags(&self, conversation: String, changes: String, now: f64) -> Promise {
        self.in_stores(Box::new(move |chunk, store| chunk.change_tags(store, conversation, changes, now)))
    }

    /// Closes the connections.
    pub fn close(&self) {
        self.store.close();
    }
}

/// What is done with the loaded chunk.
type Act = Box<dyn FnOnce(&dyn Stores, Rc<dyn Store>) -> Answer>;

impl CoreStore {
    /// A boxed function, so that the main file has this code once and not for each method.
    fn in_stores(&self, act: Act) -> Promise {
        let store = self.inner();
        promise(async move { act(&*chunks::stores().await?, store).await })
    }
}
