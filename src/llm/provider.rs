//! Which server a model's name stands for, and what that server wants spelled differently: one table.
//!
//! Names are LiteLLM's: `provider/model`. A request goes where the user's `base_url` says or, without one, where the
//! provider prefix stands for; never anywhere else.

use crate::llm::error::{LlmError, LlmFailure};

/// A row: what is known of one provider's Chat Completions server.
#[derive(Debug)]
pub struct Provider {
    /// The prefix of a model's name.
    pub name: &'static str,
    /// Where its public server is. `None` where the user must say.
    pub base_url: Option<&'static str>,
    /// Added to a user's base URL that has no path, because LiteLLM's users write it without.
    pub bare_path: &'static str,
    /// How names without a prefix begin that mean this provider.
    pub bare_names: &'static [&'static str],
    /// When `reasoning_effort` is sent.
    pub reasoning: ReasoningEffort,
    /// How the output limit is called.
    pub output_limit: &'static str,
    /// Whether `prompt_cache_key` is understood.
    pub takes_cache_key: bool,
    /// Whether `stream_options` is understood.
    pub takes_stream_options: bool,
    /// Whether tool messages may carry the tool's name.
    pub takes_tool_name: bool,
    /// Whether tool messages may carry images, which OpenAI's own protocol has no place for.
    pub takes_tool_images: bool,
    /// Whether assistant messages may carry Anthropic's signed reasoning.
    pub takes_thinking_blocks: bool,
    /// Which assistant messages must carry reasoning, be it blank, once a model thinks.
    pub wants_reasoning: WantsReasoning,
    /// Whether it passes on Anthropic's `thinking` and its beta header.
    pub takes_thinking: bool,
    /// Whether it reads the session header of a LiteLLM proxy.
    pub takes_session: bool,
    /// Whether the output limit that is asked for is trusted although the user named the server.
    pub has_true_limits: bool,
    /// Headers that it needs from a page.
    pub headers: &'static [(&'static str, &'static str)],
}

/// When and how a provider is told how hard to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningEffort {
    /// For every model.
    Always,
    /// For every model that is not known to have none.
    UnlessKnown,
    /// For models that are known to reason.
    IfKnown,
    /// For every model, as DeepSeek's `thinking: {"type": "enabled"}`.
    ThinkingSwitch,
}

/// Which assistant messages a provider refuses without reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantsReasoning {
    /// None.
    Nowhere,
    /// Those that call tools.
    OnCalls,
    /// All.
    Everywhere,
}

/// A server that speaks OpenAI's language; every row differs from this in little.
const COMPATIBLE: Provider = Provider {
    name: "",
    base_url: None,
    bare_path: "",
    bare_names: &[],
    reasoning: ReasoningEffort::UnlessKnown,
    output_limit: "max_completion_tokens",
    takes_cache_key: true,
    takes_stream_options: true,
    takes_tool_name: true,
    takes_tool_images: false,
    takes_thinking_blocks: true,
    wants_reasoning: WantsReasoning::Nowhere,
    takes_thinking: false,
    takes_session: false,
    has_true_limits: false,
    headers: &[],
};

/// A user's own server whose model has no provider prefix.
static UNNAMED: Provider = COMPATIBLE;

