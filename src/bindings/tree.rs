//! The part of a conversation's JavaScript interface that moves HEAD between branches, lists branches and copies them.
//!
//! Moves are in the main wasm. The rest is in a chunk ([`super::branches_chunk`]).

use super::{
    chunks,
    conversation::{CoreConversation, done},
};
use crate::{conversation::Conversation, error::Result};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Promise};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// The functions of the chunk.
pub trait Branches {
    /// See [`CoreConversation::in_branches`].
    fn call(&self, conversation: Conversation, fork: JsValue) -> LocalBoxFuture<'static, Result<JsValue>>;
}

#[wasm_bindgen]
impl CoreConversation {
    /// Moves HEAD to this event; without an id, before the first event.
    #[wasm_bindgen(js_name = navigateTo)]
    pub fn navigate_to(&self, event: Option<String>) -> Promise {
        self.verb(move |conversation| async move {
            let event = event.map(|event| event.parse()).transpose()?;
            done(conversation.navigate_to(event).await)
        })
    }

    /// Moves HEAD back to the last message of the user.
    pub fn regenerate(&self) -> Promise {
        self.verb(|conversation| async move { done(conversation.regenerate().await) })
    }

    /// Resolves to the ids and JSON texts, by turns, of the last events from the root to HEAD.
    #[wasm_bindgen(js_name = activeBranch, unchecked_return_type = "Promise<string[]>")]
    pub fn active_branch(&self, limit: f64) -> Promise {
        self.verb(move |conversation| async move {
            let texts = Array::new();
            for event in conversation.active_branch(limit as usize).await? {
                texts.push(&event.id().as_str().into());
                texts.push(&(&**event.valid_json()).into());
            }
            Ok(texts.into())
        })
    }

    /// With `{id, fromEventId?, tags, resetMetrics}`, copies the conversation, or the branch that ends at `fromEventId`.
    /// With `{storesAgent: true}`, stores the agent of this handle in place of the stored one. With `{follows: true}`, takes in
    /// what another page has stored. With `{versionsAfter}`, an event's id or `null`, resolves to
    /// `[{eventId, role, index, versions: [{id, leafEventId}]}]`. With `{task, resume?, starts?}`, resolves to the ids of this call's task and of its
    /// conversation, or to nothing if there is none: see `Conversation::subagent_task`. Without an argument, resolves to `[{leafEventId, forkEventId, firstEvent}]`, where
    /// `firstEvent` is JSON and `forkEventId` may be `null`. One export for all is smaller.
    #[wasm_bindgen(js_name = inBranches)]
    pub fn in_branches(&self, fork: JsValue) -> Promise {
        self.verb(|conversation| async move { chunks::branches().await?.call(conversation, fork).await })
    }
}
