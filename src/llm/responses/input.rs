//! Converts messages to instructions and input items: the SDK's `message_to_responses_dict`.
//!
//! If the provider would refuse an item of the SDK, because the conversation began with another model or was interrupted,
//! the item is sent in a form that the provider accepts, or is omitted.

use super::{
    call_ids::CallIds,
    carried::{Sent, items_of},
};
use crate::{
    json::{Json, ListWriter, ObjectWriter, object, quoted},
    llm::{
        carried::Origin,
        chat_completions::messages::is_space,
        message::{Content, FileKind, GivenFile, Message, MessageToolCall, ReasoningItem, Role},
        tool_names::ToolNames,
        tool_text::clipped,
        wire_api::LlmRequest,
    },
};

/// The separator of two system messages.
const BETWEEN_INSTRUCTIONS: &str = "\n\n---\n\n";

/// The content of a request.
#[derive(Default)]
pub(super) struct Input {
    /// The text of the system messages; empty if there are none.
    pub(super) instructions: String,
    /// The `input`, as JSON.
    pub(super) items: String,
}

impl Input {
    pub(super) fn of(request: &LlmRequest<'_>, names: &ToolNames) -> Self {
        let mut instructions = String::new();
        let mut items = Items { request, ids: CallIds::default(), names, list: ListWriter::new() };
        for message in request.messages {
            match message.role {
                Role::System => {
                    let texts: Vec<&str> = message
                        .content
                        .iter()
                        .filter_map(Content::as_text)
                        .filter(|text| !text.is_empty())
                        .collect();
                    let text = texts.join("\n");
                    let text = text.trim_matches(is_space);
                    if !instructions.is_empty() && !text.is_empty() {
                        instructions.push_str(BETWEEN_INSTRUCTIONS);
                    }
                    instructions.push_str(text);
                }
                Role::User => items.user(message),
                Role::Assistant => items.assistant(message),
                Role::Tool => items.tool(message),
            }
        }
        let items = if items.list.is_empty() { "\"\"".into() } else { items.list.finish() };
        Self { instructions, items }
    }
}

struct Items<'a> {
    request: &'a LlmRequest<'a>,
    ids: CallIds,
    names: &'a ToolNames,
    list: ListWriter,
}

