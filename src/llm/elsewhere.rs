//! A wire API in another wasm: both ends of the talk with it.
//!
//! Everything crosses as text. The near end writes down what is asked of a model; the far end reads that, and then
//! answers one question after the other about the request and about the answer that comes back. What the far end
//! says is checked like a server's words: it never makes the near end fail in another way than an answer can.

use crate::{
    json::{ObjectWriter, RawObject, ToJson as _, quoted},
    llm::{
        completion::{Delta, ToolSchema},
        endpoint::Endpoint,
        error::{LlmError, LlmFailure},
        kept_text::Way,
        message::Message,
        metrics::Usage,
        model_data::ModelRow,
        model_features::ModelFeatures,
        options::LlmOptions,
        wire_api::{Answer, DecodeError, Decoder, KeptAnswer, LlmRequest, WireApi, WireRequest},
        writer::Writer,
    },
};
use std::rc::Rc;

/// Asks the far end of one request: a question, and for `push` an event's name and data. An error is a far end that
/// failed altogether.
pub type Ask = Rc<dyn Fn(&str, &str, &str) -> Result<String, String>>;

/// Tells the far end what is asked of a model.
pub type Begin = Rc<dyn Fn(&str) -> Result<Ask, String>>;

/// The near end.
pub struct Elsewhere(pub Begin);

impl WireApi for Elsewhere {
    fn begin(&self, request: &LlmRequest<'_>) -> Result<(WireRequest, Box<dyn Decoder>), LlmError> {
        let failed = |words: String| LlmError::new(LlmFailure::InvalidOptions, words);
        let ask = (self.0)(&asked(request)).map_err(failed)?;
        let tell = |question: &str| ask(question, "", "").map_err(failed);
        let error = tell("error")?;
        if !error.is_empty() {
            return Err(failed(error));
        }
        let mut headers = Vec::new();
        for line in tell("headers")?.lines() {
            if let Some((name, value)) = line.split_once(':') {
                headers.push((name.to_owned(), value.to_owned()));
            }
        }
        let sent = WireRequest { url: tell("url")?, headers, body: tell("body")? };
        Ok((sent, Box::new(DecoderElsewhere { ask, is_done: false, has_ended: false })))
    }
}

struct DecoderElsewhere {
    ask: Ask,
    is_done: bool,
    has_ended: bool,
}

impl DecoderElsewhere {
    fn reply(&self, question: &str, event: &str, data: &str) -> Result<RawObject, DecodeError> {
        let reply = (self.ask)(question, event, data).map_err(DecodeError::Garbage)?;
        let reply = RawObject::parse(&reply).unwrap_or_default();
        let words = reply.read("words").unwrap_or_default();
        Err(match reply.read::<String>("error").as_deref() {
            None => return Ok(reply),
            Some("provider") => DecodeError::Provider(words),
            Some("cut_off") => DecodeError::CutOff,
            Some("empty") => DecodeError::Empty,
            Some("filtered") => DecodeError::Filtered,
            Some(_) => DecodeError::Garbage(words),
        })
    }
}

impl Decoder for DecoderElsewhere {
    fn push(&mut self, event: &str, data: &str) -> Result<Option<Delta>, DecodeError> {
        let reply = self.reply("push", event, data)?;
        self.is_done = reply.get("is_done") == Some("true");
        self.has_ended = reply.get("has_ended") == Some("true");
        let delta =
            Delta { content: reply.read("content"), reasoning_content: reply.read("reasoning_content") };
        Ok(Some(delta).filter(|delta| *delta != Delta::default()))
    }

    fn is_done(&self) -> bool {
        self.is_done
    }

    fn has_ended(&self) -> bool {
        self.has_ended
    }

    fn kept(&self) -> Option<KeptAnswer> {
        let reply = self.reply("kept", "", "").ok()?;
        Some(KeptAnswer { id: reply.read("id")?, rest: reply.read("rest")?, cancel: reply.read("cancel")? })
    }

    fn usage(&self) -> Option<Usage> {
        read_usage(&RawObject::parse(&(self.ask)("usage", "", "").ok()?).ok()?)
    }

