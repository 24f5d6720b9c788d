//! Condensing for JavaScript: `condense` and `contextUsage`.
//!
//! These are the exports that JavaScript calls. A chunk ([`super::condensing_chunk`]) does the work.

use super::{chunks, conversation::CoreConversation};
use crate::{
    agent::Agent,
    conversation::{Condensing, Conversation},
    error::Result,
};
use futures_util::future::LocalBoxFuture;
use js_sys::Promise;
use std::rc::Rc;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// The functions of the chunk.
pub trait CondensingPart {
    /// The code for conversations.
    fn core(&self) -> Rc<dyn Condensing>;

    /// Sets the condenser and the token counter of these options.
    fn configure(&self, agent: &mut Agent, options: &JsValue) -> Result<()>;

    /// See `condensing`.
    fn call(&self, conversation: Conversation, name: String) -> LocalBoxFuture<'static, Result<JsValue>>;
}

#[wasm_bindgen]
impl CoreConversation {
    /// Condenses, or resolves to the newest summary or `undefined` (`"summary"`), or to the used tokens, the limit or
    /// `undefined`, and the tokens that condensing would reclaim (`"usage"`).
    #[wasm_bindgen(unchecked_return_type = "Promise<unknown>")]
    pub fn condensing(&self, name: String) -> Promise {
        self.verb(
            move |conversation| async move { chunks::condensing().await?.call(conversation, name).await },
        )
    }
}
