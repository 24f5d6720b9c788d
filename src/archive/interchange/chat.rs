//! Reads a list of messages: those of Chat Completions, and those of the SDK.

use super::{
    branches::{self, Step},
    date,
    entry::Entry,
    timeline::{ItemKind, Outcome, Timeline, call, image},
};
use crate::{
    error::{Result, shown},
    event::{ActionEvent, Source},
    id::EventId,
    json::{FromJson as _, elements, string},
    llm::message::{Content, Message, ReasoningItem, Role, ThinkingBlock},
};

/// The fields that are read, and those that are not content of a conversation.
const KNOWN: &[&str] = &[
    "role",
    "content",
    "tool_calls",
    "tool_call_id",
    "name",
    "reasoning_content",
    "reasoning",
    "thinking_blocks",
    "responses_reasoning_item",
    "refusal",
    "timestamp",
    "created_at",
    "cache_control",
    "function_call",
    "id",
    "parent",
];

/// Further fields of llama.cpp's messages.
const OF_LLAMA_CPP: &[&str] = &[
    "convId",
    "type",
    "children",
    "toolCalls",
    "thinking",
    "reasoningContent",
    "extra",
    "timings",
    "model",
    "completionId",
];

/// Reads the messages of a list, whose path in the file is `name`. `created_at` is the time of messages without one.
pub fn read(
    timeline: &mut Timeline<'_>,
    name: &str,
    messages: &[&str],
    created_at: Option<&str>,
) -> Result<()> {
    let mut entries = Vec::with_capacity(messages.len());
    for (index, text) in messages.iter().enumerate() {
        entries.push(Entry::read(format!("{name}[{index}]"), text)?);
    }
    if branches::has_branches(&entries) {
        return read_branches(timeline, &entries, created_at, None);
    }
    for (index, entry) in entries.iter().enumerate() {
        one(timeline, entry, created_at, index == 0)?;
    }
    Ok(())
}

