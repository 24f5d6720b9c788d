//! Secrets of a conversation: storing their sources and masking their values.
//!
//! Values come from the host, which also encrypts those that are stored. This module only masks them in other texts.

use super::{Conversation, OnDelta, settings::Changing};
use crate::{
    agent::ShownAnswer,
    error::Error,
    json::EditableObject,
    llm::{
        Delta, SecretString, ToolCallDelta,
        message::{Content, Message},
    },
    machine::Setting,
    secret::{HIDDEN, Mask, MaskedArguments, MaskedStream},
    tool::ToolRegistry,
};
use std::{cell::RefCell, future::ready, rc::Rc};

impl Conversation {
    /// Masks these texts from now on in everything that is stored or reported, except in the user's own messages.
    pub fn hide(&self, texts: Vec<String>) {
        self.0.log.mask.hide(texts);
    }

    /// A text with its secrets masked.
    pub fn masked(&self, text: &str) -> String {
        self.0.log.mask.text(text).into_owned()
    }

    /// Sets the stored sources of these secrets by name; `null` removes one. Others keep their bytes.
    ///
    /// # Errors
    /// `locked_elsewhere`, `invalid_state` once the conversation is closed, and those of the store.
    pub fn store_secrets(&self, sources: &EditableObject) -> Changing {
        self.change(Setting::Secrets(sources.clone()))
    }

    /// Does this with the secrets that the host gives as it opens the conversation: those of a new one are stored by its first
    /// commit.
    ///
    /// # Errors
    /// As [`Self::store_secrets`].
    pub fn open_with_secrets(&self, sources: &EditableObject) -> Changing {
        if self.is_stored() {
            return self.store_secrets(sources);
        }
        self.set_in_first_commit(&Setting::Secrets(sources.clone()));
        Box::pin(ready(Ok(())))
    }

    /// Sets the encrypted `token` to store for the model's key, and the decrypted key for use if the host gives none. If
    /// neither is known, requests fail before they are sent.
    pub fn store_key(&self, key: Option<&str>, token: String) {
        let llm = self.llm();
        let stored_key = &llm.options.stored_key;
        *stored_key.key.borrow_mut() = key.map(SecretString::new);
        *stored_key.token.borrow_mut() = Some(token);
    }

    pub(crate) fn without_secrets(&self, error: Error) -> Error {
        let message = self.0.log.mask.cut_text(error.message());
        error.with_message(message)
    }
}

/// Masks secrets that the model repeats, so that they reach neither the log nor another tool.
pub(crate) fn hide_in_answer(mask: &Mask, message: &mut Message, tools: &ToolRegistry) {
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
pub(crate) struct MaskedDeltas<'a> {
    on_delta: OnDelta,
    answer: Rc<ShownAnswer>,
    mask: &'a Mask,
    content: RefCell<MaskedStream>,
    reasoning: RefCell<MaskedStream>,
    /// The arguments of the calls, by their indexes.
    calls: RefCell<Vec<MaskedArguments>>,
}

impl<'a> MaskedDeltas<'a> {
    pub(crate) fn new(mask: &'a Mask, on_delta: OnDelta, answer: Rc<ShownAnswer>) -> Self {
        let stream = || RefCell::new(MaskedStream::new(mask));
        Self { on_delta, answer, mask, content: stream(), reasoning: stream(), calls: RefCell::default() }
    }

    pub(crate) fn push(&self, mut delta: Delta) {
        if delta == Delta::default() {
            // The answer starts again, so the text that was held back is dropped.
            self.content.borrow_mut().end();
            self.reasoning.borrow_mut().end();
            self.calls.borrow_mut().clear();
            self.answer.restart();
            return (self.on_delta)(&self.answer.id, delta);
        }
        for (stream, text) in
            [(&self.content, &mut delta.content), (&self.reasoning, &mut delta.reasoning_content)]
        {
            if let Some(text) = text {
                *text = stream.borrow_mut().push(std::mem::take(text));
            }
        }
        for call in &mut delta.tool_calls {
            if let Some(name) = &mut call.name {
                // The model may call a tool that does not exist, under any name.
                *name = self.mask.text(name).into_owned();
            }
            let mut calls = self.calls.borrow_mut();
            while calls.len() <= call.index {
                calls.push(MaskedArguments::new(self.mask));
            }
            if let Some(arguments) = calls.get_mut(call.index) {
                call.arguments = arguments.push(std::mem::take(&mut call.arguments));
            }
        }
        self.show(delta);
    }

    /// Passes on the text that was held back. Must not be called for an answer that broke off, because that may have
    /// ended in the middle of a secret.
    pub(crate) fn end(&self) {
        let mut delta = Delta {
            content: Some(self.content.borrow_mut().end()),
            reasoning_content: Some(self.reasoning.borrow_mut().end()),
            tool_calls: Vec::new(),
        };
        for (index, text) in self.calls.borrow_mut().iter_mut().enumerate() {
            let arguments = text.end();
            delta.tool_calls.push(ToolCallDelta { index, arguments, ..ToolCallDelta::default() });
        }
        self.show(delta);
    }

    /// Passes on a piece, unless nothing is left of it.
    fn show(&self, mut delta: Delta) {
        for text in [&mut delta.content, &mut delta.reasoning_content] {
            text.take_if(|text| text.is_empty());
        }
        delta.tool_calls.retain(|call| call.name.is_some() || !call.arguments.is_empty());
        if delta != Delta::default() {
            self.answer.push(delta.content.as_deref().unwrap_or_default());
            (self.on_delta)(&self.answer.id, delta);
        }
    }
}
