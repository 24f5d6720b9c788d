//! The content blocks of single messages.

use super::{
    carried::{Sent, blocks_of},
    thinking::{is_signed, takes_unsigned},
    turns::OpenCall,
};
use crate::{
    json::{
        EditableObject, Json, ListWriter, Object, ObjectWriter, ToJson as _, object, quoted, well_formed,
    },
    llm::{
        carried::Origin,
        chat_completions::messages::{CACHE_CONTROL, is_blank, is_marked, is_space, part},
        message::{Content, FileKind, GivenFile, Message, MessageToolCall, ThinkingBlock},
        tool_names::{CallIds, ToolNames},
        tool_text::clipped,
        wire_api::LlmRequest,
    },
};
use std::borrow::Cow;

/// Sent for a blank text, which the API refuses ("text content blocks must be non-empty").
const EMPTY_TEXT: &str = "[Nothing was said.]";

/// Sent before instructions that come later than the first message.
const NOTE: &str = "[Not the user but the program around this conversation says:]";

/// A part of a message that is sent.
enum Piece<'a> {
    Text(String, bool),
    Image(&'a str, bool),
    File(&'a GivenFile),
}

/// The parts of a message, with whether a cached prefix ends there. One text if the model refuses lists.
fn pieces<'a>(message: &'a Message, marked: Option<usize>, request: &LlmRequest<'_>) -> Vec<Piece<'a>> {
    let features = request.features;
    if features.force_string_serializer {
        return if message.content.is_empty() {
            Vec::new()
        } else {
            vec![Piece::Text(message.text(), false)]
        };
    }
    let mut parts = Vec::new();
    for (at, content) in message.content.iter().enumerate() {
        match content {
            Content::Text { text, cache_prompt } => {
                parts.push(Piece::Text(text.clone(), *cache_prompt || marked == Some(at)));
            }
            Content::Image { image_urls, cache_prompt } if features.supports_vision => {
                for (position, url) in image_urls.iter().enumerate() {
                    let is_last = position + 1 == image_urls.len();
                    parts.push(Piece::Image(url, is_last && (*cache_prompt || marked == Some(at))));
                }
            }
            Content::Image { .. } => {}
            Content::File(file) => {
                parts.extend(file.given.as_ref().map(Piece::File));
                parts.push(Piece::Text(file.text.clone(), marked == Some(at)));
            }
        }
    }
    parts
}

/// The blocks of a system message.
pub(super) fn system_blocks(
    message: &Message,
    marked: Option<usize>,
    request: &LlmRequest<'_>,
) -> Vec<String> {
    let mut blocks = Vec::new();
    for piece in pieces(message, marked, request) {
        match piece {
            Piece::Text(text, is_marked) if !is_blank(&text) => blocks.push(text_block(&text, is_marked)),
            _ => {}
        }
    }
    blocks
}

/// The blocks of a later system message. They are not moved before the history, whose cached prefix would change.
pub(super) fn note_blocks(message: &Message, request: &LlmRequest<'_>) -> Vec<String> {
    let mut blocks = system_blocks(message, None, request);
    if !blocks.is_empty() {
        blocks.insert(0, text_block(NOTE, false));
    }
    blocks
}

/// The blocks of a user message.
pub(super) fn user_blocks(message: &Message, marked: Option<usize>, request: &LlmRequest<'_>) -> Vec<String> {
    let mut blocks = Vec::new();
    for piece in pieces(message, marked, request) {
        blocks.push(match piece {
            Piece::Text(text, is_marked) => text_block(or_placeholder(&text), is_marked),
            Piece::Image(url, is_marked) => image_block(url, is_marked),
            Piece::File(file) => file_block(file),
        });
    }
    blocks
}

/// The result of a call. A cache mark is set on the result, not on a part.
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
        for piece in pieces(message, None, request) {
            match piece {
                // "text content blocks must be non-empty" applies here as well.
                Piece::Text(text, _) if is_blank(&text) => {}
                Piece::Text(text, _) => list.item(&text_block(&clipped(&text), false)),
                Piece::Image(url, _) => list.item(&image_block(url, false)),
                // Only messages of the user have files.
                Piece::File(_) => {}
            }
        }
        list.finish()
    };
    let cache_control = (!is_text && is_marked(message, marked)).then_some(CACHE_CONTROL);
    object! {
        "type": "tool_result",
        "tool_use_id": sent_id,
        "content": Json(&content),
        "cache_control"?: cache_control,
    }
    .finish()
}

