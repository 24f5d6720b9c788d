//! The history as alternating turns of the user and the assistant, as the API requires them.
//!
//! The first turn is the user's, every call has its result in the next turn, and the results are the first blocks in it
//! (platform.claude.com, "Tool use": "tool_result blocks must come first in the content array"; the API's errors
//! "`tool_use` ids were found without `tool_result` blocks immediately after", "each tool_use must have a single result"
//! and "unexpected `tool_use_id` found in `tool_result` blocks"). If a log has another order, the request is corrected,
//! not the log.

use super::{
    messages::{assistant_blocks, note_blocks, system_blocks, tool_result, trim_texts, user_blocks},
    thinking::{open_loop, takes_unsigned},
};
use crate::{
    json::{ListWriter, object},
    llm::{
        chat_completions::messages::CacheMarks,
        message::{Message, Role},
        tool_names::{CallIds, ToolNames},
        wire_api::LlmRequest,
    },
};
use std::rc::Rc;

/// Sent as the first turn of the user if the history has none.
const GO_ON: &str = r#"{"type":"text","text":"Go on."}"#;

/// The instructions and the messages of a request.
pub(super) struct History {
    pub(super) system: Option<ListWriter>,
    pub(super) messages: ListWriter,
    pub(super) has_calls: bool,
}

/// A call whose result belongs into the next turn.
pub(super) struct OpenCall<'a> {
    /// The id in the log.
    pub(super) id: &'a str,
    /// The id that is sent.
    pub(super) sent: String,
    pub(super) name: &'a str,
}

/// Builds the turns of a request. `is_thinking` is whether the request enables thinking.
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
    // Other servers think unasked, and refuse a call without its thoughts.
    let is_anthropics = !takes_unsigned(request);
    let thoughts_end = if is_thinking || !is_anthropics { messages.len() } else { open_loop(messages) };

    let mut ids = CallIds::default();
    let mut turns = ListWriter::new();
    let mut open = Vec::new();
    let mut has_calls = false;
    let mut rest = messages.iter().enumerate().skip(leading).peekable();
    loop {
        let mut inputs = Vec::new();
        while let Some(next) = rest.next_if(|(_, message)| message.role != Role::Assistant) {
            inputs.push(next);
        }
        let mut blocks = user_turn(&inputs, &open, &marks, request);
        if turns.is_empty() && blocks.is_empty() {
            blocks.push(GO_ON.into());
        }
        turns.items(turn(Role::User, blocks));

        open = Vec::new();
        let mut blocks = Vec::new();
        while let Some((at, message)) = rest.next_if(|(_, message)| message.role == Role::Assistant) {
            let has_thoughts = at < thoughts_end;
            blocks.extend(assistant_blocks(message, has_thoughts, names, &mut ids, &mut open, request));
        }
        has_calls |= !open.is_empty();
        let is_last = rest.peek().is_none();
        if is_last && open.is_empty() {
            trim_texts(&mut blocks);
            turns.items(turn(Role::Assistant, blocks));
            break;
        }
        turns.items(turn(Role::Assistant, blocks));
    }
    let system = Some(system).filter(|system| !system.is_empty());
    History { system, messages: turns, has_calls }
}

/// `None` for a turn without blocks: the API then joins the turns around it.
fn turn(role: Role, blocks: Vec<String>) -> Option<String> {
    if blocks.is_empty() {
        return None;
    }
    let mut content = ListWriter::new();
    content.items(blocks);
    Some(object! { "role": role, "content": content }.finish())
}

fn user_turn(
    inputs: &[(usize, &Rc<Message>)],
    open: &[OpenCall<'_>],
    marks: &CacheMarks,
    request: &LlmRequest<'_>,
) -> Vec<String> {
    let answers = |message: &Message, call: &OpenCall<'_>| {
        message.role == Role::Tool && message.tool_call_id.as_deref() == Some(call.id)
    };
    let mut blocks = Vec::new();
    for (position, (at, message)) in inputs.iter().enumerate() {
        let Some(call) = open.iter().find(|call| answers(message, call)) else { continue };
        // Of several results the last one counts, as in LiteLLM.
        let is_last = !inputs.iter().skip(position + 1).any(|(_, later)| answers(later, call));
        if is_last {
            blocks.push(tool_result(message, &call.sent, marks.part_of(*at), request));
        }
    }
    for call in open {
        if !inputs.iter().any(|(_, message)| answers(message, call)) {
            blocks.push(missing_result(call));
        }
    }
    for (at, message) in inputs {
        match message.role {
            Role::User => blocks.extend(user_blocks(message, marks.part_of(*at), request)),
            Role::System => blocks.extend(note_blocks(message, request)),
            // The API refuses a result without a call.
            Role::Assistant | Role::Tool => {}
        }
    }
    blocks
}

/// The result for a call that has none.
fn missing_result(call: &OpenCall<'_>) -> String {
    let text = format!("[Of this call of {} no result was recorded.]", call.name);
    object! { "type": "tool_result", "tool_use_id": call.sent, "content": text }.finish()
}
