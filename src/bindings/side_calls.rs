//! Requests beside the run, for JavaScript: `askAgent`, `generateTitle` and the tool that inspects images; critics and
//! messages with files belong to the same chunk.
//!
//! These are the exports that JavaScript calls. A chunk ([`super::chunks::side_calls`]), loaded with the first call, does the
//! work.

use super::{
    chunks::{self, Answer},
    conversation::CoreConversation,
};
use crate::{agent::critic::Critic, conversation::Conversation, error::Result};
use js_sys::Promise;
use std::rc::Rc;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** A title of at most `maxLength` characters, by default of the conversation's own model. */
export interface CoreTitleOptions { llm: object | undefined; maxLength: number }
/**
 * The content of a message and its files, both as JSON. The changes of the conversation's own files are stored with it. `window` is that
 * of the model.
 */
export interface CoreMessageWithFiles {
  content: string;
  attachments: string;
  window: number | undefined;
  files: { path: string; content: Uint8Array | null }[];
}
"#;

/// The functions of the chunk. Each has the arguments of its export.
pub trait SideCalls {
    /// See [`CoreConversation::ask_agent`].
    fn ask_agent(&self, conversation: Conversation, question: String, stopped: Promise) -> Answer;

    /// See [`CoreConversation::generate_title`].
    fn generate_title(&self, conversation: Conversation, options: JsValue, stopped: Promise) -> Answer;

    /// See [`CoreConversation::inspect_image`].
    fn inspect_image(
        &self,
        conversation: Conversation,
        llm: JsValue,
        image: String,
        question: String,
        stopped: Promise,
    ) -> Answer;

    /// See [`CoreConversation::send_with_files`].
    fn send_with_files(
        &self,
        conversation: Conversation,
        message: JsValue,
        sender: Option<String>,
        pending: Option<String>,
    ) -> Answer;

    /// See [`CoreConversation::edit_with_files`].
    fn edit_with_files(&self, conversation: Conversation, event: String, message: JsValue) -> Answer;

    /// See [`CoreConversation::reasons_against`].
    fn reasons_against(&self, conversation: Conversation, files: String) -> Answer;

    /// The critic of these options.
    fn critic(&self, options: &JsValue) -> Result<Rc<dyn Critic>>;
}

#[wasm_bindgen]
impl CoreConversation {
    /// Asks about the conversation. If `stopped` resolves before, the request is aborted. Resolves to the answer.
    #[wasm_bindgen(js_name = askAgent, unchecked_return_type = "Promise<string>")]
    pub fn ask_agent(
        &self,
        question: String,
        #[wasm_bindgen(unchecked_param_type = "Promise<void>")] stopped: Promise,
    ) -> Promise {
        self.in_side_calls(Box::new(move |chunk, conversation| {
            chunk.ask_agent(conversation, question, stopped)
        }))
    }

    /// Makes a title for the conversation. If `stopped` resolves before, the request is aborted. Resolves to the title.
    #[wasm_bindgen(js_name = generateTitle, unchecked_return_type = "Promise<string>")]
    pub fn generate_title(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CoreTitleOptions")] options: JsValue,
        #[wasm_bindgen(unchecked_param_type = "Promise<void>")] stopped: Promise,
    ) -> Promise {
        self.in_side_calls(Box::new(move |chunk, conversation| {
            chunk.generate_title(conversation, options, stopped)
        }))
    }

    /// Asks a model about the URL of an image. If `stopped` resolves before, the request is aborted. Resolves to the answer.
    #[wasm_bindgen(js_name = inspectImage, unchecked_return_type = "Promise<string>")]
    pub fn inspect_image(
        &self,
        #[wasm_bindgen(unchecked_param_type = "object")] llm: JsValue,
        image: String,
        question: String,
        #[wasm_bindgen(unchecked_param_type = "Promise<void>")] stopped: Promise,
    ) -> Promise {
        self.in_side_calls(Box::new(move |chunk, conversation| {
            chunk.inspect_image(conversation, llm, image, question, stopped)
        }))
    }

    /// As `sendMessage`, for a message with files. Resolves to the JSON of the event.
    #[wasm_bindgen(js_name = sendWithFiles, unchecked_return_type = "Promise<string>")]
    pub fn send_with_files(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CoreMessageWithFiles")] message: JsValue,
        sender: Option<String>,
        #[wasm_bindgen(unchecked_param_type = "CorePending")] pending: Option<String>,
    ) -> Promise {
        self.in_side_calls(Box::new(move |chunk, conversation| {
            chunk.send_with_files(conversation, message, sender, pending)
        }))
    }

    /// As `editMessage`, for a message with files. Resolves to the JSON of the event.
    #[wasm_bindgen(js_name = editWithFiles, unchecked_return_type = "Promise<string>")]
    pub fn edit_with_files(
        &self,
        event: String,
        #[wasm_bindgen(unchecked_param_type = "CoreMessageWithFiles")] message: JsValue,
    ) -> Promise {
        self.in_side_calls(Box::new(move |chunk, conversation| {
            chunk.edit_with_files(conversation, event, message)
        }))
    }

    /// Takes files as JSON, the [`crate::llm::attachment::Attachment`]s without their texts. Resolves to
    /// [`Conversation::reasons_against`].
    #[wasm_bindgen(js_name = reasonsAgainst, unchecked_return_type = "Promise<(string | null)[]>")]
    pub fn reasons_against(&self, files: String) -> Promise {
        self.in_side_calls(Box::new(move |chunk, conversation| chunk.reasons_against(conversation, files)))
    }
}

/// What is done with the loaded chunk.
type Act = Box<dyn FnOnce(&dyn SideCalls, Conversation) -> Answer>;

impl CoreConversation {
    /// A boxed function, so that the main file has this code once and not for each method.
    fn in_side_calls(&self, act: Act) -> Promise {
        self.verb(move |conversation| async move { act(&*chunks::side_calls().await?, conversation).await })
    }
}
