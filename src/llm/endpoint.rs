//! The server for a model.
//!
//! A request goes to the user's base URL or, without one, to the server of the provider in the model's name; never
//! anywhere else.

use crate::{
    error::shown,
    llm::{
        error::{LlmError, LlmFailure},
        provider::{PROVIDERS, Provider, UNNAMED},
    },
};

/// The server of a model and the name that the model has there.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The provider's row of the table.
    pub provider: &'static Provider,
    /// The model's name in requests.
    pub model: String,
    /// The base URL to which the path of a wire API is appended. Absolute, or relative to the page.
    base: String,
    /// Whether the user has set the base URL to another server than the provider's.
    pub is_user_server: bool,
}

impl Endpoint {
    /// Finds the server for a model's name.
    ///
    /// # Errors
    /// If the name does not determine a server, or the base URL is invalid.
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
                    "model {} needs a base URL: a {} server can be anywhere; set baseUrl",
                    shown(model),
                    provider.name
                )));
            }
        };
        let base = if provider.has_deployments { deployment(&base, sent) } else { base };
        // The SDK drops OpenAI's own origin as base URL, so that it counts as none.
        let is_user_server = base_url.is_some() && provider.base_url != Some(&base);
        Ok(Self { provider, model: sent.to_owned(), base, is_user_server })
    }

    /// The URL of the wire API with this path, with which the user's base URL may end already.
    pub fn url(&self, path: &str) -> String {
        with_path(&self.base, path)
    }

    /// Advice if a page gets no response; empty if nothing is known.
    pub fn page_advice(&self) -> &'static str {
        let is_known_server =
            !self.is_user_server || self.provider.base_url.is_some_and(|url| url.starts_with("http:"));
        if is_known_server { self.provider.page_advice } else { "" }
    }

    /// The error of a server that answers, but refuses pages of `origin`.
    pub(super) fn refusal(&self, origin: &str) -> LlmError {
        let message = format!("{} refuses {origin}{}", self.origin(), self.page_advice());
        LlmError::with_message(LlmFailure::Cors, None, &message)
    }

    /// The server's name, for messages.
    pub fn origin(&self) -> &str {
        authority(&self.base).unwrap_or("the page's own server")
    }
}

fn provider_of(model: &str, has_base_url: bool) -> Result<(&'static Provider, &str), LlmError> {
    if let Some((prefix, name)) = model.split_once('/')
        && let Some(provider) = PROVIDERS.iter().find(|provider| provider.name == prefix)
    {
        return match name {
            "" => Err(invalid(format!(
                "model {} has a provider but no name; add the model's name after the slash",
                shown(model)
            ))),
            name => Ok((provider, name)),
        };
    }
    if model.is_empty() {
        return Err(invalid("the model has no name; set model, for instance \"openai/gpt-4o\"".into()));
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
        "model {} does not determine a server; set baseUrl, or begin the name with one of: {}",
        shown(model),
        names.join(", ")
    )))
}

/// Whether `base` is the server of a provider without the path of its API.
fn is_origin_of(base: &str, own: &str) -> bool {
    let base = base.trim_end_matches('/');
    own.strip_prefix(base).is_some_and(|path| path.starts_with('/')) && base.matches('/').count() == 2
}

fn checked_base(base: &str, bare_path: &str) -> Result<String, LlmError> {
    let lower = base.to_ascii_lowercase();
    let is_absolute = lower.starts_with("http://") || lower.starts_with("https://");
    let is_usable =
        if is_absolute { authority(base).is_some_and(is_host) } else { base.starts_with(['/', '.']) };
    if !is_usable {
        return Err(invalid(
            "baseUrl must be an http(s) URL without user and password, such as http://localhost:11434/v1, or a path of the page, such as /v1".into(),
        ));
    }
    let base = base.trim_end_matches('/');
    let has_path = base.split_once("://").is_some_and(|(_, rest)| rest.contains(['/', '?']));
    Ok(if is_absolute && !has_path { format!("{base}{bare_path}") } else { base.to_owned() })
}

/// The URL of an Azure deployment; the base URL itself if it is one, or that of Azure's newer API without deployments.
fn deployment(base: &str, name: &str) -> String {
    if base.contains("/openai/") {
        return base.to_owned();
    }
    let url = with_path(base, &format!("/openai/deployments/{name}"));
    // LiteLLM's default version.
    if url.contains('?') { url } else { format!("{url}?api-version=2025-02-01-preview") }
}

/// The part of a URL between `//` and the path.
fn authority(url: &str) -> Option<&str> {
    url.split_once("//")?.1.split(['/', '?', '#']).next()
}

