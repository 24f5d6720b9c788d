//! Sessions, `{id, created_at, messages}`, the format of simple chat programs.

use super::{super::history, branches, chat, check_count, date, entry::Entry, timeline::Timeline};
use crate::{
    error::Result,
    event::Event,
    id::ConversationId,
    json::{ListWriter, ObjectWriter, float, object},
    llm::message::{Content, Message, Role},
};

/// Reads a session.
pub fn read(timeline: &mut Timeline<'_>, text: &str) -> Result<()> {
    let session = Entry::read("the session".to_owned(), text)?;
    // llama.cpp has what is no message in an object of its own.
    let conv = session.object("conv")?;
    timeline.title = match &conv {
        Some(conv) => conv.name_in("name")?,
        None => session.name_in("title")?,
    };
    let shown = match &conv {
        Some(conv) => branches::name(conv, "currNode")?,
        None => branches::name(&session, "leaf")?,
    };
    timeline.model = session.name_in("model")?;
    let created_at = match session.get("created_at") {
        Some(number) if !number.starts_with('"') => match float(number) {
            Some(number) => Some(date::of_number(number)),
            None => return Err(session.refused("created_at", "is neither a date nor a number")),
        },
        _ => session.text("created_at")?,
    };
    let messages = session.list("messages")?;
    check_count(&messages)?;
    let entries = session.objects("messages")?;
    if branches::has_branches(&entries) {
        chat::read_branches(timeline, &entries, created_at.as_deref(), shown.as_deref())?;
    } else {
        chat::read(timeline, "messages", &messages, created_at.as_deref())?;
    }
    for other in session.others(&["id", "created_at", "title", "model", "leaf", "conv", "messages"]) {
        timeline.leave_out(&format!("the session's field {other}"));
    }
    Ok(())
}

/// The session of a branch. `created_at` is used if it has no events.
pub fn write(id: ConversationId, branch: &[Event], title: Option<&str>, created_at: f64) -> String {
    let first = branch.first().map(|event| event.timestamp().to_owned());
    let messages = history::messages(branch);
    let is_system = |index: usize| messages.get(index).is_some_and(|message| message.role == Role::System);
    // Empty instructions are omitted, unless other instructions follow, which would then be taken for the first.
    let is_left_out = |message: &Message| message.text().is_empty() && is_system(0) && !is_system(1);
    let kept = messages.iter().enumerate().filter(|(index, message)| *index > 0 || !is_left_out(message));
    object! {
        "id": id.to_string(),
        "created_at": first.unwrap_or_else(|| date::of_number(created_at)),
        "title"?: title,
        "messages": kept.map(|(_, message)| plain(message)).collect::<ListWriter>(),
    }
    .finish()
}

/// A complete message of Chat Completions, whose content is a text instead of a list where possible.
fn plain(message: &Message) -> ObjectWriter {
    let mut out = object! { "role": message.role };
    match message.content.as_slice() {
        [] => out.field("content", ""),
        [Content::Text { text, .. }] => out.field("content", text),
        parts => out.field("content", &parts_of(parts)),
    }
    let calls = message.tool_calls.as_ref().filter(|calls| !calls.is_empty()).map(|calls| {
        let calls = calls.iter().map(|call| {
            object! {
                "id": call.id,
                "type": "function",
                "function": object! { "name": call.name, "arguments": call.arguments },
                "responses_item_id"?: call.responses_item_id,
            }
        });
        calls.collect::<ListWriter>()
    });
    out.optional("tool_calls", &calls);
    out.optional("tool_call_id", &message.tool_call_id);
    out.optional("name", &message.name);
    out.optional("reasoning_content", &message.reasoning_content);
    let blocks = Some(&message.thinking_blocks).filter(|blocks| !blocks.is_empty());
    out.optional("thinking_blocks", &blocks);
    out.optional("responses_reasoning_item", &message.responses_reasoning_item);
    out
}

fn parts_of(parts: &[Content]) -> ListWriter {
    let mut list = Vec::new();
    for part in parts {
        match part {
            Content::Text { text, .. } => list.push(object! { "type": "text", "text": text }),
            Content::File(file) => list.push(object! { "type": "text", "text": &*file.text }),
            Content::Image { image_urls, .. } => list.extend(
                image_urls
                    .iter()
                    .map(|url| object! { "type": "image_url", "image_url": object! { "url": url } }),
            ),
        }
    }
    list.into_iter().collect()
}
