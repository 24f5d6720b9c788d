//! Every request equals the one that the SDK sends for the same messages, tools and options, except for the differences
//! listed at [`without_litellm_changes`].

use crate::captured::{Case, assert_bodies_equal_the_sdks, cases, request_over, with_parts};
use serde_json::Value;
use threadkeep::llm::{
    LlmOptions,
    chat_completions::ChatCompletions,
    message::{Content, Message, Role},
    wire_api::{LlmRequest, WireApi as _},
};

const FOLDER: &str = "chat_requests";

#[test]
fn bodies_equal_those_of_the_sdk() {
    assert_bodies_equal_the_sdks(&ChatCompletions, FOLDER, without_litellm_changes);
}

/// The SDK sends OpenRouter's app name and the session id with every request. Here a header is only sent to a provider
/// that reads it, because an unexpected header can make the CORS check fail.
#[test]
fn headers_are_a_subset_of_the_sdks() {
    for (name, case) in cases(FOLDER) {
        let (_, headers) = request_over(&ChatCompletions, &case);
        for (header, value) in &headers {
            assert_eq!(case.headers.get(header), Some(value), "{name}: {header}");
        }
        let is_proxy = ["litellm_proxy/", "openhands/"]
            .iter()
            .any(|prefix| case.llm["model"].as_str().unwrap().starts_with(prefix));
        assert_eq!(headers.contains_key("x-litellm-session-id"), is_proxy, "{name}");
    }
}

/// The SDK's request without the changes that LiteLLM makes to it:
///
/// * OpenRouter: `usage: {include: true}`. Usage comes with `stream_options` as well.
/// * OpenAI's o series: the system message becomes a user message, although these models have supported it for long.
/// * Azure: the output limit has its older name for models that do not reason. The newer name works for all.
/// * vLLM: an assistant's list of texts becomes one text.
///
/// and with our own differences:
///
/// * A message that has only images, for a model without vision, has a placeholder text instead of no content.
/// * Fields that an unknown server may refuse are not sent unless the user set them: see [`is_unknown_server`].
/// * Mistral's restrictions are respected: see [`correct_for_mistral`].
/// * DeepSeek gets the stored reasoning wherever the request enables thinking, because it refuses calls without it.
/// * The sampling options of `openai/gpt-4o` are sent. The SDK loses them, because it takes the model for a reasoning
///   model as long as the name has its prefix.
pub fn without_litellm_changes(case: &Case) -> Value {
    let mut body = case.body.clone();
    let model = case.llm["model"].as_str().unwrap();
    if model.starts_with("openrouter/") {
        assert_eq!(body.as_object_mut().unwrap().remove("usage"), Some(serde_json::json!({"include": true})));
    }
    let sampling = ["temperature", "top_p"].into_iter().filter(|_| model == "openai/gpt-4o");
    for (name, value) in sampling.filter_map(|name| Some((name, case.llm.get(name)?))) {
        assert!(body.as_object_mut().unwrap().insert(name.into(), value.clone()).is_none());
    }
    if is_unknown_server(case) {
        let fields = body.as_object_mut().unwrap();
        assert!(fields.remove("prompt_cache_key").is_some());
        if !case.llm.contains_key("reasoning_effort") {
            fields.remove("reasoning_effort");
        }
    }
    if model.starts_with("azure/")
        && let Some(limit) = body.as_object_mut().unwrap().remove("max_tokens")
    {
        body["max_completion_tokens"] = limit;
    }
    let messages = body["messages"].as_array_mut().unwrap();
    if model.starts_with("openai/o3") || model.starts_with("openai/o4") {
        assert_eq!(messages[0]["role"], "user");
        messages[0]["role"] = "system".into();
    }
    if model.starts_with("hosted_vllm/") {
        for message in messages.iter_mut().filter(|message| message["role"] == "assistant") {
            if let Some(text) = message["content"].as_str().filter(|text| !text.is_empty()) {
                message["content"] = serde_json::json!([{"type": "text", "text": text}]);
            }
        }
    }
    for message in messages.iter_mut().filter(|message| message["content"] == serde_json::json!([])) {
        message["content"] = "[An image, which this model cannot see.]".into();
    }
    if model.starts_with("mistral/") {
        correct_for_mistral(messages);
    }
    let is_in_text = case.llm.get("native_tool_calling") == Some(&false.into());
    if case.body["thinking"]["type"] == "enabled" && model.starts_with("deepseek/") && !is_in_text {
        let said = case.messages.as_array().unwrap().iter().filter(|message| message["role"] == "assistant");
        for (message, said) in messages.iter_mut().filter(|message| message["role"] == "assistant").zip(said)
        {
            let reasoning = said["reasoning_content"].as_str().filter(|text| !text.is_empty()).unwrap_or(" ");
            message["reasoning_content"] = reasoning.into();
        }
    }
    body
}

