//! The table of providers: their servers, and the differences in their APIs.
//!
//! Names are LiteLLM's: `provider/model`. The differences are those that LiteLLM handles for the same provider.

use crate::llm::wire_api::Api;

/// A row of the table: one provider's server for Chat Completions.
#[derive(Debug)]
pub struct Provider {
    /// The prefix of a model's name.
    pub name: &'static str,
    /// The base URL of its public server. `None` if the user must set one.
    pub base_url: Option<&'static str>,
    /// Appended to a user's base URL that has no path, because users of LiteLLM write it without.
    pub bare_path: &'static str,
    /// The beginnings of names without a prefix that belong to this provider.
    pub bare_names: &'static [&'static str],
    /// Its default wire API.
    pub api: Api,
    /// The header with the key, and the text before the key in it.
    pub key_header: (&'static str, &'static str),
    /// The models for which `reasoning_effort` is sent.
    pub reasoning: ReasoningEffort,
    /// The name of the field with the limit of output tokens.
    pub output_limit: &'static str,
    /// Whether it accepts `prompt_cache_key`.
    pub takes_cache_key: bool,
    /// Whether it accepts `stream_options`.
    pub takes_stream_options: bool,
    /// Whether it accepts this id of a call, which may come from another provider.
    pub takes_call_id: fn(&str) -> bool,
    /// Whether calls have a signature, Gemini's `extra_content.google.thought_signature`
    /// (ai.google.dev/gemini-api/docs/thought-signatures).
    pub takes_call_signatures: bool,
    /// Whether it refuses a user message directly after a tool message: "Unexpected role 'user' after role 'tool'"
    /// (github.com/BerriAI/litellm/issues/17761).
    pub wants_answer_to_tools: bool,
    /// Whether tool messages may have the tool's name.
    pub takes_tool_name: bool,
    /// Whether tool messages may have images, which OpenAI's own protocol does not allow.
    pub takes_tool_images: bool,
    /// Whether user messages may have PDF files, as OpenAI's `file` and `input_file` parts. Others have a form of their own,
    /// or upload files.
    pub takes_pdf: bool,
    /// Whether user messages may have audio, as OpenAI's `input_audio` parts.
    pub takes_audio: bool,
    /// Whether assistant messages may have Anthropic's signed reasoning.
    pub takes_thinking_blocks: bool,
    /// Whether it has the Responses API as well, for models that should be used over it.
    pub has_responses_api: bool,
    /// Whether it accepts unencrypted reasoning in the history, in the Responses API.
    pub takes_open_reasoning: bool,
    /// The assistant messages that must have reasoning, even if it is blank, for models that think.
    pub wants_reasoning: WantsReasoning,
    /// Whether it forwards Anthropic's `thinking` and its beta header.
    pub takes_thinking: bool,
    /// Whether it reads the session header of a LiteLLM proxy.
    pub takes_session: bool,
    /// Whether the output limit of the metadata is trusted although the user has set the server.
    pub has_true_limits: bool,
    /// Headers that it requires from a page.
    pub headers: &'static [(&'static str, &'static str)],
    /// Whether each model is a deployment with its own path, as at Azure.
    pub has_deployments: bool,
    /// Advice that is appended to the error if there is no response from a server that refuses web pages, or refuses them
    /// by default; empty if pages are allowed or nothing is known. `docs/models.md` has the sources.
    pub page_advice: &'static str,
}

/// The models for which a provider accepts a reasoning effort, and its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningEffort {
    /// For every model.
    Always,
    /// For every model that is not known to reject it.
    UnlessKnown,
    /// For models that are known to reason.
    IfKnown,
    /// For every model, as DeepSeek's `thinking: {"type": "enabled"}`.
    ThinkingSwitch,
}

/// Which assistant messages a provider refuses without reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantsReasoning {
    /// No message.
    Nowhere,
    /// Messages that call tools.
    OnCalls,
    /// Every message of the model.
    Everywhere,
}