impl Items<'_> {
    fn user(&mut self, message: &Message) {
        let mut content = ListWriter::new();
        for part in &message.content {
            self.push_part(&mut content, part, str::to_owned);
        }
        if content.is_empty() {
            content.item(&text_part("input_text", "").finish());
        }
        self.push_message("user", content);
    }

    fn assistant(&mut self, message: &Message) {
        let texts = message.content.iter().filter_map(Content::as_text).filter(|text| !text.is_empty());
        let content: ListWriter = texts.map(|text| text_part("output_text", text)).collect();
        let calls = message.tool_calls.as_deref().unwrap_or_default();
        let origin = Origin::of(self.request.endpoint);
        if let Some(items) = items_of(message, &origin) {
            return self.carried(message, items);
        }
        let mut has_ids = true;
        if let Some(reasoning) = message.responses_reasoning_item.as_ref().filter(|item| item.id.is_some()) {
            // The provider refuses reasoning without an item after it.
            let is_followed = !content.is_empty() || !calls.is_empty();
            let id = reasoning.id.as_deref().filter(|_| is_followed);
            let prefix = if self.takes_open() { "" } else { "rs" };
            let id = id.and_then(|id| self.ids.of_item(id, prefix));
            let item = id.and_then(|id| self.reasoning(reasoning, id));
            // The provider refuses a call with a known id if the reasoning before it is missing.
            has_ids = item.is_some();
            self.list.items(item);
        }
        if !content.is_empty() {
            self.push_message("assistant", content);
        }
        for call in calls {
            self.call(call, has_ids);
        }
    }

    /// The items of an answer as this server has sent them.
    fn carried(&mut self, message: &Message, items: Vec<Sent>) {
        let mut calls = message.tool_calls.iter().flatten();
        let mut has_ids = true;
        let count = items.len();
        for (place, item) in items.into_iter().enumerate() {
            // The provider refuses reasoning without an item after it.
            let is_followed = place + 1 < count;
            match item {
                Sent::Call(id) => {
                    if let Some(call) = calls.next() {
                        self.call(&MessageToolCall { responses_item_id: Some(id), ..call.clone() }, has_ids);
                    }
                }
                Sent::Reasoning(reasoning) => {
                    let id = reasoning.id.as_deref().unwrap_or_default();
                    self.ids.take(id);
                    let item = if is_followed { self.reasoning(&reasoning, id) } else { None };
                    has_ids &= item.is_some();
                    self.list.items(item);
                }
                Sent::Whole(item) => {
                    let is_reasoning = item.get("type") == Some("\"reasoning\"");
                    let id = item.read::<String>("id").unwrap_or_default();
                    self.ids.take(&id);
                    let is_readable = ["encrypted_content", "content"].iter().any(|name| {
                        item.get(name).is_some_and(|json| !matches!(json, "null" | "\"\"" | "[]"))
                    });
                    let is_sent = !is_reasoning || is_readable && is_followed && item.get("id").is_some();
                    has_ids &= is_sent;
                    self.list.items(is_sent.then(|| item.text()));
                }
            }
        }
    }

    fn takes_open(&self) -> bool {
        self.request.endpoint.is_user_server || self.request.endpoint.provider.takes_open_reasoning
    }

    /// The item; `None` if this provider cannot use it.
    fn reasoning(&self, reasoning: &ReasoningItem, id: &str) -> Option<String> {
        let encrypted = reasoning.encrypted_content.as_deref().filter(|text| !text.is_empty());
        let open = reasoning.content.as_deref().filter(|texts| self.takes_open() && !texts.is_empty());
        if encrypted.is_none() && open.is_none() {
            return None;
        }
        let item = object! {
            "type": "reasoning",
            "id"?: Some(id).filter(|id| !id.is_empty()),
            "summary": text_parts("summary_text", &reasoning.summary),
            "content"?: open.map(|texts| text_parts("reasoning_text", texts)),
            "encrypted_content"?: encrypted,
            "status"?: reasoning.status.as_deref().filter(|status| !status.is_empty()),
        };
        Some(item.finish())
    }

    fn call(&mut self, call: &MessageToolCall, has_ids: bool) {
        let call_id = self.ids.of_call(&call.id);
        let item_id = call.responses_item_id.clone().filter(|id| !id.is_empty());
        let id = item_id.unwrap_or_else(|| {
            if call_id.starts_with("fc") { call_id.clone() } else { format!("fc_{call_id}") }
        });
        // The id of the call may also be that of the item.
        let id = if id == call_id { Some(&*id) } else { self.ids.of_item(&id, "fc") };
        let item = object! {
            "type": "function_call",
            "id"?: id.filter(|_| has_ids),
            "call_id": call_id,
            "name": self.names.sent(&call.name),
            "arguments": call.arguments,
        };
        self.list.item(&item.finish());
    }

    fn tool(&mut self, message: &Message) {
        let Some(call_id) = message.tool_call_id.as_deref().and_then(|id| self.ids.of_result(id)) else {
            return;
        };
        // One result for each call: some servers refuse further ones, which the SDK sends for further parts.
        let has_images = self.request.features.supports_vision
            && message.content.iter().any(|part| part.as_text().is_none());
        let output = if has_images {
            let mut parts = ListWriter::new();
            for part in &message.content {
                self.push_part(&mut parts, part, clipped);
            }
            parts.finish()
        } else {
            let texts: Vec<String> =
                message.content.iter().filter_map(Content::as_text).map(clipped).collect();
            quoted(&texts.join("\n"))
        };
        let item = object! { "type": "function_call_output", "call_id": call_id, "output": Json(&output) };
        self.list.item(&item.finish());
    }

    fn push_part(&self, list: &mut ListWriter, part: &Content, convert: fn(&str) -> String) {
        match part {
            Content::Text { text, .. } => list.item(&text_part("input_text", &convert(text)).finish()),
            Content::Image { image_urls, .. } if self.request.features.supports_vision => {
                for url in image_urls {
                    list.item(&image_part(url));
                }
            }
            Content::Image { .. } => {}
            Content::File(file) => {
                if let Some(given) = &file.given {
                    list.item(&file_part(given));
                }
                list.item(&text_part("input_text", &convert(&file.text)).finish());
            }
        }
    }

    fn push_message(&mut self, role: &str, content: ListWriter) {
        let item = object! { "type": "message", "role": role, "content": content };
        self.list.item(&item.finish());
    }
}

fn image_part(url: &str) -> String {
    object! { "type": "input_image", "image_url": url, "detail": "auto" }.finish()
}

/// A PDF or an image; the API takes no audio.
fn file_part(file: &GivenFile) -> String {
    if file.kind == FileKind::Image {
        return image_part(&file.url);
    }
    object! { "type": "input_file", "filename": file.name, "file_data": &*file.url }.finish()
}

fn text_parts(kind: &str, texts: &[String]) -> ListWriter {
    texts.iter().map(|text| text_part(kind, text)).collect()
}

fn text_part(kind: &str, text: &str) -> ObjectWriter {
    object! { "type": kind, "text": text }
}
