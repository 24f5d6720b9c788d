//! The trait of all wire APIs: a request made from messages, and a decoder of the answer. Performs no I/O.
//!
//! Each wire API is a folder beside this file. Which one a model is asked over: [`Api::of`].

use crate::{
    json::{Json, Object, object, string_enum},
    llm::{
        completion::{Delta, ToolSchema},
        endpoint::Endpoint,
        error::LlmError,
        message::{Message, Role},
        metrics::Usage,
        model_features::ModelFeatures,
        options::{ApiMode, LlmOptions},
    },
};
use std::rc::Rc;
use wasm_file::wasm_file;

/// A wire API: the form of requests and answers.
pub trait WireApi {
    /// The request, and the decoder of its answer.
    ///
    /// # Errors
    /// If the request cannot be expressed in this API.
    fn begin(&self, request: &LlmRequest<'_>) -> Result<(WireRequest, Box<dyn Decoder>), LlmError>;
}

/// The wire APIs by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// OpenAI Chat Completions.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Anthropic,
    /// Chat Completions with tools described and called in text.
    TextTools,
}

string_enum!(Api {
    Chat = "chat",
    Responses = "responses",
    Anthropic = "anthropic",
    TextTools = "text_tools",
});

impl Api {
    /// The wire API for this model: the user's choice, or else the default of the provider and the model.
    pub fn of(options: &LlmOptions, endpoint: &Endpoint, features: &ModelFeatures) -> Self {
        let is_text_only = options.native_tool_calling == Some(false);
        match options.api_mode {
            Some(ApiMode::Responses) => Self::Responses,
            Some(ApiMode::Anthropic) => Self::Anthropic,
            _ if is_text_only => Self::TextTools,
            Some(ApiMode::Chat) => Self::Chat,
            Some(ApiMode::Auto) | None
                if features.supports_responses_api && endpoint.provider.has_responses_api =>
            {
                Self::Responses
            }
            Some(ApiMode::Auto) | None => endpoint.provider.api,
        }
    }

    /// The header with the key, and the text before the key in it. All servers with Anthropic's API read Anthropic's
    /// header (docs.litellm.ai, "/v1/messages").
    pub fn key_header(self, endpoint: &Endpoint) -> (&'static str, &'static str) {
        if self == Self::Anthropic { ("x-api-key", "") } else { endpoint.provider.key_header }
    }
}

/// The wire API with this name.
///
/// # Errors
/// If a page cannot load it.
pub async fn load(api: Api) -> Result<Rc<dyn WireApi>, LlmError> {
    if api == Api::TextTools { text_tools().await } else { with_tools(api).await }
}

#[wasm_file(run)]
async fn with_tools(api: Api) -> Result<Rc<dyn WireApi>, LlmError> {
    Ok(match api {
        Api::Responses => Rc::new(super::responses::Responses),
        Api::Anthropic => Rc::new(super::anthropic::AnthropicMessages),
        Api::Chat | Api::TextTools => Rc::new(super::chat_completions::ChatCompletions),
    })
}

#[wasm_file(agent)]
async fn text_tools() -> Result<Rc<dyn WireApi>, LlmError> {
    Ok(Rc::new(super::text_tools::TextTools))
}

/// The input of a request.
#[derive(Clone, Copy)]
pub struct LlmRequest<'a> {
    /// The user's options.
    pub options: &'a LlmOptions,
    /// The server.
    pub endpoint: &'a Endpoint,
    /// The features of the model.
    pub features: &'a ModelFeatures,
    /// The history. A message of an earlier request is the same `Rc`.
    pub messages: &'a [Rc<Message>],
    /// The tools.
    pub tools: &'a [ToolSchema],
    /// The id of the conversation, if there is one.
    pub conversation_id: Option<&'a str>,
    /// Whether the answer is to be streamed.
    pub is_streaming: bool,
}

/// A request without the key, which the client adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireRequest {
    /// Absolute, or relative to the page.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// JSON text.
    pub body: String,
}

