//! What the user says about a model: the SDK's `LLM` fields that a browser can use, under their names.
//!
//! `None` means that the user said nothing: then the SDK's default holds here, and what is stored stays as it is.

use crate::{
    json::string_enum,
    llm::{
        error::{LlmError, LlmFailure},
        request_text::RequestText,
        retry,
        secret_string::SecretString,
    },
};
use futures_util::future::LocalBoxFuture;
use std::{cell::RefCell, fmt, rc::Rc, time::Duration};

/// How to reach a model and what to ask of it.
#[derive(Clone, Debug, Default)]
pub struct LlmOptions {
    /// LiteLLM's `provider/model`.
    pub model: String,
    /// Kept in memory.
    pub api_key: ApiKey,
    /// What is known of the key that is stored. Clones share it: it may be read only after the model was made.
    pub stored_key: Rc<StoredKey>,
    /// What was sent before, as text. Clones share it.
    pub request_text: Rc<RequestText>,
    /// The server, up to and without `/chat/completions`.
    pub base_url: Option<String>,
    /// The wire API.
    pub api_mode: Option<ApiMode>,
    /// Under which name usage is counted.
    pub usage_id: Option<String>,
    /// Whether the answer comes piece by piece, which is the default here: a page shows it as it comes.
    pub stream: Option<bool>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    pub top_p: Option<f64>,
    /// The context window, where the name does not tell.
    pub max_input_tokens: Option<u32>,
    /// The longest answer.
    pub max_output_tokens: Option<u32>,
    /// `none`, `low`, `medium`, `high`, `xhigh`, or what the provider has besides.
    pub reasoning_effort: Option<String>,
    /// How much of its reasoning the model sums up: `auto`, `concise` or `detailed`.
    pub reasoning_summary: Option<String>,
    /// Whether reasoning comes and goes encrypted for the provider, where the provider keeps nothing.
    pub enable_encrypted_reasoning: Option<bool>,
    /// How long the provider may keep a prompt cached; empty for as long as it likes.
    pub prompt_cache_retention: Option<String>,
    /// Whether the provider works on an answer by itself, so that it outlives a lost connection and a reload. It keeps
    /// the answer then, for as long as it likes. Not stored: the SDK knows no such thing.
    pub background: bool,
    /// The kept answer that is asked for, instead of a new one. Never the user's to say.
    pub background_response: Option<String>,
    /// How often a request is made at most; 0 and 1 are the same, as in the SDK.
    pub num_retries: Option<u32>,
    /// The shortest wait between attempts, in seconds.
    pub retry_min_wait: Option<u32>,
    /// The longest wait between attempts, in seconds.
    pub retry_max_wait: Option<u32>,
    /// What the exponential wait is multiplied by.
    pub retry_multiplier: Option<f64>,
    /// Seconds that a server may be silent, before its answer and in it; 0 is for ever.
    pub timeout: Option<f64>,
    /// Further headers. They are not stored, because they may hold secrets.
    pub headers: Vec<(String, String)>,
    /// Whether the model calls tools by itself.
    pub native_tool_calling: Option<bool>,
    /// The price of a token that is read, in dollars.
    pub input_cost_per_token: Option<f64>,
    /// The price of a token that is written, in dollars.
    pub output_cost_per_token: Option<f64>,
    /// What the model would be called by its provider, where `model` is an alias.
    pub model_canonical_name: Option<String>,
    /// Sends no images although the model could read them.
    pub disable_vision: Option<bool>,
    /// Whether cacheable parts are marked.
    pub caching_prompt: Option<bool>,
    /// Sends content as one string.
    pub force_string_serializer: Option<bool>,
    /// Says what is known of the model: see [`crate::llm::model_data`]. Without it, the model is unknown.
    pub model_data: ModelData,
}

/// A key that is stored encrypted.
#[derive(Debug, Default)]
pub struct StoredKey {
    /// The key, for where the user gives none.
    pub key: RefCell<Option<SecretString>>,
    /// What is stored for the key: a token that only who has the passphrase can read.
    pub token: RefCell<Option<String>>,
}

