//! What every wire API is: a request made of messages, and a decoder of what comes back. No I/O.
//!
//! Each is a folder beside this file. Chat Completions is always there; a page loads each other one when a model needs it,
//! and natively all are there: see [`WireApis`].

use crate::{
    json::string_enum,
    llm::{
        chat_completions::ChatCompletions,
        completion::{Delta, ToolSchema},
        endpoint::Endpoint,
        error::LlmError,
        message::{Message, Role},
        metrics::Usage,
        model_features::ModelFeatures,
        options::{ApiMode, LlmOptions},
    },
};
use futures_util::future::LocalBoxFuture;
use std::rc::Rc;

/// One way of speaking with a model.
pub trait WireApi {
    /// What is sent, and what reads the answer to it.
    ///
    /// # Errors
    /// Where this API has no way to say what is asked.
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
    /// Chat Completions with tools told and called in text.
    TextTools,
}

string_enum!(Api {
    Chat = "chat",
    Responses = "responses",
    Anthropic = "anthropic",
    TextTools = "text_tools",
});

impl Api {
    /// The one in which this model is spoken with: as the user says, else as the provider and the model do.
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

    /// The header that carries the key, and what stands in front of the key there. Every server that speaks
    /// Anthropic's language reads Anthropic's header, whoever's it is (docs.litellm.ai, "/v1/messages").
    pub fn key_header(self, endpoint: &Endpoint) -> (&'static str, &'static str) {
        if self == Self::Anthropic { ("x-api-key", "") } else { endpoint.provider.key_header }
    }
}

/// Where the wire APIs come from that are not always there.
pub trait WireApis {
    /// Brings up the one of this name.
    fn load(&self, api: Api) -> LocalBoxFuture<'static, Result<Rc<dyn WireApi>, LlmError>>;
}

/// The wire API, if it is always there. Every one is, natively.
pub fn compiled_in(api: Api) -> Option<Rc<dyn WireApi>> {
    match api {
        Api::Chat => Some(Rc::new(ChatCompletions)),
        #[cfg(not(target_arch = "wasm32"))]
        Api::Anthropic => Some(Rc::new(crate::llm::anthropic::AnthropicMessages)),
        #[cfg(not(target_arch = "wasm32"))]
        Api::Responses => Some(Rc::new(crate::llm::responses::Responses)),
        #[cfg(not(target_arch = "wasm32"))]
        Api::TextTools => Some(Rc::new(crate::llm::text_tools::TextTools)),
        #[cfg(target_arch = "wasm32")]
        _ => None,
    }
}

/// All that a request is made of.
#[derive(Clone, Copy)]
pub struct LlmRequest<'a> {
    /// The user's options.
    pub options: &'a LlmOptions,
    /// Where it goes.
    pub endpoint: &'a Endpoint,
    /// What the model can do.
    pub features: &'a ModelFeatures,
    /// The history. What is the same as in an earlier request is the same message.
    pub messages: &'a [Rc<Message>],
    /// The tools.
    pub tools: &'a [ToolSchema],
    /// The conversation that asks, if one does.
    pub conversation_id: Option<&'a str>,
    /// Whether the answer is to come piece by piece.
    pub is_streaming: bool,
}

/// A request but for the key, which the client adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireRequest {
    /// Absolute, or relative to the page.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// JSON text.
    pub body: String,
}

/// Puts one answer together.
pub trait Decoder {
    /// Takes in one event of the stream, or a whole answer's body as the data of an event without a name. `Some` where
    /// it adds something to show.
    ///
    /// # Errors
    /// What the provider reports, or data that makes no sense.
    fn push(&mut self, event: &str, data: &str) -> Result<Option<Delta>, DecodeError>;

    /// Nothing more is to come.
    fn is_done(&self) -> bool;

    /// The model has ended; what may still come is the count of tokens.
    fn has_ended(&self) -> bool;

    /// Where the answer is, if the provider works on it by itself: it outlives the connection.
    fn background(&self) -> Option<BackgroundResponse> {
        None
    }

    /// What has been counted so far: an attempt that fails may have cost something.
    fn usage(&self) -> Option<Usage>;

    /// The end of the stream. `new_id` makes what ids are missing.
    ///
    /// # Errors
    /// An answer that was cut off, or is none.
    fn finish(self: Box<Self>, new_id: &mut dyn FnMut() -> String) -> Result<Answer, DecodeError>;
}

/// An answer that a provider works on whether or not somebody listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackgroundResponse {
    /// The provider's id.
    pub id: String,
    /// The URL that gives what has not come yet.
    pub rest: String,
    /// The URL that stops it.
    pub cancel: String,
}

/// The whole answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The provider's id; empty where it gave none.
    pub id: String,
    /// The model that answered, in the provider's words.
    pub model: String,
    /// The message. One of the user's role stands for an answer with a call that cannot be read: it tells the model
    /// what was wrong, and the answer itself is not kept.
    pub message: Message,
    /// Why it ended, in the provider's words.
    pub finish_reason: Option<String>,
    /// What was counted.
    pub usage: Option<Usage>,
}

impl Answer {
    /// One that says nothing and yet has cost something.
    pub fn nothing(usage: Option<Usage>) -> Self {
        let message = Message::new(Role::Assistant, Vec::new());
        Self { id: String::new(), model: String::new(), message, finish_reason: None, usage }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The provider says so, in this JSON.
    Provider(String),
    /// Neither an answer nor an error; says what.
    Garbage(String),
    /// It ended too early.
    CutOff,
    /// It ended in order, with nothing in it.
    Empty,
    /// It was filtered, with nothing left.
    Filtered,
}
