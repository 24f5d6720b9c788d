//! The lists of branches and versions, copies of conversations, tasks of sub-agents, and what a follower takes in: a chunk of the wasm, see [`super`].

use crate::{
    bindings::{
        conversation::done,
        error::set,
        options::{Options, property},
        tree::{Answer, Branches},
    },
    conversation::{Conversation, ForkOptions},
    error::Result,
    id::EventId,
    llm::option_table::OptionSource as _,
};
use js_sys::{Array, Object};
use wasm_bindgen::JsValue;

/// The object of this chunk.
pub struct BranchesChunk;

impl Branches for BranchesChunk {
    fn list(&self, conversation: Conversation, _nothing: JsValue) -> Answer {
        Box::pin(async move { list(&conversation).await })
    }

    fn versions(&self, conversation: Conversation, after: JsValue) -> Answer {
        Box::pin(async move {
            let after = after.as_string().map(|event| event.parse()).transpose()?;
            versions(&conversation, after.as_ref()).await
        })
    }

    fn fork(&self, conversation: Conversation, options: JsValue) -> Answer {
        Box::pin(async move {
            let plain = Options::new(&options, "fork()");
            let from = plain.text("fromEventId")?;
            let options = ForkOptions {
                id: plain.required_text("id")?.parse()?,
                from: from.map(|event| event.parse()).transpose()?,
                tags: plain.texts("tags")?,
                resets_stats: property(&options, "resetMetrics").is_truthy(),
            };
            done(conversation.fork(options).await)
        })
    }

    fn store_agent(&self, conversation: Conversation, _nothing: JsValue) -> Answer {
        Box::pin(async move { done(conversation.store_agent().await) })
    }

    fn catch_up(&self, conversation: Conversation, _nothing: JsValue) -> Answer {
        Box::pin(async move { done(conversation.catch_up().await) })
    }

    fn subagent_task(&self, conversation: Conversation, options: JsValue) -> Answer {
        Box::pin(async move {
            let options = Options::new(&options, "a task");
            let action = options.required_text("action")?;
            let starts = options.text("starts")?.map(|id| id.parse()).transpose()?;
            let resume = options.text("resume")?;
            let task = conversation.subagent_task(&action, resume.as_deref(), starts).await?;
            Ok(task.map_or(JsValue::UNDEFINED, |task| {
                let conversation = task.conversation.to_string();
                Array::of2(&task.id.as_str().into(), &conversation.as_str().into()).into()
            }))
        })
    }
}

async fn list(conversation: &Conversation) -> Result<JsValue> {
    let branches = Array::new();
    for branch in conversation.branches().await? {
        let object = Object::new();
        let fork = branch.fork.map_or(JsValue::NULL, |fork| fork.as_str().into());
        set(&object, "leafEventId", &branch.leaf.as_str().into());
        set(&object, "forkEventId", &fork);
        set(&object, "firstEvent", &(&**branch.first_message.valid_json()).into());
        branches.push(&object);
    }
    Ok(branches.into())
}

async fn versions(conversation: &Conversation, after: Option<&EventId>) -> Result<JsValue> {
    let all = Array::new();
    for found in conversation.versions(after).await? {
        let object = Object::new();
        let event = found.message.map_or(JsValue::NULL, |event| event.as_str().into());
        set(&object, "eventId", &event);
        set(&object, "role", &if found.is_user { "user" } else { "assistant" }.into());
        set(&object, "index", &found.active.map_or(-1.0, |active| active as f64).into());
        let versions = Array::new();
        for (first, leaf) in found.versions {
            let version = Object::new();
            set(&version, "id", &first.as_str().into());
            set(&version, "leafEventId", &leaf.as_str().into());
            versions.push(&version);
        }
        set(&object, "versions", &versions);
        all.push(&object);
    }
    Ok(all.into())
}
