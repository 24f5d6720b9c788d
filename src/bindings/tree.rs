//! The part of a conversation's JavaScript interface that moves HEAD between branches, lists branches and copies them, and
//! edits and executes single calls.
//!
//! Moves are in the main wasm. The rest is in a chunk ([`super::chunks::branches`]).

use super::{
    chunks::{self, Answer},
    conversation::{CoreConversation, done},
};
use crate::conversation::{Conversation, FileVersions};
use js_sys::{Array, Promise};
use std::rc::Rc;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
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
"#;

/// The functions of the chunk. Each has the argument of its export.
pub trait Branches {
    /// See [`CoreConversation::branches`].
    fn list(&self, conversation: Conversation, nothing: JsValue) -> Answer;

    /// See [`CoreConversation::versions`].
    fn versions(&self, conversation: Conversation, after: JsValue) -> Answer;

    /// See [`CoreConversation::fork`].
    fn fork(&self, conversation: Conversation, options: JsValue) -> Answer;

    /// See [`CoreConversation::store_agent`].
    fn store_agent(&self, conversation: Conversation, nothing: JsValue) -> Answer;

    /// See [`CoreConversation::catch_up`].
    fn catch_up(&self, conversation: Conversation, nothing: JsValue) -> Answer;

    /// See [`CoreConversation::subagent_task`].
    fn subagent_task(&self, conversation: Conversation, options: JsValue) -> Answer;

    /// See [`CoreConversation::beside`].
    fn beside(&self, conversation: Conversation, request: JsValue) -> Answer;

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
    #[wasm_bindgen(js_name = navigateTo)]
    pub fn navigate_to(&self, event: Option<String>) -> Promise {
        self.verb(move |conversation| async move {
            let event = event.map(|event| event.parse()).transpose()?;
            done(conversation.navigate_to(event).await)
        })
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

    /// Resolves to the branches beside the active one.
    #[wasm_bindgen(unchecked_return_type = "Promise<CoreBranch[]>")]
    pub fn branches(&self) -> Promise {
        self.in_branches(JsValue::UNDEFINED, |chunk, conversation, nothing| chunk.list(conversation, nothing))
    }

    /// Resolves to the messages of the active branch with several versions, behind this event.
    #[wasm_bindgen(unchecked_return_type = "Promise<CoreVersions[]>")]
    pub fn versions(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string | null")] after: JsValue,
    ) -> Promise {
        self.in_branches(after, |chunk, conversation, after| chunk.versions(conversation, after))
    }

    /// Copies the conversation, or the branch that ends at `fromEventId`.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn fork(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CoreForkOptions")] options: JsValue,
    ) -> Promise {
        self.in_branches(options, |chunk, conversation, options| chunk.fork(conversation, options))
    }

    /// Stores the agent of this handle in place of the stored one.
    #[wasm_bindgen(js_name = storeAgent, unchecked_return_type = "Promise<void>")]
    pub fn store_agent(&self) -> Promise {
        self.in_branches(JsValue::UNDEFINED, |chunk, conversation, nothing| {
            chunk.store_agent(conversation, nothing)
        })
    }

    /// Takes in what another page has stored.
    #[wasm_bindgen(js_name = catchUp, unchecked_return_type = "Promise<void>")]
    pub fn catch_up(&self) -> Promise {
        self.in_branches(JsValue::UNDEFINED, |chunk, conversation, nothing| {
            chunk.catch_up(conversation, nothing)
        })
    }

    /// A verb with its arguments: about earlier files `at`, `read`, `changes`, `history` or `prune`, about messages that no
    /// model has read `queued`, `edit` or `remove`, about what another handle asks `begin`, `carried_out` or `forget`. One export, because each costs all pages some bytes.
    #[wasm_bindgen(unchecked_return_type = "Promise<any>")]
    pub fn beside(
        &self,
        #[wasm_bindgen(unchecked_param_type = "(string | number)[]")] request: JsValue,
    ) -> Promise {
        self.in_branches(request, |chunk, conversation, request| chunk.beside(conversation, request))
    }

    /// The paths of the files that moves of HEAD have changed since the last call, each in a line.
    #[wasm_bindgen(js_name = movedFiles)]
    pub fn moved_files(&self) -> String {
        self.conversation.take_moved_files()
    }

    /// Resolves to the ids of the task of a call and of its conversation, or to nothing if there is none: see
    /// [`Conversation::subagent_task`].
    #[wasm_bindgen(
        js_name = subagentTask,
        unchecked_return_type = "Promise<[task: string, conversation: string] | undefined>"
    )]
    pub fn subagent_task(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CoreTaskOptions")] options: JsValue,
    ) -> Promise {
        self.in_branches(options, |chunk, conversation, options| chunk.subagent_task(conversation, options))
    }

    /// Resolves to the JSON of the action that replaces the edited one.
    #[wasm_bindgen(js_name = editAction, unchecked_return_type = "Promise<string>")]
    pub fn edit_action(&self, #[wasm_bindgen(unchecked_param_type = "CoreEdit")] edit: JsValue) -> Promise {
        self.in_branches(edit, |chunk, conversation, edit| chunk.edit_action(conversation, edit))
    }

    /// Resolves to the JSON of the observation.
    #[wasm_bindgen(js_name = executeTool, unchecked_return_type = "Promise<string>")]
    pub fn execute_tool(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CoreToolCall")] call: JsValue,
    ) -> Promise {
        self.in_branches(call, |chunk, conversation, call| chunk.execute_tool(conversation, call))
    }
}

impl CoreConversation {
    /// A function pointer, so that the main file has this code once and not for each method.
    fn in_branches(
        &self,
        argument: JsValue,
        act: fn(&dyn Branches, Conversation, JsValue) -> Answer,
    ) -> Promise {
        self.verb(move |conversation| async move {
            act(&*chunks::branches().await?, conversation, argument).await
        })
    }
}
