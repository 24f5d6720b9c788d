//! The decoder of answers: it builds one message from the events of a stream or from one complete JSON answer.
//!
//! Deterministic: ids that a server omits are made by the caller's function at the end. Lenient: the complete response at
//! the end takes precedence, then the complete items, and pieces are used only if a server sends neither.

use super::{
    background::Background,
    carried::keep,
    output::{OutputItem, message_of, reasoning_of, text_of},
};
use crate::{
    json::{Object, object},
    llm::{
        beside::Beside,
        carried::Origin,
        chat_completions::messages::is_space,
        completion::{Delta, ToolCallDelta},
        images::Images,
        metrics::Usage,
        settled_calls::settled,
        text_pieces::TextPieces,
        tool_names::{OPENAI_LIMIT, ToolNames},
        usage::usage_of,
        wire_api::{Answer, BackgroundResponse, DecodeError, Decoder, LlmRequest, data_of, object_of},
    },
};

/// The limit for the items of one answer, far above real answers, against servers that never end.
const MAX_ITEMS: usize = 1000;

/// The decoder of one answer.
#[derive(Default)]
pub struct ResponsesDecoder {
    id: String,
    model: String,
    items: Vec<OutputItem>,
    text: Shown,
    reasoning: Shown,
    arguments: TextPieces,
    /// Pieces of calls that can be shown.
    calls: Vec<ToolCallDelta>,
    calls_begun: usize,
    background: Background,
    usage: Option<Usage>,
    /// The finish reason, once the answer has ended.
    finish_reason: Option<String>,
    is_done: bool,
    names: ToolNames,
    origin: Origin,
}

impl Decoder for ResponsesDecoder {
    fn push(&mut self, event: &str, data: &str) -> Result<Option<Delta>, DecodeError> {
        let Some(data) = data_of(data, &mut self.is_done) else { return Ok(None) };
        let event_data = object_of(data)?;
        self.background.received(event_data.read("sequence_number"));
        let kind = event_data.read::<String>("type").unwrap_or_else(|| event.to_owned());
        if kind == "error" {
            return Err(DecodeError::Provider(data.to_owned()));
        }
        if let Some(response) = event_data.get("response").and_then(Object::parse) {
            self.push_response(&kind, &response)?;
        } else if !is_of_response(&kind) {
            if !self.push_event(&kind, &event_data) {
                return Err(DecodeError::Malformed("an answer with too many items".into()));
            }
        } else if let Some(error) = error_of(&event_data) {
            self.background.is_over =
                event_data.read::<String>("status").is_some_and(|status| status == "failed");
            return Err(error);
        } else if event_data.get("output").is_some() || event_data.get("status").is_some() {
            self.push_response(&kind, &event_data)?;
        }
        let delta = Delta {
            content: self.text.take(),
            reasoning_content: self.reasoning.take(),
            tool_calls: std::mem::take(&mut self.calls),
        };
        Ok(delta.non_empty())
    }

    fn is_done(&self) -> bool {
        self.is_done
    }

    fn usage(&self) -> Option<Usage> {
        self.usage
    }

    fn has_ended(&self) -> bool {
        self.is_done
    }

    fn has_begun(&self) -> bool {
        self.is_done || !self.id.is_empty() || !self.items.is_empty()
    }

    fn background(&self) -> Option<BackgroundResponse> {
        self.background.response()
    }

    fn finish(self: Box<Self>, new_id: &mut dyn FnMut() -> String) -> Result<Answer, DecodeError> {
        if !self.is_done {
            return Err(DecodeError::CutOff);
        }
        let Some(mut message) = message_of(&self.items, new_id) else {
            return Err(DecodeError::Malformed("a tool call without a name".into()));
        };
        message.tool_calls = message.tool_calls.map(|calls| settled(calls, &self.names, new_id));
        keep(&mut message, &self.items, &self.origin);
        let mut images = Images::default();
        self.items.iter().for_each(|item| item.add_image(&mut images));
        message.content.extend(images.parts());
        let mut beside = Beside::default();
        self.items.iter().for_each(|item| item.add_beside(&mut beside));
        beside.keep(&mut message);
        let is_bare = message.content.is_empty() && message.tool_calls.is_none();
        match self.finish_reason.as_deref() {
            Some("content_filter") if is_bare => return Err(DecodeError::Filtered),
            // A stream with only the marker of its end.
            None if self.items.is_empty() => return Err(DecodeError::Empty),
            _ => {}
        }
        Ok(Answer {
            id: self.id,
            model: self.model,
            message,
            finish_reason: self.finish_reason,
            usage: self.usage,
            reasoning_field: None,
        })
    }
}

impl ResponsesDecoder {
    pub(super) fn of(request: &LlmRequest<'_>, background: Background) -> Self {
        let names = ToolNames::of(request, OPENAI_LIMIT);
        Self { background, names, origin: Origin::of(request.endpoint), ..Self::default() }
    }

