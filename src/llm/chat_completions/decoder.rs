//! The decoder of answers: it builds one message from the chunks of a stream or from one complete JSON answer.
//!
//! Deterministic: ids that a server omits are made by the caller's function at the end. Lenient, because most servers
//! deviate from the protocol; only data that cannot be read at all is an error.

use super::{messages::IN_CONTENT, tool_calls::ToolCalls};
use crate::{
    json::{Object, elements, objects, range_in},
    llm::{
        beside::Beside,
        carried::{Carrying, Origin},
        completion::Delta,
        images::Images,
        message::{Content, Message, Role, ThinkingBlock},
        metrics::Usage,
        provider_errors::is_error,
        text_pieces::TextPieces,
        tool_names::ToolNames,
        usage::usage_of,
        wire_api::{Answer, DecodeError, Decoder, LlmRequest, data_of, object_of},
    },
};
use std::ops::Range;

/// The decoder of one answer.
#[derive(Default)]
pub struct ChatDecoder {
    id: String,
    model: String,
    content: String,
    content_pieces: TextPieces,
    reasoning: String,
    reasoning_pieces: TextPieces,
    thinking: Vec<ThinkingBlock>,
    calls: ToolCalls,
    finish_reason: Option<String>,
    usage: Option<Usage>,
    has_choice: bool,
    is_complete: bool,
    is_done: bool,
    /// Whether more came after a finish reason, which therefore is not the end.
    goes_on: bool,
    went_on: bool,
    plain: PlainChunk,
    names: ToolNames,
    origin: Origin,
    carrying: Carrying,
    beside: Beside,
    images: Images,
    reasoning_field: Option<&'static str>,
}

/// The fields of reasoning as text: OpenRouter, Groq, Ollama and vLLM name it `reasoning`, Copilot `reasoning_text`. Some
/// servers send two of them with the same text.
const REASONING: [&str; 4] = ["reasoning_content", "reasoning", "reasoning_text", "thinking"];

/// The last chunk that added only text or arguments, and the position of these. Most chunks of an answer differ from the one
/// before only in them, and need not be parsed.
#[derive(Default)]
struct PlainChunk {
    data: String,
    text: Range<usize>,
    /// The position of the call with the arguments.
    call: Option<usize>,
}

impl PlainChunk {
    /// The text, as a JSON string that is not checked yet, of a chunk that is otherwise equal to the remembered one.
    fn text_of<'a>(&self, data: &'a str) -> Option<&'a str> {
        let (before, after) = (self.data.get(..self.text.start)?, self.data.get(self.text.end..)?);
        data.strip_prefix(before)?.strip_suffix(after).filter(|text| text.starts_with('"'))
    }

    /// Remembers a chunk if it adds only text, or only arguments to the call at this position.
    fn remember(&mut self, data: &str, piece: &Object<'_>, call: Option<usize>) {
        let is_empty = |name| matches!(piece.get(name), None | Some("null" | "\"\"" | "[]"));
        let is_known = |name: &str| matches!(name, "role" | "content" | "tool_calls");
        let calls = piece.objects("tool_calls").unwrap_or_default();
        let text = match (calls.as_slice(), call) {
            ([], _) => piece.get("content"),
            ([one], Some(_)) if is_empty("content") && only_arguments(one) => {
                one.object("function").get("arguments")
            }
            _ => None,
        };
        if let (Some(text), true) = (text, piece.iter().all(|(name, _)| is_known(name) || is_empty(name))) {
            let call = call.filter(|_| !calls.is_empty());
            *self = Self { data: data.to_owned(), text: range_in(data, text), call };
        }
    }
}

/// Whether a piece of a call has nothing but its index and arguments.
fn only_arguments(call: &Object<'_>) -> bool {
    call.iter().all(|(name, _)| matches!(name, "index" | "type" | "function"))
        && call.object("function").iter().all(|(name, _)| name == "arguments")
}

