//! The blocks of an answer that had more than thoughts, texts and calls, as they go back to the server that sent them: what its
//! own tools did, and what a text names as its sources. They are kept as JSON in an item without an id (see `llm/carried.rs`);
//! thoughts and calls, which the event has, are left out of it.

use crate::{
    json::{EditableObject, ListWriter},
    llm::{
        carried::{self, Origin},
        message::{Message, ReasoningItem},
    },
};

/// The longest answer that is kept, in bytes.
const LONGEST: usize = 1 << 20;

/// Stand for the next thought and the next call of the event.
pub(super) const THOUGHT: &str = r#"{"type":"thinking"}"#;
pub(super) const CALL: &str = r#"{"type":"tool_use"}"#;

/// The item that keeps these blocks.
pub(super) fn item(blocks: Vec<String>, origin: &Origin) -> Option<ReasoningItem> {
    let mut list = ListWriter::new();
    list.items(blocks);
    let mut json = origin.fields_for(carried::ANTHROPIC);
    json.field("blocks", &list);
    let encrypted_content = Some(json.finish()).filter(|json| json.len() <= LONGEST)?;
    Some(ReasoningItem { encrypted_content: Some(encrypted_content), ..ReasoningItem::default() })
}

/// A block to send.
pub(super) enum Sent {
    /// The next thought of the message.
    Thought,
    /// The next call of the message.
    Call,
    /// This one.
    Whole(String),
}

/// The blocks of an answer for this server; `None` if it comes from elsewhere, or if the message is no longer what they were.
pub(super) fn blocks_of(message: &Message, origin: &Origin) -> Option<Vec<Sent>> {
    let fields = carried::fields_of(message, carried::ANTHROPIC, origin)?;
    let mut said = String::new();
    let mut calls = 0;
    let mut sent = Vec::new();
    for block in fields.read::<Vec<EditableObject>>("blocks")? {
        let text = block.text();
        sent.push(match text.as_str() {
            THOUGHT => Sent::Thought,
            CALL => {
                calls += 1;
                Sent::Call
            }
            _ => {
                if block.get("type") == Some("\"text\"") {
                    said.push_str(&block.read::<String>("text")?);
                }
                Sent::Whole(text)
            }
        });
    }
    let is_same =
        visible(&said).eq(visible(&message.text())) && calls == message.tool_calls.iter().flatten().count();
    is_same.then_some(sent)
}

/// What can be seen of a text: blocks of white space are refused, and were left out.
fn visible(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| !c.is_whitespace())
}
