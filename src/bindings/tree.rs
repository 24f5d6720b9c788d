//! The part of a conversation's JavaScript interface that moves HEAD between branches, lists branches and copies them, and
//! edits and executes single calls.
//!
//! Moves are in the main wasm. The rest is in a chunk ([`super::chunks::branches`]).

use super::{
    chunks::{self, Answer},
    conversation::{CoreConversation, done},
    error::set,
};
use crate::conversation::{Conversation, FileVersions};
use js_sys::{Array, Object, Promise};
use std::rc::Rc;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

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

/// The functions of the chunk. Each has the arguments of its export.
pub trait Branches {
    /// See [`CoreConversation::branches`].
    fn list(&self, conversation: Conversation) -> Answer;

    /// See [`CoreConversation::versions`].
    fn versions(&self, conversation: Conversation, after: Option<String>) -> Answer;

    /// See [`CoreConversation::fork`].
    fn fork(&self, conversation: Conversation, options: JsValue) -> Answer;

    /// See [`CoreConversation::store_agent`].
    fn store_agent(&self, conversation: Conversation) -> Answer;

    /// See [`CoreConversation::catch_up`].
    fn catch_up(&self, conversation: Conversation) -> Answer;

    /// See [`CoreConversation::subagent_task`].
    fn subagent_task(&self, conversation: Conversation, options: JsValue) -> Answer;

    /// See [`CoreConversation::files_at`].
    fn files_at(&self, conversation: Conversation, event: String) -> Answer;

    /// See [`CoreConversation::read_file_at`].
    fn read_file_at(&self, conversation: Conversation, version: String, path: String) -> Answer;

    /// See [`CoreConversation::file_changes`].
    fn file_changes(&self, conversation: Conversation, from: String, to: String) -> Answer;

    /// See [`CoreConversation::file_history`].
    fn file_history(&self, conversation: Conversation) -> Answer;

    /// See [`CoreConversation::prune_file_versions`].
    fn prune_file_versions(&self, conversation: Conversation, bytes: f64, age: f64) -> Answer;

    /// See [`CoreConversation::queued_messages`].
    fn queued_messages(&self, conversation: Conversation) -> Answer;

    /// See [`CoreConversation::edit_queued_message`].
    fn edit_queued_message(&self, conversation: Conversation, event: String, content: String) -> Answer;

    /// See [`CoreConversation::remove_queued_message`].
    fn remove_queued_message(&self, conversation: Conversation, event: String) -> Answer;

    /// See [`CoreConversation::begin_asked`].
    fn begin_asked(&self, conversation: Conversation) -> Answer;

    /// See [`CoreConversation::carried_out`].
    fn carried_out(&self, conversation: Conversation, client: String, number: f64) -> Answer;

    /// See [`CoreConversation::forget_commands`].
    fn forget_commands(&self, conversation: Conversation, client: Option<String>) -> Answer;

    /// See [`CoreConversation::edit_action`].
    fn edit_action(&self, conversation: Conversation, edit: JsValue) -> Answer;

    /// See [`CoreConversation::execute_tool`].
    fn execute_tool(&self, conversation: Conversation, call: JsValue) -> Answer;

    /// See [`CoreConversation::take_over`].
    fn become_writer(&self, conversation: Conversation) -> Answer;

    /// See [`CoreConversation::step_down`].
    fn step_down(&self, conversation: Conversation) -> Answer;

