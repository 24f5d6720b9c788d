//! The decoder of answers whose text may end with a call. The text before the call is shown as it arrives, and the call as one
//! with arguments in JSON.

use super::{
    reading::{CALL, IGNORED_TAGS, find_call, ignorable_start, parse_call},
    writing::Writing,
};
use crate::llm::{
    chat_completions::ChatDecoder,
    completion::{Delta, ToolSchema},
    message::{Content, Message, MessageToolCall, Role},
    metrics::Usage,
    wire_api::{Answer, DecodeError, Decoder, LlmRequest},
};
use std::rc::Rc;

/// The decoder of one answer.
pub(super) struct TextToolsDecoder {
    inner: ChatDecoder,
    /// Received text that was not shown: the call, or a text that may be the beginning of one.
    held: String,
    is_in_call: bool,
    is_at_end: bool,
    writing: Writing,
    tools: Vec<ToolSchema>,
    call_id: String,
}

/// White space before a call is not shown. The limit for text that is held back for this reason, in bytes.
const MAX_HELD: usize = 1000;

impl TextToolsDecoder {
    pub(super) fn new(request: &LlmRequest<'_>) -> Self {
        Self {
            inner: ChatDecoder::default(),
            held: String::new(),
            is_in_call: false,
            is_at_end: false,
            writing: Writing::default(),
            tools: request.tools.to_vec(),
            call_id: next_id(request.messages),
        }
    }

    /// Appends a piece and returns the text that can be shown now.
    fn shown(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        if self.is_in_call {
            return String::new();
        }
        let held_from = match self.held.find(CALL) {
            Some(at) => {
                self.is_in_call = true;
                ignorable_start(&self.held, at)
            }
            None => {
                let tag = self.held.rfind('<').filter(|at| self.held.get(*at..).is_some_and(may_begin_tag));
                ignorable_start(&self.held, tag.unwrap_or(self.held.len()))
            }
        };
        let is_too_long = !self.is_in_call && self.held.len() - held_from > MAX_HELD;
        let rest = if is_too_long { String::new() } else { self.held.split_off(held_from) };
        std::mem::replace(&mut self.held, rest)
    }
}

/// Whether this may be the beginning of a call or of a tag before it.
fn may_begin_tag(start: &str) -> bool {
    CALL.starts_with(start) || IGNORED_TAGS.iter().any(|tag| tag.starts_with(start))
}

impl Decoder for TextToolsDecoder {
    fn push(&mut self, event: &str, data: &str) -> Result<Option<Delta>, DecodeError> {
        let mut delta = self.inner.push(event, data)?.unwrap_or_default();
        let mut shown = self.shown(delta.content.as_deref().unwrap_or_default());
        // Held text that is not a call after all is shown at the end. After that only token counts follow.
        let ends = self.inner.has_ended() && !std::mem::replace(&mut self.is_at_end, self.inner.has_ended());
        if ends && find_call(&self.held).is_none() {
            shown.push_str(&std::mem::take(&mut self.held));
        }
        delta.content = Some(shown).filter(|shown| !shown.is_empty());
        // Some servers parse the call themselves; then there is none in the text.
        if self.is_in_call && delta.tool_calls.is_empty() {
            delta.tool_calls.extend(self.writing.read(&self.held, ends, &self.call_id, &self.tools));
        }
        Ok(delta.non_empty())
    }

    fn is_done(&self) -> bool {
        self.inner.is_done()
    }

    fn usage(&self) -> Option<Usage> {
        self.inner.usage()
    }

    fn has_ended(&self) -> bool {
        self.inner.has_ended()
    }

    fn went_on(&self) -> bool {
        self.inner.went_on()
    }

    fn has_begun(&self) -> bool {
        self.inner.has_begun()
    }

    fn finish(self: Box<Self>, new_id: &mut dyn FnMut() -> String) -> Result<Answer, DecodeError> {
        let Self { inner, tools, call_id, .. } = *self;
        let mut answer = Box::new(inner).finish(new_id)?;
        let text = answer.message.text();
        // Some servers parse the call themselves.
        if let (None, Some(call)) = (&answer.message.tool_calls, find_call(&text)) {
            match parse_call(&call, &tools) {
                Ok((name, arguments)) => {
                    let thought = (!call.thought.is_empty()).then(|| Content::text(call.thought));
                    answer.message.content = thought.into_iter().collect();
                    answer.message.tool_calls = Some(vec![MessageToolCall {
                        id: call_id,
                        responses_item_id: None,
                        name,
                        arguments,
                        origin: "completion".into(),
                    }]);
                }
                Err(error) => answer.message = Message::new(Role::User, vec![Content::text(error)]),
            }
        }
        Ok(answer)
    }
}

/// The id of the next call. The SDK counts the calls of the history; after a condensation the number may be taken.
fn next_id(messages: &[Rc<Message>]) -> String {
    let calls = || messages.iter().flat_map(|message| message.tool_calls.iter().flatten());
    let mut number = calls().count() + 1;
    loop {
        let id = format!("toolu_{number:02}");
        if !calls().any(|call| call.id == id) {
            return id;
        }
        number += 1;
    }
}