/// The providers by prefix. Differences in spelling are those that LiteLLM makes for the same provider.
static PROVIDERS: &[Provider] = &[
    Provider {
        name: "openai",
        base_url: Some("https://api.openai.com/v1"),
        bare_names: &["gpt-", "chatgpt-", "o1", "o3", "o4", "codex-"],
        ..COMPATIBLE
    },
    Provider {
        name: "anthropic",
        base_url: Some("https://api.anthropic.com/v1"),
        bare_names: &["claude-"],
        reasoning: ReasoningEffort::IfKnown,
        takes_cache_key: false,
        takes_thinking: true,
        headers: &[("anthropic-dangerous-direct-browser-access", "true")],
        ..COMPATIBLE
    },
    Provider {
        name: "openrouter",
        base_url: Some("https://openrouter.ai/api/v1"),
        reasoning: ReasoningEffort::Always,
        ..COMPATIBLE
    },
    Provider {
        name: "litellm_proxy",
        reasoning: ReasoningEffort::IfKnown,
        takes_tool_images: true,
        takes_thinking: true,
        takes_session: true,
        has_true_limits: true,
        ..COMPATIBLE
    },
    Provider {
        name: "openhands",
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
        ..COMPATIBLE
    },
    Provider {
        name: "ollama_chat",
        base_url: Some("http://localhost:11434/v1"),
        bare_path: "/v1",
        reasoning: ReasoningEffort::IfKnown,
        ..COMPATIBLE
    },
    Provider {
        name: "lm_studio",
        base_url: Some("http://localhost:1234/v1"),
        reasoning: ReasoningEffort::IfKnown,
        ..COMPATIBLE
    },
    Provider { name: "hosted_vllm", takes_thinking_blocks: false, ..COMPATIBLE },
    Provider {
        name: "deepseek",
        base_url: Some("https://api.deepseek.com/v1"),
        reasoning: ReasoningEffort::ThinkingSwitch,
        wants_reasoning: WantsReasoning::Everywhere,
        ..COMPATIBLE
    },
    Provider {
        name: "gemini",
        base_url: Some("https://generativelanguage.googleapis.com/v1beta/openai"),
        reasoning: ReasoningEffort::IfKnown,
        takes_cache_key: false,
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
        reasoning: ReasoningEffort::IfKnown,
        output_limit: "max_tokens",
        takes_cache_key: false,
        takes_stream_options: false,
        takes_thinking_blocks: false,
        ..COMPATIBLE
    },
    Provider {
        name: "xai",
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
];

/// Where a model's requests go.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The row that applies.
    pub provider: &'static Provider,
    /// The name that is sent.
    pub model: String,
    /// Absolute, or relative to the page.
    pub url: String,
    /// Whether the user named the server.
    pub is_user_server: bool,
}

impl Endpoint {
    /// Looks a model's name up.
    ///
    /// # Errors
    /// Where it does not say which server is meant, or the base URL is none.
    pub fn resolve(model: &str, base_url: Option<&str>) -> Result<Self, LlmError> {
        let model = model.trim();
        let base_url = base_url.map(str::trim).filter(|url| !url.is_empty());
        let (provider, sent) = provider_of(model, base_url.is_some())?;
        let base = match (base_url, provider.base_url) {
            (Some(base), Some(own)) if is_origin_of(base, own) => own.to_owned(),
            (Some(base), _) => checked_base(base, provider.bare_path)?,
            (None, Some(own)) => own.to_owned(),
            (None, None) => {
                return Err(invalid(format!(
                    "model {model:?} needs a base URL: a {} server can be anywhere; set baseUrl",
                    provider.name
                )));
            }
        };
        // The SDK drops OpenAI's own origin as base URL, so that it counts as none.
        let is_user_server = base_url.is_some() && provider.base_url != Some(&base);
        Ok(Self {
            provider,
            model: sent.to_owned(),
            url: with_path(&base, "/chat/completions"),
            is_user_server,
        })
    }

    /// The server's name without what a URL could carry besides, for messages.
    pub fn origin(&self) -> &str {
        let (scheme, rest) = self.url.split_once("://").unwrap_or(("", &self.url));
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        match host.rsplit_once('@') {
            Some((_, host)) => host,
            None if scheme.is_empty() => "the page's own server",
            None => host,
        }
    }
}

fn provider_of(model: &str, has_base_url: bool) -> Result<(&'static Provider, &str), LlmError> {
    if let Some((prefix, name)) = model.split_once('/')
        && let Some(provider) = PROVIDERS.iter().find(|provider| provider.name == prefix)
    {
        return match name {
            "" => Err(invalid(format!(
                "model {model:?} names a provider and no model; add one behind the slash"
            ))),
            name => Ok((provider, name)),
        };
    }
    if model.is_empty() {
        return Err(invalid("no model is named; set model, for instance \"openai/gpt-4o\"".into()));
    }
    if has_base_url {
        return Ok((&UNNAMED, model));
    }
    if let Some(provider) =
        PROVIDERS.iter().find(|provider| provider.bare_names.iter().any(|start| model.starts_with(start)))
    {
        return Ok((provider, model));
    }
    let names: Vec<&str> = PROVIDERS.iter().map(|provider| provider.name).collect();
    Err(invalid(format!(
        "model {model:?} does not say which server to ask; set baseUrl, or begin the name with one of: {}",
        names.join(", ")
    )))
}

/// Whether `base` is a provider's own server named without its path.
fn is_origin_of(base: &str, own: &str) -> bool {
    let base = base.trim_end_matches('/');
    own.strip_prefix(base).is_some_and(|path| path.starts_with('/')) && base.matches('/').count() == 2
}