    /// The code that records changes of files, and takes them along with HEAD.
    fn file_versions(&self) -> Rc<dyn FileVersions>;
}

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

    /// Resolves to the branches beside the active one.
    #[wasm_bindgen(unchecked_return_type = "Promise<CoreBranch[]>")]
    pub fn branches(&self) -> Promise {
        self.in_branches(Box::new(|chunk, conversation| chunk.list(conversation)))
    }

    /// Resolves to the messages of the active branch with several versions, behind this event.
    #[wasm_bindgen(unchecked_return_type = "Promise<CoreVersions[]>")]
    pub fn versions(&self, after: Option<String>) -> Promise {
        self.in_branches(Box::new(|chunk, conversation| chunk.versions(conversation, after)))
    }

    /// Copies the conversation, or the branch that ends at `fromEventId`.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn fork(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CoreForkOptions")] options: JsValue,
    ) -> Promise {
        self.in_branches(Box::new(|chunk, conversation| chunk.fork(conversation, options)))
    }

    /// Stores the agent of this handle in place of the stored one.
    #[wasm_bindgen(js_name = storeAgent, unchecked_return_type = "Promise<void>")]
    pub fn store_agent(&self) -> Promise {
        self.in_branches(Box::new(|chunk, conversation| chunk.store_agent(conversation)))
    }

    /// Takes in what another page has stored.
    #[wasm_bindgen(js_name = catchUp, unchecked_return_type = "Promise<void>")]
    pub fn catch_up(&self) -> Promise {
        self.in_branches(Box::new(|chunk, conversation| chunk.catch_up(conversation)))
    }

    /// Resolves to the conversation's own files at this event.
    #[wasm_bindgen(js_name = filesAt, unchecked_return_type = "Promise<CoreFilesAt>")]
    pub fn files_at(&self, event: String) -> Promise {
        self.in_branches(Box::new(|chunk, conversation| chunk.files_at(conversation, event)))
    }

    /// Resolves to a file of such a version.
    #[wasm_bindgen(js_name = readFileAt, unchecked_return_type = "Promise<Uint8Array | undefined>")]
    pub fn read_file_at(&self, version: String, path: String) -> Promise {
        self.in_branches(Box::new(|chunk, conversation| chunk.read_file_at(conversation, version, path)))
    }

    /// Resolves to the differences between the files at two events.
    #[wasm_bindgen(js_name = fileChanges, unchecked_return_type = "Promise<CoreFileDifference[]>")]
    pub fn file_changes(&self, from: String, to: String) -> Promise {
        self.in_branches(Box::new(|chunk, conversation| chunk.file_changes(conversation, from, to)))
    }

    /// Resolves to what is kept of earlier files.
    #[wasm_bindgen(js_name = fileHistory, unchecked_return_type = "Promise<CoreFileHistory>")]
    pub fn file_history(&self) -> Promise {
        self.in_branches(Box::new(|chunk, conversation| chunk.file_history(conversation)))
    }

    /// Removes versions of files over these limits, in bytes and milliseconds.
    #[wasm_bindgen(js_name = pruneFileVersions, unchecked_return_type = "Promise<void>")]
    pub fn prune_file_versions(&self, bytes: f64, age: f64) -> Promise {
        self.in_branches(Box::new(move |chunk, conversation| {
            chunk.prune_file_versions(conversation, bytes, age)
        }))
    }

    /// Resolves to the JSON texts of the messages that no model has read.
    #[wasm_bindgen(js_name = queuedMessages, unchecked_return_type = "Promise<string[]>")]
    pub fn queued_messages(&self) -> Promise {
        self.in_branches(Box::new(|chunk, conversation| chunk.queued_messages(conversation)))
    }

    /// Takes the new content of such a message as JSON. Resolves to the JSON of the event.
    #[wasm_bindgen(js_name = editQueuedMessage, unchecked_return_type = "Promise<string>")]
    pub fn edit_queued_message(&self, event: String, content: String) -> Promise {
        self.in_branches(Box::new(|chunk, conversation| {
            chunk.edit_queued_message(conversation, event, content)
        }))
    }

    /// Removes such a message.
    #[wasm_bindgen(js_name = removeQueuedMessage, unchecked_return_type = "Promise<void>")]
    pub fn remove_queued_message(&self, event: String) -> Promise {
        self.in_branches(Box::new(|chunk, conversation| chunk.remove_queued_message(conversation, event)))
    }

    /// Notes that what another handle asks begins, before it has an effect elsewhere: see [`Conversation::begin_asked`].
    #[wasm_bindgen(js_name = beginAsked, unchecked_return_type = "Promise<void>")]
    pub fn begin_asked(&self) -> Promise {
        self.in_branches(Box::new(|chunk, conversation| chunk.begin_asked(conversation)))
    }

    /// Resolves to the id of the event, or `null` for none, of what this handle has asked under this number; to nothing if it was not
    /// carried out.
    #[wasm_bindgen(js_name = carriedOut, unchecked_return_type = "Promise<string | null | undefined>")]
    pub fn carried_out(&self, client: String, number: f64) -> Promise {
        self.in_branches(Box::new(move |chunk, conversation| chunk.carried_out(conversation, client, number)))
    }

    /// Forgets what this handle has asked; without one, what those have asked that have been silent for a day.
    #[wasm_bindgen(js_name = forgetCommands, unchecked_return_type = "Promise<void>")]
    pub fn forget_commands(&self, client: Option<String>) -> Promise {
        self.in_branches(Box::new(|chunk, conversation| chunk.forget_commands(conversation, client)))
    }

    /// The paths of the files that moves of HEAD have changed since the last call, each in a line.
    #[wasm_bindgen(js_name = movedFiles)]
    pub fn moved_files(&self) -> String {
        self.conversation.take_moved_files()
    }

    /// Resolves to the task of a call, or to nothing if there is none: see [`Conversation::subagent_task`].
    #[wasm_bindgen(js_name = subagentTask, unchecked_return_type = "Promise<CoreTask | undefined>")]
    pub fn subagent_task(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CoreTaskOptions")] options: JsValue,
    ) -> Promise {
        self.in_branches(Box::new(|chunk, conversation| chunk.subagent_task(conversation, options)))
    }

    /// Resolves to the JSON of the action that replaces the edited one.
    #[wasm_bindgen(js_name = editAction, unchecked_return_type = "Promise<string>")]
    pub fn edit_action(&self, #[wasm_bindgen(unchecked_param_type = "CoreEdit")] edit: JsValue) -> Promise {
        self.in_branches(Box::new(|chunk, conversation| chunk.edit_action(conversation, edit)))
    }

    /// Resolves to the JSON of the observation.
    #[wasm_bindgen(js_name = executeTool, unchecked_return_type = "Promise<string>")]
    pub fn execute_tool(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CoreToolCall")] call: JsValue,
    ) -> Promise {
        self.in_branches(Box::new(|chunk, conversation| chunk.execute_tool(conversation, call)))
    }
}

/// What is done with the loaded chunk.
type Act = Box<dyn FnOnce(&dyn Branches, Conversation) -> Answer>;

impl CoreConversation {
    /// A boxed function, so that the main file has this code once and not for each method.
    fn in_branches(&self, act: Act) -> Promise {
        self.verb(move |conversation| async move { act(&*chunks::branches().await?, conversation).await })
    }
}
