//! Abilities and requirements of models, as data: the only module that depends on a model's name.
//!
//! Mirrors the SDK's `llm/utils/model_features.py`: families are found by a part of the name, limits and abilities
//! are in the model's row. A model without a row has no known limits.
//!
//! One difference is intended: the SDK takes `openai/gpt-4o` and similar names for reasoning models, because LiteLLM does
//! not know them with their prefix, and so drops the temperature that a user sets. Here it is sent.

use crate::llm::{
    endpoint::Endpoint,
    model_data::ModelRow,
    options::LlmOptions,
    provider::{ReasoningEffort, is_openai_model},
};

/// The features of a model on which a request depends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelFeatures {
    /// Reads images.
    pub supports_vision: bool,
    /// Reads PDF files.
    pub supports_pdf_input: bool,
    /// Hears audio.
    pub supports_audio_input: bool,
    /// Is a model of Anthropic, with their limits of files and images at every provider.
    pub is_claude: bool,
    /// Accepts a reasoning effort.
    pub supports_reasoning_effort: bool,
    /// Its server is known to accept OpenAI's extensions of Chat Completions.
    pub takes_extras: bool,
    /// Accepts `temperature` and `top_p`.
    pub supports_sampling_params: bool,
    /// Decides by itself how much to think, as Anthropic's newer models do.
    pub supports_adaptive_thinking: bool,
    /// Needs Anthropic's older thinking budget.
    pub has_thinking_budget: bool,
    /// Caches at marks (`cache_control`).
    pub supports_prompt_cache: bool,
    /// Should be used over the Responses API, if its provider has one.
    pub supports_responses_api: bool,
    /// Refuses lists of parts as content.
    pub force_string_serializer: bool,
    /// Refuses calls without a signature, such as those of other models.
    pub wants_signed_calls: bool,
    /// Needs its earlier reasoning in the history.
    pub send_reasoning_content: bool,
    /// The context window in tokens, if known.
    pub max_input_tokens: Option<u32>,
    /// The limit of output tokens to send, if known.
    pub max_output_tokens: Option<u32>,
    /// The row of the model data.
    pub row: ModelRow,
}

impl ModelFeatures {
    /// The features of this model at this server, with these options.
    pub fn of(options: &LlmOptions, endpoint: &Endpoint, row: &ModelRow) -> Self {
        let name =
            options.model_canonical_name.as_deref().unwrap_or(&options.model).trim().to_ascii_lowercase();
        let has = |families: &str| is_one_of(&name, families);
        let is_told = row.has("reasoning_effort");
        let supports_reasoning_effort = match endpoint.provider.reasoning {
            ReasoningEffort::Always | ReasoningEffort::ThinkingSwitch => true,
            ReasoningEffort::UnlessKnown => is_told != Some(false),
            ReasoningEffort::IfKnown => is_told.or_else(|| row.has("supports_reasoning")) == Some(true),
        };
        let supports_adaptive_thinking = row.has("supports_adaptive_thinking") == Some(true);
        let has_thinking_budget = !supports_adaptive_thinking
            && row.has("supports_reasoning") != Some(false)
            && has(THINKING_BUDGET);
        let supports_sampling_params = row
            .has("supports_sampling_params")
            .unwrap_or_else(|| !supports_reasoning_effort || name.contains("gemini"));
        let marks_cache = match row.has("supports_prompt_caching") {
            // Other models that support caching may not support marks.
            Some(true) if name.contains("claude") => true,
            Some(false) => false,
            _ => has(PROMPT_CACHE),
        };
        Self {
            supports_vision: row.has("supports_vision") == Some(true) && options.disable_vision != Some(true),
            supports_pdf_input: row.has("supports_pdf_input") == Some(true),
            supports_audio_input: row.has("supports_audio_input") == Some(true),
            is_claude: name.contains("claude"),
            supports_reasoning_effort,
            takes_extras: takes_extras(&name, endpoint),
            supports_sampling_params: supports_sampling_params && !has_thinking_budget,
            supports_adaptive_thinking,
            has_thinking_budget,
            supports_prompt_cache: options.caching_prompt != Some(false) && marks_cache,
            supports_responses_api: row.has("supports_responses_api").unwrap_or_else(|| has(RESPONSES_API)),
            force_string_serializer: options.force_string_serializer.unwrap_or_else(|| has(STRING_CONTENT)),
            wants_signed_calls: has(SIGNED_CALLS),
            send_reasoning_content: has(REASONING_ECHO),
            max_output_tokens: options
                .max_output_tokens
                .or_else(|| output_limit(&name, row.limit("max_output_tokens"), options, endpoint)),
            max_input_tokens: options.max_input_tokens.or_else(|| row.limit("max_input_tokens")),
            row: row.clone(),
        }
    }
}

/// Whether the server accepts OpenAI's extensions. A user's server with no prefix, or with one that only names the API, may
/// not; but a relay to models of OpenAI does.
fn takes_extras(name: &str, endpoint: &Endpoint) -> bool {
    let is_unknown_server =
        endpoint.is_user_server && endpoint.provider.reasoning == ReasoningEffort::UnlessKnown;
    !is_unknown_server || is_openai_model(name.strip_prefix("openai/").unwrap_or(name))
}

