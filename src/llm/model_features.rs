//! What models can do and want, as data: the one place where a model's name decides anything.
//!
//! Mirrors the SDK's `llm/utils/model_features.py`: families are found by a part of the name, limits and abilities
//! by the name itself, as LiteLLM's metadata has them for SDK 1.43.1. A name that is in no row has no known limits.
//!
//! One thing differs on purpose: the SDK takes `openai/gpt-4o` and its kin for reasoning models, because LiteLLM does
//! not know them with their prefix, and so drops the temperature that a user sets. Here it is sent.

use crate::{
    llm::{endpoint::Endpoint, options::LlmOptions, provider::ReasoningEffort},
    search::contains,
};

/// What a request to a model depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelFeatures {
    /// Reads images.
    pub supports_vision: bool,
    /// Is told how hard to think.
    pub supports_reasoning_effort: bool,
    /// Takes temperature and its kin.
    pub supports_sampling_params: bool,
    /// Wants Anthropic's older thinking budget.
    pub has_thinking_budget: bool,
    /// Caches what is marked with `cache_control`.
    pub supports_prompt_cache: bool,
    /// Refuses lists of parts as content.
    pub force_string_serializer: bool,
    /// Wants its earlier reasoning back.
    pub send_reasoning_content: bool,
    /// The context window, where known.
    pub max_input_tokens: Option<u32>,
    /// The longest answer to ask for, where known.
    pub max_output_tokens: Option<u32>,
}

impl ModelFeatures {
    /// What holds for this model at this place, with these options.
    pub fn of(options: &LlmOptions, endpoint: &Endpoint) -> Self {
        let name =
            options.model_canonical_name.as_deref().unwrap_or(&options.model).trim().to_ascii_lowercase();
        let row = row_of(&name);
        let has = |families: &[&str]| families.iter().any(|family| contains(&name, family));
        let flags = row.map_or(0, |row| row.flags);
        let supports_reasoning_effort = match endpoint.provider.reasoning {
            ReasoningEffort::Always | ReasoningEffort::ThinkingSwitch => true,
            ReasoningEffort::UnlessKnown => flags & NO_REASONING == 0,
            ReasoningEffort::IfKnown => flags & REASONING != 0,
        };
        let has_thinking_budget = flags & ADAPTIVE == 0 && flags & REASONING != 0 && has(THINKING_BUDGET);
        Self {
            supports_vision: flags & VISION != 0 && options.disable_vision != Some(true),
            supports_reasoning_effort,
            supports_sampling_params: flags & NO_SAMPLING == 0
                && !has_thinking_budget
                && (!supports_reasoning_effort || contains(&name, "gemini")),
            has_thinking_budget,
            supports_prompt_cache: options.caching_prompt != Some(false) && has(PROMPT_CACHE),
            force_string_serializer: options.force_string_serializer.unwrap_or_else(|| has(STRING_CONTENT)),
            send_reasoning_content: has(REASONING_ECHO),
            max_input_tokens: options
                .max_input_tokens
                .or(row.map(|row| row.max_input).filter(|known| *known > 0)),
            max_output_tokens: options.max_output_tokens.or_else(|| output_limit(&name, row, endpoint)),
        }
    }
}

/// Whether a request to the Responses API may say for how long the prompt is to be cached. The last rule that applies
/// decides, as in the SDK.
#[cfg(any(not(target_arch = "wasm32"), feature = "responses"))]
pub(super) fn supports_prompt_cache_retention(options: &LlmOptions) -> bool {
    const RULES: &[(&str, bool)] = &[
        ("gpt-5", true),
        ("gpt-4.1", true),
        ("mini", false),
        ("gpt-5.1-codex-mini", true),
        ("azure/", false),
    ];
    let name = options.model_canonical_name.as_deref().unwrap_or(&options.model).to_ascii_lowercase();
    RULES.iter().rev().find(|(part, _)| contains(&name, part)).is_some_and(|(_, is_supported)| *is_supported)
}

