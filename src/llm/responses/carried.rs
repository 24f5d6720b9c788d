//! The items of an answer as they go back to the server that sent them: every reasoning item in its place, messages with their
//! ids, status and annotations, and what the server did by itself.
//!
//! The SDK stores the last reasoning item, the text and the calls. An answer that was more is kept as answers of Chat
//! Completions are (see `llm/carried.rs`): as an item without an id, with the items as JSON in `encrypted_content`. The SDK
//! keeps it and sends it to nobody; so that what it does send is complete in itself, the calls have no ids of items then,
//! which the provider would refuse without their reasoning. What the event has anyway, texts and arguments, is left out.

use super::output::OutputItem;
use crate::{
    json::{EditableObject, ListWriter, ToJson as _, object, quoted},
    llm::{
        carried::{self, Origin},
        message::{Message, ReasoningItem},
    },
};

/// The longest item that is kept, in bytes. That of a server's own tool can be an image.
fn longest(kind: &str) -> usize {
    if kind == "reasoning" { 1 << 20 } else { 64 << 10 }
}

/// Keeps these items, of which the message was made, unless what the SDK stores is all.
pub(super) fn keep(message: &mut Message, items: &[OutputItem], origin: &Origin) {
    let Some(json) = kept(items, origin) else { return };
    let item = message.responses_reasoning_item.get_or_insert_default();
    *item = ReasoningItem { id: None, status: None, encrypted_content: Some(json), ..std::mem::take(item) };
    message.tool_calls.iter_mut().flatten().for_each(|call| call.responses_item_id = None);
}

fn kept(items: &[OutputItem], origin: &Origin) -> Option<String> {
    let last = items.iter().rposition(|item| item.kind == "reasoning");
    let texts = items.iter().filter(|item| item.kind == "message").flat_map(|item| &item.texts).count();
    let mut list = ListWriter::new();
    let mut is_more = false;
    for (at, item) in items.iter().enumerate() {
        match item.kind.as_str() {
            "reasoning" if last == Some(at) => list.item(&reasoning_of(item)),
            "function_call" => {
                list.item(&object! { "type": "function_call", "id": item.id }.finish());
            }
            "message" => {
                let fields = message_of(item, texts == 1);
                let has_sources =
                    |part: &EditableObject| part.get("annotations").is_some_and(|list| list != "[]");
                let content: Vec<EditableObject> = fields.read("content").unwrap_or_default();
                is_more |= fields.get("id").is_some() || content.iter().any(has_sources);
                list.item(&fields.text());
            }
            kind if item.raw.len() > longest(kind) => is_more = true,
            _ if item.raw.is_empty() => {}
            _ => {
                is_more = true;
                list.item(&item.raw);
            }
        }
    }
    let mut json = origin.fields_for(carried::RESPONSES);
    json.field("items", &list);
    is_more.then(|| json.finish())
}

/// The reasoning item without what the event has of it, its texts.
fn reasoning_of(item: &OutputItem) -> String {
    object! {
        "type": "reasoning",
        "id": item.id,
        "encrypted_content"?: item.encrypted,
        "status"?: item.status,
    }
    .finish()
}

/// A message without the text, if it is the only one.
fn message_of(item: &OutputItem, is_only: bool) -> EditableObject {
    let mut fields = EditableObject::compact(&item.raw).unwrap_or_default();
    fields.set("type", "\"message\"");
    let mut parts: Vec<EditableObject> = fields.read("content").unwrap_or_default();
    for part in &mut parts {
        part.remove("logprobs");
        if is_only {
            part.remove("text");
        }
    }
    fields.retain(&|name, value| name != "content" && value != "null");
    fields.set("content", &parts.to_json_text());
    fields
}

/// An item to send.
pub(super) enum Sent {
    /// The reasoning item of which the message has the texts.
    Reasoning(ReasoningItem),
    /// The next call of the message, with the id of its item.
    Call(String),
    /// This one.
    Whole(EditableObject),
}

/// The items of an answer for this server; `None` if it comes from elsewhere, or if the message is no longer what they were.
pub(super) fn items_of(message: &Message, origin: &Origin) -> Option<Vec<Sent>> {
    let kept = message.responses_reasoning_item.as_ref()?;
    let fields = carried::fields_of(message, carried::RESPONSES, origin)?;
    let text = message.text();
    let mut calls = message.tool_calls.iter().flatten();
    let mut said = Vec::new();
    let mut sent = Vec::new();
    for mut item in fields.read::<Vec<EditableObject>>("items")? {
        sent.push(match item.read::<String>("type")?.as_str() {
            "reasoning" if item.get("summary").is_none() => Sent::Reasoning(ReasoningItem {
                id: item.read("id"),
                encrypted_content: item.read("encrypted_content"),
                status: item.read("status"),
                ..kept.clone()
            }),
            "function_call" => {
                calls.next()?;
                Sent::Call(item.read("id")?)
            }
            "message" => {
                let mut parts: Vec<EditableObject> = item.read("content")?;
                for part in &mut parts {
                    let own = part.read::<String>("text").or_else(|| part.read("refusal"));
                    if own.is_none() {
                        part.set("text", &quoted(&text));
                    }
                    said.push(own.unwrap_or_else(|| text.clone()));
                }
                item.set("content", &parts.to_json_text());
                Sent::Whole(item)
            }
            _ => Sent::Whole(item),
        });
    }
    said.retain(|text| !text.is_empty());
    let is_same = said.join("\n").trim() == text.trim() && calls.next().is_none();
    is_same.then_some(sent)
}
