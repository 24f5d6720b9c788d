//! Stores as JavaScript holds them.

use crate::store::{MemoryStore, Store};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// A store.
#[wasm_bindgen]
pub struct CoreStore(Rc<dyn Store>);

impl CoreStore {
    /// The store behind the handle.
    pub fn inner(&self) -> Rc<dyn Store> {
        Rc::clone(&self.0)
    }
}

#[wasm_bindgen]
impl CoreStore {
    /// A store in memory.
    pub fn memory() -> CoreStore {
        Self(Rc::new(MemoryStore::new()))
    }
}
