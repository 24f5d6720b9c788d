//! What comes back: events of a stream, or one whole JSON answer, put together into one message.
//!
//! Deterministic: ids that a server leaves out are asked for at the end. Reads leniently: what an item says at its end
//! counts, then what the whole response says, and pieces only where a server says neither.

use super::{
    background::Background,
    input::is_blank,
    output::{OutputItem, message_of, reasoning_of, text_of},
};
use crate::{
    json::{Object, quoted},
    llm::{
        completion::Delta,
        metrics::Usage,
        text_pieces::TextPieces,
        usage::usage_of,
        wire_api::{Answer, BackgroundResponse, DecodeError, Decoder},
    },
};

/// More items than any answer has; a server that sends more sends garbage.
const MOST_ITEMS: usize = 1000;

/// Puts an answer together.
#[derive(Default)]
pub struct ResponsesDecoder {
    id: String,
    model: String,
    items: Vec<OutputItem>,
    text: Shown,
    reasoning: Shown,
    arguments: TextPieces,
    kept: Background,
    usage: Option<Usage>,
    /// Why it ended, once it has.
    finish_reason: Option<String>,
    is_done: bool,
}

impl Decoder for ResponsesDecoder {
    fn push(&mut self, event: &str, data: &str) -> Result<Option<Delta>, DecodeError> {
        let data = data.trim();
        if data.is_empty() || self.is_done {
            return Ok(None);
        }
        if data == "[DONE]" {
            self.is_done = true;
            return Ok(None);
        }
        let Some(event_data) = Object::parse(data) else {
            return Err(DecodeError::Garbage(data.chars().take(200).collect()));
        };
        self.kept.has_come(event_data.read("sequence_number"));
        let kind = event_data.read::<String>("type").unwrap_or_else(|| event.to_owned());
        if kind == "error" {
            return Err(DecodeError::Provider(data.to_owned()));
        }
        if let Some(response) = event_data.get("response").and_then(Object::parse) {
            self.push_response(&kind, &response)?;
        } else if let Some(error) = error_of(&event_data) {
            self.kept.is_over = event_data.read::<String>("status").is_some_and(|status| status == "failed");
            return Err(error);
        } else if event_data.get("output").is_some() || event_data.get("status").is_some() {
            self.push_response("", &event_data)?;
        } else if !self.push_event(&kind, &event_data) {
            return Err(DecodeError::Garbage("more items than an answer can have".into()));
        }
        let delta = Delta { content: self.text.take(), reasoning_content: self.reasoning.take() };
        Ok(Some(delta).filter(|delta| *delta != Delta::default()))
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

    fn background(&self) -> Option<BackgroundResponse> {
        self.kept.answer()
    }

    fn finish(self: Box<Self>, new_id: &mut dyn FnMut() -> String) -> Result<Answer, DecodeError> {
        if !self.is_done {
            return Err(DecodeError::CutOff);
        }
        let Some(message) = message_of(&self.items, new_id) else {
            return Err(DecodeError::Garbage("a tool call without a name".into()));
        };
        let is_bare = message.content.is_empty() && message.tool_calls.is_none();
        match self.finish_reason.as_deref() {
            Some("content_filter") if is_bare => return Err(DecodeError::Filtered),
            // The marker that ends a stream, behind no answer at all.
            None if self.items.is_empty() => return Err(DecodeError::Empty),
            _ => {}
        }
        Ok(Answer {
            id: self.id,
            model: self.model,
            message,
            finish_reason: self.finish_reason,
            usage: self.usage,
        })
    }
}

impl ResponsesDecoder {
    pub(super) fn of(kept: Background) -> Self {
        Self { kept, ..Self::default() }
    }