/// A server that is compatible with OpenAI; every row lists its differences from this one.
const COMPATIBLE: Provider = Provider {
    name: "",
    base_url: None,
    bare_path: "",
    bare_names: &[],
    api: Api::Chat,
    key_header: ("authorization", "Bearer "),
    reasoning: ReasoningEffort::UnlessKnown,
    output_limit: "max_completion_tokens",
    takes_cache_key: true,
    takes_stream_options: true,
    takes_call_id: |_| true,
    takes_call_signatures: false,
    wants_answer_to_tools: false,
    takes_tool_name: true,
    takes_tool_images: false,
    takes_pdf: false,
    takes_audio: false,
    takes_thinking_blocks: true,
    has_responses_api: false,
    takes_open_reasoning: true,
    wants_reasoning: WantsReasoning::Nowhere,
    takes_thinking: false,
    takes_session: false,
    has_true_limits: false,
    headers: &[],
    has_deployments: false,
    page_advice: "",
};

const REFUSES_PAGES: &str =
    "; its server is known to refuse web pages: set baseUrl to a relay of yours, or give a fetch";
const OLLAMA_ORIGINS: &str = "; Ollama answers pages of other hosts only if OLLAMA_ORIGINS names them";

/// A user's server for a model without a provider prefix.
pub(super) static UNNAMED: Provider =
    Provider { has_responses_api: true, takes_pdf: true, takes_audio: true, ..COMPATIBLE };

/// The beginnings of the names of OpenAI's models.
const OPENAI_NAMES: &[&str] = &["gpt-", "chatgpt-", "o1", "o3", "o4", "codex-"];

/// Whether a name without a prefix belongs to a model of OpenAI.
pub(super) fn is_openai_model(name: &str) -> bool {
    OPENAI_NAMES.iter().any(|start| name.starts_with(start))
}

