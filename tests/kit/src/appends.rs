//! Appends that benchmarks time inside the wasm, where a conversation calls its store as well.

use js_sys::Promise;
use std::rc::Rc;
use threadkeep::{
    id::ConversationId,
    store::{Commit, Durability, Store},
    web::{guard, indexed_db::IndexedDbStore},
};
use uuid::Uuid;
use wasm_bindgen::prelude::*;

/// A store in IndexedDB, all of whose commits have the same durability.
#[wasm_bindgen]
pub struct Database {
    store: Rc<IndexedDbStore>,
    durability: Durability,
}

#[wasm_bindgen]
impl Database {
    /// The database called `name`.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, is_strict: bool) -> Self {
        let durability = if is_strict { Durability::Strict } else { Durability::Relaxed };
        Self { store: Rc::new(IndexedDbStore::new(name, None)), durability }
    }

    /// Appends `count` events of text `json` from index `from` on, one commit each, one after the other.
    ///
    /// If `base_state` is not empty, each commit also stores it, with `LEAF` replaced by the id of the event.
    pub fn append(
        &self,
        conversation: String,
        from: f64,
        count: f64,
        json: String,
        base_state: String,
    ) -> Promise {
        let (store, durability) = (Rc::clone(&self.store), self.durability);
        guard::promise(async move {
            let id: ConversationId = conversation.parse()?;
            let json: Rc<str> = json.into();
            let from = from as u64;
            for index in from..from + count as u64 {
                let event = Uuid::new_v4();
                let base_state = (!base_state.is_empty()).then(|| {
                    let leaf = event.hyphenated().to_string();
                    Rc::from(base_state.replacen("LEAF", &leaf, 1))
                });
                let commit = Commit {
                    events: vec![(event.into(), Rc::clone(&json))],
                    base_state,
                    durability,
                    ..Commit::new(index, js_sys::Date::now())
                };
                store.commit(id, commit).await?;
            }
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Closes the connection.
    pub fn close(&self) {
        self.store.close();
    }
}
