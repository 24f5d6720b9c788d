//! Listing, deleting and locking conversations without opening them.

use super::{conversation::lock_name, store::CoreStore};
use crate::{
    conversation::is_undecided,
    error::{Error, ErrorCode},
    format::base_state::BaseState,
    id::ConversationId,
    json::ObjectWriter,
    store::Listing,
    web::{guard::promise, locks},
};
use js_sys::Promise;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// JSON: `[{id, execution_status, undecided, tags, length, created_at, updated_at}]`, newest first. A conversation whose base
/// state cannot be read is listed without tags and as `error`, so that it can be exported or deleted.
#[wasm_bindgen(js_name = listConversations)]
pub fn list_conversations(store: &CoreStore) -> Promise {
    let store = store.inner();
    promise(async move {
        let listings = store.list().await?;
        let objects: Vec<String> = listings.iter().map(describe).collect();
        Ok(format!("[{}]", objects.join(",")).into())
    })
}

fn describe(listing: &Listing) -> String {
    let state = BaseState::parse(&listing.base_state).ok();
    let mut out = ObjectWriter::new();
    out.field("id", &listing.conversation.to_string());
    out.field("execution_status", state.as_ref().map_or("error", |state| state.execution_status().as_str()));
    out.field("undecided", &state.as_ref().is_some_and(is_undecided));
    let mut tags = ObjectWriter::new();
    for (name, value) in state.map(|state| state.tags()).unwrap_or_default() {
        tags.field(&name, &value);
    }
    out.raw("tags", &tags.finish());
    out.field("length", &listing.length);
    // Whole milliseconds: fractions are of no use to anybody.
    out.field("created_at", &(listing.created_at as u64));
    out.field("updated_at", &(listing.updated_at as u64));
    out.finish()
}

/// Deletes a conversation unless it is open for writing.
#[wasm_bindgen(js_name = deleteConversation)]
pub fn delete_conversation(id: String, store: &CoreStore) -> Promise {
    let (inner, scope) = (store.inner(), store.lock_scope());
    promise(async move {
        let id: ConversationId = id.parse()?;
        let Some(lock) = locks::try_lock(&lock_name(&scope, id)).await else {
            return Err(Error::new(
                ErrorCode::LockedElsewhere,
                "this conversation is open in a tab or handle; close it there, then delete it",
            ));
        };
        inner.delete(id).await?;
        lock.release().await;
        Ok(JsValue::UNDEFINED)
    })
}

/// The write lock of a conversation, held until it is released or freed.
#[wasm_bindgen]
pub struct HeldLock(locks::Guard);

#[wasm_bindgen]
impl HeldLock {
    /// Releases the lock; resolves when others can take it.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn release(self) -> Promise {
        promise(async move {
            self.0.release().await;
            Ok(JsValue::UNDEFINED)
        })
    }
}

impl From<locks::Guard> for HeldLock {
    fn from(lock: locks::Guard) -> Self {
        Self(lock)
    }
}

/// Takes the write lock of a conversation: a `HeldLock`, or undefined if it is taken.
#[wasm_bindgen(js_name = lockConversation, unchecked_return_type = "Promise<HeldLock | undefined>")]
pub fn lock_conversation(id: String, store: &CoreStore) -> Promise {
    let scope = store.lock_scope();
    promise(async move {
        let lock = locks::try_lock(&lock_name(&scope, id.parse()?)).await;
        Ok(lock.map_or(JsValue::UNDEFINED, |lock| HeldLock::from(lock).into()))
    })
}