/// Builds one answer from the data of a response.
pub trait Decoder {
    /// Processes one event of the stream, or the body of a complete answer as the data of an event without a name.
    /// Returns the piece to show, if any.
    ///
    /// # Errors
    /// An error that the provider reports, or data that cannot be read.
    fn push(&mut self, event: &str, data: &str) -> Result<Option<Delta>, DecodeError>;

    /// Whether the answer has ended and nothing more is to be read.
    fn is_done(&self) -> bool;

    /// Whether the model has ended; only token counts may follow.
    fn has_ended(&self) -> bool;

    /// Whether the answer has once gone on after it had ended: then it may do so again, at any time.
    fn went_on(&self) -> bool {
        false
    }

    /// Whether any part of an answer was received.
    fn has_begun(&self) -> bool;

    /// The background response, if the answer is one: it continues without the connection.
    fn background(&self) -> Option<BackgroundResponse> {
        None
    }

    /// Of an answer that its provider has paused: all of it so far, as the JSON of a message. With this behind the messages of the
    /// request, the provider goes on, and what comes then is received as the rest of the same answer.
    fn take_pause(&mut self) -> Option<String> {
        None
    }

    /// The token counts so far: a failed attempt may have a cost as well.
    fn usage(&self) -> Option<Usage>;

    /// Ends the stream and returns the answer. `new_id` makes ids that are missing.
    ///
    /// # Errors
    /// An answer that was cut off, empty or filtered.
    fn finish(self: Box<Self>, new_id: &mut dyn FnMut() -> String) -> Result<Answer, DecodeError>;
}

/// The data of an event that a decoder reads; `None` for an event without data, for OpenAI's end of the stream, which is
/// noted in `is_done`, and for all that follow it.
pub fn data_of<'a>(data: &'a str, is_done: &mut bool) -> Option<&'a str> {
    let data = data.trim();
    if data.is_empty() || *is_done {
        return None;
    }
    *is_done = data == "[DONE]";
    (!*is_done).then_some(data)
}

/// The object that is the data of an event.
///
/// # Errors
/// `Malformed` with the beginning of the data.
pub fn object_of(data: &str) -> Result<Object<'_>, DecodeError> {
    Object::parse(data).ok_or_else(|| DecodeError::Malformed(data.chars().take(200).collect()))
}

/// A background response: an answer that the provider produces independently of the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackgroundResponse {
    /// The provider's id.
    pub id: String,
    /// The URL of the part that has not been received yet.
    pub rest: String,
    /// The URL that cancels it.
    pub cancel: String,
}

/// A complete answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The provider's id; empty if it sent none.
    pub id: String,
    /// The model that answered, as the provider names it.
    pub model: String,
    /// The assistant message. If a call in the answer cannot be read, it is a user message instead, which tells the model
    /// about the error, and the answer itself is not stored.
    pub message: Message,
    /// The finish reason, as the provider names it.
    pub finish_reason: Option<String>,
    /// The token counts.
    pub usage: Option<Usage>,
    /// The field in which the server has sent reasoning as open text, if it goes back in the same.
    pub reasoning_field: Option<&'static str>,
}

impl Answer {
    /// An answer without content, for the cost of a failed attempt.
    pub fn empty(usage: Option<Usage>) -> Self {
        let message = Message::new(Role::Assistant, Vec::new());
        Self {
            id: String::new(),
            model: String::new(),
            message,
            finish_reason: None,
            usage,
            reasoning_field: None,
        }
    }
}

/// The reason why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The provider reported an error, in this JSON.
    Provider(String),
    /// Data that is neither an answer nor an error; the text describes or quotes it.
    Malformed(String),
    /// The stream ended before the answer was complete.
    CutOff,
    /// The answer was complete and empty.
    Empty,
    /// The content filter has removed the complete answer.
    Filtered,
}

impl DecodeError {
    /// The error that a provider reports in this JSON of a field `error`.
    pub(super) fn reported(error: &str) -> Self {
        Self::Provider(object! { "error": Json(error) }.finish())
    }
}
