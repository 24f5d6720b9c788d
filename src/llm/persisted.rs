//! The `agent.llm` of `base_state.json`: what the user set, over what was there.
//!
//! Writes no key but as a token: otherwise only that there is one. Writes no headers, because nothing tells a secret one from others.

use crate::{
    format::secrets::{MASK, is_token},
    json::{EditableObject, Object, ToJson as _, quoted},
    llm::options::{ApiKey, ApiMode, LlmOptions},
};

impl LlmOptions {
    /// The options as the SDK stores them. Of `existing`, an object that was stored before, every field that the
    /// user did not set stays as it is, unknown ones included; but a base URL belongs to its model, and goes with it.
    /// Without `existing`, what the user did not set has the SDK's defaults.
    pub fn to_sdk_json(&self, existing: Option<&str>) -> String {
        let existing = existing.and_then(EditableObject::compact);
        let mut llm = existing.unwrap_or_else(|| EditableObject::compact(DEFAULTS).unwrap_or_default());
        if self.base_url.is_none() && llm.read::<String>("model").is_some_and(|model| model != self.model) {
            llm.remove("base_url");
        }
        let stored: Option<String> = llm.read("api_key");
        let is_token = stored.as_ref().is_some_and(|key| is_token(key));
        let is_redacted = stored.as_ref().is_none_or(|key| key.is_empty() || key == MASK);
        let has_key = !matches!(self.api_key, ApiKey::None);
        if let Some(token) = &*self.stored_key.token.borrow() {
            llm.set_in_order("api_key", quoted(token).into(), ORDER);
        } else if !is_token && (has_key || !is_redacted) {
            // A key in clear text has no place in a file; a token can be read where the passphrase is.
            llm.set_in_order("api_key", quoted(MASK).into(), ORDER);
        }
        for (name, json) in self.set_fields() {
            if let Some(json) = json {
                llm.set_in_order(name, json.into(), ORDER);
            }
        }
        llm.text()
    }

    /// The server of a stored token that requests do not go to, so that nobody takes the key for the new server's.
    pub fn server_left(&self, stored: &str) -> Option<EditableObject> {
        let stored = EditableObject::compact(stored)?;
        let is_token = stored.read::<String>("api_key").is_some_and(|key| is_token(&key));
        if !is_token || self.stored_key.token.borrow().is_some() || !self.is_elsewhere(&stored) {
            return None;
        }
        let mut server = stored;
        server.retain(&|name, _| matches!(name, "model" | "base_url"));
        Some(server)
    }

    /// Reads options as they are stored. What the SDK and the user left out has the SDK's defaults; the key, and how
    /// often and for how long is tried, are the caller's affair and are not read.
    pub fn from_sdk_json(json: &str) -> Self {
        let llm = Object::parse(json).unwrap_or_default();
        let count = |name| llm.read::<u64>(name).and_then(|count| u32::try_from(count).ok());
        Self {
            base_url: llm.read("base_url"),
            temperature: llm.read("temperature"),
            top_p: llm.read("top_p"),
            max_input_tokens: count("max_input_tokens"),
            max_output_tokens: count("max_output_tokens"),
            model_canonical_name: llm.read("model_canonical_name"),
            native_tool_calling: llm.read("native_tool_calling"),
            disable_vision: llm.read("disable_vision"),
            caching_prompt: llm.read("caching_prompt"),
            force_string_serializer: llm.read("force_string_serializer"),
            reasoning_effort: llm.read("reasoning_effort"),
            reasoning_summary: llm.read("reasoning_summary"),
            enable_encrypted_reasoning: llm.read("enable_encrypted_reasoning"),
            prompt_cache_retention: match llm.get("prompt_cache_retention") {
                Some("null") => Some(String::new()),
                _ => llm.read("prompt_cache_retention"),
            },
            ..Self::new(llm.read::<String>("model").unwrap_or_default())
        }
    }

    fn is_elsewhere(&self, stored: &EditableObject) -> bool {
        let model = stored.read::<String>("model").unwrap_or_default();
        let base_url = stored.read::<String>("base_url");
        let keeps_url = self.base_url.is_none() && model == self.model;
        provider_of(&model) != provider_of(&self.model) || !keeps_url && base_url != self.base_url
    }