    /// A response as it stands at its beginning or at its end; `kind` is empty where it came alone.
    fn push_response(&mut self, kind: &str, response: &Object<'_>) -> Result<(), DecodeError> {
        for (name, kept) in [("id", &mut self.id), ("model", &mut self.model)] {
            if let Some(text) = response.read::<String>(name).filter(|text| !text.is_empty()) {
                *kept = text;
            }
        }
        self.kept.is_called(&self.id);
        let status = response.read::<String>("status").unwrap_or_default();
        let said = kind.strip_prefix("response.").unwrap_or(&status);
        let end = match said {
            "failed" | "cancelled" => {
                self.kept.is_over = true;
                return Err(failure(said, response));
            }
            "completed" | "incomplete" => said,
            // A whole answer that does not say how it stands.
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
        let whole = response.objects("output").unwrap_or_default();
        if whole.len() > MOST_ITEMS {
            return Err(DecodeError::Garbage("more items than an answer can have".into()));
        }
        self.end_pieces();
        if !whole.is_empty() {
            self.items = whole.iter().map(OutputItem::read).collect();
        }
        // Only what came in pieces has been shown.
        self.text.complete(&text_of(&self.items));
        self.reasoning.complete(&reasoning_of(&self.items));
        Ok(())
    }

    /// `false` where there are too many items.
    fn push_event(&mut self, kind: &str, event: &Object<'_>) -> bool {
        let index = event.read::<u64>("output_index");
        let item_id = event.read::<String>("item_id").unwrap_or_default();
        match kind {
            "response.output_item.added" | "response.output_item.done" => {
                let whole = OutputItem::read(&event.object("item"));
                let Some(item) = self.item(index, &whole.id, &whole.call_id, &whole.kind) else {
                    return false;
                };
                if !item.is_done {
                    item.become_whole(whole);
                    item.is_done = kind.ends_with(".done");
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
                let place = self.place(index, &item_id, "", "");
                let Some(item) = place.and_then(|place| self.items.get_mut(place)) else { return true };
                let parts = match (kind, item.kind.as_str()) {
                    ("response.content_part.added", "reasoning") => &mut item.reasoning,
                    ("response.content_part.added", _) => &mut item.texts,
                    _ => &mut item.summary,
                };
                // A part that stays empty is none.
                if parts.len() < MOST_ITEMS && parts.last().is_some_and(|last| !last.is_empty()) {
                    parts.push(String::new());
                }
            }
            "response.function_call_arguments.delta" => {
                let Some(piece) = event.get("delta").and_then(|json| self.arguments.text(json)) else {
                    return true;
                };
                let Some(item) = self.item(index, &item_id, "", "function_call") else { return false };
                item.arguments.push_str(&piece);
            }
            "response.function_call_arguments.done" => {
                let Some(item) = self.item(index, &item_id, "", "function_call") else { return false };
                for (name, kept) in [("arguments", &mut item.arguments), ("name", &mut item.name)] {
                    if let Some(text) = event.read::<String>(name).filter(|text| !text.is_empty()) {
                        *kept = text;
                    }
                }
            }
            _ => {}
        }
        true
    }

    /// Where an item of this kind is, by its place or what else names it.
    fn place(&self, index: Option<u64>, id: &str, call_id: &str, kind: &str) -> Option<usize> {
        let place = |is_it: &dyn Fn(&OutputItem) -> bool| {
            self.items.iter().rposition(|item| is_it(item) && (kind.is_empty() || item.kind == kind))
        };
        let by_index = || place(&|item| index.is_some() && item.index == index);
        // Some servers announce a call under one id and confirm it under another.
        let by_call = || place(&|item| !call_id.is_empty() && item.call_id == call_id);
        let by_id = || place(&|item| !id.is_empty() && item.id == id);
        let last = || if index.is_none() && id.is_empty() { place(&|item| !item.is_done) } else { None };
        by_index().or_else(by_call).or_else(by_id).or_else(last)
    }

    /// The item, made where it was not announced; `None` where there are too many.
    fn item(&mut self, index: Option<u64>, id: &str, call_id: &str, kind: &str) -> Option<&mut OutputItem> {
        let place = match self.place(index, id, call_id, kind) {
            Some(place) => place,
            None if self.items.len() < MOST_ITEMS => {
                let (kind, id) = (kind.to_owned(), id.to_owned());
                self.items.push(OutputItem { index, kind, id, ..OutputItem::default() });
                self.items.len() - 1
            }
            None => return None,
        };
        self.items.get_mut(place)
    }

    /// Halves of characters whose other half never came.
    fn end_pieces(&mut self) {
        let _ = (self.text.pieces.rest(), self.reasoning.pieces.rest(), self.arguments.rest());
    }
}

/// Adds to the last part. `true` where the part begins with it.
fn push_piece(parts: &mut Vec<String>, piece: &str) -> bool {
    if parts.is_empty() {
        parts.push(String::new());
    }
    let Some(last) = parts.last_mut() else { return false };
    let is_first = last.is_empty();
    last.push_str(piece);
    is_first
}

/// A text as a reader sees it grow. Blanks at its start are never shown, and those at its end only once something
/// follows: the message has neither.
#[derive(Default)]
struct Shown {
    pieces: TextPieces,
    shown: String,
    waiting: String,
    /// What stands in front of the next piece.
    between: &'static str,
}

impl Shown {
    fn push(&mut self, is_first: bool, between: &'static str, piece: &str) {
        if is_first && !(self.shown.is_empty() && self.waiting.is_empty()) {
            self.between = between;
        }
        if !piece.is_empty() {
            self.waiting.push_str(std::mem::take(&mut self.between));
            self.waiting.push_str(piece);
        }
    }

    /// What is to be shown next.
    fn take(&mut self) -> Option<String> {
        let start =
            if self.shown.is_empty() { self.waiting.trim_start_matches(is_blank) } else { &self.waiting };
        let text = start.trim_end_matches(is_blank).to_owned();
        self.waiting = start.get(text.len()..).unwrap_or_default().to_owned();
        self.shown.push_str(&text);
        Some(text).filter(|text| !text.is_empty())
    }

    /// What the whole has behind what was shown comes next; nothing where the two are different.
    fn complete(&mut self, whole: &str) {
        self.waiting = whole.strip_prefix(self.shown.as_str()).unwrap_or_default().to_owned();
    }
}

/// Why there is no answer, where a response says so.
fn failure(status: &str, response: &Object<'_>) -> DecodeError {
    error_of(response).unwrap_or_else(|| {
        DecodeError::Provider(format!(
            "{{\"error\":{{\"message\":{}}}}}",
            quoted(&format!("the response is {status}"))
        ))
    })
}

/// The error in an object, as a response's body would have it.
fn error_of(object: &Object<'_>) -> Option<DecodeError> {
    let error = object.get("error").filter(|error| !matches!(*error, "null" | "\"\"" | "{}"))?;
    Some(DecodeError::Provider(format!("{{\"error\":{error}}}")))
}