impl Decoder for ChatDecoder {
    fn push(&mut self, _event: &str, data: &str) -> Result<Option<Delta>, DecodeError> {
        let Some(data) = data_of(data, &mut self.is_done) else { return Ok(None) };
        if let Some(text) = self.plain.text_of(data) {
            let delta = match self.plain.call {
                Some(at) => self.calls.push_arguments(at, text).map(|call| Delta {
                    tool_calls: Vec::from_iter(Some(call).filter(|call| !call.arguments.is_empty())),
                    ..Delta::default()
                }),
                None => self.content_pieces.text(text).map(|text| {
                    self.content.push_str(&text);
                    Delta { content: Some(text).filter(|text| !text.is_empty()), ..Delta::default() }
                }),
            };
            if let Some(delta) = delta {
                return Ok(delta.non_empty());
            }
        }
        // Any other chunk may change the state, so that the remembered chunk no longer adds only text.
        self.plain = PlainChunk::default();
        let chunk = object_of(data)?;
        if let Some(error) = chunk.get("error").filter(|error| !matches!(*error, "null" | "\"\"" | "{}")) {
            return Err(DecodeError::reported(error));
        }
        for (name, value) in [("id", &mut self.id), ("model", &mut self.model)] {
            if value.is_empty() {
                *value = chunk.read(name).unwrap_or_default();
            }
        }
        let groq = || chunk.object("x_groq").get("usage").and_then(Object::parse);
        if let Some(usage) =
            chunk.get("usage").and_then(Object::parse).or_else(groq).and_then(|usage| usage_of(&usage))
        {
            self.usage = Some(usage);
        }
        self.beside.take_lists(&chunk);
        let Some(choices) = chunk.get("choices").and_then(elements) else {
            return if is_error(data) { Err(DecodeError::Provider(data.to_owned())) } else { Ok(None) };
        };
        let mut shown = Delta::default();
        let choices = choices.into_iter().filter_map(Object::parse);
        for choice in choices {
            shown.append(self.push_choice(data, &choice)?);
        }
        Ok(shown.non_empty())
    }

    fn is_done(&self) -> bool {
        self.is_done
    }

    fn usage(&self) -> Option<Usage> {
        self.usage
    }

    fn has_ended(&self) -> bool {
        self.is_done || self.finish_reason.is_some() && !self.goes_on
    }

    fn went_on(&self) -> bool {
        self.went_on
    }

    fn has_begun(&self) -> bool {
        self.has_choice
    }

    fn finish(mut self: Box<Self>, new_id: &mut dyn FnMut() -> String) -> Result<Answer, DecodeError> {
        if !self.has_ended() && self.finish_reason.is_none() && !self.is_complete {
            return Err(DecodeError::CutOff);
        }
        self.content.extend(self.content_pieces.rest());
        self.reasoning.extend(self.reasoning_pieces.rest());
        let is_empty = self.content.is_empty() && self.calls.is_empty();
        match self.finish_reason.as_deref() {
            Some("content_filter") if is_empty => return Err(DecodeError::Filtered),
            Some("error") => return Err(DecodeError::Provider("{}".into())),
            _ if !self.has_choice => return Err(DecodeError::Empty),
            _ => {}
        }
        let Some(calls) = self.calls.finish(&self.names, new_id) else {
            return Err(DecodeError::Malformed("a tool call without a name".into()));
        };
        let mut content =
            if self.content.is_empty() { Vec::new() } else { vec![Content::text(self.content)] };
        content.extend(self.images.parts());
        let mut message = Message {
            tool_calls: Some(calls).filter(|calls| !calls.is_empty()),
            reasoning_content: Some(self.reasoning).filter(|reasoning| !reasoning.is_empty()),
            thinking_blocks: self.thinking,
            responses_reasoning_item: self.carrying.item(&self.origin),
            ..Message::new(Role::Assistant, content)
        };
        self.beside.keep(&mut message);
        Ok(Answer {
            id: self.id,
            model: self.model,
            message,
            finish_reason: self.finish_reason,
            usage: self.usage,
            reasoning_field: self.reasoning_field,
        })
    }
}

impl ChatDecoder {
    /// A decoder of the answer to this request.
    pub(in crate::llm) fn of(request: &LlmRequest<'_>, names: ToolNames) -> Self {
        let has_bare_ids = !request.endpoint.provider.takes_call_signatures;
        let mut calls = ToolCalls::default();
        calls.has_bare_ids = has_bare_ids;
        Self { names, calls, origin: Origin::of(request.endpoint), ..Self::default() }
    }

