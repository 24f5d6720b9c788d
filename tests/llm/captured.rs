//! Requests of the real SDK, captured together with its input, to be compared with ours. `tests/fixtures` has a folder of
//! them for each wire API. During the capture the SDK used our wording of those texts that both sides phrase differently
//! (`tests/interop/our_words.py`), so that the comparison covers the complete request.

use crate::models;
use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    rc::Rc,
};
use threadkeep::{
    json::FromJson as _,
    llm::{
        ApiMode, LlmOptions, ToolSchema,
        endpoint::Endpoint,
        message::Message,
        model_features::ModelFeatures,
        wire_api::{LlmRequest, WireApi},
    },
};

#[derive(Deserialize)]
pub struct Case {
    pub llm: Map<String, Value>,
    conversation_id: String,
    pub messages: Value,
    tools: Vec<Box<RawValue>>,
    pub headers: BTreeMap<String, String>,
    pub body: Value,
}

/// The base URL that the SDK was given during the capture.
const BASE_URL: &str = "http://127.0.0.1:1/v1";

/// All cases in this folder, sorted by name.
pub fn cases(folder: &str) -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder);
    let mut cases: Vec<(String, Case)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, serde_json::from_slice(&fs::read(path).unwrap()).unwrap())
        })
        .collect();
    cases.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(cases.len() > 20, "the fixtures are missing");
    cases
}

/// The body and the headers that we send, without authorization.
pub fn request_over(api: &dyn WireApi, case: &Case) -> (Value, BTreeMap<String, String>) {
    with_request(case, |request| {
        let sent = api.begin(request).unwrap().0;
        (serde_json::from_str(&sent.body).unwrap(), sent.headers.into_iter().collect())
    })
}

/// Calls `use_it` with the request that has the SDK's input.
pub fn with_request<T>(case: &Case, use_it: impl FnOnce(&LlmRequest<'_>) -> T) -> T {
    let messages = Vec::<Message>::from_json(&case.messages.to_string()).unwrap();
    let tools: Vec<ToolSchema> = case.tools.iter().map(|function| tool(function)).collect();
    with_parts(&options(&case.llm), &messages, &tools, |request| {
        use_it(&LlmRequest { conversation_id: Some(&case.conversation_id), ..*request })
    })
}

/// Calls `use_it` with a request that belongs to no conversation.
pub fn with_parts<T>(
    options: &LlmOptions,
    messages: &[Message],
    tools: &[ToolSchema],
    use_it: impl FnOnce(&LlmRequest<'_>) -> T,
) -> T {
    let endpoint = Endpoint::resolve(&options.model, options.base_url.as_deref()).unwrap();
    let name = options.model_canonical_name.as_deref().unwrap_or(&options.model);
    let features = ModelFeatures::of(options, &endpoint, &models::row(name));
    use_it(&LlmRequest {
        options,
        endpoint: &endpoint,
        features: &features,
        messages: &shared(messages),
        tools,
        conversation_id: None,
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
        "reasoning_summary",
        "enable_encrypted_reasoning",
        "prompt_cache_retention",
        "caching_prompt",
        "force_string_serializer",
        "disable_vision",
        "model_canonical_name",
        "native_tool_calling",
    ];
    assert!(fields.keys().all(|name| known.contains(&name.as_str())), "{fields:?}");
    LlmOptions {
        base_url: Some(BASE_URL.into()),
        api_mode: text("api_mode")
            .map(|mode| if mode == "responses" { ApiMode::Responses } else { ApiMode::Chat }),
        stream: flag("stream"),
        temperature: number("temperature"),
        top_p: number("top_p"),
        max_output_tokens: number("max_output_tokens").map(|limit| limit as u32),
        reasoning_effort: text("reasoning_effort"),
        reasoning_summary: text("reasoning_summary"),
        enable_encrypted_reasoning: flag("enable_encrypted_reasoning"),
        prompt_cache_retention: fields
            .get("prompt_cache_retention")
            .map(|retention| retention.as_str().unwrap_or_default().to_owned()),
        caching_prompt: flag("caching_prompt"),
        force_string_serializer: flag("force_string_serializer"),
        disable_vision: flag("disable_vision"),
        model_canonical_name: text("model_canonical_name"),
        native_tool_calling: flag("native_tool_calling"),
        ..LlmOptions::new(text("model").unwrap())
    }
}

/// A tool of the fixtures. Its parameters stay text, because models see their order.
pub fn tool(function: &RawValue) -> ToolSchema {
    #[derive(Deserialize)]
    struct Function {
        name: String,
        description: String,
        parameters: Box<RawValue>,
    }
    let Function { name, description, parameters } = serde_json::from_str(function.get()).unwrap();
    ToolSchema { name, description, parameters: parameters.get().into() }
}

/// Compares our body over `api` with the SDK's body as `theirs` corrects it, for every case of a folder.
pub fn assert_bodies_equal_the_sdks(api: &dyn WireApi, folder: &str, theirs: fn(&Case) -> Value) {
    assert_bodies_of_cases(api, &cases(folder), theirs);
}

/// As [`assert_bodies_equal_the_sdks`], for these cases.
pub fn assert_bodies_of_cases(api: &dyn WireApi, cases: &[(String, Case)], theirs: fn(&Case) -> Value) {
    assert_same(cases, |case| request_over(api, case).0, theirs);
}

/// Compares the results of `ours` and `theirs` for each case.
pub fn assert_same(cases: &[(String, Case)], ours: impl Fn(&Case) -> Value, theirs: fn(&Case) -> Value) {
    let different: Vec<String> = cases
        .iter()
        .filter_map(|(name, case)| {
            let (ours, theirs) = (ours(case), theirs(case));
            let mut differences = Vec::new();
            collect_differences("", &ours, &theirs, &mut differences);
            (ours != theirs).then(|| format!("{name}:\n  {}", differences.join("\n  ")))
        })
        .collect();
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// Appends the path and both values of each difference to `out`.
fn collect_differences(at: &str, ours: &Value, theirs: &Value, out: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            let names: BTreeSet<_> = a.keys().chain(b.keys()).collect();
            for name in names {
                let nothing = &Value::Null;
                collect_differences(
                    &format!("{at}/{name}"),
                    a.get(name).unwrap_or(nothing),
                    b.get(name).unwrap_or(nothing),
                    out,
                );
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                collect_differences(&format!("{at}/{index}"), a, b, out);
            }
        }
        _ if ours != theirs => out.push(format!("{at}: ours {ours:.300}, theirs {theirs:.300}")),
        _ => {}
    }
}

/// Messages in the reference-counted form in which conversations hold them.
pub fn shared(messages: &[Message]) -> Vec<Rc<Message>> {
    messages.iter().cloned().map(Rc::new).collect()
}
