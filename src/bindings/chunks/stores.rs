//! The stores other than IndexedDB, and the methods of a store for JavaScript: a chunk of the wasm, see [`super`].

use super::Answer;
use crate::{
    bindings::{control::tag_changes, error::invalid, listing::describe, store::Stores},
    conversation::change_tags,
    error::Result,
    id::StorePath,
    store::{MemoryStore, Store},
    web::{
        host_store::{self, HostStore},
        indexed_db::IndexedDbStore,
        store_values::{EventObject, ListingObject, to_js},
    },
};
use js_sys::{Array, Object, Uint8Array};
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// The object that the chunk exports.
pub struct StoresChunk;

impl Stores for StoresChunk {
    fn memory(&self) -> Rc<dyn Store> {
        Rc::new(MemoryStore::new())
    }

    fn host(&self, object: Object) -> Rc<dyn Store> {
        Rc::new(HostStore::new(object))
    }

    fn list(&self, store: Rc<dyn Store>) -> Answer {
        Box::pin(async move {
            let listings = Array::new();
            for listing in store.list().await? {
                listings.push(&to_js(&ListingObject::from(&listing))?);
            }
            Ok(listings.into())
        })
    }

    fn load(&self, store: Rc<dyn Store>, conversation: String) -> Answer {
        Box::pin(async move {
            let listing = store.load(conversation.parse()?).await?;
            Ok(listing.map_or(Ok(JsValue::UNDEFINED), |listing| to_js(&ListingObject::from(&listing)))?)
        })
    }

    fn events(&self, store: Rc<dyn Store>, conversation: String, start: f64, end: f64) -> Answer {
        Box::pin(async move {
            let events = Array::new();
            for event in store.events(conversation.parse()?, start as u64..end as u64).await? {
                events.push(&to_js(&EventObject::from(&event))?);
            }
            Ok(events.into())
        })
    }

    fn index_of(&self, store: Rc<dyn Store>, conversation: String, event: String) -> Answer {
        Box::pin(async move {
            let index = store.index_of(conversation.parse()?, &event.parse()?).await?;
            Ok(index.map_or(JsValue::UNDEFINED, |index| JsValue::from_f64(index as f64)))
        })
    }

    fn commit(&self, store: Rc<dyn Store>, conversation: String, commit: JsValue) -> Answer {
        Box::pin(async move {
            store.commit(conversation.parse()?, host_store::commit(&commit)?).await?;
            Ok(JsValue::UNDEFINED)
        })
    }

    fn files(&self, store: Rc<dyn Store>, conversation: String, folder: Option<String>) -> Answer {
        Box::pin(async move {
            let conversation = conversation.parse()?;
            let folder: Option<StorePath> = folder.map(|folder| folder.parse()).transpose()?;
            let paths = store.files(conversation, folder.as_ref()).await?;
            Ok(paths.iter().map(|path| JsValue::from(path.as_str())).collect::<Array>().into())
        })
    }

    fn read_file(&self, store: Rc<dyn Store>, conversation: String, path: String) -> Answer {
        Box::pin(async move {
            let content = store.read_file(conversation.parse()?, &path.parse()?).await?;
            Ok(content.map_or(JsValue::UNDEFINED, |bytes| Uint8Array::from(&*bytes).into()))
        })
    }

    fn delete(&self, store: Rc<dyn Store>, conversation: String) -> Answer {
        Box::pin(async move {
            store.delete(conversation.parse()?).await?;
            Ok(JsValue::UNDEFINED)
        })
    }

    fn describe(&self, store: Rc<dyn Store>, conversation: String) -> Answer {
        Box::pin(async move {
            Ok(match store.load(conversation.parse()?).await? {
                Some(listing) => describe(&*store, &listing).await.into(),
                None => JsValue::UNDEFINED,
            })
        })
    }

    fn read_files(
        &self,
        store: Rc<dyn Store>,
        conversation: String,
        paths: Vec<String>,
        bytes: u32,
    ) -> Answer {
        Box::pin(async move {
            let database =
                database(&*store).ok_or_else(|| invalid("only a database reads many files at once"))?;
            let conversation = conversation.parse()?;
            let paths = paths.iter().map(|path| path.parse()).collect::<Result<Vec<StorePath>>>()?;
            Ok(database.read_files(conversation, &paths, bytes).await?.into())
        })
    }

    fn change_tags(&self, store: Rc<dyn Store>, conversation: String, changes: String, now: f64) -> Answer {
        Box::pin(async move {
            change_tags(&*store, conversation.parse()?, &tag_changes(&changes)?, now).await?;
            Ok(JsValue::UNDEFINED)
        })
    }
}

fn database(store: &dyn Store) -> Option<&IndexedDbStore> {
    store.as_any()?.downcast_ref()
}