/// Where the key comes from.
#[derive(Clone, Default)]
pub enum ApiKey {
    /// None is needed.
    #[default]
    None,
    /// It is known.
    Value(SecretString),
    /// It is asked for before each request, with two empty texts.
    Function(TextFunction),
}

/// Asks the host for a text, each time anew. An error is words for the user.
pub type TextFunction = Rc<Ask>;

type Ask = dyn Fn(&str, &str) -> LocalBoxFuture<'static, Result<String, String>>;

/// Where what is known of a model comes from.
#[derive(Clone, Default)]
pub struct ModelData(pub Option<TextFunction>);

impl fmt::Debug for ModelData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ModelData")
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Value(key) => key.fmt(f),
            Self::Function(_) => f.write_str("function"),
        }
    }
}

/// The wire API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiMode {
    /// Whatever suits the model.
    Auto,
    /// OpenAI Chat Completions.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Anthropic,
}

string_enum!(ApiMode {
    Auto = "auto",
    Chat = "chat",
    Responses = "responses",
    Anthropic = "anthropic",
});

impl LlmOptions {
    /// A model, everything else as the SDK has it.
    pub fn new(model: impl Into<String>) -> Self {
        Self { model: model.into(), ..Self::default() }
    }

    /// Under which name usage is counted.
    pub fn usage_id(&self) -> &str {
        self.usage_id.as_deref().unwrap_or("default")
    }

    /// How hard the model is asked to think.
    pub fn reasoning_effort(&self) -> &str {
        self.reasoning_effort.as_deref().unwrap_or("high")
    }

    /// Whether reasoning comes and goes encrypted.
    pub fn enable_encrypted_reasoning(&self) -> bool {
        self.enable_encrypted_reasoning.unwrap_or(true)
    }

    /// How long the provider is asked to keep a prompt cached.
    pub fn prompt_cache_retention(&self) -> Option<&str> {
        Some(self.prompt_cache_retention.as_deref().unwrap_or("24h"))
            .filter(|retention| !retention.is_empty())
    }

    /// How long a server may be silent.
    pub fn timeout(&self) -> Option<Duration> {
        // What no clock can count to is for ever as well.
        let timeout = retry::seconds_of(self.timeout.unwrap_or(300.0));
        timeout.filter(|timeout| !timeout.is_zero())
    }

    /// Refuses what can be seen to be wrong before anything is sent.
    ///
    /// # Errors
    /// `InvalidOptions`, naming the option.
    pub fn check(&self) -> Result<(), LlmError> {
        let invalid = |message: &str| Err(LlmError::new(LlmFailure::InvalidOptions, message));
        let is_amount = |value: Option<f64>| value.is_none_or(|value| value.is_finite() && value >= 0.0);
        if !is_amount(self.temperature) {
            return invalid("temperature must be a number that is not negative");
        }
        if !is_amount(self.top_p) || self.top_p.is_some_and(|top_p| top_p > 1.0) {
            return invalid("topP must be a number from 0 to 1");
        }
        if !is_amount(self.input_cost_per_token) || !is_amount(self.output_cost_per_token) {
            return invalid("inputCostPerToken and outputCostPerToken must be numbers that are not negative");
        }
        if !is_amount(self.timeout) {
            return invalid("timeout must be a number of seconds that is not negative");
        }
        if !is_amount(self.retry_multiplier) {
            return invalid("the retry multiplier must be a number that is not negative");
        }
        if self.max_output_tokens == Some(0) {
            return invalid("maxOutputTokens must be at least 1");
        }
        // The SDK refuses to load a smaller window, so it must not get into a file.
        if self.max_input_tokens.is_some_and(|tokens| tokens < 16_384) {
            return invalid("maxInputTokens must be at least 16384: agents do not work in less");
        }
        Ok(())
    }
}
