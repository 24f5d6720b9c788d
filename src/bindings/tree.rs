//! The part of a conversation's JavaScript interface that moves HEAD between branches.

use super::{
    conversation::{CoreConversation, content_of, done},
    error::set,
    options::texts,
};
use crate::conversation::ForkOptions;
use js_sys::{Array, Object, Promise};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

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

    /// Resolves to the ids and JSON texts, by turns, of the events from the root to HEAD, or of the last ones.
    #[wasm_bindgen(js_name = activeBranch, unchecked_return_type = "Promise<string[]>")]
    pub fn active_branch(&self, limit: Option<u32>) -> Promise {
        self.verb(move |conversation| async move {
            let texts = Array::new();
            for event in conversation.active_branch(limit.map(|limit| limit as usize)).await? {
                texts.push(&event.id().as_str().into());
                texts.push(&(&**event.json()).into());
            }
            Ok(texts.into())
        })
    }

    /// Resolves to `[{leafEventId, forkEventId, firstEvent}]`, where `firstEvent` is JSON and `forkEventId` may be `null`.
    #[wasm_bindgen(unchecked_return_type = "Promise<object[]>")]
    pub fn branches(&self) -> Promise {
        self.verb(|conversation| async move {
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

    /// Copies the conversation, or the branch that ends at `from`. `tags` is an object of strings.
    pub fn fork(&self, id: String, from: Option<String>, tags: JsValue, resets_stats: bool) -> Promise {
        self.verb(move |conversation| async move {
            let options = ForkOptions {
                id: id.parse()?,
                from: from.map(|event| event.parse()).transpose()?,
                tags: texts(tags, "tags")?,
                resets_stats,
            };
            done(conversation.fork(options).await)
        })
    }

    /// Moves HEAD back to the last message of the user.
    pub fn regenerate(&self) -> Promise {
        self.verb(|conversation| async move { done(conversation.regenerate().await) })
    }

    /// The content is JSON. Resolves to the JSON of the new event.
    #[wasm_bindgen(js_name = editMessage, unchecked_return_type = "Promise<string>")]
    pub fn edit_message(&self, message: String, content: String) -> Promise {
        self.verb(move |conversation| async move {
            let event = conversation.edit_message(&message.parse()?, content_of(&content)?).await?;
            Ok((&**event.json()).into())
        })
    }
}
