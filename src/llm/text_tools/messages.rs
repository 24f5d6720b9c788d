//! The history with calls and results as text of assistant and user messages.
//!
//! Mirrors the SDK's `convert_fncall_messages_to_non_fncall_messages`, which refuses a message with several calls; here
//! each call becomes a separate message, followed by its result.

use super::{
    call::text_of,
    example::{TASK_END, example_for},
    functions::description_of,
};
use crate::{
    json::{Json, ListWriter, object, quoted},
    llm::{
        chat_completions::messages::{CacheMarks, file_part, is_marked, is_space, part},
        message::{Content, Message, Role},
        provider::WantsReasoning,
        tool_text::clipped,
        wire_api::LlmRequest,
    },
};

/// The `messages` of a request.
pub(super) fn messages_json(request: &LlmRequest<'_>, wants_example: bool) -> String {
    let marks = CacheMarks::of(request);
    let mut example = if wants_example { example_for(request.tools) } else { String::new() };
    let mut list = ListWriter::new();
    let mut rest = request.messages.iter().enumerate().peekable();
    while let Some((at, message)) = rest.next() {
        let content = MessageContent::of(message, marks.part_of(at), request);
        match message.role {
            Role::System => {
                list.item(&message_json(content.and(&description_of(request.tools)), Role::System, request));
            }
            Role::User => {
                let example = std::mem::take(&mut example);
                let content = if example.is_empty() { content } else { content.between(&example, TASK_END) };
                list.item(&message_json(content, Role::User, request));
            }
            Role::Tool => list.item(&result_json(message, content, request)),
            Role::Assistant => {
                let mut results = Vec::new();
                while let Some(result) = rest.next_if(|(_, next)| next.role == Role::Tool) {
                    results.push(result);
                }
                let mut first = Some(content);
                for call in message.tool_calls.iter().flatten() {
                    let content = first.take().unwrap_or(MessageContent::Text(String::new()));
                    list.item(&message_json(content.and_call(&text_of(call)), Role::Assistant, request));
                    results.retain(|(at, result)| {
                        let is_result_of_call = result.tool_call_id.as_ref() == Some(&call.id);
                        if is_result_of_call {
                            let content = MessageContent::of(result, marks.part_of(*at), request);
                            list.item(&result_json(result, content, request));
                        }
                        !is_result_of_call
                    });
                }
                if let Some(content) = first {
                    list.item(&message_json(content, Role::Assistant, request));
                }
                for (at, result) in results {
                    list.item(&result_json(
                        result,
                        MessageContent::of(result, marks.part_of(at), request),
                        request,
                    ));
                }
            }
        }
    }
    list.finish()
}

fn result_json(message: &Message, content: MessageContent, request: &LlmRequest<'_>) -> String {
    let name = message.name.as_deref().unwrap_or("a function");
    message_json(content.of_tool(&format!("Result of {name}:\n")), Role::User, request)
}

fn message_json(content: MessageContent, role: Role, request: &LlmRequest<'_>) -> String {
    let mut json = object! { "content": Json(&content.json()), "role": role };
    let wants_reasoning = request.features.send_reasoning_content
        && request.endpoint.provider.wants_reasoning == WantsReasoning::Everywhere;
    if wants_reasoning && role == Role::Assistant {
        // The model's own reasoning is not sent, because the message has been changed.
        json.field("reasoning_content", " ");
    }
    json.finish()
}

/// The content of one message.
enum MessageContent {
    Text(String),
    Parts { parts: Vec<Part>, is_marked: bool },
}

const TEXT: &str = "text";

struct Part {
    /// The type of the part.
    kind: &'static str,
    /// The text, or the JSON of another part.
    text: String,
    is_marked: bool,
}

impl Part {
    fn text(text: impl Into<String>) -> Self {
        Self { kind: TEXT, text: text.into(), is_marked: false }
    }

    fn is_text(&self) -> bool {
        self.kind == TEXT
    }
}

