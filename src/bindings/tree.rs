//! The part of a conversation's JavaScript interface that moves HEAD between branches, lists branches and copies them, and
//! edits and executes single calls.
//!
//! Moves are in the main wasm. The rest is in the agent's.

use super::{
    conversation::{CoreConversation, done, event_texts, message_content},
    error::set,
    given,
    options::{Options, property},
};
use crate::{
    conversation::{ChangeKind, ChangedFile, ForkOptions, PruneLimits},
    error::Result,
    id::EventId,
    llm::option_table::OptionSource as _,
};
use js_sys::{Array, Object, Promise, Uint8Array};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use wasm_file::wasm_file;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** Events by their ids and, at the same places, their JSON texts. */
export interface CoreActiveBranch { ids: string[]; events: string[] }
/** A branch beside the active one; `firstEvent` is JSON. */
export interface CoreBranch { leafEventId: string; forkEventId: string | null; firstEvent: string }
export interface CoreVersions {
  eventId: string | null;
  role: "user" | "assistant";
  index: number;
  versions: { id: string; leafEventId: string }[];
}
export interface CoreForkOptions { id: string; fromEventId: string | undefined; tags: Record<string, string>; resetMetrics: boolean }
/** New arguments of a pending call, as JSON. */
export interface CoreEdit { action: string; arguments: string }
/** A call of a tool beside the run, with its arguments as JSON. */
export interface CoreToolCall { name: string; arguments: string; toolCallId: string }
/** With `starts`, the id of a conversation, a task that does not exist is recorded. */
export interface CoreTaskOptions { action: string; resume: string | undefined; starts: string | undefined }
/** A task of a sub-agent: its id, and that of its conversation. */
export interface CoreTask { id: string; conversation: string }
/** The version of the files at an event, by which each can be read, and their paths. */
export interface CoreFilesAt { version: string; paths: string[] }
export interface CoreFileDifference { path: string; type: "added" | "changed" | "removed" }
/** `since` is the event since which there are versions. */
export interface CoreFileHistory { versions: number; bytes: number; since: string | null; isComplete: boolean }
"#;

#[wasm_bindgen]
impl CoreConversation {
    /// Moves HEAD to this event; without an id, before the first event.
    #[wasm_bindgen(js_name = navigateTo, unchecked_return_type = "Promise<void>")]
    pub fn navigate_to(&self, event: Option<String>) -> Promise {
        self.verb(move |conversation| async move {
            let event = event.map(|event| event.parse()).transpose()?;
            done(conversation.navigate_to(event).await)
        })
    }

    /// Resolves to the last events from the root to HEAD.
    #[wasm_bindgen(js_name = activeBranch, unchecked_return_type = "Promise<CoreActiveBranch>")]
    pub fn active_branch(&self, limit: f64) -> Promise {
        self.verb(move |conversation| async move {
            let (ids, events) = (Array::new(), Array::new());
            for event in conversation.active_branch(limit as usize).await? {
                ids.push(&event.id().as_str().into());
                events.push(&(&**event.valid_json()).into());
            }
            let branch = Object::new();
            set(&branch, "ids", &ids);
            set(&branch, "events", &events);
            Ok(branch.into())
        })
    }

    /// The paths of the files that moves of HEAD have changed since the last call, each in a line.
    #[wasm_bindgen(js_name = movedFiles)]
    pub fn moved_files(&self) -> String {
        self.conversation.take_moved_files()
    }
}

#[wasm_file(agent)]
#[wasm_bindgen]
impl CoreConversation {
    /// Resolves to the branches beside the active one.
    #[wasm_bindgen(unchecked_return_type = "Promise<CoreBranch[]>")]
    pub async fn branches(&self) -> Result<JsValue> {
        let branches = Array::new();
        for branch in self.conversation.branches().await? {
            let object = Object::new();
            let fork = branch.fork.map_or(JsValue::NULL, |fork| fork.as_str().into());
            set(&object, "leafEventId", &branch.leaf.as_str().into());
            set(&object, "forkEventId", &fork);
            set(&object, "firstEvent", &(&**branch.first_message.valid_json()).into());
            branches.push(&object);
        }
        Ok(branches.into())
    }