/// Reads messages of which each names the one before it. `shown` is the last one of the branch that was shown.
pub fn read_branches(
    timeline: &mut Timeline<'_>,
    messages: &[Entry<'_>],
    created_at: Option<&str>,
    shown: Option<&str>,
) -> Result<()> {
    let (steps, circling) = branches::steps(messages)?;
    if circling > 0 {
        timeline.leave_out_many("messages that follow each other in a circle", circling);
    }
    // The last item at the end of each message.
    let mut ends: Vec<Option<EventId>> = messages.iter().map(|_| None).collect();
    let mut last = None;
    for step in steps {
        match step {
            Step::Back(parent) => {
                last = parent.and_then(|parent| ends.get(parent).cloned().flatten());
                if !timeline.items.is_empty() {
                    timeline.go_back(last.clone());
                }
            }
            Step::Message(index) => {
                let Some(message) = messages.get(index) else { continue };
                let before = timeline.items.len();
                one(timeline, message, created_at, before == 0)?;
                if timeline.items.len() > before {
                    last = timeline.items.last().map(|item| item.stamp.id.clone());
                }
                if let Some(end) = ends.get_mut(index) {
                    end.clone_from(&last);
                }
                if shown.is_some() && branches::name(message, "id")?.as_deref() == shown {
                    timeline.leaf.clone_from(&last);
                }
            }
        }
    }
    Ok(())
}

fn is_of_llama_cpp(entry: &Entry<'_>) -> bool {
    entry.get("convId").is_some()
}

/// Reads one message.
fn one(
    timeline: &mut Timeline<'_>,
    entry: &Entry<'_>,
    created_at: Option<&str>,
    is_first: bool,
) -> Result<()> {
    // llama.cpp's first message stands for the conversation.
    if entry.text("type").ok().flatten().as_deref() == Some("root") {
        return Ok(());
    }
    let timestamp = [entry.get("timestamp"), entry.get("created_at")];
    let timestamp = timestamp.into_iter().flatten().find_map(date::read);
    let timestamp = timestamp.or_else(|| created_at.map(str::to_owned));
    message(timeline, entry, timestamp, is_first)?;
    for other in entry.others(KNOWN) {
        if !is_of_llama_cpp(entry) || !OF_LLAMA_CPP.contains(&other.as_str()) {
            timeline.leave_out(&format!("the field {other} of messages"));
        }
    }
    if entry.get("function_call").is_some() {
        timeline.leave_out("the field function_call of messages");
    }
    for extra in entry.objects("extra")? {
        let name = extra.text("name")?.unwrap_or_default();
        timeline.leave_out(&format!("the attached file {}", shown(&name)));
    }
    Ok(())
}

fn message(
    timeline: &mut Timeline<'_>,
    entry: &Entry<'_>,
    timestamp: Option<String>,
    is_first: bool,
) -> Result<()> {
    let place = entry.name.as_str();
    let role = match entry.text("role")?.as_deref() {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("system" | "developer") => Role::System,
        Some("tool") => Role::Tool,
        _ => return Err(entry.refused("role", "is not user, assistant, system, developer or tool")),
    };
    let content = content(timeline, entry)?;
    let kind = match role {
        Role::System if is_first && content.iter().all(|part| part.as_text().is_some()) => {
            ItemKind::Instructions(content, Vec::new())
        }
        Role::Tool => match entry.name_in("tool_call_id")? {
            Some(id) => ItemKind::Result(id, Outcome::Content(content)),
            None => {
                return Err(
                    entry.refused("tool_call_id", "is missing, so the call of this result is unknown")
                );
            }
        },
        Role::Assistant => {
            let mut calls = calls(timeline, entry)?;
            let Some(first) = calls.first_mut() else {
                let mut message = Message::new(role, content);
                message.name = entry.text("name")?;
                message.reasoning_content = reasoning(entry)?;
                message.thinking_blocks = thinking(entry)?;
                message.responses_reasoning_item = reasoning_item(entry)?;
                timeline.add(place, timestamp, ItemKind::Message(Source::Agent, message));
                return Ok(());
            };
            first.thought = content;
            first.reasoning_content = reasoning(entry)?;
            first.thinking_blocks = thinking(entry)?;
            first.responses_reasoning_item = reasoning_item(entry)?;
            for call in calls {
                timeline.add(place, timestamp.clone(), ItemKind::Call(call));
            }
            return Ok(());
        }
        Role::User | Role::System => {
            let mut message = Message::new(role, content);
            message.name = entry.text("name")?;
            let source = if role == Role::User { Source::User } else { Source::Environment };
            ItemKind::Message(source, message)
        }
    };
    timeline.add(place, timestamp, kind);
    Ok(())
}

/// The content, which may be missing, a text, or a list of parts.
fn content(timeline: &mut Timeline<'_>, entry: &Entry<'_>) -> Result<Vec<Content>> {
    let refusal = entry.text("refusal")?.map(Content::text);
    let Some(value) = entry.get("content") else { return Ok(refusal.into_iter().collect()) };
    if value.starts_with('"') {
        let text = entry.text("content")?.unwrap_or_default();
        let text = (!text.is_empty()).then(|| Content::text(text));
        return Ok(text.into_iter().chain(refusal).collect());
    }
    if elements(value).is_none() {
        return Err(entry.refused("content", "is neither a text nor a list of parts"));
    }
    let mut content = Vec::new();
    for part in entry.objects("content")? {
        content.extend(self::part(timeline, &part)?);
    }
    content.extend(refusal);
    Ok(content)
}

fn part(timeline: &mut Timeline<'_>, part: &Entry<'_>) -> Result<Option<Content>> {
    let kind = part.text("type")?;
    let urls = match kind.as_deref() {
        Some("text" | "input_text" | "output_text") => return Ok(part.text("text")?.map(Content::text)),
        Some("refusal") => return Ok(part.text("refusal")?.map(Content::text)),
        Some("image") if part.get("image_urls").is_some() => part.texts("image_urls")?,
        Some("image_url" | "input_image") => match part.get("image_url") {
            Some(url) if url.starts_with('{') => part
                .object("image_url")?
                .map(|image| image.text("url"))
                .transpose()?
                .flatten()
                .into_iter()
                .collect(),
            _ => part.text("image_url")?.into_iter().collect(),
        },
        kind => {
            timeline.leave_out(&match kind {
                Some(kind) => format!("parts of the type {}", crate::error::shown(kind)),
                None => "parts without a type".to_owned(),
            });
            return Ok(None);
        }
    };
    Ok(image(timeline, urls))
}

/// The calls of an assistant message, in either form.
fn calls(timeline: &Timeline<'_>, entry: &Entry<'_>) -> Result<Vec<ActionEvent>> {
    let response = timeline.new_id().to_string();
    let mut calls: Vec<ActionEvent> = Vec::new();
    // llama.cpp has them as a text, which is empty if there are none.
    let written = entry.get("toolCalls").filter(|value| string(value).is_some());
    let written = written.and_then(String::from_json).unwrap_or_default();
    let mut listed = entry.objects("tool_calls")?;
    for (index, text) in elements(&written).unwrap_or_default().into_iter().enumerate() {
        listed.push(Entry::read(format!("{}.toolCalls[{index}]", entry.name), text)?);
    }
    for call_entry in listed {
        let function = call_entry.object("function")?;
        let function = function.as_ref().unwrap_or(&call_entry);
        let id = call_entry.name_in("id")?.unwrap_or_else(|| timeline.new_id().to_string());
        if calls.iter().any(|call| call.tool_call_id == id) {
            return Err(call_entry.refused("id", "is the id of another call of the same message as well"));
        }
        // Some servers send the arguments as an object.
        let arguments = match function.get("arguments") {
            Some(value) if !value.starts_with('"') => value.to_owned(),
            Some(_) => function.text("arguments")?.unwrap_or_default(),
            None => "{}".to_owned(),
        };
        let name = function.text("name")?.unwrap_or_default();
        let mut action = call(&call_entry.name, id, name, arguments, response.clone())?;
        action.tool_call.responses_item_id = call_entry.text("responses_item_id")?;
        if action.tool_call.responses_item_id.is_some() {
            action.tool_call.origin = "responses".to_owned();
        }
        calls.push(action);
    }
    Ok(calls)
}

fn reasoning(entry: &Entry<'_>) -> Result<Option<String>> {
    let fields = match is_of_llama_cpp(entry) {
        true => ["reasoningContent", "thinking"],
        false => ["reasoning_content", "reasoning"],
    };
    for field in fields {
        if let Some(text) = entry.text(field)?.filter(|text| !text.is_empty()) {
            return Ok(Some(text));
        }
    }
    Ok(None)
}

fn thinking(entry: &Entry<'_>) -> Result<Vec<ThinkingBlock>> {
    let Some(blocks) = entry.get("thinking_blocks") else { return Ok(Vec::new()) };
    Vec::from_json(blocks).ok_or_else(|| entry.refused("thinking_blocks", "is not a list of thinking blocks"))
}

fn reasoning_item(entry: &Entry<'_>) -> Result<Option<ReasoningItem>> {
    let Some(item) = entry.get("responses_reasoning_item") else { return Ok(None) };
    match ReasoningItem::from_json(item) {
        Some(item) => Ok(Some(item)),
        None => Err(entry.refused("responses_reasoning_item", "is not a reasoning item")),
    }
}