impl MessageContent {
    /// The content of a message before calls are added as text. `marked` is the part that ends a cached prefix.
    fn of(message: &Message, marked: Option<usize>, request: &LlmRequest<'_>) -> Self {
        let is_result = message.role == Role::Tool;
        let has_calls = message.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty());
        let is_omitted = |text: &str| has_calls && text.chars().all(is_space);
        if request.features.force_string_serializer {
            let text = message.text();
            return Self::Text(if is_omitted(&text) {
                String::new()
            } else if is_result {
                clipped(&text)
            } else {
                text
            });
        }
        let mut parts = Vec::new();
        for (at, content) in message.content.iter().enumerate() {
            match content {
                Content::Text { text, .. } if is_omitted(text) => {}
                Content::Text { text, cache_prompt } => parts.push(Part {
                    kind: TEXT,
                    text: if is_result { clipped(text) } else { text.clone() },
                    is_marked: !is_result && (*cache_prompt || marked == Some(at)),
                }),
                Content::Image { image_urls, cache_prompt } if request.features.supports_vision => {
                    for (position, url) in image_urls.iter().enumerate() {
                        let is_last = position + 1 == image_urls.len();
                        parts.push(Part {
                            kind: "image_url",
                            text: object! { "url": url }.finish(),
                            is_marked: !is_result && is_last && (*cache_prompt || marked == Some(at)),
                        });
                    }
                }
                Content::Image { .. } => {}
                Content::File(file) => {
                    let given = file.given.as_ref().map(file_part);
                    parts.extend(given.map(|(kind, value)| Part {
                        kind,
                        text: value.finish(),
                        is_marked: false,
                    }));
                    parts.push(Part { is_marked: marked == Some(at), ..Part::text(&file.text) });
                }
            }
        }
        if parts.is_empty() {
            return Self::Text(String::new());
        }
        Self::Parts { parts, is_marked: is_result && is_marked(message, marked) }
    }

    fn and(mut self, text: &str) -> Self {
        match &mut self {
            Self::Text(existing) => existing.push_str(text),
            Self::Parts { parts, .. } => match parts.last_mut() {
                Some(last) if last.is_text() => last.text.push_str(text),
                _ => parts.push(Part::text(text)),
            },
        }
        self
    }

    fn between(mut self, before: &str, after: &str) -> Self {
        match &mut self {
            Self::Text(existing) => *existing = [before, existing, after].concat(),
            Self::Parts { parts, .. } => match parts.first_mut() {
                Some(first) if first.is_text() => first.text = [before, &first.text, after].concat(),
                _ => {
                    parts.insert(0, Part::text(before));
                    parts.push(Part::text(after));
                }
            },
        }
        self
    }

    fn and_call(mut self, call: &str) -> Self {
        let existing = match &mut self {
            Self::Text(existing) => existing,
            Self::Parts { parts, .. } => match parts.last_mut() {
                Some(last) if last.is_text() => &mut last.text,
                _ => {
                    parts.push(Part::text(call));
                    return self;
                }
            },
        };
        *existing = [existing, "\n\n", call].concat().trim_start_matches(is_space).to_owned();
        self
    }

    fn of_tool(mut self, heading: &str) -> Self {
        match &mut self {
            Self::Text(existing) => existing.insert_str(0, heading),
            Self::Parts { parts, is_marked } => {
                match parts.iter_mut().find(|part| part.is_text()) {
                    Some(first) => first.text.insert_str(0, heading),
                    None => parts.insert(0, Part::text(heading)),
                }
                if let Some(last) = parts.last_mut() {
                    last.is_marked = *is_marked;
                }
            }
        }
        self
    }

    fn json(self) -> String {
        let parts = match self {
            Self::Text(text) => return quoted(&text),
            Self::Parts { parts, .. } => parts,
        };
        let mut list = ListWriter::new();
        for Part { kind, text, is_marked } in parts {
            list.item(&match kind {
                TEXT => part(kind, &text, is_marked),
                _ => part(kind, &Json(&text), is_marked),
            });
        }
        list.finish()
    }
}
