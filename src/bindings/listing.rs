//! Listing, deleting and locking conversations without opening them.

use super::{conversation::lock_name, store::CoreStore};
use crate::{
    conversation::{imported_time, is_undecided, title_in_list},
    error::{Error, ErrorCode, Result},
    format::{
        base_state::BaseState,
        layout::SUBAGENTS,
        server_mark::{HOST, SERVER},
    },
    id::ConversationId,
    json::ObjectWriter,
    store::{Listing, Store},
    web::{guard::promise, host::WebHost, locks},
};
use futures_util::future::LocalBoxFuture;
use js_sys::Promise;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// JSON: `[{id, title, parent, server, execution_status, undecided, tags, length, created_at, updated_at, last_event}]`, newest first by
/// `updated_at`. `last_event` is the time of the last event of an import that nobody has changed. A conversation whose base state cannot be read is listed without tags and as `error`, so that it can be exported or deleted.
#[wasm_bindgen(js_name = listConversations, unchecked_return_type = "Promise<string>")]
pub fn list_conversations(store: &CoreStore) -> Promise {
    let store = store.inner();
    promise(async move {
        let listings = store.list().await?;
        let mut objects = Vec::with_capacity(listings.len());
        for listing in &listings {
            objects.push(describe(&*store, listing).await);
        }
        Ok(format!("[{}]", objects.join(",")).into())
    })
}

/// One of these objects. Not inlined, so that the file of the formats has no code of its own for it.
#[inline(never)]
pub(super) fn describe<'a>(store: &'a dyn Store, listing: &'a Listing) -> LocalBoxFuture<'a, String> {
    Box::pin(described(store, listing))
}

async fn described(store: &dyn Store, listing: &Listing) -> String {
    let state = BaseState::parse(&listing.base_state).ok();
    let title = match &state {
        Some(state) => title_in_list(store, &WebHost, listing, state).await,
        None => None,
    };
    let mut out = ObjectWriter::new();
    out.field("id", &listing.conversation.to_string());
    out.field("title", &title);
    out.field("execution_status", state.as_ref().map_or("error", |state| state.execution_status().as_str()));
    out.field("undecided", &state.as_ref().is_some_and(is_undecided));
    let parent = state.as_ref().and_then(|state| state.ancestors().first().map(ToString::to_string));
    out.field("parent", &parent);
    let mark = state.as_ref().and_then(|state| state.field(SERVER));
    out.field("server", &mark.and_then(|mark| mark.field::<String>(HOST)));
    let last_event = state.as_ref().and_then(|state| imported_time(listing, state));
    out.field("last_event", &last_event);
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

/// Deletes a conversation with those of its sub-agents, unless one of them is open for writing.
#[wasm_bindgen(js_name = deleteConversation, unchecked_return_type = "Promise<void>")]
pub fn delete_conversation(id: String, store: &CoreStore) -> Promise {
    let (inner, scope) = (store.inner(), store.lock_scope());
    promise(async move {
        delete(id.parse()?, &*inner, &scope, None).await?;
        Ok(JsValue::UNDEFINED)
    })
}

/// The same; `lock` is that of the conversation if its caller has it.
pub(super) async fn delete(
    id: ConversationId,
    store: &dyn Store,
    scope: &str,
    lock: Option<locks::Guard>,
) -> Result<()> {
    let mut held: Vec<_> = lock.into_iter().collect();
    let mut ids = vec![id];
    ids.extend(descendants(store, id).await?);
    for id in ids.iter().skip(held.len()) {
        let Some(lock) = locks::try_lock(&lock_name(scope, *id)).await else {
            return Err(Error::new(
                ErrorCode::LockedElsewhere,
                "this conversation is open in a tab or handle; close it there, then delete it",
            ));
        };
        held.push(lock);
    }
    // If the page dies before the last one is deleted, those that are left can still be found.
    for id in ids.into_iter().rev() {
        store.delete(id).await?;
    }
    for lock in held {
        lock.release().await;
    }
    Ok(())
}

/// The conversations of the sub-agents of this one, with those of their sub-agents.
pub(super) async fn descendants(store: &dyn Store, id: ConversationId) -> Result<Vec<ConversationId>> {
    let listings = store.list().await?;
    // Most conversations are told apart by their text, which need not be parsed then.
    let folder = format!("{}/{SUBAGENTS}", id.hex());
    let is_descendant = |listing: &&Listing| {
        listing.base_state.contains(&folder)
            && BaseState::parse(&listing.base_state).is_ok_and(|state| state.ancestors().contains(&id))
    };
    Ok(listings.iter().filter(is_descendant).map(|listing| listing.conversation).collect())
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
