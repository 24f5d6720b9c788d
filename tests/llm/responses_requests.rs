//! Every Responses API request equals the one that the SDK sends for the same messages, tools and options, except for
//! LiteLLM's changes and what the provider would refuse, all listed at [`corrected`].

use crate::{
    captured::{Case, assert_bodies_equal_the_sdks, cases, request_over},
    models,
};
use serde_json::{Value, json};
use threadkeep::llm::{
    ApiMode, LlmOptions, endpoint::Endpoint, model_features::ModelFeatures, responses::Responses,
    wire_api::Api,
};

const FOLDER: &str = "responses_requests";

#[test]
fn bodies_equal_those_of_the_sdk() {
    assert_bodies_equal_the_sdks(&Responses, FOLDER, corrected);
}

#[test]
fn headers_are_a_subset_of_the_sdks() {
    for (name, case) in cases(FOLDER) {
        let (_, headers) = request_over(&Responses, &case);
        for (header, value) in &headers {
            assert_eq!(case.headers.get(header), Some(value), "{name}: {header}");
        }
        let model = case.llm["model"].as_str().unwrap();
        let is_proxy = model.starts_with("litellm_proxy/") || model.starts_with("openhands/");
        assert_eq!(headers.contains_key("x-litellm-session-id"), is_proxy, "{name}");
    }
}

/// The SDK's request with these corrections. LiteLLM's change is undone:
///
/// * It removes `stream` for a model that it does not know.
///
/// The SDK's mistakes are corrected:
///
/// * It treats `openai/gpt-4o` and related models as reasoning models as long as the name has its prefix, and requests
///   encrypted reasoning, which they refuse.
/// * It does not send `top_p`.
///
/// And so is what the provider would refuse:
///
/// * A tool's result must be one item, however many parts it has.
/// * Reasoning without encrypted content must not be sent, because the provider does not store it.
fn corrected(case: &Case) -> Value {
    let mut body = case.body.clone();
    let fields = body.as_object_mut().unwrap();
    if case.llm["stream"] == true {
        fields.insert("stream".into(), true.into());
    }
    let model = case.llm["model"].as_str().unwrap();
    if model.starts_with("openai/gpt-4") {
        assert_eq!(fields.remove("include"), Some(json!(["reasoning.encrypted_content"])));
    }
    if let Some(top_p) = case.llm.get("top_p").filter(|_| !fields.contains_key("reasoning")) {
        assert!(fields.insert("top_p".into(), top_p.clone()).is_none());
    }
    let Some(items) = fields["input"].as_array_mut() else { return body };
    let mut merged: Vec<Value> = Vec::new();
    let mut has_ids = true;
    for mut item in std::mem::take(items) {
        match item["type"].as_str().unwrap() {
            "reasoning" => {
                has_ids = item.get("encrypted_content").is_some() || item.get("content").is_some();
                if !has_ids {
                    continue;
                }
            }
            "function_call" if !has_ids => {
                item.as_object_mut().unwrap().remove("id");
            }
            "function_call_output" => {
                has_ids = true;
                let last = merged
                    .last_mut()
                    .filter(|last| last["call_id"] == item["call_id"] && last.get("output").is_some());
                if let Some(last) = last {
                    let joined =
                        [last["output"].as_str().unwrap(), item["output"].as_str().unwrap()].join("\n");
                    last["output"] = joined.into();
                    continue;
                }
            }
            _ => {}
        }
        merged.push(item);
    }
    *items = merged;
    body
}

/// `models.rs` compares the choice by model data with the SDK's; this test covers prefixes and `api_mode`.
#[test]
fn models_that_support_the_responses_api_use_it_unless_api_mode_differs() {
    let api = |model: &str, api_mode| {
        let options = LlmOptions { api_mode, ..LlmOptions::new(model) };
        let endpoint = Endpoint::resolve(model, Some("http://h/v1")).unwrap();
        let row = models::row(model);
        Api::of(&options, &endpoint, &ModelFeatures::of(&options, &endpoint, &row))
    };
    for model in
        ["openai/gpt-5", "gpt-5-mini", "openai/gpt-4.1", "openrouter/openai/gpt-5", "litellm_proxy/gpt-5"]
    {
        assert_eq!(api(model, None), Api::Responses, "{model}");
        assert_eq!(api(model, Some(ApiMode::Auto)), Api::Responses, "{model}");
        assert_eq!(api(model, Some(ApiMode::Chat)), Api::Chat, "{model}");
    }
    for model in
        ["openai/gpt-4o", "openai/some", "groq/gpt-5-like", "ollama/gpt-5-like", "deepseek/deepseek-chat"]
    {
        assert_eq!(api(model, None), Api::Chat, "{model}");
        assert_eq!(api(model, Some(ApiMode::Responses)), Api::Responses, "{model}");
    }
}
