//! Condensing for JavaScript: `condense`, `summary` and `contextUsage`.
//!
//! These are the exports that JavaScript calls. A chunk ([`super::chunks::condensing`]) does the work.

use super::{
    chunks::{self, Answer},
    conversation::CoreConversation,
};
use crate::{
    agent::Agent,
    conversation::{Condensing, Conversation},
    error::Result,
};
use js_sys::Promise;
use std::rc::Rc;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"import type { ContextUsage } from "../js/agent/context-usage.js";"#;

/// The functions of the chunk.
pub trait CondensingPart {
    /// The code for conversations.
    fn core(&self) -> Rc<dyn Condensing>;

    /// Sets the condenser and the token counter of these options.
    fn configure(&self, agent: &mut Agent, options: &JsValue) -> Result<()>;

    /// See [`CoreConversation::condense`].
    fn condense(&self, conversation: Conversation) -> Answer;

    /// See [`CoreConversation::summary`].
    fn summary(&self, conversation: Conversation) -> Answer;

    /// See [`CoreConversation::context_usage`].
    fn context_usage(&self, conversation: Conversation) -> Answer;
}

#[wasm_bindgen]
impl CoreConversation {
    /// See `Conversation.condense`.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn condense(&self) -> Promise {
        self.in_condensing(|chunk, conversation| chunk.condense(conversation))
    }

    /// Resolves to the newest summary of the active branch.
    #[wasm_bindgen(unchecked_return_type = "Promise<string | undefined>")]
    pub fn summary(&self) -> Promise {
        self.in_condensing(|chunk, conversation| chunk.summary(conversation))
    }

    /// Resolves to the tokens of the next request, their limit, and those that condensing would reclaim.
    #[wasm_bindgen(js_name = contextUsage, unchecked_return_type = "Promise<ContextUsage>")]
    pub fn context_usage(&self) -> Promise {
        self.in_condensing(|chunk, conversation| chunk.context_usage(conversation))
    }
}

impl CoreConversation {
    /// A function pointer, so that the main file has this code once and not for each method.
    fn in_condensing(&self, act: fn(&dyn CondensingPart, Conversation) -> Answer) -> Promise {
        self.verb(move |conversation| async move { act(&*chunks::condensing().await?, conversation).await })
    }
}
