//! From the host's camelCase options to the core's. Values have been checked on the TypeScript side; what does not
//! fit here all the same is an error that names it.

use super::{error::invalid, tool::JsTool};
use crate::{
    agent::Agent,
    error::Result,
    llm::{ApiKey, Llm, LlmOptions, SecretString, transport::HttpClient},
    tool::{Tool, ToolRegistry},
    web::{fetch::FetchClient, host::WebHost},
};
use js_sys::{Array, Function, Promise, Reflect};
use serde::Deserialize;
use std::{collections::BTreeMap, rc::Rc};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// The options of `Conversation.open` that are plain values.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlainOptions {
    pub conversation_id: String,
    #[serde(default)]
    pub max_iterations: Option<u32>,
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlainAgent {
    #[serde(default)]
    system_prompt: Option<String>,
    tool_concurrency_limit: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlainLlm {
    model: String,
    base_url: Option<String>,
    usage_id: Option<String>,
    stream: Option<bool>,
    temperature: Option<f64>,
    top_p: Option<f64>,
    max_output_tokens: Option<u32>,
    reasoning_effort: Option<String>,
    num_retries: Option<u32>,
    timeout: Option<f64>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    input_cost_per_token: Option<f64>,
    output_cost_per_token: Option<f64>,
}

/// Reads plain values out of an object; functions beside them are left alone.
pub fn plain<T: for<'de> Deserialize<'de>>(options: &JsValue, what: &str) -> Result<T> {
    serde_wasm_bindgen::from_value(options.clone()).map_err(|error| invalid(format!("{what}: {error}")))
}

/// A property of an options object; `undefined` where there is none.
pub fn property(options: &JsValue, name: &str) -> JsValue {
    Reflect::get(options, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

/// A property that must be a function.
pub fn function(options: &JsValue, name: &str) -> Result<Function> {
    property(options, name).dyn_into().map_err(|_| invalid(format!("{name} must be a function")))
}

/// The agent of these options.
pub fn agent(options: &JsValue) -> Result<Agent> {
    let plain: PlainAgent = plain(options, "agent")?;
    let tools: Array =
        property(options, "tools").dyn_into().map_err(|_| invalid("tools must be an array"))?;
    let tools: Result<Vec<Rc<dyn Tool>>> =
        tools.iter().map(|tool| Ok(Rc::new(JsTool::read(&tool)?) as Rc<dyn Tool>)).collect();
    Ok(Agent {
        llm: Rc::new(llm(&property(options, "llm"))?),
        tools: ToolRegistry::new(tools?)?,
        system_prompt: plain
            .system_prompt
            .as_deref()
            .unwrap_or(Agent::DEFAULT_SYSTEM_PROMPT)
            .trim_end()
            .into(),
        tool_concurrency_limit: plain.tool_concurrency_limit.max(1) as usize,
    })
}

fn llm(options: &JsValue) -> Result<Llm> {
    let plain: PlainLlm = plain(options, "llm")?;
    let fetch = property(options, "fetch").dyn_into::<Function>().ok();
    let http: Rc<dyn HttpClient> = Rc::new(match fetch {
        Some(fetch) => FetchClient::with_function(fetch),
        None => FetchClient::new(),
    });
    let options = LlmOptions {
        api_key: api_key(&property(options, "apiKey")),
        base_url: plain.base_url,
        usage_id: plain.usage_id,
        stream: plain.stream,
        temperature: plain.temperature,
        top_p: plain.top_p,
        max_output_tokens: plain.max_output_tokens,
        reasoning_effort: plain.reasoning_effort,
        num_retries: plain.num_retries,
        timeout: plain.timeout,
        headers: plain.headers.into_iter().collect(),
        input_cost_per_token: plain.input_cost_per_token,
        output_cost_per_token: plain.output_cost_per_token,
        ..LlmOptions::new(plain.model)
    };
    Ok(Llm::new(options, http, Rc::new(WebHost))?)
}

fn api_key(value: &JsValue) -> ApiKey {
    if let Some(key) = value.as_string() {
        return ApiKey::Value(SecretString::new(&key));
    }
    let Ok(ask) = value.clone().dyn_into::<Function>() else { return ApiKey::None };
    ApiKey::Function(Rc::new(move || {
        let answer = ask.call0(&JsValue::UNDEFINED);
        Box::pin(async move {
            let failed =
                |thrown: JsValue| invalid(format!("apiKey() failed: {}", super::error::words_of(&thrown)));
            let key = JsFuture::from(Promise::resolve(&answer.map_err(failed)?)).await.map_err(failed)?;
            key.as_string()
                .map(|key| SecretString::new(&key))
                .ok_or_else(|| invalid("apiKey() must return a string"))
        })
    }))
}
