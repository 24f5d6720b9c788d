//! The decoder of answers: it builds one message from the events of a stream or from one complete JSON answer.
//!
//! The message equals the one that the SDK stores when LiteLLM has translated the answer: all texts in one, all reasoning
//! in one beside its signed blocks, arguments as text. What the SDK has no place for, blocks of the provider's own
//! tools with their results, sources and unknown blocks, is kept for the requests that follow; people are shown what
//! `llm/beside.rs` keeps of it.

use super::{carried, usage::TokenCounts};
use crate::{
    json::{EditableObject, ListWriter, Object, object, python_dumps, quoted},
    llm::{
        beside::Beside,
        carried::Origin,
        completion::{Delta, ToolCallDelta},
        message::{Content, Message, MessageToolCall, Role, ThinkingBlock},
        metrics::Usage,
        settled_calls::settled,
        text_pieces::TextPieces,
        tool_names::ToolNames,
        wire_api::{Answer, DecodeError, Decoder, data_of, object_of},
    },
};

/// The limit for the blocks of one answer, far above real answers, against servers that never end.
const MAX_BLOCKS: usize = 10_000;

/// The limit for the sources of one text.
const MAX_CITATIONS: usize = 1000;

/// The decoder of one answer.
#[derive(Default)]
pub struct AnthropicDecoder {
    names: ToolNames,
    origin: Origin,
    id: String,
    model: String,
    blocks: Vec<Block>,
    stop_reason: Option<String>,
    counts: TokenCounts,
    /// The counts of the requests before the last pause, and the number of the blocks that came with them.
    counted: Option<Usage>,
    first: usize,
    /// The id of the message that is being received.
    attempt: String,
    has_begun: bool,
    is_done: bool,
}

/// One block of the answer, as far as it has been received.
#[derive(Default)]
struct Block {
    index: u64,
    kind: Kind,
    text: String,
    pieces: TextPieces,
    /// The signature of a thinking block, or the encrypted data of a redacted one.
    opaque: String,
    /// Whether there was a signature, which may be empty.
    is_signed: bool,
    id: String,
    name: String,
    /// The arguments in the first event of a call, for servers that do not stream them.
    input: Option<String>,
    /// The block of a kind that is not read here, as it began.
    raw: EditableObject,
    /// What a text names as its sources, as JSON.
    citations: Vec<String>,
    /// The number of calls before this block.
    calls_before: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Text,
    Thinking,
    Redacted,
    Call,
    Other,
}

impl Decoder for AnthropicDecoder {
    fn push(&mut self, event: &str, data: &str) -> Result<Option<Delta>, DecodeError> {
        // Some proxies end the stream as OpenAI does, which does not say here that the answer is complete.
        let Some(data) = data_of(data, &mut { self.is_done }) else { return Ok(None) };
        let fields = object_of(data)?;
        // Some servers have the type only as the name of the event, and none in a complete answer.
        let kind = fields.read::<String>("type").unwrap_or_else(|| match fields.get("content") {
            Some(_) => "message".to_owned(),
            None => event.to_owned(),
        });
        match kind.as_str() {
            "message_start" => {
                let message = fields.object("message");
                self.attempt(message.read("id").unwrap_or_default());
                self.begin(&message);
                // Some servers send whole blocks here, and none later.
                return self.read_blocks(&message).map(Delta::non_empty);
            }
            "content_block_start" => {
                let block = fields.object("content_block");
                return self.start(index_of(&fields), &block).map(Delta::non_empty);
            }
            "content_block_stop" => return Ok(self.stop(index_of(&fields)).and_then(Delta::non_empty)),
            "content_block_delta" => {
                let delta = fields.object("delta");
                return self.add(index_of(&fields), &delta).map(Delta::non_empty);
            }
            "message_delta" => {
                self.end(&fields.object("delta"));
                self.counts.read(&fields);
            }
            "message_stop" => self.is_done = true,
            // A complete answer.
            "message" => return self.read_complete(&fields).map(Delta::non_empty),
            // LiteLLM and some relays send errors without a type.
            _ if kind == "error" || fields.get("error").is_some_and(|error| error != "null") => {
                return Err(DecodeError::Provider(data.to_owned()));
            }
            // `ping`, and unknown events.
            _ => {}
        }
        Ok(None)
    }

    fn is_done(&self) -> bool {
        self.is_done
    }

    fn usage(&self) -> Option<Usage> {
        match (self.counted, self.counts.usage()) {
            (Some(before), Some(now)) => Some(before.with(now, u64::saturating_add)),
            (before, now) => before.or(now),
        }
    }