/// The providers by prefix. The table of `docs/models.md` and the servers of the demo are generated from here: see
/// `tests/generated`.
pub static PROVIDERS: &[Provider] = &[
    Provider {
        name: "openai",
        has_responses_api: true,
        // developers.openai.com/api/docs/guides/file-inputs and …/guides/audio.
        takes_pdf: true,
        takes_audio: true,
        base_url: Some("https://api.openai.com/v1"),
        bare_names: OPENAI_NAMES,
        // "string too long. Expected a string with maximum length 40" (github.com/microsoft/autogen/issues/6377).
        takes_call_id: |id| id.len() <= 40,
        takes_open_reasoning: false,
        ..COMPATIBLE
    },
    Provider {
        name: "anthropic",
        base_url: Some("https://api.anthropic.com/v1"),
        bare_names: &["claude-"],
        api: Api::Anthropic,
        reasoning: ReasoningEffort::IfKnown,
        takes_cache_key: false,
        takes_thinking: true,
        headers: &[("anthropic-dangerous-direct-browser-access", "true")],
        ..COMPATIBLE
    },
    Provider {
        name: "openrouter",
        has_responses_api: true,
        // openrouter.ai/docs/features/multimodal/pdfs and …/audio.
        takes_pdf: true,
        takes_audio: true,
        base_url: Some("https://openrouter.ai/api/v1"),
        reasoning: ReasoningEffort::Always,
        ..COMPATIBLE
    },
    Provider {
        name: "litellm_proxy",
        has_responses_api: true,
        takes_pdf: true,
        takes_audio: true,
        reasoning: ReasoningEffort::IfKnown,
        takes_tool_images: true,
        takes_thinking: true,
        takes_session: true,
        has_true_limits: true,
        ..COMPATIBLE
    },
    Provider {
        name: "openhands",
        has_responses_api: true,
        takes_pdf: true,
        takes_audio: true,
        base_url: Some("https://llm-proxy.app.all-hands.dev/v1"),
        reasoning: ReasoningEffort::IfKnown,
        takes_tool_images: true,
        takes_thinking: true,
        takes_session: true,
        ..COMPATIBLE
    },
    Provider {
        name: "ollama",
        base_url: Some("http://localhost:11434/v1"),
        bare_path: "/v1",
        reasoning: ReasoningEffort::IfKnown,
        page_advice: OLLAMA_ORIGINS,
        ..COMPATIBLE
    },
    Provider {
        name: "ollama_chat",
        base_url: Some("http://localhost:11434/v1"),
        bare_path: "/v1",
        reasoning: ReasoningEffort::IfKnown,
        page_advice: OLLAMA_ORIGINS,
        ..COMPATIBLE
    },
    Provider {
        name: "lm_studio",
        base_url: Some("http://localhost:1234/v1"),
        reasoning: ReasoningEffort::IfKnown,
        page_advice: "; LM Studio answers web pages only with CORS switched on: lms server start --cors",
        ..COMPATIBLE
    },
    Provider {
        name: "hosted_vllm",
        has_responses_api: true,
        // docs.vllm.ai, "Multimodal Inputs".
        takes_audio: true,
        reasoning: ReasoningEffort::Always,
        takes_thinking_blocks: false,
        ..COMPATIBLE
    },
    Provider {
        name: "deepseek",
        base_url: Some("https://api.deepseek.com/v1"),
        reasoning: ReasoningEffort::ThinkingSwitch,
        wants_reasoning: WantsReasoning::Everywhere,
        page_advice: REFUSES_PAGES,
        ..COMPATIBLE
    },
    Provider {
        name: "gemini",
        base_url: Some("https://generativelanguage.googleapis.com/v1beta/openai"),
        takes_call_signatures: true,
        // ai.google.dev/gemini-api/docs/openai, "Audio understanding"; of PDF files it says nothing.
        takes_audio: true,
        reasoning: ReasoningEffort::IfKnown,
        takes_cache_key: false,
        page_advice: REFUSES_PAGES,
        ..COMPATIBLE
    },
    Provider {
        name: "groq",
        base_url: Some("https://api.groq.com/openai/v1"),
        reasoning: ReasoningEffort::IfKnown,
        output_limit: "max_tokens",
        ..COMPATIBLE
    },
    Provider {
        name: "mistral",
        base_url: Some("https://api.mistral.ai/v1"),
        // "must be a-z, A-Z, 0-9, with a length of 9" (github.com/anomalyco/opencode/issues/1680).
        takes_call_id: |id| id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        wants_answer_to_tools: true,
        reasoning: ReasoningEffort::IfKnown,
        output_limit: "max_tokens",
        takes_cache_key: false,
        takes_stream_options: false,
        takes_thinking_blocks: false,
        ..COMPATIBLE
    },
    Provider {
        name: "xai",
        has_responses_api: true,
        base_url: Some("https://api.x.ai/v1"),
        reasoning: ReasoningEffort::IfKnown,
        takes_cache_key: false,
        takes_tool_name: false,
        output_limit: "max_tokens",
        ..COMPATIBLE
    },
    Provider {
        name: "together_ai",
        base_url: Some("https://api.together.xyz/v1"),
        reasoning: ReasoningEffort::IfKnown,
        takes_thinking_blocks: false,
        ..COMPATIBLE
    },
    Provider {
        name: "fireworks_ai",
        base_url: Some("https://api.fireworks.ai/inference/v1"),
        reasoning: ReasoningEffort::IfKnown,
        output_limit: "max_tokens",
        takes_thinking_blocks: false,
        page_advice: REFUSES_PAGES,
        ..COMPATIBLE
    },
    Provider {
        name: "moonshot",
        base_url: Some("https://api.moonshot.ai/v1"),
        reasoning: ReasoningEffort::IfKnown,
        output_limit: "max_tokens",
        wants_reasoning: WantsReasoning::OnCalls,
        ..COMPATIBLE
    },
    Provider {
        name: "azure",
        key_header: ("api-key", ""),
        reasoning: ReasoningEffort::IfKnown,
        has_deployments: true,
        ..COMPATIBLE
    },
];