/// The answer that is asked for where the user does not say: the SDK's `_init_model_info_and_caps`.
fn output_limit(name: &str, row: Option<&Row>, endpoint: &Endpoint) -> Option<u32> {
    let known = match OUTPUT_CAPS.iter().find(|(family, _)| contains(name, family)) {
        Some((_, cap)) => Some(*cap),
        None => row.filter(|row| row.max_output > 0).map(|row| {
            // An answer as long as the window would leave no room for the question.
            let limit = if row.max_output >= row.max_input { row.max_output / 2 } else { row.max_output };
            let is_doubtful = endpoint.is_user_server && !endpoint.provider.has_true_limits;
            if is_doubtful { limit.min(USER_SERVER_CAP) } else { limit }
        }),
    };
    let ceiling =
        OUTPUT_CEILINGS.iter().find(|(family, _)| contains(name, family)).map(|(_, ceiling)| *ceiling);
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
const PROMPT_CACHE: &[&str] = &[
    "claude-3-7-sonnet",
    "claude-sonnet-3-7-latest",
    "claude-3-5-sonnet",
    "claude-3-5-haiku",
    "claude-3-haiku-20240307",
    "claude-3-opus-20240229",
    "claude-sonnet-4",
    "claude-opus-4",
    "claude-haiku-4",
    "claude-opus-5",
    "claude-fable-5",
];

/// Families whose thinking is steered by a token budget.
const THINKING_BUDGET: &[&str] = &["claude-sonnet-4-5", "claude-sonnet-4-6", "claude-haiku-4-5"];

/// Families whose servers refuse content as a list of parts.
const STRING_CONTENT: &[&str] = &["deepseek", "glm", "groq/kimi-k2-instruct", "openrouter/minimax"];

/// Families that lose the thread without their own reasoning.
const REASONING_ECHO: &[&str] = &[
    "kimi-k3",
    "kimi-k2-thinking",
    "kimi-k2.5",
    "kimi-k2.6",
    "openrouter/minimax-m2",
    "deepseek/deepseek-reasoner",
    "deepseek/deepseek-v4-pro",
    "deepseek/deepseek-v4-flash",
];

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
            supports_stop_words: !NO_STOP_WORDS.iter().any(|family| contains(&name, family)),
            wants_example: !NO_EXAMPLE.iter().any(|family| contains(&options.model, family)),
        }
    }
}

/// Families that take no stop words, as the SDK and LiteLLM have them.
const NO_STOP_WORDS: &[&str] = &["o1", "o3", "gpt-5", "grok-4-0709", "grok-code-fast-1", "deepseek-r1-0528"];

/// Families that know the text protocol, or have no room for an example.
const NO_EXAMPLE: &[&str] = &["openhands-lm", "devstral", "nemotron"];

struct Row {
    /// With a provider in front where the same model has other limits elsewhere.
    name: &'static str,
    /// 0 where it is not known.
    max_input: u32,
    max_output: u32,
    flags: u8,
}

const VISION: u8 = 1;
const REASONING: u8 = 2;
/// Known to have none, and refuses to be asked.
const NO_REASONING: u8 = 4;
const ADAPTIVE: u8 = 8;
const NO_SAMPLING: u8 = 16;

const fn row(name: &'static str, max_input: u32, max_output: u32, flags: u8) -> Row {
    Row { name, max_input, max_output, flags }
}