    /// Reads a response at its beginning or end; `kind` is empty if it is not part of a stream.
    fn push_response(&mut self, kind: &str, response: &Object<'_>) -> Result<(), DecodeError> {
        for (name, value) in [("id", &mut self.id), ("model", &mut self.model)] {
            if let Some(text) = response.read::<String>(name).filter(|text| !text.is_empty()) {
                *value = text;
            }
        }
        self.background.set_id(&self.id);
        let status = response.read::<String>("status").unwrap_or_default();
        let state = kind.strip_prefix("response.").unwrap_or(&status);
        let end = match state {
            "failed" | "cancelled" => {
                self.background.is_over = true;
                return Err(failure(state, response));
            }
            "completed" | "incomplete" => state,
            // A complete answer without a status.
            _ if kind.is_empty() && status.is_empty() => "completed",
            _ => return Ok(()),
        };
        if let Some(error) = error_of(response) {
            return Err(error);
        }
        self.is_done = true;
        let reason = response.object("incomplete_details").read::<String>("reason");
        self.finish_reason = Some(reason.unwrap_or_else(|| end.to_owned()));
        self.usage = usage_of(&response.object("usage"));
        let output = response.objects("output").unwrap_or_default();
        if output.len() > MAX_ITEMS {
            return Err(DecodeError::Malformed("an answer with too many items".into()));
        }
        self.end_pieces();
        if !output.is_empty() {
            self.items = output.iter().map(OutputItem::read).collect();
        }
        // The part that was not sent in pieces has not been shown yet.
        self.text.complete(&text_of(&self.items));
        self.reasoning.complete(&reasoning_of(&self.items));
        Ok(())
    }

    /// Reads any other event; `false` if there are too many items.
    fn push_event(&mut self, kind: &str, event: &Object<'_>) -> bool {
        let index = event.read::<u64>("output_index");
        let item_id = event.read::<String>("item_id").unwrap_or_default();
        match kind {
            "response.output_item.added" | "response.output_item.done" => {
                let complete = OutputItem::read(&event.object("item"));
                let begun = self.calls_begun;
                let Some(item) = self.item(index, &complete.id, &complete.call_id, &complete.kind) else {
                    return false;
                };
                if !item.is_done {
                    item.replace_with(complete);
                    item.is_done = kind.ends_with(".done");
                    let delta = item.call_delta(begun);
                    self.show_call(delta);
                }
            }
            "response.output_text.delta" | "response.refusal.delta" => {
                let Some(piece) = event.get("delta").and_then(|json| self.text.pieces.text(json)) else {
                    return true;
                };
                let Some(item) = self.item(index, &item_id, "", "message") else { return false };
                let is_first = push_piece(&mut item.texts, &piece);
                self.text.push(is_first, "\n", &piece);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                let Some(piece) = event.get("delta").and_then(|json| self.reasoning.pieces.text(json)) else {
                    return true;
                };
                let Some(item) = self.item(index, &item_id, "", "reasoning") else { return false };
                let is_open = kind == "response.reasoning_text.delta";
                let is_first =
                    push_piece(if is_open { &mut item.reasoning } else { &mut item.summary }, &piece);
                self.reasoning.push(is_first, "\n\n", &piece);
            }
            "response.content_part.added" | "response.reasoning_summary_part.added" => {
                let position = self.position(index, &item_id, "", "");
                let Some(item) = position.and_then(|position| self.items.get_mut(position)) else {
                    return true;
                };
                let parts = match (kind, item.kind.as_str()) {
                    ("response.content_part.added", "reasoning") => &mut item.reasoning,
                    ("response.content_part.added", _) => &mut item.texts,
                    _ => &mut item.summary,
                };
                // Parts that stay empty are not added.
                if parts.len() < MAX_ITEMS && parts.last().is_some_and(|last| !last.is_empty()) {
                    parts.push(String::new());
                }
            }
            "response.function_call_arguments.delta" => {
                let Some(piece) = event.get("delta").and_then(|json| self.arguments.text(json)) else {
                    return true;
                };
                let begun = self.calls_begun;
                let Some(item) = self.item(index, &item_id, "", "function_call") else { return false };
                item.arguments.push_str(&piece);
                let delta = item.call_delta(begun);
                self.show_call(delta);
            }
            "response.function_call_arguments.done" => {
                let begun = self.calls_begun;
                let Some(item) = self.item(index, &item_id, "", "function_call") else { return false };
                let text = |name| event.read::<String>(name).filter(|text| !text.is_empty());
                if let Some(arguments) = text("arguments") {
                    item.set_arguments(arguments);
                }
                if let Some(name) = text("name") {
                    item.name = name;
                }
                let delta = item.call_delta(begun);
                self.show_call(delta);
            }
            _ => {}
        }
        true
    }

