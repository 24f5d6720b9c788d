//! The options of a model: the SDK's `LLM` fields that a browser can use, under their names. One table: a further option is
//! a row here, and the code of the wire APIs that send it.
//!
//! `None` means not set: then the default holds, and a stored value stays as it is.

use crate::{
    json::{ToJson as _, string_enum},
    llm::{
        error::{LlmError, LlmFailure},
        learned::Learned,
        option_table::{OptionDeclaration, llm_options},
        request_text::RequestText,
        retry,
        secret_string::SecretString,
        wire_api::Api,
    },
};
use futures_util::future::LocalBoxFuture;
use std::{cell::RefCell, fmt, rc::Rc, time::Duration};

llm_options! {
    /// How to reach a model and what to ask of it.
    #[derive(Clone, Debug, Default)]
    pub struct LlmOptions {
        /// LiteLLM's `provider/model`.
        pub model: String,
        /// Never stored in the clear.
        pub api_key: ApiKey,
        /// The key as it is stored. Clones share it: it may be read only after the model was made.
        pub stored_key: Rc<StoredKey>,
        /// The text of earlier requests. Clones share it.
        pub request_text: Rc<RequestText>,
        /// What the server has shown of itself. Clones share it.
        pub learned: Rc<Learned>,
        /// The id of the background response to read, in place of a new answer. Not an option of hosts.
        pub background_response: Option<String>,
        /// Further headers. They are not stored, because they may hold secrets.
        pub headers: Vec<(String, String)>,
        /// Looks up what is known of a model: see [`crate::llm::model_data`]. Without it, the model is unknown.
        pub model_data: ModelData,
    }

    /// The URL of the API, without `/chat/completions`. A path such as `/v1` is relative to the page.
    base_url "baseUrl": String, stored, sent by [];

    /// The wire API: Chat Completions or Responses of OpenAI, or Messages of Anthropic. `"auto"` chooses by the model's name,
    /// as the SDK does.
    api_mode "apiMode" ["auto", "chat", "responses", "anthropic"]: ApiMode = ApiMode::Auto, stored, sent by [];

    /// The name under which `conversation.stats` counts this model.
    usage_id "usageId": String = "default", stored, sent by [];

    /// Whether answers are streamed.
    stream "stream": bool = true, stored, sent by [Chat Responses Anthropic];

    /// The sampling temperature. Not sent to models that are known to refuse it.
    temperature "temperature": f64, stored, sent by [Chat Responses Anthropic];

    /// The probability mass of nucleus sampling, from 0 to 1. Not sent to models that are known to refuse it.
    top_p "topP": f64, stored, sent by [Chat Responses Anthropic];

    /// The context window in tokens, where it differs from what is known of the model.
    max_input_tokens: u32, stored, sent by [];

    /// The maximum length of an answer, in tokens. Without it, the known limit of the model is sent.
    max_output_tokens "maxOutputTokens": u32, stored, sent by [Chat Responses Anthropic];

    /// How much the model reasons. Not sent to models that are known not to reason.
    reasoning_effort "reasoningEffort" ["none", "low", "medium", "high", "xhigh"]: String = "high",
        stored, sent by [Chat Responses Anthropic];

    /// How detailed a summary of its reasoning the model writes. Without it, none.
    reasoning_summary "reasoningSummary" ["auto", "concise", "detailed"]: String, stored, sent by [Responses];

    /// Whether the model's reasoning is requested in encrypted form and sent back with the next request, so that the model
    /// can continue it.
    enable_encrypted_reasoning "enableEncryptedReasoning": bool = true, stored, sent by [Responses];

    /// Whether the provider generates answers in the background, so that an answer survives a lost connection and a reload of
    /// the page. For this the provider stores the answer (`store: true`), as long as it decides to.
    background "background": bool = false, not stored, sent by [Responses];

    /// How long the provider caches prompts: `"24h"`, `"in_memory"`, or `""` to leave it to the provider.
    prompt_cache_retention "promptCacheRetention": String = "24h", stored, sent by [Responses];

    /// The maximum number of attempts, as in the SDK: 0 and 1 both mean one.
    num_retries "numRetries": u32 = 5, stored, sent by [];

    /// The shortest wait between attempts, in seconds.
    retry_min_wait: u32 = 8, stored, sent by [];

    /// The longest wait between attempts, in seconds.
    retry_max_wait: u32 = 64, stored, sent by [];

    /// The factor of the exponential wait.
    retry_multiplier: f64 = 8.0, stored, sent by [];

    /// The maximum time until the first byte, and between two bytes, in seconds; 0 is no limit.
    timeout "timeout": f64 = 300.0, stored, sent by [];

    /// Whether the model has native tool calling. With `false`, tools are described and called in text, as in the SDK.
    native_tool_calling "nativeToolCalling": bool = true, stored, sent by [];

    /// The price of an input token in US dollars. Without both prices, those of the metadata apply, if there are any.
    input_cost_per_token "inputCostPerToken": f64, stored, sent by [];

    /// The price of an output token in US dollars.
    output_cost_per_token "outputCostPerToken": f64, stored, sent by [];

    /// The provider's name of the model, where `model` is an alias.
    model_canonical_name: String, stored, sent by [];

    /// Sends no images although the model could read them.
    disable_vision: bool, stored, sent by [];

    /// Whether cacheable parts are marked.
    caching_prompt: bool = true, stored, sent by [];

    /// Sends content as one string.
    force_string_serializer: bool, stored, sent by [];
}