/// Whether it is a host without user and password, which `fetch` would refuse and messages would show. One without the port that
/// its colon announces is a mistake: `https://http://localhost:1234` names the host `http`.
fn is_host(authority: &str) -> bool {
    let (host, port) = match authority.rsplit_once(':') {
        // The colons of an IPv6 address are inside its brackets.
        Some((host, port)) if !port.ends_with(']') => (host, port),
        _ => (authority, ""),
    };
    let is_name = !host.is_empty() && !host.contains('@') && (host.starts_with('[') || !host.contains(':'));
    is_name && !authority.ends_with(':') && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// Appends `path` to the path of `base`, before its query; does not repeat the path or its `/v1`.
fn with_path(base: &str, path: &str) -> String {
    let (start, query) = base.split_at(base.find('?').unwrap_or(base.len()));
    let start = start.trim_end_matches('/');
    let path = match path.strip_prefix("/v1") {
        _ if start.ends_with(path) => "",
        Some(rest) if start.ends_with("/v1") => rest,
        _ => path,
    };
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
        let url = endpoint.url("/chat/completions");
        (endpoint.model, url)
    }

    fn pair(model: &str, url: &str) -> (String, String) {
        (model.into(), url.into())
    }

    #[test]
    fn names_determine_servers() {
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
    fn a_deployment_has_its_own_path() {
        let url = |base| Endpoint::resolve("azure/my-4o", Some(base)).unwrap().url("/chat/completions");
        let deployment = "https://x.openai.azure.com/openai/deployments/my-4o/chat/completions?api-version=";
        assert_eq!(url("https://x.openai.azure.com"), format!("{deployment}2025-02-01-preview"));
        assert_eq!(
            url("https://x.openai.azure.com/?api-version=2024-10-21"),
            format!("{deployment}2024-10-21")
        );
        assert_eq!(
            url("https://x.openai.azure.com/openai/v1/"),
            "https://x.openai.azure.com/openai/v1/chat/completions"
        );
    }

    #[test]
    fn advice_is_given_only_for_the_providers_own_server() {
        let advice = |model, base| Endpoint::resolve(model, base).unwrap().page_advice();
        assert!(advice("deepseek/deepseek-chat", None).contains("relay"));
        assert_eq!(advice("deepseek/deepseek-chat", Some("https://relay.example/v1")), "");
        assert!(advice("ollama/qwen3", None).contains("OLLAMA_ORIGINS"));
        assert!(advice("ollama/qwen3", Some("http://box:11434")).contains("OLLAMA_ORIGINS"));
        assert_eq!(advice("openai/gpt-4o", None), "");
    }

    #[test]
    fn requests_go_to_the_base_url() {
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
    fn the_version_in_a_path_is_not_repeated() {
        for base in ["https://h", "https://h/", "https://h/v1", "https://h/v1/", "https://h/v1/messages"] {
            let endpoint = Endpoint::resolve("anthropic/claude-x", Some(base)).unwrap();
            assert_eq!(endpoint.url("/v1/messages"), "https://h/v1/messages", "{base}");
        }
        let own = Endpoint::resolve("claude-x", None).unwrap();
        assert_eq!(own.url("/v1/messages"), "https://api.anthropic.com/v1/messages");
        let own = Endpoint::resolve("anthropic/claude-x", Some("https://api.anthropic.com")).unwrap();
        assert_eq!(own.url("/v1/messages"), "https://api.anthropic.com/v1/messages");
        let below = Endpoint::resolve("deepseek-chat", Some("https://api.deepseek.com/anthropic")).unwrap();
        assert_eq!(below.url("/v1/messages"), "https://api.deepseek.com/anthropic/v1/messages");
    }

    #[test]
    fn names_and_urls_without_a_server_are_refused() {
        for (model, base_url) in [
            ("", None),
            ("nosuch/model", None),
            ("my-model", None),
            ("openai/", None),
            ("hosted_vllm/qwen", None),
            ("openai/x", Some("localhost:8000/v1")),
            ("openai/x", Some("ftp://localhost")),
            ("openai/x", Some("https://user:pass@host/v1")),
            ("openai/x", Some("https://user:pa/ss@host/v1")),
            ("openai/x", Some("https://")),
            ("openai/x", Some("https://http://localhost:8000/v1")),
        ] {
            let error = Endpoint::resolve(model, base_url).unwrap_err();
            assert_eq!(error.failure, LlmFailure::InvalidOptions, "{model}");
            assert!(error.message.contains("baseUrl") || error.message.contains("name"), "{}", error.message);
        }
    }

    #[test]
    fn the_origin_has_no_path_and_no_query() {
        let endpoint = Endpoint::resolve("x", Some("https://host:1/v1?key=secret")).unwrap();
        assert_eq!(endpoint.origin(), "host:1");
        assert_eq!(Endpoint::resolve("x", Some("http://[::1]:8080/v1")).unwrap().origin(), "[::1]:8080");
        assert_eq!(Endpoint::resolve("x", Some("/v1")).unwrap().origin(), "the page's own server");
    }
}
