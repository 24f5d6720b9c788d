//! What comes back: the events of a stream, or one whole JSON answer, put together into one message.
//!
//! The message is what the SDK stores when LiteLLM has translated the answer: all texts in one, all thoughts in one
//! beside their signed blocks, arguments as text. What only the provider's own tools leave (`server_tool_use`, their
//! results, citations) and blocks that nobody knows yet are read over.

use super::{names::ToolNames, usage::TokenCounts};
use crate::{
    json::{EditableObject, Object, python_dumps},
    llm::{
        completion::Delta,
        message::{Content, Message, MessageToolCall, Role, ThinkingBlock},
        metrics::Usage,
        text_pieces::TextPieces,
        wire_api::{Answer, DecodeError, Decoder},
    },
};

/// More blocks than any answer has; a server that sends more sends garbage.
const MOST_BLOCKS: usize = 10_000;

/// Puts an answer together.
#[derive(Default)]
pub struct AnthropicDecoder {
    names: ToolNames,
    id: String,
    model: String,
    blocks: Vec<Block>,
    stop_reason: Option<String>,
    counts: TokenCounts,
    has_begun: bool,
    is_done: bool,
}

/// One block of the answer, as far as it has come.
struct Block {
    index: u64,
    kind: Kind,
    text: String,
    pieces: TextPieces,
    /// A thought's signature, or what of it only the provider can read.
    seal: String,
    id: String,
    name: String,
    /// The arguments that a call begins with; servers that do not stream them have them here.
    input: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
    Redacted,
    Call,
    Other,
}

impl Decoder for AnthropicDecoder {
    fn push(&mut self, event: &str, data: &str) -> Result<Option<Delta>, DecodeError> {
        let data = data.trim();
        if data.is_empty() || self.is_done || data == "[DONE]" {
            return Ok(None);
        }
        let Some(fields) = Object::parse(data) else {
            return Err(DecodeError::Garbage(data.chars().take(200).collect()));
        };
        // Some servers leave the type to the event's name, and out of a whole answer.
        let kind = fields.read::<String>("type").unwrap_or_else(|| match fields.get("content") {
            Some(_) => "message".to_owned(),
            None => event.to_owned(),
        });
        match kind.as_str() {
            "message_start" => self.begin(&fields.object("message")),
            "content_block_start" => {
                let block = fields.object("content_block");
                return self.start(index_of(&fields), &block).map(shown);
            }
            "content_block_delta" => {
                let delta = fields.object("delta");
                return self.add(index_of(&fields), &delta).map(shown);
            }
            "message_delta" => {
                self.end(&fields.object("delta"));
                self.counts.read(&fields);
            }
            "message_stop" => self.is_done = true,
            // A whole answer.
            "message" => return self.whole(&fields).map(shown),
            // LiteLLM and some relays send errors without a type of their own.
            _ if kind == "error" || fields.get("error").is_some_and(|error| error != "null") => {
                return Err(DecodeError::Provider(data.to_owned()));
            }
            // `ping`, `content_block_stop`, and what comes to be.
            _ => {}
        }
        Ok(None)
    }

    fn is_done(&self) -> bool {
        self.is_done
    }

    fn usage(&self) -> Option<Usage> {
        self.counts.usage()
    }

    fn has_ended(&self) -> bool {
        self.is_done || self.stop_reason.is_some()
    }

    fn finish(mut self: Box<Self>, new_id: &mut dyn FnMut() -> String) -> Result<Answer, DecodeError> {
        if !self.has_ended() {
            return Err(DecodeError::CutOff);
        }
        let mut content = String::new();
        let mut reasoning = String::new();
        let mut thinking_blocks = Vec::new();
        let mut calls: Vec<MessageToolCall> = Vec::new();
        for mut block in std::mem::take(&mut self.blocks) {
            block.text.extend(block.pieces.rest());
            match block.kind {
                Kind::Text => content.push_str(&block.text),
                Kind::Thinking => {
                    reasoning.push_str(&block.text);
                    // Without its signature a thought cannot go back to the model.
                    if !block.seal.is_empty() {
                        let signature = Some(block.seal);
                        thinking_blocks.push(ThinkingBlock::Thinking { thinking: block.text, signature });
                    }
                }
                Kind::Redacted => thinking_blocks.push(ThinkingBlock::Redacted { data: block.seal }),
                Kind::Call if block.name.trim().is_empty() => {
                    return Err(DecodeError::Garbage("a tool call without a name".into()));
                }
                Kind::Call => {
                    let is_taken = block.id.trim().is_empty() || calls.iter().any(|call| call.id == block.id);
                    let id = if is_taken { format!("toolu_{}", new_id()) } else { block.id };
                    let streamed = Some(block.text).filter(|text| !text.trim().is_empty());
                    calls.push(MessageToolCall {
                        id,
                        responses_item_id: None,
                        name: self.names.own(&block.name).to_owned(),
                        arguments: streamed.or(block.input).unwrap_or_else(|| "{}".into()),
                        origin: "completion".into(),
                    });
                }
                Kind::Other => {}
            }
        }
        let is_bare = content.is_empty() && calls.is_empty();
        match self.stop_reason.as_deref() {
            Some("refusal") if is_bare => return Err(DecodeError::Filtered),
            _ if !self.has_begun && is_bare => return Err(DecodeError::Empty),
            _ => {}
        }
        let content = if content.is_empty() { Vec::new() } else { vec![Content::text(content)] };
        let message = Message {
            tool_calls: Some(calls).filter(|calls| !calls.is_empty()),
            reasoning_content: Some(reasoning).filter(|reasoning| !reasoning.is_empty()),
            thinking_blocks,
            ..Message::new(Role::Assistant, content)
        };
        Ok(Answer {
            id: self.id,
            model: self.model,
            message,
            finish_reason: self.stop_reason.as_deref().map(|reason| finish_reason(reason).into()),
            usage: self.counts.usage(),
        })
    }
}

