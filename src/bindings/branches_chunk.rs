//! The list of branches, and copies of conversations: a chunk of the wasm, see [`super::chunks`].

use super::{error::set, tree::Branches};
use crate::{
    conversation::{Conversation, ForkOptions},
    error::Result,
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Object};
use wasm_bindgen::JsValue;

/// The object of this chunk.
pub struct BranchesChunk;

impl Branches for BranchesChunk {
    fn list(&self, conversation: Conversation) -> LocalBoxFuture<'static, Result<JsValue>> {
        Box::pin(async move {
            let branches = Array::new();
            for branch in conversation.branches().await? {
                let object = Object::new();
                let fork = branch.fork.map_or(JsValue::NULL, |fork| fork.as_str().into());
                set(&object, "leafEventId", &branch.leaf.as_str().into());
                set(&object, "forkEventId", &fork);
                set(&object, "firstEvent", &(&**branch.first_message.json()).into());
                branches.push(&object);
            }
            Ok(branches.into())
        })
    }

    fn fork(&self, conversation: Conversation, options: ForkOptions) -> LocalBoxFuture<'static, Result<()>> {
        Box::pin(async move { conversation.fork(options).await })
    }
}
