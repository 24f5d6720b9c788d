//! The lists of branches and versions, copies of conversations, edited and single calls, tasks of sub-agents, versions of
//! files, messages that no model has read, and followers, which take in what another handle stores, ask it, and take its place:
//! a chunk of the wasm, see [`super`].

use super::Answer;
use crate::{
    bindings::{
        conversation::{done, event_texts, message_content},
        error::set,
        given,
        options::{Options, property},
        tree::Branches,
    },
    conversation::{
        ChangeKind, ChangedFile, Conversation, FileVersions, ForkOptions, PruneLimits, file_versions,
    },
    error::Result,
    id::EventId,
    llm::option_table::OptionSource as _,
};
use js_sys::{Array, Object, Uint8Array};
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// The object of this chunk.
pub struct BranchesChunk;

impl Branches for BranchesChunk {
    fn list(&self, conversation: Conversation) -> Answer {
        Box::pin(async move { list(&conversation).await })
    }

    fn versions(&self, conversation: Conversation, after: Option<String>) -> Answer {
        Box::pin(async move {
            let after = after.map(|event| event.parse()).transpose()?;
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

    fn store_agent(&self, conversation: Conversation) -> Answer {
        Box::pin(async move { done(conversation.store_agent().await) })
    }

    fn catch_up(&self, conversation: Conversation) -> Answer {
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
                let object = Object::new();
                set(&object, "id", &task.id.as_str().into());
                set(&object, "conversation", &task.conversation.to_string().into());
                object.into()
            }))
        })
    }

    fn files_at(&self, conversation: Conversation, event: String) -> Answer {
        Box::pin(async move {
            let files = conversation.files_at(&event.parse()?).await?;
            let paths: Array = files.paths.iter().map(|path| JsValue::from(path.as_str())).collect();
            let object = Object::new();
            set(&object, "version", &files.version.as_str().into());
            set(&object, "paths", &paths);
            Ok(object.into())
        })
    }

    fn read_file_at(&self, conversation: Conversation, version: String, path: String) -> Answer {
        Box::pin(async move {
            let content = conversation.read_file_at(&version, &path.parse()?).await?;
            Ok(content.map_or(JsValue::UNDEFINED, |content| Uint8Array::from(&*content).into()))
        })
    }

    fn file_changes(&self, conversation: Conversation, from: String, to: String) -> Answer {
        Box::pin(async move {
            let changes = conversation.file_changes_between(&from.parse()?, &to.parse()?).await?;
            Ok(changes.iter().map(difference).collect::<Array>().into())
        })
    }

    fn file_history(&self, conversation: Conversation) -> Answer {
        Box::pin(async move {
            let history = conversation.file_history().await?;
            let object = Object::new();
            let since = history.since.map_or(JsValue::NULL, |event| event.as_str().into());
            set(&object, "versions", &(history.versions as f64).into());
            set(&object, "bytes", &(history.bytes as f64).into());
            set(&object, "since", &since);
            set(&object, "isComplete", &history.is_complete.into());
            Ok(object.into())
        })
    }

    fn prune_file_versions(&self, conversation: Conversation, bytes: f64, age: f64) -> Answer {
        Box::pin(async move {
            let limits = PruneLimits { bytes: bytes as u64, age };
            done(conversation.prune_file_versions(limits).await)
        })
    }

    fn queued_messages(&self, conversation: Conversation) -> Answer {
        Box::pin(async move { Ok(event_texts(&conversation.queued_messages())) })
    }

    fn edit_queued_message(&self, conversation: Conversation, event: String, content: String) -> Answer {
        Box::pin(async move {
            let content = message_content(&content)?;
            let event = conversation.edit_queued_message(&event.parse()?, content).await?;
            Ok((&**event.valid_json()).into())
        })
    }

    fn remove_queued_message(&self, conversation: Conversation, event: String) -> Answer {
        Box::pin(async move { done(conversation.remove_queued_message(&event.parse()?).await) })
    }

    fn begin_asked(&self, conversation: Conversation) -> Answer {
        Box::pin(async move { done(conversation.begin_asked().await) })
    }

    fn carried_out(&self, conversation: Conversation, client: String, number: f64) -> Answer {
        Box::pin(async move {
            Ok(match conversation.carried_out(&client, number as u64).await? {
                Some(Some(event)) => event.as_str().into(),
                Some(None) => JsValue::NULL,
                None => JsValue::UNDEFINED,
            })
        })
    }

    fn forget_commands(&self, conversation: Conversation, client: Option<String>) -> Answer {
        Box::pin(async move { done(conversation.forget_commands(client.as_deref()).await) })
    }

    fn edit_action(&self, conversation: Conversation, edit: JsValue) -> Answer {
        Box::pin(async move {
            let edit = Options::new(&edit, "editAction()");
            let action = edit.required_text("action")?.parse()?;
            let arguments = given::text(&edit.required_text("arguments")?);
            Ok((&**conversation.edit_action(&action, &arguments).await?.json()).into())
        })
    }

    fn execute_tool(&self, conversation: Conversation, call: JsValue) -> Answer {
        Box::pin(async move {
            let call = Options::new(&call, "executeTool()");
            let (name, id) = (call.required_text("name")?, call.required_text("toolCallId")?);
            let arguments = given::text(&call.required_text("arguments")?);
            let observation = conversation.execute_tool(&name, &arguments, id).await?;
            Ok(observation.as_json().as_str().into())
        })
    }

    fn become_writer(&self, conversation: Conversation) -> Answer {
        Box::pin(async move { done(conversation.become_writer().await) })
    }

    fn step_down(&self, conversation: Conversation) -> Answer {
        Box::pin(async move {
            conversation.step_down().await;
            done(Ok(()))
        })
    }

    fn file_versions(&self) -> Rc<dyn FileVersions> {
        file_versions()
    }
}

/// A `CoreFileDifference`.
fn difference(change: &ChangedFile) -> JsValue {
    let kind = match change.kind {
        ChangeKind::Added => "added",
        ChangeKind::Changed => "changed",
        ChangeKind::Removed => "removed",
    };
    let object = Object::new();
    set(&object, "path", &change.path.as_str().into());
    set(&object, "type", &kind.into());
    object.into()
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
