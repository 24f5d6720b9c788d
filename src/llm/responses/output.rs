//! The output items of an answer, complete or in part, and the message that is made from them
//! (`Message.from_llm_responses_output`).

use crate::{
    json::{EditableObject, Object, ToJson as _},
    llm::{
        beside::Beside,
        chat_completions::messages::is_space,
        completion::ToolCallDelta,
        images::Images,
        message::{Content, Message, MessageToolCall, ReasoningItem, Role},
    },
};

/// One item of an answer.
#[derive(Clone, Debug, Default)]
pub(super) struct OutputItem {
    /// The item's index, if the server sends it.
    pub(super) index: Option<u64>,
    pub(super) kind: String,
    pub(super) id: String,
    pub(super) call_id: String,
    pub(super) name: String,
    pub(super) arguments: String,
    /// The text parts of a message, including refusals.
    pub(super) texts: Vec<String>,
    pub(super) summary: Vec<String>,
    /// Unencrypted reasoning.
    pub(super) reasoning: Vec<String>,
    pub(super) encrypted: Option<String>,
    pub(super) status: Option<String>,
    /// The item as the server sent it, once it is complete.
    pub(super) raw: String,
    /// Whether the item is complete.
    pub(super) is_done: bool,
    /// The number of a call among those that are shown.
    pub(super) call: Option<usize>,
    /// The length of the arguments that are shown.
    pub(super) shown: usize,
}

impl OutputItem {
    pub(super) fn read(json: &Object<'_>) -> Self {
        let text = |name: &str| json.read::<String>(name).unwrap_or_default();
        let some = |name: &str| json.read::<String>(name).filter(|text| !text.is_empty());
        let kind = text("type");
        let is_reasoning = kind == "reasoning";
        let content = texts_of(json, "content", &["text", "refusal"]);
        let (texts, reasoning) = if is_reasoning { (Vec::new(), content) } else { (content, Vec::new()) };
        let mut arguments = text("arguments");
        if let Some(object) = json.read::<EditableObject>("arguments") {
            arguments = object.to_json_text();
        }
        Self {
            index: None,
            id: text("id"),
            call_id: text("call_id"),
            name: text("name"),
            arguments,
            texts,
            summary: texts_of(json, "summary", &["text"]),
            reasoning,
            encrypted: some("encrypted_content"),
            status: some("status"),
            raw: json.text().to_owned(),
            kind,
            is_done: false,
            call: None,
            shown: 0,
        }
    }

    /// Replaces an item that was received in pieces by the complete one, except for fields that the latter omits.
    pub(super) fn replace_with(&mut self, complete: Self) {
        let mut before = std::mem::replace(self, complete);
        self.index = before.index;
        self.call = before.call;
        if !self.arguments.is_empty() {
            before.set_arguments(std::mem::take(&mut self.arguments));
        }
        self.shown = before.shown;
        for (text, before) in [
            (&mut self.kind, before.kind),
            (&mut self.id, before.id),
            (&mut self.call_id, before.call_id),
            (&mut self.name, before.name),
            (&mut self.arguments, before.arguments),
        ] {
            if text.is_empty() {
                *text = before;
            }
        }
        for (texts, before) in [
            (&mut self.texts, before.texts),
            (&mut self.summary, before.summary),
            (&mut self.reasoning, before.reasoning),
        ] {
            if texts.iter().all(String::is_empty) {
                *texts = before;
            }
        }
    }

    /// Replaces the arguments by the complete ones. No more of them is shown if they do not begin with those that were
    /// received in pieces.
    pub(super) fn set_arguments(&mut self, complete: String) {
        if !complete.starts_with(&self.arguments) {
            self.shown = usize::MAX;
        }
        self.arguments = complete;
    }

    /// The part of a call that is not shown yet, if its name is known. `begun` is the number of calls that are shown.
    pub(super) fn call_delta(&mut self, begun: usize) -> Option<ToolCallDelta> {
        if self.kind != "function_call" || self.name.trim().is_empty() {
            return None;
        }
        let mut delta = match self.call {
            Some(index) => ToolCallDelta { index, ..ToolCallDelta::default() },
            None => {
                self.call = Some(begun);
                ToolCallDelta::begin(begun, self.id_of_call(), &self.name)
            }
        };
        if let Some(rest) = self.arguments.get(self.shown..) {
            delta.arguments = rest.to_owned();
            self.shown = self.arguments.len();
        }
        Some(delta).filter(|delta| delta.name.is_some() || !delta.arguments.is_empty())
    }

    fn id_of_call(&self) -> &str {
        if self.call_id.is_empty() { &self.id } else { &self.call_id }
    }

