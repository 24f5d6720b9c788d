//! The stores other than IndexedDB, and the methods of a store for JavaScript: a chunk of the wasm, see [`super`].

use crate::{
    bindings::{control::tag_changes, error::invalid, listing::describe, store::Stores},
    conversation::change_tags,
    error::Result,
    id::{ConversationId, EventId, StorePath},
    store::{MemoryStore, Store},
    web::{
        host_store::{self, HostStore},
        indexed_db::IndexedDbStore,
        store_values::{EventObject, ListingObject, to_js},
    },
};
use futures_util::future::LocalBoxFuture;
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

    fn call(
        &self,
        store: Rc<dyn Store>,
        method: String,
        arguments: Array,
    ) -> LocalBoxFuture<'static, Result<JsValue>> {
        Box::pin(async move { call_method(&*store, &method, &arguments).await })
    }
}

async fn call_method(store: &dyn Store, method: &str, arguments: &Array) -> Result<JsValue> {
    if method == "list" {
        let listings = Array::new();
        for listing in store.list().await? {
            listings.push(&to_js(&ListingObject::from(&listing))?);
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
            listing.map_or(Ok(JsValue::UNDEFINED), |listing| to_js(&ListingObject::from(&listing)))?
        }
        "events" => {
            let events = Array::new();
            for event in store.events(conversation, index(1)..index(2)).await? {
                events.push(&to_js(&EventObject::from(&event))?);
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
            let folder =
                arguments.get(1).as_string().map(|folder| folder.parse::<StorePath>()).transpose()?;
            for path in store.files(conversation, folder.as_ref()).await? {
                paths.push(&path.as_str().into());
            }
            paths.into()
        }
        "readFile" => {
            let path: StorePath = text(1).parse()?;
            let content = store.read_file(conversation, &path).await?;
            content.map_or(JsValue::UNDEFINED, |bytes| Uint8Array::from(&*bytes).into())
        }
        // Not of the interface `Store`: the entry of a list, see `listConversations`.
        "describe" => match store.load(conversation).await? {
            Some(listing) => describe(store, &listing).await.into(),
            None => JsValue::UNDEFINED,
        },
        // Not of the interface either, and only a database has it.
        "readFiles" if let Some(database) = database(store) => {
            let mut paths: Vec<StorePath> = Vec::new();
            for path in Array::from(&arguments.get(1)) {
                paths.push(path.as_string().unwrap_or_default().parse()?);
            }
            database.read_files(conversation, &paths, index(2) as u32).await?.into()
        }
        // The last one that is not of the interface.
        "changeTags" => {
            change_tags(
                store,
                conversation,
                &tag_changes(&text(1))?,
                arguments.get(2).as_f64().unwrap_or_default(),
            )
            .await?;
            JsValue::UNDEFINED
        }
        "delete" => {
            store.delete(conversation).await?;
            JsValue::UNDEFINED
        }
        _ => return Err(invalid(format!("a store has no method {method}"))),
    })
}

fn database(store: &dyn Store) -> Option<&IndexedDbStore> {
    store.as_any()?.downcast_ref()
}
