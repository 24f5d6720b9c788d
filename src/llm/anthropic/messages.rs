//! The blocks of single messages.

use super::{
    history::OpenCall,
    names::{CallIds, ToolNames},
    thinking::is_signed,
};
use crate::{
    json::{EditableObject, ListWriter, Object, ObjectWriter, quoted, well_formed},
    llm::{
        chat_completions::messages::{is_blank, is_marked, is_space, part},
        message::{Content, Message, ThinkingBlock},
        tool_text::clipped,
        wire_api::LlmRequest,
    },
};

/// Stands for a text without words, which the API refuses ("text content blocks must be non-empty").
const NOTHING_SAID: &str = "[Nothing was said.]";

/// Stands in front of instructions that come later than the first message.
const NOTE: &str = "[Not the user but the program around this conversation says:]";

const CACHE_CONTROL: &str = "{\"type\":\"ephemeral\"}";

/// A part of a message that is sent.
enum Part<'a> {
    Text(String, bool),
    Image(&'a str, bool),
}

/// The parts, with whether a cached prefix ends there. All texts are one where lists are refused.
fn parts<'a>(message: &'a Message, marked: Option<usize>, request: &LlmRequest<'_>) -> Vec<Part<'a>> {
    let features = request.features;
    if features.force_string_serializer {
        return if message.content.is_empty() { Vec::new() } else { vec![Part::Text(message.text(), false)] };
    }
    let mut parts = Vec::new();
    for (at, content) in message.content.iter().enumerate() {
        match content {
            Content::Text { text, cache_prompt } => {
                parts.push(Part::Text(text.clone(), *cache_prompt || marked == Some(at)));
            }
            Content::Image { image_urls, cache_prompt } if features.supports_vision => {
                for (place, url) in image_urls.iter().enumerate() {
                    let is_last = place + 1 == image_urls.len();
                    parts.push(Part::Image(url, is_last && (*cache_prompt || marked == Some(at))));
                }
            }
            Content::Image { .. } => {}
        }
    }
    parts
}

/// The instructions.
pub(super) fn system_blocks(
    message: &Message,
    marked: Option<usize>,
    request: &LlmRequest<'_>,
) -> Vec<String> {
    let mut blocks = Vec::new();
    for piece in parts(message, marked, request) {
        match piece {
            Part::Text(text, is_marked) if !is_blank(&text) => blocks.push(text_block(&text, is_marked)),
            _ => {}
        }
    }
    blocks
}

/// Instructions that come later. They do not belong in front of the history, which would be cached anew.
pub(super) fn note_blocks(message: &Message, request: &LlmRequest<'_>) -> Vec<String> {
    let mut blocks = system_blocks(message, None, request);
    if !blocks.is_empty() {
        blocks.insert(0, text_block(NOTE, false));
    }
    blocks
}

/// What the user says.
pub(super) fn user_blocks(message: &Message, marked: Option<usize>, request: &LlmRequest<'_>) -> Vec<String> {
    let mut blocks = Vec::new();
    for piece in parts(message, marked, request) {
        blocks.push(match piece {
            Part::Text(text, is_marked) => text_block(said(&text), is_marked),
            Part::Image(url, is_marked) => image_block(url, is_marked),
        });
    }
    blocks
}

/// The answer to a call. Its mark stands on the whole of it.
pub(super) fn tool_result(
    message: &Message,
    sent_id: &str,
    marked: Option<usize>,
    request: &LlmRequest<'_>,
) -> String {
    let is_text = request.features.force_string_serializer;
    let content = if is_text {
        quoted(&clipped(&message.text()))
    } else {
        let mut list = ListWriter::new();
        for piece in parts(message, None, request) {
            match piece {
                // "text content blocks must be non-empty" holds here, too.
                Part::Text(text, _) if is_blank(&text) => {}
                Part::Text(text, _) => list.item(&text_block(&clipped(&text), false)),
                Part::Image(url, _) => list.item(&image_block(url, false)),
            }
        }
        list.finish()
    };
    let mut result = ObjectWriter::new();
    result.raw("type", "\"tool_result\"");
    result.raw("tool_use_id", &quoted(sent_id));
    result.raw("content", &content);
    if !is_text && is_marked(message, marked) {
        result.raw("cache_control", CACHE_CONTROL);
    }
    result.finish()
}