static ROWS: &[Row] = &[
    row("gpt-3.5-turbo", 16_385, 4096, NO_REASONING),
    row("gpt-4-turbo", 128_000, 4096, VISION | NO_REASONING),
    row("gpt-4o", 128_000, 16_384, VISION | NO_REASONING),
    row("gpt-4o-mini", 128_000, 16_384, VISION | NO_REASONING),
    row("gpt-4.1", 1_047_576, 32_768, VISION | NO_REASONING),
    row("gpt-4.1-mini", 1_047_576, 32_768, VISION | NO_REASONING),
    row("gpt-4.1-nano", 1_047_576, 32_768, VISION | NO_REASONING),
    row("gpt-5", 272_000, 128_000, VISION | REASONING),
    row("gpt-5-mini", 272_000, 128_000, VISION | REASONING),
    row("gpt-5-nano", 272_000, 128_000, VISION | REASONING),
    row("gpt-5-codex", 272_000, 128_000, VISION | REASONING),
    row("gpt-5.1", 272_000, 128_000, VISION | REASONING),
    row("gpt-5.2", 272_000, 128_000, VISION | REASONING),
    row("gpt-5.4", 1_050_000, 128_000, VISION | REASONING),
    row("gpt-5.5", 1_050_000, 128_000, VISION | REASONING),
    row("o1", 200_000, 100_000, VISION | REASONING),
    row("o3", 200_000, 100_000, VISION | REASONING),
    row("o3-mini", 200_000, 100_000, REASONING),
    row("o4-mini", 200_000, 100_000, VISION | REASONING),
    row("claude-sonnet-4", 200_000, 64_000, VISION | REASONING),
    row("claude-opus-4", 200_000, 64_000, VISION | REASONING),
    row("claude-opus-4-1", 200_000, 64_000, VISION | REASONING),
    row("claude-sonnet-4-5", 200_000, 64_000, VISION | REASONING),
    row("claude-sonnet-4.5", 200_000, 64_000, VISION | REASONING),
    row("claude-haiku-4-5", 200_000, 64_000, VISION | REASONING),
    row("claude-opus-4-5", 200_000, 64_000, VISION | REASONING),
    row("claude-opus-4.5", 200_000, 64_000, VISION | REASONING),
    row("claude-opus-4-6", 1_000_000, 128_000, VISION | REASONING | ADAPTIVE),
    row("claude-sonnet-4-6", 1_000_000, 128_000, VISION | REASONING | ADAPTIVE),
    row("claude-opus-4-7", 1_000_000, 128_000, VISION | REASONING | ADAPTIVE | NO_SAMPLING),
    row("claude-opus-4-8", 1_000_000, 128_000, VISION | REASONING | ADAPTIVE | NO_SAMPLING),
    row("claude-opus-5", 1_000_000, 128_000, VISION | REASONING | ADAPTIVE | NO_SAMPLING),
    row("claude-fable-5", 1_000_000, 128_000, VISION | REASONING | ADAPTIVE | NO_SAMPLING),
    row("gemini-2.5-pro", 1_048_576, 65_536, VISION | REASONING),
    row("gemini-2.5-flash", 1_048_576, 65_536, VISION | REASONING),
    row("deepseek-chat", 131_072, 8192, 0),
    row("deepseek-reasoner", 131_072, 65_536, REASONING),
    row("deepseek-v4-pro", 1_000_000, 393_216, REASONING),
    row("mistral/mistral-large", 262_144, 262_144, VISION),
    row("mistral/mistral-medium", 262_144, 262_144, VISION),
    row("moonshot/kimi-k2.5", 262_144, 262_144, VISION | REASONING),
    row("moonshot/kimi-k2.6", 262_144, 262_144, VISION | REASONING),
    row("moonshot/kimi-k3", 1_048_576, 1_048_576, VISION | REASONING),
    row("kimi-k3", 0, 0, VISION | REASONING),
    row("fireworks_ai/accounts/fireworks/models/kimi-k2p5", 262_144, 32_768, 0),
    row("groq/openai/gpt-oss-120b", 131_072, 65_536, REASONING),
    row("groq/openai/gpt-oss-20b", 131_072, 65_536, REASONING),
    row("xai/grok-code-fast-1", 256_000, 256_000, VISION | REASONING),
];

/// The row of a model, by its whole name or the last part of it, without a variant (`:free`) and a version
/// (`-20250929`).
fn row_of(name: &str) -> Option<&'static Row> {
    let name = name.split(':').next()?;
    let base = name.rsplit('/').next()?;
    let is_named = |row: &&Row| {
        let name = if row.name.contains('/') { name } else { base };
        name.strip_prefix(row.name).is_some_and(is_version)
    };
    ROWS.iter().find(is_named)
}

fn is_version(suffix: &str) -> bool {
    match suffix.strip_prefix('-') {
        None => suffix.is_empty(),
        Some("latest") => true,
        Some(date) => date.len() >= 8 && date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(model: &str, base_url: Option<&str>) -> ModelFeatures {
        let options = LlmOptions { base_url: base_url.map(Into::into), ..LlmOptions::new(model) };
        ModelFeatures::of(&options, &Endpoint::resolve(model, base_url).unwrap())
    }

    #[test]
    fn versions_share_a_row_and_variants_do_not() {
        let dated = features("openai/gpt-4o-2024-08-06", None);
        assert_eq!(dated.max_output_tokens, Some(16_384));
        assert!(dated.supports_vision && !dated.supports_reasoning_effort && dated.supports_sampling_params);
        assert_eq!(features("openai/gpt-4o-custom", None).max_output_tokens, None);
        assert_eq!(features("openai/gpt-5-mini-2025-08-07", None).max_input_tokens, Some(272_000));
    }

    #[test]
    fn a_user_server_is_asked_for_less() {
        assert_eq!(features("openai/gpt-5", None).max_output_tokens, Some(128_000));
        assert_eq!(features("openai/gpt-5", Some("http://h/v1")).max_output_tokens, Some(16_384));
        assert_eq!(features("litellm_proxy/gpt-5", Some("http://h/v1")).max_output_tokens, Some(128_000));
        assert_eq!(features("openai/claude-sonnet-4-5", Some("http://h/v1")).max_output_tokens, Some(64_000));
        assert_eq!(features("mistral/mistral-large-latest", None).max_output_tokens, Some(131_072));
    }
}
