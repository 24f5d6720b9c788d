//! What models can do and want, as data: the one place where a model's name decides anything.
//!
//! Mirrors the SDK's `llm/utils/model_features.py`: families are found by a part of the name, limits and abilities
//! are in the model's row. A name that has no row has no known limits.
//!
//! One thing differs on purpose: the SDK takes `openai/gpt-4o` and its kin for reasoning models, because LiteLLM does
//! not know them with their prefix, and so drops the temperature that a user sets. Here it is sent.

use crate::llm::{
    endpoint::Endpoint,
    model_data::ModelRow,
    options::LlmOptions,
    provider::{ReasoningEffort, is_openais},
};

/// What a request to a model depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelFeatures {
    /// Reads images.
    pub supports_vision: bool,
    /// Is told how hard to think.
    pub supports_reasoning_effort: bool,
    /// Is asked at a server that is known to take what OpenAI has added to Chat Completions.
    pub takes_extras: bool,
    /// Takes temperature and its kin.
    pub supports_sampling_params: bool,
    /// Decides by itself how much to think, as Anthropic's newer models do.
    pub supports_adaptive_thinking: bool,
    /// Wants Anthropic's older thinking budget.
    pub has_thinking_budget: bool,
    /// Caches what is marked with `cache_control`.
    pub supports_prompt_cache: bool,
    /// Is best asked over the Responses API, where its provider has one.
    pub supports_responses_api: bool,
    /// Refuses lists of parts as content.
    pub force_string_serializer: bool,
    /// Refuses calls without a signature, which those of other models have not.
    pub wants_signed_calls: bool,
    /// Wants its earlier reasoning back.
    pub send_reasoning_content: bool,
    /// The context window, where known.
    pub max_input_tokens: Option<u32>,
    /// The longest answer to ask for, where known.
    pub max_output_tokens: Option<u32>,
    /// All that is known of it.
    pub row: ModelRow,
}

impl ModelFeatures {
    /// What holds for this model at this place, with these options.
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
            // That other models cache does not mean that they want to be told where.
            Some(true) if name.contains("claude") => true,
            Some(false) => false,
            _ => has(PROMPT_CACHE),
        };
        Self {
            supports_vision: row.has("supports_vision") == Some(true) && options.disable_vision != Some(true),
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

/// Anybody's server can be named with a prefix that says no more than what it speaks, or without any. A relay to OpenAI's
/// own models is one that knows them.
fn takes_extras(name: &str, endpoint: &Endpoint) -> bool {
    let is_anybodys = endpoint.is_user_server && endpoint.provider.reasoning == ReasoningEffort::UnlessKnown;
    !is_anybodys || is_openais(name.strip_prefix("openai/").unwrap_or(name))
}

/// Whether a request to the Responses API may say for how long the prompt is to be cached. The last rule that applies
/// decides, as in the SDK.
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

/// The answer that is asked for where the user does not say: the SDK's `_init_model_info_and_caps`.
fn output_limit(name: &str, known: Option<u32>, options: &LlmOptions, endpoint: &Endpoint) -> Option<u32> {
    let known = match OUTPUT_CAPS.iter().find(|(family, _)| name.contains(family)) {
        Some((_, cap)) => Some(*cap),
        None => known.map(|limit| {
            // An answer as long as the window would leave no room for the question. The row has seen to its own window.
            let is_all = options.max_input_tokens.is_some_and(|window| limit >= window);
            let limit = if is_all { limit / 2 } else { limit };
            let is_doubtful = endpoint.is_user_server && !endpoint.provider.has_true_limits;
            if is_doubtful { limit.min(USER_SERVER_CAP) } else { limit }
        }),
    };
    let ceiling =
        OUTPUT_CEILINGS.iter().find(|(family, _)| name.contains(family)).map(|(_, ceiling)| *ceiling);
    match (known, ceiling) {
        (Some(known), Some(ceiling)) => Some(known.min(ceiling)),
        (known, ceiling) => known.or(ceiling),
    }
}

/// A server that only looks like the provider's may allow less than the provider's metadata says.
const USER_SERVER_CAP: u32 = 16_384;

/// Families whose answers are capped whatever the metadata says.
const OUTPUT_CAPS: &[(&str, u32)] =
    &[("claude-3-7-sonnet", 64_000), ("claude-sonnet-4", 64_000), ("kimi-k2-thinking", 64_000)];

/// Families that never get more, known or not.
const OUTPUT_CEILINGS: &[(&str, u32)] = &[("o3", 100_000)];

/// Families that cache at marks. Gemini is left out on purpose: marks switch its own caching off.
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

/// Families whose thinking is steered by a token budget.
const THINKING_BUDGET: &str = "\
claude-sonnet-4-5
claude-sonnet-4-6
claude-haiku-4-5";

/// Families that OpenAI offers over the Responses API.
const RESPONSES_API: &str = "\
gpt-5
codex-mini-latest";

/// Families whose servers refuse content as a list of parts. The last is not in the SDK, because LiteLLM sees to it.
const STRING_CONTENT: &str = "\
deepseek
glm
groq/kimi-k2-instruct
openrouter/minimax
moonshot-v1";

/// Families that sign their calls, and look at the signatures.
const SIGNED_CALLS: &str = "gemini-3";

/// Families that lose the thread without their own reasoning.
const REASONING_ECHO: &str = "\
kimi-k3
kimi-k2-thinking
kimi-k2.5
kimi-k2.6
openrouter/minimax-m2
deepseek/deepseek-reasoner
deepseek/deepseek-v4-pro
deepseek/deepseek-v4-flash";

/// What a model is like that is told of tools in text.
pub struct TextToolFeatures {
    /// Ends its answer where a word comes up that the request names.
    pub supports_stop_words: bool,
    /// Learns from a worked example.
    pub wants_example: bool,
}

impl TextToolFeatures {
    /// What holds for this model.
    pub fn of(options: &LlmOptions) -> Self {
        let name = options.model_canonical_name.as_deref().unwrap_or(&options.model).to_ascii_lowercase();
        Self {
            supports_stop_words: !is_one_of(&name, NO_STOP_WORDS),
            wants_example: !is_one_of(&options.model, NO_EXAMPLE),
        }
    }
}

/// Families that take no stop words, as the SDK and LiteLLM have them.
/// Whether a model's name has one of these parts, a line each.
fn is_one_of(name: &str, families: &str) -> bool {
    families.lines().any(|family| name.contains(family))
}

const NO_STOP_WORDS: &str = "\
o1
o3
gpt-5
grok-4-0709
grok-code-fast-1
deepseek-r1-0528";

/// Families that know the text protocol, or have no room for an example.
const NO_EXAMPLE: &str = "\
openhands-lm
devstral
nemotron";