    fn take_pause(&mut self) -> Option<String> {
        // Its own tools run there, and nobody waits for a call of ours.
        let has_calls = self.blocks.iter().any(|block| block.kind == Kind::Call);
        if self.stop_reason.as_deref() != Some("pause_turn") || has_calls {
            return None;
        }
        let mut content = ListWriter::new();
        content.items(self.blocks.iter().filter_map(Block::sent_back));
        if content.is_empty() {
            return None;
        }
        self.counted = self.usage();
        self.counts = TokenCounts::default();
        self.first = self.blocks.len();
        self.attempt = String::new();
        self.stop_reason = None;
        self.is_done = false;
        Some(object! { "role": "assistant", "content": content }.finish())
    }

    fn has_ended(&self) -> bool {
        self.is_done || self.stop_reason.is_some()
    }

    fn has_begun(&self) -> bool {
        self.has_begun
    }

    fn finish(mut self: Box<Self>, new_id: &mut dyn FnMut() -> String) -> Result<Answer, DecodeError> {
        if !self.has_ended() {
            return Err(DecodeError::CutOff);
        }
        let usage = self.usage();
        let mut beside = Beside::default();
        let mut content = String::new();
        let mut reasoning = String::new();
        let mut thinking_blocks = Vec::new();
        let mut calls: Vec<MessageToolCall> = Vec::new();
        for block in &mut self.blocks {
            block.text.extend(block.pieces.rest());
            block.add_beside(&mut beside);
        }
        let kept = self.kept().and_then(|blocks| carried::item(blocks, &self.origin));
        for block in std::mem::take(&mut self.blocks) {
            match block.kind {
                Kind::Text => content.push_str(&block.text),
                Kind::Thinking => {
                    reasoning.push_str(&block.text);
                    // Servers that only speak the API sign their thoughts with anything, with nothing, or not at all.
                    let is_empty = block.text.is_empty() && block.opaque.is_empty();
                    if !is_empty {
                        let signature = block.is_signed.then_some(block.opaque);
                        thinking_blocks.push(ThinkingBlock::Thinking { thinking: block.text, signature });
                    }
                }
                Kind::Redacted => thinking_blocks.push(ThinkingBlock::Redacted { data: block.opaque }),
                Kind::Call if block.name.trim().is_empty() => {
                    return Err(DecodeError::Malformed("a tool call without a name".into()));
                }
                Kind::Call => {
                    let is_taken = block.id.trim().is_empty() || calls.iter().any(|call| call.id == block.id);
                    let id = if is_taken { format!("toolu_{}", new_id()) } else { block.id };
                    let streamed = Some(block.text).filter(|text| !text.trim().is_empty());
                    calls.push(MessageToolCall {
                        id,
                        responses_item_id: None,
                        name: block.name,
                        arguments: streamed.or(block.input).unwrap_or_else(|| "{}".into()),
                        origin: "completion".into(),
                    });
                }
                Kind::Other => {}
            }
        }
        let calls = settled(calls, &self.names, new_id);
        let is_empty = content.is_empty() && calls.is_empty();
        match self.stop_reason.as_deref() {
            Some("refusal") if is_empty => return Err(DecodeError::Filtered),
            _ if !self.has_begun && is_empty => return Err(DecodeError::Empty),
            _ => {}
        }
        let content = if content.is_empty() { Vec::new() } else { vec![Content::text(content)] };
        let mut message = Message {
            tool_calls: Some(calls).filter(|calls| !calls.is_empty()),
            reasoning_content: Some(reasoning).filter(|reasoning| !reasoning.is_empty()),
            thinking_blocks,
            responses_reasoning_item: kept,
            ..Message::new(Role::Assistant, content)
        };
        beside.keep(&mut message);
        Ok(Answer {
            id: self.id,
            model: self.model,
            message,
            finish_reason: self.stop_reason.as_deref().map(|reason| finish_reason(reason).into()),
            usage,
            reasoning_field: None,
        })
    }
}

impl AnthropicDecoder {
    /// A decoder that translates the names of tools back.
    pub(super) fn new(names: ToolNames, origin: Origin) -> Self {
        Self { names, origin, ..Self::default() }
    }

