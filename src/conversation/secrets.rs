//! Secrets of a conversation: what is stored of them, and what nobody may see.
//!
//! Values come from the host, which encrypts what is to be stored; here they are only texts that are hidden.

use super::{Conversation, machine::Plan};
use crate::{
    error::{Error, Result},
    format::base_state::BaseState,
    json::{EditableObject, RawJson},
    llm::{
        Delta, SecretString,
        message::{Content, Message},
    },
    secret::{HIDDEN, Mask, MaskedStream},
    tool::ToolRegistry,
};
use std::{cell::RefCell, rc::Rc};

impl Conversation {
    /// Takes these texts out of everything that is stored or told from now on, except what the user writes.
    pub fn hide(&self, texts: Vec<String>) {
        self.0.log.mask.hide(texts);
    }

    /// A text without what is hidden.
    pub fn masked(&self, text: &str) -> String {
        self.0.log.mask.text(text).into_owned()
    }

    /// Sets and removes (`null`) what is stored of secrets, by name. Others keep their bytes.
    ///
    /// # Errors
    /// `locked_elsewhere`, `invalid_state` once it is closed, and those of the store.
    pub async fn store_secrets(&self, sources: &EditableObject) -> Result<()> {
        let mut edit = |state: &mut BaseState| {
            for (name, source) in sources.iter() {
                let source = RawJson::parse(source).filter(|source| source.as_str() != "null");
                state.set_secret_source(name, source.as_ref());
            }
        };
        self.change_settings(Plan::default().strictly(), &mut edit).await
    }

    /// The model's key where the host gave none, and the token that is stored for the key. Without the key, where the
    /// host gave none either, the model is not asked.
    pub fn store_key(&self, key: Option<&str>, token: String) {
        let llm = self.llm();
        let kept = &llm.options.stored_key;
        *kept.key.borrow_mut() = key.map(SecretString::new);
        *kept.token.borrow_mut() = Some(token);
    }

    pub(super) fn without_secrets(&self, error: Error) -> Error {
        let message = self.0.log.mask.cut_text(error.message());
        error.with_message(message)
    }
}

/// What the model says again of a secret goes no further: not into the log, and not into another tool.
pub(super) fn hide_in_answer(mask: &Mask, message: &mut Message, tools: &ToolRegistry) {
    if mask.is_empty() {
        return;
    }
    let mut texts: Vec<&mut String> = Vec::new();
    for part in &mut message.content {
        if let Content::Text { text, .. } = part {
            texts.push(text);
        }
    }
    mask.texts(&mut texts);
    for call in message.tool_calls.iter_mut().flatten() {
        if let Some(masked) = mask.arguments(&call.arguments) {
            call.arguments = masked;
        }
        if tools.get(&call.name).is_none() {
            // Providers take no brackets in a name.
            call.name = mask.text(&call.name).replace(HIDDEN, "secret-hidden");
        }
    }
}

/// The pieces of an answer, as they may be shown.
pub(super) struct MaskedDeltas {
    on_delta: Rc<dyn Fn(Delta)>,
    content: RefCell<MaskedStream>,
    reasoning: RefCell<MaskedStream>,
}

impl MaskedDeltas {
    pub(super) fn new(mask: &Mask, on_delta: Rc<dyn Fn(Delta)>) -> Self {
        let stream = || RefCell::new(MaskedStream::new(mask));
        Self { on_delta, content: stream(), reasoning: stream() }
    }

    pub(super) fn push(&self, delta: Delta) {
        if delta == Delta::default() {
            // The answer begins anew. What was held back of the one before it is nobody's.
            self.content.borrow_mut().end();
            self.reasoning.borrow_mut().end();
        }
        let masked = |stream: &RefCell<MaskedStream>, text: Option<String>| {
            text.map(|text| stream.borrow_mut().push(&text))
        };
        self.show(masked(&self.content, delta.content), masked(&self.reasoning, delta.reasoning_content));
    }

    /// Shows what was held back. An answer that broke off may have ended in the middle of a secret: then it is not
    /// called.
    pub(super) fn end(&self) {
        let end = |stream: &RefCell<MaskedStream>| Some(stream.borrow_mut().end());
        self.show(end(&self.content), end(&self.reasoning));
    }

    fn show(&self, content: Option<String>, reasoning_content: Option<String>) {
        let is_text = |text: &String| !text.is_empty();
        let delta =
            Delta { content: content.filter(is_text), reasoning_content: reasoning_content.filter(is_text) };
        if delta.content.is_some() || delta.reasoning_content.is_some() {
            (self.on_delta)(delta);
        }
    }
}