/// Whether nothing but the wire API is known of the server: the user set its URL, and the model is not one of OpenAI's.
fn is_unknown_server(case: &Case) -> bool {
    let name = case.llm.get("model_canonical_name").unwrap_or(&case.llm["model"]).as_str().unwrap();
    let openais = ["gpt-", "chatgpt-", "o1", "o3", "o4", "codex-"];
    let model = case.llm["model"].as_str().unwrap();
    let named = name.strip_prefix("openai/").unwrap_or(name);
    (model.starts_with("openai/") || !model.contains('/'))
        && !openais.iter().any(|start| named.starts_with(start))
}

#[test]
fn an_unknown_server_gets_no_optional_fields_unless_they_are_set() {
    let sent = |model: &str, base_url: Option<&str>, effort: Option<&str>| {
        let options = LlmOptions {
            base_url: base_url.map(str::to_owned),
            reasoning_effort: effort.map(str::to_owned),
            ..LlmOptions::new(model)
        };
        let user = Message::new(Role::User, vec![Content::text("Hello")]);
        with_parts(&options, &[user], &[], |request| {
            let request = LlmRequest { conversation_id: Some("c-1"), ..*request };
            let body: Value = serde_json::from_str(&ChatCompletions.begin(&request).unwrap().0.body).unwrap();
            (body.get("reasoning_effort").is_some(), body.get("prompt_cache_key").is_some())
        })
    };
    let own = Some("https://llm.example.org/v1");
    assert_eq!(sent("my-model", own, None), (false, false));
    assert_eq!(sent("openai/my-model", own, None), (false, false));
    assert_eq!(sent("openai/my-model", Some("/v1"), None), (false, false));
    assert_eq!(sent("my-model", own, Some("low")), (true, false), "the user set the effort");
    assert_eq!(sent("gpt-5", own, None), (true, true), "a relay to a model of OpenAI's");
    assert_eq!(sent("openai/gpt-5.1", own, None), (true, true));
    assert_eq!(sent("openai/some-new-model", None, None), (true, true), "OpenAI's own server");
    assert_eq!(sent("hosted_vllm/my-model", own, None), (true, true), "a server that is known by its prefix");
    assert_eq!(sent("openrouter/some/model", own, None), (true, true));
}

/// Replaces the call ids that Mistral refuses, and inserts an assistant message between a result and a user message.
/// LiteLLM does neither.
fn correct_for_mistral(messages: &mut Vec<Value>) {
    let accepted_id = |id: &Value| match id.as_str().unwrap() {
        "call_1" => "16xj2wjzp".into(),
        "call_2" => "g4r1ckgto".into(),
        "call_3" => "z4tv8oh7p".into(),
        "call_4" => "m732t7n5r".into(),
        _ => id.clone(),
    };
    let mut at = 0;
    while at < messages.len() {
        if at > 0 && messages[at - 1]["role"] == "tool" && messages[at]["role"] == "user" {
            messages.insert(at, serde_json::json!({"role": "assistant", "content": "Noted."}));
        }
        let message = messages[at].as_object_mut().unwrap();
        if let Some(id) = message.get_mut("tool_call_id") {
            *id = accepted_id(id);
        }
        for call in message.get_mut("tool_calls").and_then(Value::as_array_mut).into_iter().flatten() {
            call["id"] = accepted_id(&call["id"]);
        }
        at += 1;
    }
}