fn checked_base(base: &str, bare_path: &str) -> Result<String, LlmError> {
    let lower = base.to_ascii_lowercase();
    let is_absolute = lower.starts_with("http://") || lower.starts_with("https://");
    if !is_absolute && !base.starts_with(['/', '.']) {
        return Err(invalid(
            "the base URL is neither an http(s) URL nor a path of the page; write it as in http://localhost:11434/v1"
                .into(),
        ));
    }
    let base = base.trim_end_matches('/');
    let has_path = base.split_once("://").is_some_and(|(_, rest)| rest.contains(['/', '?']));
    Ok(if is_absolute && !has_path { format!("{base}{bare_path}") } else { base.to_owned() })
}

/// `path` behind the base's own, in front of its query; not twice.
fn with_path(base: &str, path: &str) -> String {
    let (start, query) = base.split_at(base.find('?').unwrap_or(base.len()));
    let start = start.trim_end_matches('/');
    let path = if start.ends_with(path) { "" } else { path };
    format!("{start}{path}{query}")
}

fn invalid(message: String) -> LlmError {
    LlmError::new(LlmFailure::InvalidOptions, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(model: &str, base_url: Option<&str>) -> (String, String) {
        let endpoint = Endpoint::resolve(model, base_url).unwrap();
        (endpoint.model, endpoint.url)
    }

    fn pair(model: &str, url: &str) -> (String, String) {
        (model.into(), url.into())
    }

    #[test]
    fn names_stand_for_servers() {
        assert_eq!(
            resolved("openai/gpt-4o", None),
            pair("gpt-4o", "https://api.openai.com/v1/chat/completions")
        );
        assert_eq!(resolved("gpt-5.5", None), pair("gpt-5.5", "https://api.openai.com/v1/chat/completions"));
        assert_eq!(
            resolved("openai/gpt-4o", Some("https://api.openai.com/")),
            pair("gpt-4o", "https://api.openai.com/v1/chat/completions")
        );
        assert_eq!(
            resolved("openrouter/anthropic/claude-sonnet-4.5", None),
            pair("anthropic/claude-sonnet-4.5", "https://openrouter.ai/api/v1/chat/completions")
        );
        assert_eq!(
            resolved("ollama/qwen3", None),
            pair("qwen3", "http://localhost:11434/v1/chat/completions")
        );
        assert_eq!(
            resolved("ollama/qwen3", Some("http://box:11434")),
            pair("qwen3", "http://box:11434/v1/chat/completions")
        );
    }

    #[test]
    fn a_base_url_is_where_it_goes() {
        assert_eq!(
            resolved("openai/my-model", Some("http://localhost:8000/v1/")),
            pair("my-model", "http://localhost:8000/v1/chat/completions")
        );
        assert_eq!(
            resolved("Qwen/Qwen3-32B", Some("https://relay.example/llm?tenant=1")),
            pair("Qwen/Qwen3-32B", "https://relay.example/llm/chat/completions?tenant=1")
        );
        assert_eq!(resolved("demo", Some("/v1")), pair("demo", "/v1/chat/completions"));
        assert_eq!(
            resolved("demo", Some("http://h/v1/chat/completions")),
            pair("demo", "http://h/v1/chat/completions")
        );
    }

    #[test]
    fn what_names_no_server_is_refused() {
        for (model, base_url) in [
            ("", None),
            ("nosuch/model", None),
            ("my-model", None),
            ("openai/", None),
            ("hosted_vllm/qwen", None),
            ("openai/x", Some("localhost:8000/v1")),
            ("openai/x", Some("ftp://localhost")),
        ] {
            let error = Endpoint::resolve(model, base_url).unwrap_err();
            assert_eq!(error.failure, LlmFailure::InvalidOptions, "{model}");
            assert!(
                error.message.contains("base URL") || error.message.contains("name"),
                "{}",
                error.message
            );
        }
    }

    #[test]
    fn the_origin_hides_what_a_url_carries() {
        let endpoint = Endpoint::resolve("x", Some("https://user:pass@host:1/v1?key=secret")).unwrap();
        assert_eq!(endpoint.origin(), "host:1");
        assert_eq!(Endpoint::resolve("x", Some("/v1")).unwrap().origin(), "the page's own server");
    }
}