/// Whether a request to the Responses API may set how long the prompt is cached. The last rule that applies decides, as in
/// the SDK.
pub(super) fn supports_prompt_cache_retention(options: &LlmOptions) -> bool {
    const RULES: &[(&str, bool)] = &[
        ("gpt-5", true),
        ("gpt-4.1", true),
        ("mini", false),
        ("gpt-5.1-codex-mini", true),
        ("azure/", false),
    ];
    let name = options.model_canonical_name.as_deref().unwrap_or(&options.model).to_ascii_lowercase();
    RULES.iter().rev().find(|(part, _)| name.contains(part)).is_some_and(|(_, is_supported)| *is_supported)
}

/// The default limit of output tokens: the SDK's `_init_model_info_and_caps`.
fn output_limit(name: &str, known: Option<u32>, options: &LlmOptions, endpoint: &Endpoint) -> Option<u32> {
    let known = match OUTPUT_CAPS.iter().find(|(family, _)| name.contains(family)) {
        Some((_, cap)) => Some(*cap),
        None => known.map(|limit| {
            // A limit as large as the window would leave no room for input. In rows this is accounted for already.
            let fills_window = options.max_input_tokens.is_some_and(|window| limit >= window);
            let limit = if fills_window { limit / 2 } else { limit };
            let is_uncertain = endpoint.is_user_server && !endpoint.provider.has_true_limits;
            if is_uncertain { limit.min(USER_SERVER_CAP) } else { limit }
        }),
    };
    let ceiling =
        OUTPUT_CEILINGS.iter().find(|(family, _)| name.contains(family)).map(|(_, ceiling)| *ceiling);
    match (known, ceiling) {
        (Some(known), Some(ceiling)) => Some(known.min(ceiling)),
        (known, ceiling) => known.or(ceiling),
    }
}

/// The limit for a user's server, which may allow less than the metadata of the provider claims.
const USER_SERVER_CAP: u32 = 16_384;

/// Families with a limit of output tokens that replaces the one in the metadata.
const OUTPUT_CAPS: &[(&str, u32)] =
    &[("claude-3-7-sonnet", 64_000), ("claude-sonnet-4", 64_000), ("kimi-k2-thinking", 64_000)];

/// Families with an upper bound for the limit of output tokens.
const OUTPUT_CEILINGS: &[(&str, u32)] = &[("o3", 100_000)];

/// Families that cache at marks. Gemini is intentionally not listed: marks disable its own caching.
const PROMPT_CACHE: &str = "\
claude-3-7-sonnet
claude-sonnet-3-7-latest
claude-3-5-sonnet
claude-3-5-haiku
claude-3-haiku-20240307
claude-3-opus-20240229
claude-sonnet-4
claude-opus-4
claude-haiku-4
claude-opus-5
claude-fable-5";

/// Families whose thinking is controlled by a token budget.
const THINKING_BUDGET: &str = "\
claude-sonnet-4-5
claude-sonnet-4-6
claude-haiku-4-5";

/// Families that OpenAI offers over the Responses API.
const RESPONSES_API: &str = "\
gpt-5
codex-mini-latest";

/// Families whose servers refuse content as a list of parts. The last is not in the SDK's list, because LiteLLM handles it.
const STRING_CONTENT: &str = "\
deepseek
glm
groq/kimi-k2-instruct
openrouter/minimax
moonshot-v1";

/// Families that sign their calls and verify the signatures.
const SIGNED_CALLS: &str = "gemini-3";

/// Families that need their own reasoning in the history.
const REASONING_ECHO: &str = "\
kimi-k3
kimi-k2-thinking
kimi-k2.5
kimi-k2.6
openrouter/minimax-m2
deepseek/deepseek-reasoner
deepseek/deepseek-v4-pro
deepseek/deepseek-v4-flash";

/// The features of a model that uses tools in text.
pub struct TextToolFeatures {
    /// Supports stop words, at which the answer ends.
    pub supports_stop_words: bool,
    /// Should be sent an example of a call.
    pub wants_example: bool,
}

impl TextToolFeatures {
    /// The features of the model of these options.
    pub fn of(options: &LlmOptions) -> Self {
        let name = options.model_canonical_name.as_deref().unwrap_or(&options.model).to_ascii_lowercase();
        Self {
            supports_stop_words: !is_one_of(&name, NO_STOP_WORDS),
            wants_example: !is_one_of(&options.model, NO_EXAMPLE),
        }
    }
}

/// Whether a model's name contains one of these parts, which are lines of a text.
fn is_one_of(name: &str, families: &str) -> bool {
    families.lines().any(|family| name.contains(family))
}

/// Families without support for stop words, as in the SDK and LiteLLM.
const NO_STOP_WORDS: &str = "\
o1
o3
gpt-5
grok-4-0709
grok-code-fast-1
deepseek-r1-0528";

/// Families that were trained with the text protocol, or whose context is too small for an example.
const NO_EXAMPLE: &str = "\
openhands-lm
devstral
nemotron";
