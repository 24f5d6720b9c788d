//! Reads a list of messages: those of Chat Completions, and those of the SDK.

use super::{
    entry::Entry,
    timeline::{ItemKind, Outcome, Timeline, call, image},
};
use crate::{
    error::Result,
    event::{ActionEvent, Source},
    json::{FromJson as _, elements},
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
];

/// Reads the messages of a list, whose path in the file is `name`. `created_at` is the time of messages without one.
pub fn read(
    timeline: &mut Timeline<'_>,
    name: &str,
    messages: &[&str],
    created_at: Option<&str>,
) -> Result<()> {
    for (index, text) in messages.iter().enumerate() {
        let entry = Entry::read(format!("{name}[{index}]"), text)?;
        let timestamp = [entry.get("timestamp"), entry.get("created_at")];
        let timestamp = timestamp.into_iter().flatten().find_map(String::from_json);
        let timestamp = timestamp.or_else(|| created_at.map(str::to_owned));
        message(timeline, &entry, timestamp, index == 0)?;
        for other in entry.others(KNOWN) {
            timeline.leave_out(&format!("the field {other} of messages"));
        }
        if entry.get("function_call").is_some() {
            timeline.leave_out("the field function_call of messages");
        }
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
    for call_entry in entry.objects("tool_calls")? {
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
    Ok(entry.text("reasoning_content")?.or(entry.text("reasoning")?).filter(|text| !text.is_empty()))
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
