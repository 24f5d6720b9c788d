//! Every request equals the one that the SDK sends for the same messages, tools and options, but for LiteLLM's own
//! additions, which are all in [`without_litellms_own`].

use serde::Deserialize;
use serde_json::{Map, Value};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};
use threadkeep::{
    json::FromJson as _,
    llm::{
        ApiMode, LlmOptions, ToolSchema,
        chat_completions::ChatCompletions,
        endpoint::Endpoint,
        message::Message,
        model_features::ModelFeatures,
        wire_api::{LlmRequest, WireApi as _},
    },
};

#[derive(Deserialize)]
pub struct Case {
    llm: Map<String, Value>,
    conversation_id: String,
    messages: Value,
    tools: Vec<Value>,
    headers: BTreeMap<String, String>,
    body: Value,
}

/// Where the SDK was told that its server is.
const BASE_URL: &str = "http://127.0.0.1:1/v1";

pub fn cases() -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/chat_requests");
    let mut cases: Vec<(String, Case)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, serde_json::from_slice(&fs::read(path).unwrap()).unwrap())
        })
        .collect();
    cases.sort_by(|a, b| a.0.cmp(&b.0));
    cases
}

/// Our body, and our headers but for authorization.
fn request(case: &Case) -> (Value, BTreeMap<String, String>) {
    with_request(case, |request| {
        let sent = ChatCompletions.begin(request).unwrap().0;
        (serde_json::from_str(&sent.body).unwrap(), sent.headers.into_iter().collect())
    })
}

/// Gives `use_it` what the SDK was given.
pub fn with_request<T>(case: &Case, use_it: impl FnOnce(&LlmRequest<'_>) -> T) -> T {
    let options = options(&case.llm);
    let endpoint = Endpoint::resolve(&options.model, options.base_url.as_deref()).unwrap();
    let features = ModelFeatures::of(&options, &endpoint);
    let messages = Vec::<Message>::from_json(&case.messages.to_string()).unwrap();
    let tools: Vec<ToolSchema> = case.tools.iter().map(tool).collect();
    use_it(&LlmRequest {
        options: &options,
        endpoint: &endpoint,
        features: &features,
        messages: &messages,
        tools: &tools,
        conversation_id: Some(&case.conversation_id),
        is_streaming: options.stream.unwrap_or(true),
    })
}

fn options(fields: &Map<String, Value>) -> LlmOptions {
    let text = |name: &str| fields.get(name).map(|value| value.as_str().unwrap().to_owned());
    let flag = |name: &str| fields.get(name).map(|value| value.as_bool().unwrap());
    let number = |name: &str| fields.get(name).map(|value| value.as_f64().unwrap());
    let known = [
        "model",
        "api_mode",
        "stream",
        "temperature",
        "top_p",
        "max_output_tokens",
        "reasoning_effort",
        "caching_prompt",
        "force_string_serializer",
        "disable_vision",
        "model_canonical_name",
    ];
    assert!(fields.keys().all(|name| known.contains(&name.as_str())), "{fields:?}");
    LlmOptions {
        base_url: Some(BASE_URL.into()),
        api_mode: Some(ApiMode::Chat),
        stream: flag("stream"),
        temperature: number("temperature"),
        top_p: number("top_p"),
        max_output_tokens: number("max_output_tokens").map(|limit| limit as u32),
        reasoning_effort: text("reasoning_effort"),
        caching_prompt: flag("caching_prompt"),
        force_string_serializer: flag("force_string_serializer"),
        disable_vision: flag("disable_vision"),
        model_canonical_name: text("model_canonical_name"),
        ..LlmOptions::new(text("model").unwrap())
    }
}

fn tool(function: &Value) -> ToolSchema {
    let text = |name: &str| function[name].as_str().unwrap().to_owned();
    ToolSchema {
        name: text("name"),
        description: text("description"),
        parameters: function["parameters"].to_string().into(),
    }
}

#[test]
fn bodies_are_the_sdks() {
    let cases = cases();
    assert!(cases.len() > 40, "the fixtures are missing");
    let different: Vec<String> = cases
        .iter()
        .filter_map(|(name, case)| {
            let (ours, _) = request(case);
            let theirs = without_litellms_own(case);
            let mut differences = Vec::new();
            differ("", &ours, &theirs, &mut differences);
            (ours != theirs).then(|| format!("{name}:\n  {}", differences.join("\n  ")))
        })
        .collect();
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// Says where two values differ.
fn differ(at: &str, ours: &Value, theirs: &Value, out: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            let names: BTreeSet<_> = a.keys().chain(b.keys()).collect();
            for name in names {
                let nothing = &Value::Null;
                differ(
                    &format!("{at}/{name}"),
                    a.get(name).unwrap_or(nothing),
                    b.get(name).unwrap_or(nothing),
                    out,
                );
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (place, (a, b)) in a.iter().zip(b).enumerate() {
                differ(&format!("{at}/{place}"), a, b, out);
            }
        }
        _ if ours != theirs => out.push(format!("{at}: ours {ours:.300}, theirs {theirs:.300}")),
        _ => {}
    }
}

/// The SDK names OpenRouter's app and the session on every request; here only a provider that reads a header gets it,
/// because every unexpected header can cost the request its CORS check.
#[test]
fn headers_are_some_of_the_sdks() {
    for (name, case) in cases() {
        let (_, headers) = request(&case);
        for (header, value) in &headers {
            assert_eq!(case.headers.get(header), Some(value), "{name}: {header}");
        }
        let is_proxy = ["litellm_proxy/", "openhands/"]
            .iter()
            .any(|prefix| case.llm["model"].as_str().unwrap().starts_with(prefix));
        assert_eq!(headers.contains_key("x-litellm-session-id"), is_proxy, "{name}");
    }
}

/// The SDK's request without what the SDK did not ask for. LiteLLM adds or rewrites it on the way:
///
/// * OpenRouter: `usage: {include: true}`. Usage comes with `stream_options` as well.
/// * OpenAI's o series: the system message becomes a user message, for models that knew none. They know it since.
/// * vLLM: an assistant's list of texts becomes one text.
///
/// And with what the SDK loses by mistake: sampling options of `openai/gpt-4o`, which it takes for a reasoning model as
/// long as it has its prefix.
fn without_litellms_own(case: &Case) -> Value {
    let mut body = case.body.clone();
    let model = case.llm["model"].as_str().unwrap();
    if model.starts_with("openrouter/") {
        assert_eq!(body.as_object_mut().unwrap().remove("usage"), Some(serde_json::json!({"include": true})));
    }
    let sampling = ["temperature", "top_p"].into_iter().filter(|_| model == "openai/gpt-4o");
    for (name, value) in sampling.filter_map(|name| Some((name, case.llm.get(name)?))) {
        assert!(body.as_object_mut().unwrap().insert(name.into(), value.clone()).is_none());
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
    body
}