    fn finish(self: Box<Self>, new_id: &mut dyn FnMut() -> String) -> Result<Answer, DecodeError> {
        let reply = self.reply("finish", "", &new_id())?;
        Ok(Answer {
            id: reply.read("id").unwrap_or_default(),
            model: reply.read("model").unwrap_or_default(),
            message: reply.read("message").ok_or(DecodeError::Empty)?,
            finish_reason: reply.read("finish_reason"),
            usage: reply.read("usage").and_then(|usage| read_usage(&usage)),
        })
    }
}

fn read_usage(usage: &RawObject) -> Option<Usage> {
    let count = |name| usage.read(name).unwrap_or(0);
    Some(Usage {
        prompt_tokens: usage.read("prompt_tokens")?,
        completion_tokens: count("completion_tokens"),
        cache_read_tokens: count("cache_read_tokens"),
        cache_write_tokens: count("cache_write_tokens"),
        reasoning_tokens: count("reasoning_tokens"),
    })
}

/// What is asked of a model, in JSON. No key is in it.
fn asked(request: &LlmRequest<'_>) -> String {
    let messages = request.messages;
    let kept_text = &request.options.kept_text;
    let texts = kept_text.of(Way::default(), messages, messages.len(), &mut |at, texts| {
        if let Some(message) = messages.get(at) {
            texts.push(&message.to_json_text());
        }
        true
    });
    let mut tools = Writer::list();
    for tool in request.tools {
        let mut json = Writer::object();
        json.field("name", &quoted(&tool.name));
        json.field("description", &quoted(&tool.description));
        json.field("parameters", &tool.parameters);
        tools.item(&json.end());
    }
    let mut asked = Writer::object();
    asked.field("llm", &request.options.to_sdk_json(None));
    asked.field("model_row", &request.features.row.0.to_json());
    asked.field_of("messages", &["[", &texts, "]"]);
    asked.field("tools", &tools.end());
    if let Some(id) = request.conversation_id {
        asked.field("conversation_id", &quoted(id));
    }
    for (name, is_so) in [
        ("is_streaming", request.is_streaming),
        ("background", request.options.background),
        ("sets_effort", request.options.reasoning_effort.is_some()),
    ] {
        if is_so {
            asked.field(name, "true");
        }
    }
    if let Some(id) = &request.options.kept_answer {
        asked.field("kept_answer", &quoted(id));
    }
    asked.end()
}

/// The far end of one request.
pub struct FarEnd {
    sent: Result<WireRequest, LlmError>,
    decoder: Option<Box<dyn Decoder>>,
}

impl FarEnd {
    /// Reads what is asked, and prepares the request.
    pub fn begin(api: &dyn WireApi, asked: &str) -> Self {
        match begin(api, asked) {
            Ok((sent, decoder)) => Self { sent: Ok(sent), decoder: Some(decoder) },
            Err(error) => Self { sent: Err(error), decoder: None },
        }
    }

    /// Answers a question of the near end.
    pub fn answer(&mut self, question: &str, event: &str, data: &str) -> String {
        match (&self.sent, question) {
            (Err(error), "error") => error.message.clone(),
            (Ok(sent), "url") => sent.url.clone(),
            (Ok(sent), "body") => sent.body.clone(),
            (Ok(sent), "headers") => {
                let line = |(name, value): &(String, String)| format!("{name}:{value}\n");
                sent.headers.iter().map(line).collect()
            }
            (_, "push") => self.push(event, data),
            (_, "usage") => {
                self.decoder.as_ref().and_then(|decoder| decoder.usage()).map(usage_json).unwrap_or_default()
            }
            (_, "finish") => self.finish(data),
            (_, "kept") => self.kept(),
            _ => String::new(),
        }
    }

    fn push(&mut self, event: &str, data: &str) -> String {
        let Some(decoder) = &mut self.decoder else { return error_json(DecodeError::Empty) };
        let delta = match decoder.push(event, data) {
            Ok(delta) => delta.unwrap_or_default(),
            Err(error) => return error_json(error),
        };
        let mut reply = ObjectWriter::new();
        reply.optional("content", &delta.content);
        reply.optional("reasoning_content", &delta.reasoning_content);
        reply.field("is_done", &decoder.is_done());
        reply.field("has_ended", &decoder.has_ended());
        reply.finish()
    }