    /// Adds the sources that this item names, or the tool of the provider's own that it is a use of.
    pub(super) fn add_beside(&self, beside: &mut Beside) {
        let Some(item) = Object::parse(&self.raw) else { return };
        for part in item.objects("content").unwrap_or_default() {
            let annotations = part.objects("annotations").unwrap_or_default();
            annotations.iter().for_each(|annotation| beside.cite(annotation));
        }
        if let Some(tool) = self.kind.strip_suffix("_call").filter(|_| self.kind != "function_call") {
            // A tool of an MCP server has a name of its own.
            let name = if self.name.is_empty() { tool } else { &self.name };
            let arguments = Object::parse(&self.arguments).unwrap_or_default();
            beside.did(name, &[&item.object("action"), &arguments, &item]);
        }
    }

    /// Adds the image that this item is the making of.
    pub(super) fn add_image(&self, images: &mut Images) {
        if self.kind == "image_generation_call"
            && let Some(item) = Object::parse(&self.raw)
        {
            let text = |name: &str| item.read::<String>(name).unwrap_or_default();
            images.take_data(&text("result"), &text("output_format"));
        }
    }

    fn reasoning_item(&self) -> ReasoningItem {
        ReasoningItem {
            id: Some(self.id.clone()).filter(|id| !id.is_empty()),
            summary: self.summary.clone(),
            content: Some(self.reasoning.clone()).filter(|texts| !texts.is_empty()),
            encrypted_content: self.encrypted.clone(),
            status: self.status.clone(),
        }
    }
}

/// The texts in the parts of a list; a single text counts as one part.
fn texts_of(json: &Object<'_>, name: &str, names: &[&str]) -> Vec<String> {
    if let Some(text) = json.read::<String>(name) {
        return vec![text];
    }
    let parts = json.objects(name).unwrap_or_default();
    parts.iter().filter_map(|part| names.iter().find_map(|name| part.read::<String>(name))).collect()
}

/// The text of all messages among the items.
pub(super) fn text_of(items: &[OutputItem]) -> String {
    let parts = items.iter().filter(|item| item.kind == "message").flat_map(|item| &item.texts);
    let texts: Vec<&str> = parts.map(String::as_str).filter(|text| !text.is_empty()).collect();
    texts.join("\n").trim_matches(is_space).to_owned()
}

/// The text of all reasoning in the items.
pub(super) fn reasoning_of(items: &[OutputItem]) -> String {
    let parts = items.iter().flat_map(|item| item.summary.iter().chain(&item.reasoning));
    let texts: Vec<&str> = parts.map(String::as_str).filter(|text| !text.is_empty()).collect();
    texts.join("\n\n").trim_matches(is_space).to_owned()
}

/// The message from all items; `None` if a call has no name. `new_id` makes the ids that are missing or taken.
pub(super) fn message_of(items: &[OutputItem], new_id: &mut dyn FnMut() -> String) -> Option<Message> {
    let text = text_of(items);
    let content = if text.is_empty() { Vec::new() } else { vec![Content::text(text)] };
    let mut message = Message::new(Role::Assistant, content);
    let mut calls: Vec<MessageToolCall> = Vec::new();
    let mut thoughts: Vec<String> = Vec::new();
    for item in items {
        match item.kind.as_str() {
            "function_call" => {
                if item.name.trim().is_empty() {
                    if item.arguments.trim().is_empty() {
                        continue;
                    }
                    return None;
                }
                let id = item.id_of_call();
                let is_taken = id.trim().is_empty() || calls.iter().any(|call| call.id == *id);
                let is_empty = item.arguments.trim().is_empty();
                calls.push(MessageToolCall {
                    id: if is_taken { format!("call_{}", new_id()) } else { id.to_owned() },
                    responses_item_id: Some(item.id.clone()).filter(|id| !id.is_empty()),
                    name: item.name.clone(),
                    // Providers refuse a history with empty arguments; they must be an object.
                    arguments: if is_empty { "{}".into() } else { item.arguments.clone() },
                    origin: "responses".into(),
                });
            }
            // The SDK stores one reasoning item, the last. What people can read of the others, and open text, is kept as text.
            "reasoning" => {
                let before = message.responses_reasoning_item.replace(item.reasoning_item());
                thoughts.extend(before.into_iter().flat_map(|item| item.summary));
                thoughts.extend(item.reasoning.iter().cloned());
            }
            _ => {}
        }
    }
    message.tool_calls = Some(calls).filter(|calls| !calls.is_empty());
    thoughts.retain(|text| !text.trim().is_empty());
    message.reasoning_content = Some(thoughts.join("\n\n")).filter(|text| !text.is_empty());
    Some(message)
}