impl AnthropicDecoder {
    /// For an answer in which tools have the names that they were sent with.
    pub(super) fn new(names: ToolNames) -> Self {
        Self { names, ..Self::default() }
    }

    fn begin(&mut self, message: &Object<'_>) {
        self.has_begun = true;
        for (name, kept) in [("id", &mut self.id), ("model", &mut self.model)] {
            if kept.is_empty() {
                *kept = message.read(name).unwrap_or_default();
            }
        }
        self.end(message);
        self.counts.read(message);
    }

    fn end(&mut self, message: &Object<'_>) {
        if let Some(reason) = message.read::<String>("stop_reason").filter(|reason| !reason.is_empty()) {
            self.stop_reason = Some(reason);
        }
    }

    fn whole(&mut self, message: &Object<'_>) -> Result<Delta, DecodeError> {
        self.begin(message);
        let mut all = Delta::default();
        for (index, block) in (0..).zip(message.objects("content").unwrap_or_default()) {
            let delta = self.start(index, &block)?;
            for (sum, more) in
                [(&mut all.content, delta.content), (&mut all.reasoning_content, delta.reasoning_content)]
            {
                if let Some(more) = more {
                    sum.get_or_insert_default().push_str(&more);
                }
            }
        }
        self.is_done = true;
        Ok(all)
    }

    /// A block begins, and some servers give all of it at once.
    fn start(&mut self, index: u64, given: &Object<'_>) -> Result<Delta, DecodeError> {
        let kind = match given.read::<String>("type").as_deref() {
            Some("text") => Kind::Text,
            Some("thinking") => Kind::Thinking,
            Some("redacted_thinking") => Kind::Redacted,
            Some("tool_use") => Kind::Call,
            _ => Kind::Other,
        };
        let block = self.open(index, kind)?;
        let text = |name| given.read::<String>(name).unwrap_or_default();
        block.id = text("id");
        block.name = text("name");
        block.seal = text(if kind == Kind::Redacted { "data" } else { "signature" });
        block.input = given.read::<EditableObject>("input").map(|input| python_dumps(&input.text()));
        Ok(match kind {
            Kind::Text => block.more(given.get("text")),
            Kind::Thinking => block.more(given.get("thinking")),
            Kind::Redacted | Kind::Call | Kind::Other => Delta::default(),
        })
    }

    fn add(&mut self, index: u64, delta: &Object<'_>) -> Result<Delta, DecodeError> {
        let (kind, piece) = match delta.read::<String>("type").as_deref() {
            Some("text_delta") => (Kind::Text, delta.get("text")),
            Some("thinking_delta") => (Kind::Thinking, delta.get("thinking")),
            Some("signature_delta") => (Kind::Thinking, None),
            Some("input_json_delta") => (Kind::Call, delta.get("partial_json")),
            _ => return Ok(Delta::default()),
        };
        let at = self.blocks.iter().rposition(|block| block.index == index);
        let block = match at.and_then(|at| self.blocks.get_mut(at)) {
            Some(block) => block,
            // Arguments of no call are nobody's.
            None if kind == Kind::Call => return Ok(Delta::default()),
            None => self.open(index, kind)?,
        };
        if block.kind != kind {
            return Ok(Delta::default());
        }
        block.seal.extend(delta.read::<String>("signature"));
        Ok(block.more(piece))
    }

    fn open(&mut self, index: u64, kind: Kind) -> Result<&mut Block, DecodeError> {
        if self.blocks.len() >= MOST_BLOCKS {
            return Err(DecodeError::Garbage("more blocks than an answer can have".into()));
        }
        self.has_begun = true;
        let none = String::new;
        let pieces = TextPieces::default();
        let (text, seal, id, name) = (none(), none(), none(), none());
        self.blocks.push(Block { index, kind, text, pieces, seal, id, name, input: None });
        self.blocks.last_mut().ok_or(DecodeError::Empty)
    }
}

impl Block {
    /// Adds a JSON string, and says what of it is to be shown.
    fn more(&mut self, json: Option<&str>) -> Delta {
        let text = json.and_then(|json| self.pieces.text(json)).unwrap_or_default();
        self.text.push_str(&text);
        let text = Some(text).filter(|text| !text.is_empty());
        match self.kind {
            Kind::Text => Delta { content: text, reasoning_content: None },
            Kind::Thinking => Delta { content: None, reasoning_content: text },
            Kind::Redacted | Kind::Call | Kind::Other => Delta::default(),
        }
    }
}

fn index_of(fields: &Object<'_>) -> u64 {
    fields.read("index").unwrap_or(0)
}

fn shown(delta: Delta) -> Option<Delta> {
    Some(delta).filter(|delta| *delta != Delta::default())
}

/// The reason in the words of Chat Completions, as LiteLLM has it.
fn finish_reason(reason: &str) -> &str {
    match reason {
        "end_turn" | "stop_sequence" | "pause_turn" => "stop",
        "tool_use" => "tool_calls",
        "max_tokens" | "model_context_window_exceeded" | "compaction" => "length",
        "refusal" => "content_filter",
        other => other,
    }
}
