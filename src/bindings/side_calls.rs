//! Requests beside the run, for JavaScript: `askAgent`, `generateTitle` and the tool that inspects images; critics and
//! messages with files belong to the same chunk.
//!
//! This is the export that JavaScript calls. A chunk ([`super::chunks::side_calls`]), loaded with the first call, does the
//! work.

use super::{chunks, conversation::CoreConversation};
use crate::{agent::critic::Critic, conversation::Conversation, error::Result};
use futures_util::future::LocalBoxFuture;
use js_sys::Promise;
use std::rc::Rc;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// The functions of the chunk.
pub trait SideCalls {
    /// See `sideCall`.
    fn call(&self, conversation: Conversation, options: JsValue) -> LocalBoxFuture<'static, Result<JsValue>>;

    /// The critic of these options.
    fn critic(&self, options: &JsValue) -> Result<Rc<dyn Critic>>;
}

#[wasm_bindgen]
impl CoreConversation {
    /// Asks the `question` of these options, about the conversation or with `llm` about the URL of an `image`; or makes a
    /// title of at most `maxLength` characters, with `llm` if it is given.
    /// If `stopped` resolves before, the request is aborted. Resolves to the text.
    ///
    /// With `attachments`, the JSON of [`crate::llm::attachment::Attachment`]s, it sends a message instead, as `sendMessage` does, with
    /// its `files`, which are stored with it; `window` is that of the model. Resolves to the JSON of the event.
    /// With `givenFiles`, such a list, it resolves to that of [`Conversation::reasons_against`].
    ///
    /// [`Conversation::reasons_against`]: crate::conversation::Conversation::reasons_against
    #[wasm_bindgen(js_name = sideCall, unchecked_return_type = "Promise<string>")]
    pub fn side_call(&self, options: JsValue) -> Promise {
        self.verb(
            move |conversation| async move { chunks::side_calls().await?.call(conversation, options).await },
        )
    }
}