    fn kept(&self) -> String {
        let mut reply = ObjectWriter::new();
        if let Some(kept) = self.decoder.as_ref().and_then(|decoder| decoder.kept()) {
            reply.field("id", &kept.id);
            reply.field("rest", &kept.rest);
            reply.field("cancel", &kept.cancel);
        }
        reply.finish()
    }

    /// Ids that the answer lacks are `seed` with a number.
    fn finish(&mut self, seed: &str) -> String {
        let Some(decoder) = self.decoder.take() else { return error_json(DecodeError::Empty) };
        let mut made = 0;
        let mut new_id = || {
            made += 1;
            if made == 1 { seed.to_owned() } else { format!("{seed}{made}") }
        };
        let answer = match decoder.finish(&mut new_id) {
            Ok(answer) => answer,
            Err(error) => return error_json(error),
        };
        let mut reply = ObjectWriter::new();
        reply.field("id", &answer.id);
        reply.field("model", &answer.model);
        reply.field("message", &answer.message);
        reply.optional("finish_reason", &answer.finish_reason);
        if let Some(usage) = answer.usage {
            reply.raw("usage", &usage_json(usage));
        }
        reply.finish()
    }
}

fn begin(api: &dyn WireApi, asked: &str) -> Result<(WireRequest, Box<dyn Decoder>), LlmError> {
    let asked = RawObject::parse(asked).unwrap_or_default();
    let mut options = LlmOptions {
        background: asked.get("background").is_some(),
        kept_answer: asked.read("kept_answer"),
        ..LlmOptions::from_sdk_json(asked.get("llm").unwrap_or_default())
    };
    // The SDK's JSON has a default in place of what is not set.
    if asked.get("sets_effort").is_none() {
        options.reasoning_effort = None;
    }
    let endpoint = Endpoint::resolve(&options.model, options.base_url.as_deref())?;
    let row = ModelRow(asked.read("model_row").unwrap_or_default());
    let features = ModelFeatures::of(&options, &endpoint, &row);
    let messages: Vec<Message> = asked.read("messages").unwrap_or_default();
    let messages: Vec<_> = messages.into_iter().map(Rc::new).collect();
    let tools: Vec<RawObject> = asked.read("tools").unwrap_or_default();
    let tools: Vec<ToolSchema> = tools.iter().map(tool).collect();
    let conversation_id: Option<String> = asked.read("conversation_id");
    api.begin(&LlmRequest {
        options: &options,
        endpoint: &endpoint,
        features: &features,
        messages: &messages,
        tools: &tools,
        conversation_id: conversation_id.as_deref(),
        is_streaming: asked.get("is_streaming") == Some("true"),
    })
}

fn tool(json: &RawObject) -> ToolSchema {
    ToolSchema {
        name: json.read("name").unwrap_or_default(),
        description: json.read("description").unwrap_or_default(),
        parameters: json.get("parameters").unwrap_or("{}").into(),
    }
}

fn usage_json(usage: Usage) -> String {
    let mut counts = ObjectWriter::new();
    counts.field("prompt_tokens", &usage.prompt_tokens);
    counts.field("completion_tokens", &usage.completion_tokens);
    counts.field("cache_read_tokens", &usage.cache_read_tokens);
    counts.field("cache_write_tokens", &usage.cache_write_tokens);
    counts.field("reasoning_tokens", &usage.reasoning_tokens);
    counts.finish()
}

fn error_json(error: DecodeError) -> String {
    let (kind, words) = match error {
        DecodeError::Provider(words) => ("provider", words),
        DecodeError::Garbage(words) => ("garbage", words),
        DecodeError::CutOff => ("cut_off", String::new()),
        DecodeError::Empty => ("empty", String::new()),
        DecodeError::Filtered => ("filtered", String::new()),
    };
    let mut reply = ObjectWriter::new();
    reply.field("error", kind);
    reply.field("words", &words);
    reply.finish()
}