/// The blocks of an assistant message: thinking, texts and calls. The calls are added to `open`.
pub(super) fn assistant_blocks<'a>(
    message: &'a Message,
    has_thoughts: bool,
    names: &ToolNames,
    ids: &mut CallIds,
    open: &mut Vec<OpenCall<'a>>,
    request: &LlmRequest<'_>,
) -> Vec<String> {
    let mut blocks = Vec::new();
    // The SDK leaves thoughts out for models of servers of Chat Completions that refuse lists.
    if has_thoughts && (takes_unsigned(request) || !request.features.force_string_serializer) {
        let takes_unsigned = takes_unsigned(request);
        for block in message.thinking_blocks.iter().filter(|block| takes_unsigned || is_signed(block)) {
            blocks.push(block.to_json_text());
        }
        let is_missed = request.options.learned.wants_reasoning.get() && takes_unsigned && blocks.is_empty();
        if is_missed && message.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty()) {
            let thinking = message.reasoning_content.clone().unwrap_or_else(|| " ".into());
            blocks.push(ThinkingBlock::Thinking { thinking, signature: None }.to_json_text());
        }
    }
    let calls = message.tool_calls.as_deref().unwrap_or_default();
    let call_blocks: Vec<_> = calls.iter().map(|call| call_block(call, names, ids, open)).collect();
    if let Some(items) = blocks_of(message, &Origin::of(request.endpoint)) {
        return in_order(items, blocks, call_blocks);
    }
    let mut needs_text = calls.is_empty();
    for piece in pieces(message, None, request) {
        match piece {
            Piece::Text(text, _) if is_blank(&text) && !calls.is_empty() => {}
            Piece::Text(text, is_marked) => {
                needs_text = false;
                blocks.push(text_block(or_placeholder(&text), is_marked));
            }
            // The API has no images in assistant messages.
            Piece::Image(..) | Piece::File(_) => {}
        }
    }
    if needs_text {
        blocks.push(text_block(EMPTY_TEXT, false));
    }
    blocks.extend(call_blocks.into_iter().flatten());
    blocks
}

/// The block of a call; `None` if it has the id of another of its turn: only one of them could have a result.
fn call_block<'a>(
    call: &'a MessageToolCall,
    names: &ToolNames,
    ids: &mut CallIds,
    open: &mut Vec<OpenCall<'a>>,
) -> Option<String> {
    if open.iter().any(|open| open.id == call.id) {
        return None;
    }
    let sent = ids.next(&call.id);
    let input = input(&call.arguments);
    let block =
        object! { "type": "tool_use", "id": sent, "name": names.sent(&call.name), "input": Json(&input) };
    open.push(OpenCall { id: &call.id, sent, name: &call.name });
    Some(block.finish())
}

/// The blocks of an answer in the order in which its server sent them.
fn in_order(items: Vec<Sent>, thoughts: Vec<String>, calls: Vec<Option<String>>) -> Vec<String> {
    let (mut thoughts, mut calls) = (thoughts.into_iter(), calls.into_iter());
    let block = |item| match item {
        Sent::Thought => thoughts.next(),
        Sent::Call => calls.next().flatten(),
        Sent::Whole(block) => Some(block),
    };
    items.into_iter().filter_map(block).collect()
}

/// Removes trailing white space from the texts of the last assistant message, with which the API refuses a request.
pub(super) fn trim_texts(blocks: &mut [String]) {
    for block in blocks {
        let Some(mut fields) = EditableObject::compact(block) else { continue };
        if let (Some("\"text\""), Some(text)) = (fields.get("type"), fields.read::<String>("text")) {
            fields.set("text", &quoted(text.trim_end_matches(is_space)));
            *block = fields.text();
        }
    }
}

/// The arguments as an object, which the API requires ("Input should be a valid dictionary"). Invalid arguments become an
/// empty object: the call has failed, and its result quotes the error.
fn input(arguments: &str) -> Cow<'_, str> {
    let arguments = arguments.trim();
    if Object::parse(arguments).is_some() { well_formed(arguments) } else { "{}".into() }
}

fn or_placeholder(text: &str) -> &str {
    if is_blank(text) { EMPTY_TEXT } else { text }
}

fn text_block(text: &str, is_marked: bool) -> String {
    part("text", text, is_marked)
}

fn image_block(url: &str, is_marked: bool) -> String {
    let inline = url.strip_prefix("data:").and_then(|inline| {
        let kind = inline.split([';', ',']).next()?;
        Some((kind, inline.split_once(";base64,")?.1))
    });
    let source = match inline {
        Some((kind, data)) => base64(kind, data),
        None => object! { "type": "url", "url": url },
    };
    let cache_control = is_marked.then_some(CACHE_CONTROL);
    object! { "type": "image", "source": source, "cache_control"?: cache_control }.finish()
}

/// A document or an image; the API takes no audio.
fn file_block(file: &GivenFile) -> String {
    if file.kind == FileKind::Image {
        return image_block(&file.url, false);
    }
    let (media_type, data) = file.parts();
    object! { "type": "document", "source": base64(media_type, data), "title": file.name }.finish()
}

fn base64(media_type: &str, data: &str) -> ObjectWriter {
    object! { "type": "base64", "media_type": media_type, "data": data }
}