    fn set_fields(&self) -> [(&'static str, Option<String>); 25] {
        let text = |value: &Option<String>| value.as_deref().map(quoted);
        let whole = |value: Option<u32>| value.map(|value| value.to_string());
        let number = |value: Option<f64>| value.map(|value| value.to_json_text());
        let flag = |value: Option<bool>| value.map(|value| value.to_string());
        // The SDK knows no Anthropic mode and would refuse the file; for it, LiteLLM decides.
        let api_mode = self.api_mode.map(|mode| match mode {
            ApiMode::Auto | ApiMode::Anthropic => "\"auto\"".to_owned(),
            ApiMode::Chat => "\"chat\"".to_owned(),
            ApiMode::Responses => "\"responses\"".to_owned(),
        });
        [
            ("model", Some(quoted(&self.model))),
            ("base_url", text(&self.base_url)),
            ("num_retries", whole(self.num_retries)),
            ("retry_multiplier", number(self.retry_multiplier)),
            ("retry_min_wait", whole(self.retry_min_wait)),
            ("retry_max_wait", whole(self.retry_max_wait)),
            // The SDK refuses fractions of a second.
            ("timeout", self.timeout.map(|seconds| (seconds.ceil() as u64).to_string())),
            ("temperature", number(self.temperature)),
            ("top_p", number(self.top_p)),
            ("max_input_tokens", whole(self.max_input_tokens)),
            ("max_output_tokens", whole(self.max_output_tokens)),
            ("model_canonical_name", text(&self.model_canonical_name)),
            ("api_mode", api_mode),
            ("input_cost_per_token", number(self.input_cost_per_token)),
            ("output_cost_per_token", number(self.output_cost_per_token)),
            ("stream", flag(self.stream)),
            ("disable_vision", flag(self.disable_vision)),
            ("caching_prompt", flag(self.caching_prompt)),
            ("native_tool_calling", flag(self.native_tool_calling)),
            ("force_string_serializer", flag(self.force_string_serializer)),
            ("reasoning_effort", text(&self.reasoning_effort)),
            ("reasoning_summary", text(&self.reasoning_summary)),
            ("enable_encrypted_reasoning", flag(self.enable_encrypted_reasoning)),
            // The SDK has no value here for as long as the provider likes.
            (
                "prompt_cache_retention",
                match self.prompt_cache_retention.as_deref() {
                    Some("") => Some("null".to_owned()),
                    _ => text(&self.prompt_cache_retention),
                },
            ),
            ("usage_id", text(&self.usage_id)),
        ]
    }
}

fn provider_of(model: &str) -> &str {
    model.split_once('/').map_or("", |(provider, _)| provider)
}

/// What the SDK writes for a model of which nothing was said, but for its name.
const DEFAULTS: &str = r#"{"model":"","auth_type":"api_key","openrouter_site_url":"https://docs.all-hands.dev/","openrouter_app_name":"OpenHands","num_retries":5,"retry_multiplier":8.0,"retry_min_wait":8,"retry_max_wait":64,"timeout":300,"max_message_chars":30000,"api_mode":"auto","capability_overrides":{},"stream":false,"drop_params":true,"modify_params":true,"disable_stop_word":false,"caching_prompt":true,"log_completions":false,"log_completions_folder":"logs/completions","native_tool_calling":true,"reasoning_effort":"high","enable_encrypted_reasoning":true,"prompt_cache_retention":"24h","extended_thinking_budget":200000,"usage_id":"default","litellm_extra_body":{},"is_subscription":false}"#;

/// The SDK's fields, in its order.
const ORDER: &[&str] = &[
    "model",
    "api_key",
    "provider_connection_id",
    "auth_type",
    "subscription_vendor",
    "base_url",
    "api_version",
    "aws_access_key_id",
    "aws_secret_access_key",
    "aws_session_token",
    "aws_region_name",
    "aws_profile_name",
    "aws_role_name",
    "aws_session_name",
    "aws_bedrock_runtime_endpoint",
    "openrouter_site_url",
    "openrouter_app_name",
    "num_retries",
    "retry_multiplier",
    "retry_min_wait",
    "retry_max_wait",
    "timeout",
    "max_message_chars",
    "temperature",
    "top_p",
    "top_k",
    "max_input_tokens",
    "max_output_tokens",
    "model_canonical_name",
    "api_mode",
    "capability_overrides",
    "extra_headers",
    "input_cost_per_token",
    "output_cost_per_token",
    "ollama_base_url",
    "stream",
    "drop_params",
    "modify_params",
    "disable_vision",
    "disable_stop_word",
    "caching_prompt",
    "log_completions",
    "log_completions_folder",
    "custom_tokenizer",
    "native_tool_calling",
    "force_string_serializer",
    "inline_image_urls",
    "reasoning_effort",
    "reasoning_summary",
    "enable_encrypted_reasoning",
    "prompt_cache_retention",
    "extended_thinking_budget",
    "seed",
    "usage_id",
    "litellm_extra_body",
    "is_subscription",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::SecretString;

    #[test]
    fn a_new_one_is_what_the_sdk_writes() {
        let options = LlmOptions {
            base_url: Some("http://x/v1".into()),
            api_key: ApiKey::Value(SecretString::new("sk-secret-key")),
            usage_id: Some("agent".into()),
            headers: vec![("x-key".into(), "secret".into())],
            ..LlmOptions::new("openai/gpt-4o")
        };
        let expected = r#"{"model":"openai/gpt-4o","api_key":"**********","auth_type":"api_key","base_url":"http://x/v1","openrouter_site_url":"https://docs.all-hands.dev/","openrouter_app_name":"OpenHands","num_retries":5,"retry_multiplier":8.0,"retry_min_wait":8,"retry_max_wait":64,"timeout":300,"max_message_chars":30000,"api_mode":"auto","capability_overrides":{},"stream":false,"drop_params":true,"modify_params":true,"disable_stop_word":false,"caching_prompt":true,"log_completions":false,"log_completions_folder":"logs/completions","native_tool_calling":true,"reasoning_effort":"high","enable_encrypted_reasoning":true,"prompt_cache_retention":"24h","extended_thinking_budget":200000,"usage_id":"agent","litellm_extra_body":{},"is_subscription":false}"#;
        assert_eq!(options.to_sdk_json(None), expected);
    }

    #[test]
    fn what_python_wrote_survives() {
        let stored = r#"{"model":"m","base_url":"http://h","timeout":30.0,"mine":[1.50],"seed":7,"is_subscription":false}"#;
        assert_eq!(LlmOptions::new("m").to_sdk_json(Some(stored)), stored);
        let options = LlmOptions { temperature: Some(0.5), timeout: Some(0.5), ..LlmOptions::new("m") };
        assert_eq!(
            options.to_sdk_json(Some(stored)),
            r#"{"model":"m","base_url":"http://h","timeout":1,"mine":[1.50],"temperature":0.5,"seed":7,"is_subscription":false}"#
        );
        assert_eq!(
            LlmOptions::new("n").to_sdk_json(Some(stored)),
            r#"{"model":"n","timeout":30.0,"mine":[1.50],"seed":7,"is_subscription":false}"#
        );
    }

    #[test]
    fn what_is_said_of_reasoning_and_of_the_cache_is_stored_and_read_again() {
        let options = LlmOptions {
            reasoning_summary: Some("auto".into()),
            enable_encrypted_reasoning: Some(false),
            prompt_cache_retention: Some(String::new()),
            ..LlmOptions::new("m")
        };
        let stored = options.to_sdk_json(None);
        let part =
            r#""reasoning_summary":"auto","enable_encrypted_reasoning":false,"prompt_cache_retention":null,"#;
        assert!(stored.contains(part), "{stored}");
        let read = LlmOptions::from_sdk_json(&stored);
        assert_eq!(
            (read.reasoning_summary.as_deref(), read.enable_encrypted_reasoning()),
            (Some("auto"), false)
        );
        assert_eq!(read.prompt_cache_retention(), None);
        let default = LlmOptions::from_sdk_json(&LlmOptions::new("m").to_sdk_json(None));
        assert_eq!(
            (default.prompt_cache_retention(), default.reasoning_summary.as_deref()),
            (Some("24h"), None)
        );
    }

    #[test]
    fn no_key_is_written() {
        let merged = |key: &str| {
            LlmOptions::new("m").to_sdk_json(Some(&format!(r#"{{"model":"m","api_key":{key}}}"#)))
        };
        assert!(merged("\"sk-clear\"").ends_with(r#""api_key":"**********"}"#));
        assert!(merged("\"gAAAAAtoken\"").ends_with(r#""api_key":"gAAAAAtoken"}"#));
        assert!(merged("null").ends_with(r#""api_key":null}"#));
    }

    #[test]
    fn a_token_stays_and_its_server_is_remembered_until_another_takes_its_place() {
        let stored = r#"{"model":"openai/m","api_key":"gAAAAAold","base_url":"http://h"}"#;
        let kept = |options: LlmOptions| {
            let key = EditableObject::compact(&options.to_sdk_json(Some(stored)))
                .unwrap()
                .read::<String>("api_key");
            (key.unwrap(), options.server_left(stored).map(|server| server.text()))
        };
        let old = |server: Option<&str>| ("gAAAAAold".to_owned(), server.map(str::to_owned));
        let left = Some(r#"{"model":"openai/m","base_url":"http://h"}"#);
        let at = |model: &str, base_url: Option<&str>| LlmOptions {
            api_key: ApiKey::Value(SecretString::new("sk-mine")),
            base_url: base_url.map(str::to_owned),
            ..LlmOptions::new(model)
        };
        assert_eq!(kept(at("openai/m", None)), old(None));
        assert_eq!(kept(at("openai/n", Some("http://h"))), old(None));
        assert_eq!(kept(at("openai/n", None)), old(left));
        assert_eq!(kept(at("openai/m", Some("http://other"))), old(left));
        assert_eq!(kept(LlmOptions { api_key: ApiKey::None, ..at("other/m", None) }), old(left));
        let sealed = at("other/m", None);
        *sealed.stored_key.token.borrow_mut() = Some("gAAAAAnew".into());
        assert_eq!(kept(sealed), ("gAAAAAnew".into(), None));
    }
}