/// What the model said, thought and called. Its calls are added to `open`.
pub(super) fn assistant_blocks<'a>(
    message: &'a Message,
    has_thoughts: bool,
    names: &ToolNames,
    ids: &mut CallIds,
    open: &mut Vec<OpenCall<'a>>,
    request: &LlmRequest<'_>,
) -> Vec<String> {
    let mut blocks = Vec::new();
    if has_thoughts && !request.features.force_string_serializer {
        for block in message.thinking_blocks.iter().filter(|block| is_signed(block)) {
            blocks.push(thinking_block(block));
        }
    }
    let calls = message.tool_calls.as_deref().unwrap_or_default();
    let mut is_silent = calls.is_empty();
    for piece in parts(message, None, request) {
        match piece {
            Part::Text(text, _) if is_blank(&text) && !calls.is_empty() => {}
            Part::Text(text, is_marked) => {
                is_silent = false;
                blocks.push(text_block(said(&text), is_marked));
            }
            // The API knows no pictures of the assistant's.
            Part::Image(..) => {}
        }
    }
    if is_silent {
        blocks.push(text_block(NOTHING_SAID, false));
    }
    for call in calls {
        // An id that stands twice in one turn could not be answered.
        if open.iter().any(|open| open.id == call.id) {
            continue;
        }
        let sent = ids.next(&call.id);
        let mut block = ObjectWriter::new();
        block.raw("type", "\"tool_use\"");
        block.raw("id", &quoted(&sent));
        block.raw("name", &quoted(names.sent(&call.name)));
        block.raw("input", &input(&call.arguments));
        blocks.push(block.finish());
        open.push(OpenCall { id: &call.id, sent, name: &call.name });
    }
    blocks
}

/// Takes white space off the ends of what the assistant says last, with which the API accepts no request.
pub(super) fn last_spaces_off(blocks: &mut [String]) {
    for block in blocks {
        let Some(mut fields) = EditableObject::compact(block) else { continue };
        if let (Some("\"text\""), Some(text)) = (fields.get("type"), fields.read::<String>("text")) {
            fields.set("text", &quoted(text.trim_end_matches(is_space)));
            *block = fields.text();
        }
    }
}

/// The arguments as the object that the API wants ("Input should be a valid dictionary"). What is no object is an empty
/// one: the error that the call was answered with says what was wrong.
fn input(arguments: &str) -> String {
    match Object::parse(arguments.trim()) {
        Some(_) => well_formed(arguments.trim()).into_owned(),
        None => "{}".into(),
    }
}

fn said(text: &str) -> &str {
    if is_blank(text) { NOTHING_SAID } else { text }
}

fn text_block(text: &str, is_marked: bool) -> String {
    part("text", &quoted(text), is_marked)
}

fn image_block(url: &str, is_marked: bool) -> String {
    let inline = url.strip_prefix("data:").and_then(|inline| {
        let kind = inline.split([';', ',']).next()?;
        Some((kind, inline.split_once(";base64,")?.1))
    });
    let mut source = ObjectWriter::new();
    match inline {
        Some((kind, data)) => {
            source.raw("type", "\"base64\"");
            source.raw("media_type", &quoted(kind));
            source.raw("data", &quoted(data));
        }
        None => {
            source.raw("type", "\"url\"");
            source.raw("url", &quoted(url));
        }
    }
    let mut block = ObjectWriter::new();
    block.raw("type", "\"image\"");
    block.raw("source", &source.finish());
    if is_marked {
        block.raw("cache_control", CACHE_CONTROL);
    }
    block.finish()
}

fn thinking_block(block: &ThinkingBlock) -> String {
    let mut json = ObjectWriter::new();
    match block {
        ThinkingBlock::Thinking { thinking, signature } => {
            json.raw("type", "\"thinking\"");
            json.raw("thinking", &quoted(thinking));
            json.raw("signature", &quoted(signature.as_deref().unwrap_or_default()));
        }
        ThinkingBlock::Redacted { data } => {
            json.raw("type", "\"redacted_thinking\"");
            json.raw("data", &quoted(data));
        }
    }
    json.finish()
}