    /// The blocks to keep, if there are other ones than the message has a place for.
    fn kept(&self) -> Option<Vec<String>> {
        let is_more = |block: &Block| !block.raw.is_empty() || !block.citations.is_empty();
        self.blocks.iter().any(is_more).then(|| {
            let kept = |block: &Block| match block.kind {
                Kind::Call => Some(carried::CALL.to_owned()),
                Kind::Thinking | Kind::Redacted => block.sent_back().map(|_| carried::THOUGHT.to_owned()),
                Kind::Text | Kind::Other => block.sent_back(),
            };
            self.blocks.iter().filter_map(kept).collect()
        })
    }

    /// A relay that tries again puts the next attempt behind what it has sent of the one before.
    fn attempt(&mut self, id: String) {
        let last = std::mem::replace(&mut self.attempt, id);
        if last.is_empty() || self.attempt.is_empty() || last == self.attempt {
            return;
        }
        self.blocks.truncate(self.first);
        self.counts = TokenCounts::default();
        self.stop_reason = None;
        if self.first == 0 {
            self.id = String::new();
        }
    }

    fn begin(&mut self, message: &Object<'_>) {
        self.has_begun = true;
        for (name, value) in [("id", &mut self.id), ("model", &mut self.model)] {
            if value.is_empty() {
                *value = message.read(name).unwrap_or_default();
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

    fn read_complete(&mut self, message: &Object<'_>) -> Result<Delta, DecodeError> {
        self.begin(message);
        let all = self.read_blocks(message)?;
        self.is_done = true;
        Ok(all)
    }

    fn read_blocks(&mut self, message: &Object<'_>) -> Result<Delta, DecodeError> {
        let mut all = Delta::default();
        for (index, block) in (0..).zip(message.objects("content").unwrap_or_default()) {
            // The calls of a complete answer are not shown before the answer.
            all.append(Delta { tool_calls: Vec::new(), ..self.start(index, &block)? });
        }
        Ok(all)
    }

    /// Begins a block, which some servers send completely in this event.
    fn start(&mut self, index: u64, fields: &Object<'_>) -> Result<Delta, DecodeError> {
        let kind = match fields.read::<String>("type").as_deref() {
            Some("text") => Kind::Text,
            Some("thinking") => Kind::Thinking,
            Some("redacted_thinking") => Kind::Redacted,
            Some("tool_use") => Kind::Call,
            _ => Kind::Other,
        };
        let block = self.open(index, kind)?;
        let text = |name| fields.read::<String>(name).unwrap_or_default();
        block.id = text("id");
        block.name = text("name");
        block.is_signed = fields.get("signature").is_some_and(|json| json != "null");
        block.opaque = text(if kind == Kind::Redacted { "data" } else { "signature" });
        block.input = fields.read::<EditableObject>("input").map(|input| python_dumps(&input.text()));
        match kind {
            Kind::Text => {
                let citations = fields.objects("citations").unwrap_or_default();
                block.cite(citations.iter().map(Object::text));
                return Ok(block.append(fields.get("text")));
            }
            Kind::Thinking => return Ok(block.append(fields.get("thinking"))),
            Kind::Call => {}
            Kind::Other => {
                block.raw = EditableObject::compact(fields.text()).unwrap_or_default();
                return Ok(Delta::default());
            }
            Kind::Redacted => return Ok(Delta::default()),
        }
        let (at, id, name) = (block.calls_before, block.id.clone(), block.name.clone());
        Ok(of_call(ToolCallDelta::begin(at, &id, self.names.original(&name))))
    }

    /// The arguments of a call that were in its first event.
    fn stop(&self, index: u64) -> Option<Delta> {
        let block = self.blocks.iter().skip(self.first).rfind(|block| block.index == index)?;
        let input = block.input.as_ref().filter(|_| block.kind == Kind::Call && block.text.trim().is_empty());
        Some(block.call_delta(input?.clone()))
    }

    fn add(&mut self, index: u64, delta: &Object<'_>) -> Result<Delta, DecodeError> {
        let (kind, piece) = match delta.read::<String>("type").as_deref() {
            Some("text_delta") => (Kind::Text, delta.get("text")),
            Some("thinking_delta") => (Kind::Thinking, delta.get("thinking")),
            Some("signature_delta") => (Kind::Thinking, None),
            Some("citations_delta") => (Kind::Text, None),
            Some("input_json_delta") => (Kind::Call, delta.get("partial_json")),
            _ => return Ok(Delta::default()),
        };
        let at = self.blocks.iter().rposition(|block| block.index == index).filter(|at| *at >= self.first);
        let block = match at.and_then(|at| self.blocks.get_mut(at)) {
            Some(block) => block,
            // Arguments without a call are ignored.
            None if kind == Kind::Call => return Ok(Delta::default()),
            None => self.open(index, kind)?,
        };
        if block.kind == Kind::Other && kind == Kind::Call {
            block.text.extend(piece.and_then(|json| block.pieces.text(json)));
            return Ok(Delta::default());
        }
        if block.kind != kind {
            return Ok(Delta::default());
        }
        if kind == Kind::Text {
            block.cite(delta.get("citation"));
        }
        if let Some(signature) = delta.read::<String>("signature") {
            block.is_signed = true;
            block.opaque.push_str(&signature);
        }
        Ok(block.append(piece))
    }

    fn open(&mut self, index: u64, kind: Kind) -> Result<&mut Block, DecodeError> {
        if self.blocks.len() >= MAX_BLOCKS {
            return Err(DecodeError::Malformed("an answer with too many blocks".into()));
        }
        self.has_begun = true;
        let calls_before =
            self.blocks.last().map_or(0, |last| last.calls_before + usize::from(last.kind == Kind::Call));
        self.blocks.push(Block { index, kind, calls_before, ..Block::default() });
        self.blocks.last_mut().ok_or(DecodeError::Empty)
    }
}

impl Block {
    /// Adds the sources that this text names, or the tool of the provider's own that this block is a use of.
    fn add_beside(&self, beside: &mut Beside) {
        for citation in &self.citations {
            Object::parse(citation).iter().for_each(|citation| beside.cite(citation));
        }
        let kind: String = self.raw.read("type").unwrap_or_default();
        if self.kind == Kind::Other && kind.ends_with("_tool_use") {
            let input = Some(self.text.as_str()).filter(|text| !text.trim().is_empty());
            let input = input.or_else(|| self.raw.get("input")).and_then(Object::parse);
            beside.did(&self.raw.read::<String>("name").unwrap_or_default(), &[&input.unwrap_or_default()]);
        }
    }

    /// The block as its provider takes it back; `None` for one that it would refuse because it is empty, and for a call.
    fn sent_back(&self) -> Option<String> {
        let mut fields = self.raw.clone();
        let mut set = |name: &str, text: &str| fields.set(name, &quoted(text));
        match self.kind {
            Kind::Call => return None,
            Kind::Text if self.text.trim().is_empty() => return None,
            Kind::Text => {
                set("type", "text");
                set("text", &self.text);
                if !self.citations.is_empty() {
                    let mut citations = ListWriter::new();
                    citations.items(self.citations.iter().cloned());
                    fields.set("citations", &citations.finish());
                }
            }
            Kind::Thinking => {
                set("type", "thinking");
                set("thinking", &self.text);
                set("signature", &self.opaque);
            }
            Kind::Redacted => {
                set("type", "redacted_thinking");
                set("data", &self.opaque);
            }
            Kind::Other if EditableObject::compact(&self.text).is_some() => fields.set("input", &self.text),
            Kind::Other => {}
        }
        (!fields.is_empty()).then(|| fields.text())
    }

    /// Appends a JSON string, and returns the part that is shown.
    fn append(&mut self, json: Option<&str>) -> Delta {
        let text = json.and_then(|json| self.pieces.text(json)).unwrap_or_default();
        self.text.push_str(&text);
        match self.kind {
            _ if text.is_empty() => Delta::default(),
            Kind::Text => Delta { content: Some(text), ..Delta::default() },
            Kind::Thinking => Delta { reasoning_content: Some(text), ..Delta::default() },
            Kind::Call => self.call_delta(text),
            Kind::Redacted | Kind::Other => Delta::default(),
        }
    }

    fn cite<'a>(&mut self, citations: impl IntoIterator<Item = &'a str>) {
        let room = MAX_CITATIONS.saturating_sub(self.citations.len());
        self.citations.extend(citations.into_iter().take(room).map(str::to_owned));
    }

    fn call_delta(&self, arguments: String) -> Delta {
        of_call(ToolCallDelta { index: self.calls_before, arguments, ..ToolCallDelta::default() })
    }
}

fn of_call(delta: ToolCallDelta) -> Delta {
    Delta { tool_calls: vec![delta], ..Delta::default() }
}

fn index_of(fields: &Object<'_>) -> u64 {
    fields.read("index").unwrap_or(0)
}

/// The finish reason as Chat Completions names it, mapped as LiteLLM does.
fn finish_reason(reason: &str) -> &str {
    match reason {
        "end_turn" | "stop_sequence" => "stop",
        "tool_use" => "tool_calls",
        "max_tokens" | "model_context_window_exceeded" | "compaction" => "length",
        "refusal" => "content_filter",
        other => other,
    }
}