    fn show_call(&mut self, mut delta: Option<ToolCallDelta>) {
        if let Some(name) = delta.as_mut().and_then(|delta| delta.name.as_mut()) {
            *name = self.names.original(name).to_owned();
        }
        self.calls_begun += usize::from(delta.as_ref().is_some_and(|delta| delta.name.is_some()));
        self.calls.extend(delta);
    }

    /// The position of an item of this kind, found by its index or by one of its ids.
    fn position(&self, index: Option<u64>, id: &str, call_id: &str, kind: &str) -> Option<usize> {
        let find = |matches: &dyn Fn(&OutputItem) -> bool| {
            self.items.iter().rposition(|item| matches(item) && (kind.is_empty() || item.kind == kind))
        };
        let by_index = || find(&|item| index.is_some() && item.index == index);
        // Some servers announce a call under one id and confirm it under another.
        let by_call = || find(&|item| !call_id.is_empty() && item.call_id == call_id);
        let by_id = || find(&|item| !id.is_empty() && item.id == id);
        let last = || if index.is_none() && id.is_empty() { find(&|item| !item.is_done) } else { None };
        by_index().or_else(by_call).or_else(by_id).or_else(last)
    }

    /// The item, which is made if it was not announced; `None` if there are too many.
    fn item(&mut self, index: Option<u64>, id: &str, call_id: &str, kind: &str) -> Option<&mut OutputItem> {
        let position = match self.position(index, id, call_id, kind) {
            Some(position) => position,
            None if self.items.len() < MAX_ITEMS => {
                let (kind, id) = (kind.to_owned(), id.to_owned());
                self.items.push(OutputItem { index, kind, id, ..OutputItem::default() });
                self.items.len() - 1
            }
            None => return None,
        };
        self.items.get_mut(position)
    }

    /// Discards surrogates at the end of pieces whose other half never came.
    fn end_pieces(&mut self) {
        let _ = (self.text.pieces.rest(), self.reasoning.pieces.rest(), self.arguments.rest());
    }
}

/// Appends to the last part; `true` if the part was empty before.
fn push_piece(parts: &mut Vec<String>, piece: &str) -> bool {
    if parts.is_empty() {
        parts.push(String::new());
    }
    let Some(last) = parts.last_mut() else { return false };
    let is_first = last.is_empty();
    last.push_str(piece);
    is_first
}

/// A text that is shown while it grows. White space at its start is not shown, and that at its end only once other text
/// follows, because the final message has neither.
#[derive(Default)]
struct Shown {
    pieces: TextPieces,
    shown: String,
    waiting: String,
    /// The separator before the next piece.
    separator: &'static str,
}

impl Shown {
    fn push(&mut self, is_first: bool, separator: &'static str, piece: &str) {
        if is_first && !(self.shown.is_empty() && self.waiting.is_empty()) {
            self.separator = separator;
        }
        if !piece.is_empty() {
            self.waiting.push_str(std::mem::take(&mut self.separator));
            self.waiting.push_str(piece);
        }
    }

    /// The next piece to show.
    fn take(&mut self) -> Option<String> {
        let start =
            if self.shown.is_empty() { self.waiting.trim_start_matches(is_space) } else { &self.waiting };
        let (text, rest) = start.split_at(start.trim_end_matches(is_space).len());
        let (text, rest) = (text.to_owned(), rest.to_owned());
        self.waiting = rest;
        self.shown.push_str(&text);
        Some(text).filter(|text| !text.is_empty())
    }

    /// Sets the complete text, so that its rest is shown next; nothing is if it does not begin with the shown part.
    fn complete(&mut self, text: &str) {
        self.waiting = text.strip_prefix(self.shown.as_str()).unwrap_or_default().to_owned();
    }
}

/// Whether an event of this type is about the response as a whole, whose fields some servers put beside the type. Other events
/// have an `output`, a `status` or an `error` of their own.
fn is_of_response(kind: &str) -> bool {
    let states =
        ["created", "queued", "in_progress", "completed", "incomplete", "failed", "cancelled", "done"];
    kind.strip_prefix("response.").is_none_or(|state| states.contains(&state))
}

/// The error of a response that failed or was cancelled.
fn failure(status: &str, response: &Object<'_>) -> DecodeError {
    error_of(response).unwrap_or_else(|| {
        let message = format!("the response has the status {status}");
        DecodeError::reported(&object! { "message": message }.finish())
    })
}

/// The error of an object, in the form of an error response's body.
fn error_of(object: &Object<'_>) -> Option<DecodeError> {
    let error = object.get("error").filter(|error| !matches!(*error, "null" | "\"\"" | "{}"))?;
    Some(DecodeError::reported(error))
}