    /// Resolves to the messages of the active branch with several versions, behind this event.
    #[wasm_bindgen(unchecked_return_type = "Promise<CoreVersions[]>")]
    pub async fn versions(&self, after: Option<String>) -> Result<JsValue> {
        let after: Option<EventId> = after.map(|event| event.parse()).transpose()?;
        let all = Array::new();
        for found in self.conversation.versions(after.as_ref()).await? {
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

    /// Copies the conversation, or the branch that ends at `fromEventId`.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub async fn fork(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CoreForkOptions")] options: JsValue,
    ) -> Result<JsValue> {
        let plain = Options::new(&options, "fork()");
        let from = plain.text("fromEventId")?;
        let options = ForkOptions {
            id: plain.required_text("id")?.parse()?,
            from: from.map(|event| event.parse()).transpose()?,
            tags: plain.texts("tags")?,
            resets_stats: property(&options, "resetMetrics").is_truthy(),
        };
        done(self.conversation.fork(options).await)
    }

    /// Stores the agent of this handle in place of the stored one.
    #[wasm_bindgen(js_name = storeAgent, unchecked_return_type = "Promise<void>")]
    pub async fn store_agent(&self) -> Result<JsValue> {
        done(self.conversation.store_agent().await)
    }

    /// Takes in what another page has stored.
    #[wasm_bindgen(js_name = catchUp, unchecked_return_type = "Promise<void>")]
    pub async fn catch_up(&self) -> Result<JsValue> {
        done(self.conversation.catch_up().await)
    }

    /// Resolves to the conversation's own files at this event.
    #[wasm_bindgen(js_name = filesAt, unchecked_return_type = "Promise<CoreFilesAt>")]
    pub async fn files_at(&self, event: String) -> Result<JsValue> {
        let files = self.conversation.files_at(&event.parse()?).await?;
        let paths: Array = files.paths.iter().map(|path| JsValue::from(path.as_str())).collect();
        let object = Object::new();
        set(&object, "version", &files.version.as_str().into());
        set(&object, "paths", &paths);
        Ok(object.into())
    }

    /// Resolves to a file of such a version.
    #[wasm_bindgen(js_name = readFileAt, unchecked_return_type = "Promise<Uint8Array | undefined>")]
    pub async fn read_file_at(&self, version: String, path: String) -> Result<JsValue> {
        let content = self.conversation.read_file_at(&version, &path.parse()?).await?;
        Ok(content.map_or(JsValue::UNDEFINED, |content| Uint8Array::from(&*content).into()))
    }

    /// Resolves to the differences between the files at two events.
    #[wasm_bindgen(js_name = fileChanges, unchecked_return_type = "Promise<CoreFileDifference[]>")]
    pub async fn file_changes(&self, from: String, to: String) -> Result<JsValue> {
        let changes = self.conversation.file_changes_between(&from.parse()?, &to.parse()?).await?;
        Ok(changes.iter().map(difference).collect::<Array>().into())
    }

    /// Resolves to what is kept of earlier files.
    #[wasm_bindgen(js_name = fileHistory, unchecked_return_type = "Promise<CoreFileHistory>")]
    pub async fn file_history(&self) -> Result<JsValue> {
        let history = self.conversation.file_history().await?;
        let object = Object::new();
        let since = history.since.map_or(JsValue::NULL, |event| event.as_str().into());
        set(&object, "versions", &(history.versions as f64).into());
        set(&object, "bytes", &(history.bytes as f64).into());
        set(&object, "since", &since);
        set(&object, "isComplete", &history.is_complete.into());
        Ok(object.into())
    }

    /// Removes versions of files over these limits, in bytes and milliseconds.
    #[wasm_bindgen(js_name = pruneFileVersions, unchecked_return_type = "Promise<void>")]
    pub async fn prune_file_versions(&self, bytes: f64, age: f64) -> Result<JsValue> {
        let limits = PruneLimits { bytes: bytes as u64, age };
        done(self.conversation.prune_file_versions(limits).await)
    }

    /// Resolves to the JSON texts of the messages that no model has read.
    #[wasm_bindgen(js_name = queuedMessages, unchecked_return_type = "Promise<string[]>")]
    pub async fn queued_messages(&self) -> Result<JsValue> {
        Ok(event_texts(&self.conversation.queued_messages()))
    }

    /// Takes the new content of such a message as JSON. Resolves to the JSON of the event.
    #[wasm_bindgen(js_name = editQueuedMessage, unchecked_return_type = "Promise<string>")]
    pub async fn edit_queued_message(&self, event: String, content: String) -> Result<JsValue> {
        let content = message_content(&content)?;
        let event = self.conversation.edit_queued_message(&event.parse()?, content).await?;
        Ok((&**event.valid_json()).into())
    }

    /// Removes such a message.
    #[wasm_bindgen(js_name = removeQueuedMessage, unchecked_return_type = "Promise<void>")]
    pub async fn remove_queued_message(&self, event: String) -> Result<JsValue> {
        done(self.conversation.remove_queued_message(&event.parse()?).await)
    }

    /// Notes that what another handle asks begins, before it has an effect elsewhere: see `Conversation::begin_asked`.
    #[wasm_bindgen(js_name = beginAsked, unchecked_return_type = "Promise<void>")]
    pub async fn begin_asked(&self) -> Result<JsValue> {
        done(self.conversation.begin_asked().await)
    }

    /// Resolves to the id of the event, or `null` for none, of what this handle has asked under this number; to nothing if it was not
    /// carried out.
    #[wasm_bindgen(js_name = carriedOut, unchecked_return_type = "Promise<string | null | undefined>")]
    pub async fn carried_out(&self, client: String, number: f64) -> Result<JsValue> {
        Ok(match self.conversation.carried_out(&client, number as u64).await? {
            Some(Some(event)) => event.as_str().into(),
            Some(None) => JsValue::NULL,
            None => JsValue::UNDEFINED,
        })
    }

    /// Forgets what this handle has asked; without one, what those have asked that have been silent for a day.
    #[wasm_bindgen(js_name = forgetCommands, unchecked_return_type = "Promise<void>")]
    pub async fn forget_commands(&self, client: Option<String>) -> Result<JsValue> {
        done(self.conversation.forget_commands(client.as_deref()).await)
    }

    /// Resolves to the task of a call, or to nothing if there is none: see `Conversation::subagent_task`.
    #[wasm_bindgen(js_name = subagentTask, unchecked_return_type = "Promise<CoreTask | undefined>")]
    pub async fn subagent_task(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CoreTaskOptions")] options: JsValue,
    ) -> Result<JsValue> {
        let options = Options::new(&options, "a task");
        let action = options.required_text("action")?;
        let starts = options.text("starts")?.map(|id| id.parse()).transpose()?;
        let resume = options.text("resume")?;
        let task = self.conversation.subagent_task(&action, resume.as_deref(), starts).await?;
        Ok(task.map_or(JsValue::UNDEFINED, |task| {
            let object = Object::new();
            set(&object, "id", &task.id.as_str().into());
            set(&object, "conversation", &task.conversation.to_string().into());
            object.into()
        }))
    }

    /// Resolves to the JSON of the action that replaces the edited one.
    #[wasm_bindgen(js_name = editAction, unchecked_return_type = "Promise<string>")]
    pub async fn edit_action(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CoreEdit")] edit: JsValue,
    ) -> Result<JsValue> {
        let edit = Options::new(&edit, "editAction()");
        let action = edit.required_text("action")?.parse()?;
        let arguments = given::text(&edit.required_text("arguments")?);
        Ok((&**self.conversation.edit_action(&action, &arguments).await?.json()).into())
    }

    /// Resolves to the JSON of the observation.
    #[wasm_bindgen(js_name = executeTool, unchecked_return_type = "Promise<string>")]
    pub async fn execute_tool(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CoreToolCall")] call: JsValue,
    ) -> Result<JsValue> {
        let call = Options::new(&call, "executeTool()");
        let (name, id) = (call.required_text("name")?, call.required_text("toolCallId")?);
        let arguments = given::text(&call.required_text("arguments")?);
        let observation = self.conversation.execute_tool(&name, &arguments, id).await?;
        Ok(observation.as_json().as_str().into())
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