/// The options that are no plain values, each read in its own way.
pub const OTHER_OPTIONS: &[OptionDeclaration] = &[
    OptionDeclaration {
        doc: "The name in LiteLLM's form: `\"openai/gpt-4o\"`, `\"openrouter/…\"`, `\"ollama/…\"`, or any name together with `baseUrl`.",
        is_stored: true,
        sent_by: &[Api::Chat, Api::Responses, Api::Anthropic],
        ..other("model", "string")
    },
    OptionDeclaration {
        doc: "Kept in memory; `**********` is stored, or the key encrypted under the conversation's `cipher`. A function is called before each request.",
        ..other("apiKey", "string | (() => string | Promise<string>)")
    },
    OptionDeclaration { doc: "HTTP headers of every request.", ..other("headers", "Record<string, string>") },
    OptionDeclaration {
        doc: "Abilities of this model that the metadata does not know or has wrong. A model without metadata is assumed to accept neither images nor files.",
        is_stored: true,
        ..other(
            "capabilityOverrides",
            "{ supports_vision?: boolean | undefined; supports_pdf_input?: boolean | undefined; supports_audio_input?: boolean | undefined; supports_responses_api?: boolean | undefined }",
        )
    },
    OptionDeclaration {
        doc: "Models to ask in this order where this one has failed, retries included, before any part of an answer was shown. Each request begins with this model again; the cost of fallbacks is counted under this model's `usageId`.",
        ..other("fallbacks", "LLM[]")
    },
    OptionDeclaration {
        doc: "The error codes after which a fallback is asked: those of the SDK, and `cors`.",
        default: || FALLBACK_ON.to_json_text(),
        ..other("fallbackOn", "ErrorCode[]")
    },
    OptionDeclaration {
        doc: "Called in place of the page's `fetch`: a relay, a test double, or a model in the page.",
        ..other("fetch", "typeof fetch")
    },
];

/// The codes after which fallbacks are asked by default: the SDK's `_LLM_FALLBACK_EXCEPTIONS`, and the refusal of web pages,
/// which the SDK does not meet.
pub(super) const FALLBACK_ON: &[&str] =
    &["cors", "network", "llm_rate_limit", "llm_timeout", "llm_unavailable"];

const fn other(option: &'static str, typescript: &'static str) -> OptionDeclaration {
    OptionDeclaration {
        option: Some(option),
        field: "",
        doc: "",
        typescript,
        words: &[],
        default: String::new,
        is_stored: false,
        sent_by: &[],
    }
}

/// A key that is stored encrypted.
#[derive(Debug, Default)]
pub struct StoredKey {
    /// The decrypted key, which is used where the user gives none.
    pub key: RefCell<Option<SecretString>>,
    /// The key encrypted under the passphrase, as it is stored.
    pub token: RefCell<Option<String>>,
}

/// The source of the key.
#[derive(Clone, Default)]
pub enum ApiKey {
    /// No key.
    #[default]
    None,
    /// The key.
    Value(SecretString),
    /// Called before each request, with two empty texts.
    Function(TextFunction),
}

/// A function of the host that returns a text. An error is a message for the user.
pub type TextFunction = Rc<Ask>;

type Ask = dyn Fn(&str, &str) -> LocalBoxFuture<'static, Result<String, String>>;

/// The function that looks up limits, abilities and prices of a model.
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
    /// Chosen by the model's name.
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
    /// A model with nothing else set.
    pub fn new(model: impl Into<String>) -> Self {
        Self { model: model.into(), ..Self::default() }
    }

    /// The name under which usage is counted.
    pub fn usage_id(&self) -> &str {
        self.usage_id.as_deref().unwrap_or(DEFAULTS.usage_id)
    }

    /// How much the model is asked to reason.
    pub fn reasoning_effort(&self) -> &str {
        self.reasoning_effort.as_deref().unwrap_or(DEFAULTS.reasoning_effort)
    }

    /// Whether reasoning is requested encrypted.
    pub fn enable_encrypted_reasoning(&self) -> bool {
        self.enable_encrypted_reasoning.unwrap_or(DEFAULTS.enable_encrypted_reasoning)
    }

    /// Whether the provider completes answers in the background.
    pub fn background(&self) -> bool {
        self.background.unwrap_or(DEFAULTS.background)
    }

    /// How long the provider is asked to keep a prompt cached.
    pub fn prompt_cache_retention(&self) -> Option<&str> {
        Some(self.prompt_cache_retention.as_deref().unwrap_or(DEFAULTS.prompt_cache_retention))
            .filter(|retention| !retention.is_empty())
    }

    /// How long a server may be silent.
    pub fn timeout(&self) -> Option<Duration> {
        // More than a clock can count is without a limit as well.
        let timeout = retry::seconds_of(self.timeout.unwrap_or(DEFAULTS.timeout));
        timeout.filter(|timeout| !timeout.is_zero())
    }

    /// Refuses values that no request can use.
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