    fn push_choice(&mut self, data: &str, choice: &Object<'_>) -> Result<Delta, DecodeError> {
        self.has_choice = true;
        if let Some(error) = choice.get("error").filter(|error| *error != "null") {
            return Err(DecodeError::reported(error));
        }
        // Only one answer is requested. Of further choices some servers make the calls of the first.
        let number = choice.read::<u64>("index").unwrap_or(0);
        let is_further = number != 0;
        // Moonshot sends the token counts inside of the choice.
        let counted = choice.get("usage").and_then(Object::parse).and_then(|usage| usage_of(&usage));
        self.usage = counted.or(self.usage);
        // A complete answer has a message where a stream has deltas; Perplexity's has both, of which one is empty.
        let delta = choice.get("delta").and_then(Object::parse);
        let is_first = self.content.is_empty() && self.reasoning.is_empty() && self.calls.is_empty();
        let says_nothing = |delta: &Object<'_>| {
            delta.iter().all(|(name, json)| name == "role" || matches!(json, "null" | "\"\"" | "[]"))
        };
        let message = choice.get("message").and_then(Object::parse);
        let message = message.filter(|_| delta.as_ref().is_none_or(|delta| is_first && says_nothing(delta)));
        let has_ended = self.finish_reason.is_some();
        let reason = choice.read::<String>("finish_reason").filter(|reason| !reason.is_empty());
        let ends_again = reason.is_some();
        if ends_again && !(is_further && has_ended && reason.as_deref() != Some("tool_calls")) {
            self.finish_reason = reason;
        }
        self.is_complete |= message.is_some();
        let Some(piece) = message.or(delta) else {
            return Ok(Delta::default());
        };
        // OpenWebUI's proxy sends a finish reason in the middle of an answer.
        self.goes_on |= has_ended && !is_further && !self.is_complete && !says_nothing(&piece);
        self.went_on |= self.goes_on;
        self.goes_on &= !ends_again || is_further;
        let mut shown = Delta::default();
        if is_further && !self.calls.is_empty() && self.calls.choice != number {
            return Ok(Delta::default());
        }
        if !piece.objects("tool_calls").unwrap_or_default().is_empty() {
            self.calls.choice = number;
        }
        let Some(call) = self.push_calls(&piece, &mut shown) else {
            return Err(DecodeError::Malformed("an answer with too many tool calls".into()));
        };
        if is_further {
            return Ok(shown);
        }
        self.push_thinking(&piece);
        self.carrying.take(&piece);
        self.take_beside(&piece);
        self.push_texts(&piece, &mut shown);
        shown.content.iter().for_each(|text| self.content.push_str(text));
        shown.reasoning_content.iter().for_each(|text| self.reasoning.push_str(text));
        // The first words behind the end change what is known, even if they are only text.
        if !has_ended || self.goes_on || ends_again {
            self.plain.remember(data, &piece, call.filter(|_| !self.is_complete));
        }
        Ok(shown)
    }

    /// The sources that a text names, images, and the tools that Groq has used.
    fn take_beside(&mut self, piece: &Object<'_>) {
        for annotation in piece.objects("annotations").unwrap_or_default() {
            self.beside.cite(&annotation);
        }
        // OpenRouter has images beside the content, others among its parts.
        for image in piece.objects("images").into_iter().chain(piece.objects("content")).flatten() {
            self.images.take(&image);
        }
        for used in piece.objects("executed_tools").unwrap_or_default() {
            let arguments = used.read::<String>("arguments").unwrap_or_default();
            let arguments = Object::parse(&arguments).unwrap_or_default();
            self.beside.did(&used.read::<String>("type").unwrap_or_default(), &[&arguments]);
            for found in used.object("search_results").objects("results").unwrap_or_default() {
                self.beside.cite(&found);
            }
        }
    }

    fn push_texts(&mut self, piece: &Object<'_>, shown: &mut Delta) {
        let mut content = String::new();
        let mut reasoning = String::new();
        for name in REASONING {
            if reasoning.is_empty() {
                reasoning.extend(piece.get(name).and_then(|json| self.reasoning_pieces.text(json)));
                self.reasoning_field = self.reasoning_field.or((!reasoning.is_empty()).then_some(name));
            }
        }
        let json = piece.get("content").unwrap_or_default();
        if let Some(text) = self.content_pieces.text(json) {
            content = text;
        }
        // Mistral's reasoning models send a list of parts.
        for part in objects(json).unwrap_or_default() {
            content.extend(part.get("text").and_then(|json| self.content_pieces.text(json)));
            for part in part.objects("thinking").unwrap_or_default() {
                reasoning.extend(part.get("text").and_then(|json| self.reasoning_pieces.text(json)));
                self.reasoning_field = Some(IN_CONTENT);
            }
        }
        // A refusal is shown and stored as text.
        content.extend(piece.get("refusal").and_then(|json| self.content_pieces.text(json)));
        shown.content = Some(content).filter(|text| !text.is_empty());
        shown.reasoning_content = Some(reasoning).filter(|text| !text.is_empty());
    }

    /// Returns the position of the last call with a piece, if there is one; `None` if there are too many calls.
    fn push_calls(&mut self, piece: &Object<'_>, shown: &mut Delta) -> Option<Option<usize>> {
        let calls = piece.objects("tool_calls").unwrap_or_default();
        // The deprecated form of the protocol, with only one call.
        let function = piece.get("function_call").filter(|json| *json != "null");
        let old = function.map(|function| format!("{{\"index\":0,\"function\":{function}}}"));
        let old = old.as_deref().and_then(Object::parse);
        let mut last = None;
        for (at, call) in (0u64..).zip(calls.iter().chain(&old)) {
            let mut delta = self.calls.push(call, self.is_complete.then_some(at))?;
            delta.name = delta.name.map(|name| self.names.original(&name).to_owned());
            self.carrying.take_of_call(delta.index, call);
            last = Some(delta.index);
            if !self.is_complete && (delta.name.is_some() || !delta.arguments.is_empty()) {
                shown.tool_calls.push(delta);
            }
        }
        Some(last)
    }

    /// Anthropic's signed reasoning, as a LiteLLM proxy sends it: first the text, then the signature.
    fn push_thinking(&mut self, piece: &Object<'_>) {
        for block in piece.objects("thinking_blocks").unwrap_or_default() {
            if let Some(data) = block.read::<String>("data") {
                self.thinking.push(ThinkingBlock::Redacted { data });
                continue;
            }
            let text = block.read::<String>("thinking").unwrap_or_default();
            let new_signature = block.read::<String>("signature").filter(|signature| !signature.is_empty());
            match self.thinking.last_mut() {
                Some(ThinkingBlock::Thinking { thinking, signature: signature @ None }) => {
                    thinking.push_str(&text);
                    *signature = new_signature;
                }
                _ => self.thinking.push(ThinkingBlock::Thinking { thinking: text, signature: new_signature }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A chunk of parts that servers send, most of which occur several times.
    fn chunk() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            r#""role":"assistant","content":TEXT"#,
            r#""content":TEXT"#,
            r#""content":TEXT"#,
            r#""content":TEXT,"reasoning":null,"tool_calls":[]"#,
            r#""content":TEXT,"reasoning_content":"r""#,
            r#""content":TEXT,"refusal":"no""#,
            r#""content":TEXT,"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]"#,
            r#""tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":TEXT}}]"#,
            r#""tool_calls":[{"index":0,"function":{"arguments":TEXT}}]"#,
            r#""tool_calls":[{"index":0,"function":{"arguments":TEXT}}]"#,
            r#""content":null,"tool_calls":[{"index":1,"function":{"arguments":TEXT}}]"#,
            r#""tool_calls":[{"index":0,"id":"d","function":{"name":"g","arguments":TEXT}}]"#,
            r#""content":TEXT,"thinking_blocks":[{"type":"thinking","thinking":"t"}]"#,
            r#""content":"twice","content":TEXT"#,
            r#""content":[{"text":TEXT}]"#,
        ]);
        let rest = prop::sample::select(vec![
            "",
            "",
            "",
            r#","finish_reason":null"#,
            r#","finish_reason":"stop""#,
            r#","finish_reason":"length""#,
            r#","index":1"#,
        ]);
        let end = prop::sample::select(vec![
            "",
            "",
            "",
            r#","usage":{"prompt_tokens":1}"#,
            r#","usage":{"prompt_tokens":2}"#,
            r#","obfuscation":"x"}, "#,
        ]);
        let text = prop::sample::select(vec![
            r#""a""#,
            r#""b\n\"é""#,
            r#""""#,
            r#""\ud83d""#,
            r#""\ude00""#,
            "null",
            "7",
            r#""x"y"#,
            r#""},""#,
            " \"c\" ",
        ]);
        (piece, rest, end, text).prop_map(|(piece, rest, end, text)| {
            let piece = piece.replace("TEXT", text);
            format!(r#"{{"id":"i","choices":[{{"delta":{{{piece}}}{rest}}}]{end}}}"#)
        })
    }

    proptest! {
        #[test]
        fn the_shortcut_for_similar_chunks_gives_the_same_result_as_parsing(chunks in prop::collection::vec(chunk(), 0..12)) {
            let (mut same, mut other) = (ChatDecoder::default(), ChatDecoder::default());
            for (at, chunk) in chunks.iter().enumerate() {
                // White space makes it different from the one before it, which disables the shortcut.
                let different = chunk.replacen('{', &format!("{{{}", " ".repeat(at + 1)), 1);
                let (one, two) = (same.push("", chunk), other.push("", &different));
                prop_assert_eq!(one.is_err(), two.is_err(), "{}", chunk);
                if one.is_ok() {
                    prop_assert_eq!(one, two, "{}", chunk);
                }
                prop_assert_eq!((same.usage(), same.has_ended()), (other.usage(), other.has_ended()));
            }
            let finish = |decoder: ChatDecoder| Box::new(decoder).finish(&mut || "n".into());
            prop_assert_eq!(finish(same), finish(other));
        }
    }

    #[test]
    fn an_answer_ends_with_the_last_chunk_that_says_so() {
        let ends = |chunks: &[(&str, &str)]| {
            let mut decoder = ChatDecoder::default();
            for (text, reason) in chunks {
                let chunk =
                    format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}},"finish_reason":{reason}}}]}}"#);
                decoder.push("", &chunk).unwrap();
            }
            decoder.has_ended()
        };
        assert!(ends(&[("a", "\"stop\""), ("", "null")]));
        assert!(!ends(&[("a", "\"stop\""), ("b", "null")]));
        // Empty ones between are no sign of either, and some servers give the reason with every chunk.
        assert!(!ends(&[("a", "\"stop\""), ("", "null"), ("b", "null")]));
        assert!(ends(&[("a", "\"stop\""), ("b", "null"), ("c", "\"stop\"")]));
        assert!(ends(&[("a", "\"stop\""), ("b", "\"stop\""), ("c", "\"stop\"")]));
    }

    #[test]
    fn chunks_that_differ_only_in_their_arguments_are_not_parsed() {
        let mut decoder = ChatDecoder::default();
        let chunk = |index: usize, text: &str| {
            format!(
                r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":{index},"function":{{"arguments":"{text}"}}}}]}}}}]}}"#
            )
        };
        decoder.push("", r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}}]}"#).unwrap();
        decoder.push("", &chunk(0, "a")).unwrap();
        assert_eq!(decoder.plain.text_of(&chunk(0, "b")), Some("\"b\""));
        assert_eq!(decoder.plain.text_of(&chunk(1, "b")), None);
        assert_eq!(decoder.push("", &chunk(0, "b")).unwrap().unwrap().tool_calls[0].arguments, "b");
    }

    #[test]
    fn chunks_that_differ_only_in_their_text_are_not_parsed() {
        let mut decoder = ChatDecoder::default();
        let chunk =
            |text: &str| format!(r#"{{"id":"i","choices":[{{"index":0,"delta":{{"content":"{text}"}}}}]}}"#);
        decoder.push("", &chunk("a")).unwrap();
        assert_eq!(decoder.plain.text_of(&chunk("b")), Some("\"b\""));
        decoder.push("", r#"{"usage":{"prompt_tokens":2}}"#).unwrap();
        assert_eq!(decoder.plain.text_of(&chunk("b")), None);
    }
}
