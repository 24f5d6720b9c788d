//! Secrets of a conversation: storing their sources and masking their values.
//!
//! Values come from the host, which also encrypts those that are stored. This module only masks them in other texts.

use super::{Conversation, OnDelta, machine::Plan};
use crate::{
    agent::ShownAnswer,
    error::{Error, Result},
    format::base_state::BaseState,
    json::{EditableObject, RawJson},
    llm::{
        Delta, SecretString, ToolCallDelta,
        message::{Content, Message},
    },
    secret::{HIDDEN, Mask, MaskedArguments, MaskedStream},
    tool::ToolRegistry,
};
use std::{cell::RefCell, rc::Rc};

impl Conversation {
    /// Masks these texts from now on in everything that is stored or reported, except in the user's own messages.
    pub fn hide(&self, texts: Vec<String>) {
        self.0.log.mask.hide(texts);
    }

    /// A text with its secrets masked.
    pub fn masked(&self, text: &str) -> String {
        self.0.log.mask.text(text).into_owned()
    }

    /// Sets the stored sources of these secrets by name; `null` removes one. Others keep their bytes. Those that are given
    /// when a new conversation is opened are stored by its first commit.
    ///
    /// # Errors
    /// `locked_elsewhere`, `invalid_state` once the conversation is closed, and those of the store.
    pub async fn store_secrets(&self, sources: &EditableObject, is_opening: bool) -> Result<()> {
        let mut edit = |state: &mut BaseState| {
            for (name, source) in sources.iter() {
                let source = RawJson::parse(source).filter(|source| source.as_str() != "null");
                state.set_secret_source(name, source.as_ref());
            }
        };
        if is_opening && !self.is_stored() {
            self.0.log.prepare(&mut edit);
            return Ok(());
        }
        self.change_settings(Plan::default().strictly(), &mut edit).await
    }

    /// Sets the encrypted `token` to store for the model's key, and the decrypted key for use if the host gives none. If
    /// neither is known, requests fail before they are sent.
    pub fn store_key(&self, key: Option<&str>, token: String) {
        let llm = self.llm();
        let stored_key = &llm.options.stored_key;
        *stored_key.key.borrow_mut() = key.map(SecretString::new);
        *stored_key.token.borrow_mut() = Some(token);
    }

    pub(super) fn without_secrets(&self, error: Error) -> Error {
        let message = self.0.log.mask.cut_text(error.message());
        error.with_message(message)
    }
}

/// Masks secrets that the model repeats, so that they reach neither the log nor another tool.
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
            // Providers refuse names with angle brackets.
            call.name = mask.text(&call.name).replace(HIDDEN, "secret-hidden");
        }
    }
}

/// Passes on the pieces of a streamed answer with secrets masked.
pub(super) struct MaskedDeltas<'a> {
    on_delta: OnDelta,
    answer: Rc<ShownAnswer>,
    mask: &'a Mask,
    content: RefCell<MaskedStream>,
    reasoning: RefCell<MaskedStream>,
    /// The arguments of the calls, by their indexes.
    calls: RefCell<Vec<MaskedArguments>>,
}

impl<'a> MaskedDeltas<'a> {
    pub(super) fn new(mask: &'a Mask, on_delta: OnDelta, answer: Rc<ShownAnswer>) -> Self {
        let stream = || RefCell::new(MaskedStream::new(mask));
        Self { on_delta, answer, mask, content: stream(), reasoning: stream(), calls: RefCell::default() }
    }

    pub(super) fn push(&self, delta: Delta) {
        if delta == Delta::default() {
            // The answer starts again, so the text that was held back is dropped.
            self.content.borrow_mut().end();
            self.reasoning.borrow_mut().end();
            self.calls.borrow_mut().clear();
            self.answer.restart();
            return (self.on_delta)(&self.answer.id, delta);
        }
        let masked = |stream: &RefCell<MaskedStream>, text: Option<String>| {
            text.map(|text| stream.borrow_mut().push(&text))
        };
        let (content, reasoning) = (delta.content, delta.reasoning_content);
        let tool_calls = delta.tool_calls.into_iter().map(|call| self.masked_call(call)).collect();
        self.show(masked(&self.content, content), masked(&self.reasoning, reasoning), tool_calls);
    }

    fn masked_call(&self, call: ToolCallDelta) -> ToolCallDelta {
        let mut calls = self.calls.borrow_mut();
        while calls.len() <= call.index {
            calls.push(MaskedArguments::new(self.mask));
        }
        ToolCallDelta {
            // The model may call a tool that does not exist, under any name.
            name: call.name.map(|name| self.mask.text(&name).into_owned()),
            arguments: calls.get_mut(call.index).map_or_else(String::new, |text| text.push(&call.arguments)),
            ..call
        }
    }

    /// Passes on the text that was held back. Must not be called for an answer that broke off, because that may have
    /// ended in the middle of a secret.
    pub(super) fn end(&self) {
        let end = |stream: &RefCell<MaskedStream>| Some(stream.borrow_mut().end());
        let end_of_call = |(index, text): (usize, &mut MaskedArguments)| ToolCallDelta {
            index,
            arguments: text.end(),
            ..ToolCallDelta::default()
        };
        let tool_calls = self.calls.borrow_mut().iter_mut().enumerate().map(end_of_call).collect();
        self.show(end(&self.content), end(&self.reasoning), tool_calls);
    }

    fn show(
        &self,
        content: Option<String>,
        reasoning_content: Option<String>,
        mut tool_calls: Vec<ToolCallDelta>,
    ) {
        let is_text = |text: &String| !text.is_empty();
        tool_calls.retain(|call| call.name.is_some() || !call.arguments.is_empty());
        let delta = Delta {
            content: content.filter(is_text),
            reasoning_content: reasoning_content.filter(is_text),
            tool_calls,
        };
        if delta != Delta::default() {
            self.answer.push(delta.content.as_deref().unwrap_or_default());
            (self.on_delta)(&self.answer.id, delta);
        }
    }
}
