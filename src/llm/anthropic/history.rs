//! The history in turns: pairs of what the user and the assistant say, as the API wants them.
//!
//! The first turn is the user's, every call is answered in the turn behind it, and the answers stand first in it
//! (platform.claude.com, "Tool use": "tool_result blocks must come first in the content array"; the API's errors
//! "`tool_use` ids were found without `tool_result` blocks immediately after", "each tool_use must have a single result"
//! and "unexpected `tool_use_id` found in `tool_result` blocks"). Where a log has it otherwise, only what is sent is put
//! in order.

use super::{
    messages::{assistant_blocks, last_spaces_off, note_blocks, system_blocks, tool_result, user_blocks},
    names::{CallIds, ToolNames},
    thinking::open_loop,
};
use crate::{
    json::{ListWriter, ObjectWriter, quoted},
    llm::{
        chat_completions::messages::CacheMarks,
        message::{Message, Role},
        wire_api::LlmRequest,
    },
};
use std::rc::Rc;

/// What a user says who has said nothing.
const GO_ON: &str = r#"{"type":"text","text":"Go on."}"#;

/// The instructions and the messages of a request.
pub(super) struct History {
    pub(super) system: Option<String>,
    pub(super) messages: String,
    pub(super) has_calls: bool,
}

/// A call that waits for its answer in the next turn.
pub(super) struct OpenCall<'a> {
    /// The id in the log.
    pub(super) id: &'a str,
    /// The id that is sent.
    pub(super) sent: String,
    pub(super) name: &'a str,
}

/// Puts a history in order. `is_thinking` says whether the model is asked to think.
pub(super) fn history(request: &LlmRequest<'_>, names: &ToolNames, is_thinking: bool) -> History {
    let messages = request.messages;
    let marks = CacheMarks::of(request);
    let leading = messages.iter().take_while(|message| message.role == Role::System).count();
    let mut system = ListWriter::new();
    for (at, message) in messages.iter().enumerate().take(leading) {
        system.items(system_blocks(message, marks.part_of(at), request));
    }
    // "When `thinking` is disabled, an `assistant` message in the final position cannot contain `thinking`"
    // (github.com/BerriAI/litellm/issues/18926).
    let thoughts_end = if is_thinking { messages.len() } else { open_loop(messages) };

    let mut ids = CallIds::default();
    let mut turns = ListWriter::new();
    let mut open = Vec::new();
    let mut has_calls = false;
    let mut rest = messages.iter().enumerate().skip(leading).peekable();
    loop {
        let mut said = Vec::new();
        while let Some(next) = rest.next_if(|(_, message)| message.role != Role::Assistant) {
            said.push(next);
        }
        let mut blocks = user_turn(&said, &open, &marks, request);
        if turns.is_empty() && blocks.is_empty() {
            blocks.push(GO_ON.into());
        }
        turns.items(turn("\"user\"", blocks));

        open = Vec::new();
        let mut blocks = Vec::new();
        while let Some((at, message)) = rest.next_if(|(_, message)| message.role == Role::Assistant) {
            let has_thoughts = at < thoughts_end;
            blocks.extend(assistant_blocks(message, has_thoughts, names, &mut ids, &mut open, request));
        }
        has_calls |= !open.is_empty();
        let is_last = rest.peek().is_none();
        if is_last && open.is_empty() {
            last_spaces_off(&mut blocks);
            turns.items(turn("\"assistant\"", blocks));
            break;
        }
        turns.items(turn("\"assistant\"", blocks));
    }
    let system = Some(system).filter(|system| !system.is_empty()).map(ListWriter::finish);
    History { system, messages: turns.finish(), has_calls }
}

/// `None` where nothing is said: the API joins what stands around it.
fn turn(role: &str, blocks: Vec<String>) -> Option<String> {
    if blocks.is_empty() {
        return None;
    }
    let mut content = ListWriter::new();
    content.items(blocks);
    let mut turn = ObjectWriter::new();
    turn.raw("role", role);
    turn.raw("content", &content.finish());
    Some(turn.finish())
}

fn user_turn(
    said: &[(usize, &Rc<Message>)],
    open: &[OpenCall<'_>],
    marks: &CacheMarks,
    request: &LlmRequest<'_>,
) -> Vec<String> {
    let answers = |message: &Message, call: &OpenCall<'_>| {
        message.role == Role::Tool && message.tool_call_id.as_deref() == Some(call.id)
    };
    let mut blocks = Vec::new();
    for (place, (at, message)) in said.iter().enumerate() {
        let Some(call) = open.iter().find(|call| answers(message, call)) else { continue };
        // Of several answers the last counts, as for LiteLLM.
        let is_last = !said.iter().skip(place + 1).any(|(_, later)| answers(later, call));
        if is_last {
            blocks.push(tool_result(message, &call.sent, marks.part_of(*at), request));
        }
    }
    for call in open {
        if !said.iter().any(|(_, message)| answers(message, call)) {
            blocks.push(missing_result(call));
        }
    }
    for (at, message) in said {
        match message.role {
            Role::User => blocks.extend(user_blocks(message, marks.part_of(*at), request)),
            Role::System => blocks.extend(note_blocks(message, request)),
            // A result that answers no call is refused.
            Role::Assistant | Role::Tool => {}
        }
    }
    blocks
}

/// The answer to a call that was never answered.
fn missing_result(call: &OpenCall<'_>) -> String {
    let words = format!("[Of this call of {} no result was recorded.]", call.name);
    let mut result = ObjectWriter::new();
    result.raw("type", "\"tool_result\"");
    result.raw("tool_use_id", &quoted(&call.sent));
    result.raw("content", &quoted(&words));
    result.finish()
}
