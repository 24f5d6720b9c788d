//! The `agent.llm` of `base_state.json`: the options that are set, over the stored ones.
//!
//! A key is written encrypted or as asterisks. Headers are not written, because they may hold secrets.

use crate::{
    format::secrets::{MASK, is_token},
    json::{EditableObject, quoted},
    llm::options::{ApiKey, LlmOptions},
};

impl LlmOptions {
    /// The options as the SDK stores them. Fields of `existing`, an object that was stored before, stay as they are where
    /// an option is not set, unknown ones included; but a base URL belongs to its model, and goes with it. Without
    /// `existing`, options that are not set have the SDK's defaults.
    pub fn to_sdk_json(&self, existing: Option<&str>) -> String {
        let existing = existing.and_then(EditableObject::compact);
        let mut llm = existing.unwrap_or_else(|| EditableObject::compact(SDK_DEFAULTS).unwrap_or_default());
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
        llm.set_in_order("model", quoted(&self.model).into(), ORDER);
        for (name, json) in self.to_stored() {
            llm.set_in_order(name, self.accepted_by_sdk(name, json).into(), ORDER);
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

    /// The options of a stored model, but for the key, which is read elsewhere. Options that are missing are not set.
    pub fn from_sdk_json(json: &str) -> Self {
        let llm = EditableObject::compact(json).unwrap_or_default();
        let mut options = Self::new(llm.read::<String>("model").unwrap_or_default());
        options.set_stored(&llm);
        if llm.get("prompt_cache_retention") == Some("null") {
            options.prompt_cache_retention = Some(String::new());
        }
        options
    }

    /// The JSON of an option, in a form that the SDK does not refuse.
    fn accepted_by_sdk(&self, name: &str, json: String) -> String {
        match (name, json.as_str()) {
            // The SDK has no Anthropic mode; with "auto", LiteLLM asks Anthropic's models over it.
            ("api_mode", "\"anthropic\"") => "\"auto\"".into(),
            // Where the field is missing, the SDK has a default.
            ("prompt_cache_retention", "\"\"") => "null".into(),
            // The SDK refuses fractions of a second.
            ("timeout", _) => (self.timeout.unwrap_or_default().ceil() as u64).to_string(),
            _ => json,
        }
    }

    fn is_elsewhere(&self, stored: &EditableObject) -> bool {
        let model = stored.read::<String>("model").unwrap_or_default();
        let base_url = stored.read::<String>("base_url");
        let keeps_url = self.base_url.is_none() && model == self.model;
        provider_of(&model) != provider_of(&self.model) || !keeps_url && base_url != self.base_url
    }
}

fn provider_of(model: &str) -> &str {
    model.split_once('/').map_or("", |(provider, _)| provider)
}

/// The text that the SDK writes for a model with nothing set but its name.
const SDK_DEFAULTS: &str = r#"{"model":"","auth_type":"api_key","openrouter_site_url":"https://docs.all-hands.dev/","openrouter_app_name":"OpenHands","num_retries":5,"retry_multiplier":8.0,"retry_min_wait":8,"retry_max_wait":64,"timeout":300,"max_message_chars":30000,"api_mode":"auto","capability_overrides":{},"stream":false,"drop_params":true,"modify_params":true,"disable_stop_word":false,"caching_prompt":true,"log_completions":false,"log_completions_folder":"logs/completions","native_tool_calling":true,"reasoning_effort":"high","enable_encrypted_reasoning":true,"prompt_cache_retention":"24h","extended_thinking_budget":200000,"usage_id":"default","litellm_extra_body":{},"is_subscription":false}"#;

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
    fn a_new_model_is_stored_as_the_sdk_stores_it() {
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
    fn defaults_are_those_of_the_sdk() {
        let defaults = EditableObject::compact(SDK_DEFAULTS).unwrap();
        for row in LlmOptions::DECLARATIONS.iter().filter(|row| row.is_stored) {
            // Whether a model streams, the SDK leaves to who asks it; a page shows an answer as it comes.
            if (row.default)().is_empty() || row.field == "stream" {
                continue;
            }
            let set = LlmOptions::from_sdk_json(&format!("{{\"{}\":{}}}", row.field, (row.default)()));
            let stored = EditableObject::compact(&set.to_sdk_json(Some("{}"))).unwrap();
            assert_eq!(defaults.get(row.field), stored.get(row.field), "{}", row.field);
            assert!(ORDER.contains(&row.field), "{}", row.field);
        }
    }

    #[test]
    fn fields_that_python_wrote_survive() {
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
    fn options_of_reasoning_and_of_the_cache_are_stored_and_read_again() {
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
    fn a_stored_token_and_its_server_are_preserved_until_a_new_token_replaces_it() {
        let stored = r#"{"model":"openai/m","api_key":"gAAAAAold","base_url":"http://h"}"#;
        let key_and_server = |options: LlmOptions| {
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
        assert_eq!(key_and_server(at("openai/m", None)), old(None));
        assert_eq!(key_and_server(at("openai/n", Some("http://h"))), old(None));
        assert_eq!(key_and_server(at("openai/n", None)), old(left));
        assert_eq!(key_and_server(at("openai/m", Some("http://other"))), old(left));
        assert_eq!(key_and_server(LlmOptions { api_key: ApiKey::None, ..at("other/m", None) }), old(left));
        let sealed = at("other/m", None);
        *sealed.stored_key.token.borrow_mut() = Some("gAAAAAnew".into());
        assert_eq!(key_and_server(sealed), ("gAAAAAnew".into(), None));
    }
}
