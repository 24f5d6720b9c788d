//! Reads the options of the TypeScript side, whose names are in camelCase. TypeScript has checked them; a value of another
//! type is an error that names the option all the same.

use super::{
    error::{invalid, message_of},
    given,
    http::PageHttp,
    tool::{JsTool, mistake},
    wasm_files::loading,
};
use crate::{
    agent::Agent,
    conversation::{
        RunLimits,
        stuck_detector::{StuckDetection, StuckDetectionThresholds},
    },
    error::Result,
    json::ObjectWriter,
    llm::{
        ApiKey, Llm, LlmOptions, SecretString, TextFunction, option_table::OptionSource, options::ModelData,
        transport::HttpClient,
    },
    skills::GivenContext,
    tool::{AnswerSchema, FinishTool, Tool, ToolRegistry},
    web::{fetch::FetchClient, guard::promise, host::WebHost},
};
use js_sys::{Array, Function, Object, Promise, Reflect};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// The plain values of an options object. Functions beside them are left alone, and `null` counts as absent.
pub struct Options<'a> {
    object: &'a JsValue,
    /// The name of the object in error messages.
    what: &'static str,
}

impl<'a> Options<'a> {
    /// The object itself is not looked at yet.
    pub fn new(object: &'a JsValue, what: &'static str) -> Self {
        Self { object, what }
    }

    /// A text that must be there.
    pub fn required_text(&self, name: &str) -> Result<String> {
        self.text(name)?.ok_or_else(|| invalid(format!("{name} of {} is missing", self.what)))
    }

    /// An object of texts, in its order; empty where there is none.
    pub fn texts(&self, name: &str) -> Result<Vec<(String, String)>> {
        let value = property(self.object, name);
        if is_absent(&value) { Ok(Vec::new()) } else { texts(value, name) }
    }

    fn read<T>(&self, name: &str, kind: &str, read: impl FnOnce(&JsValue) -> Option<T>) -> Result<Option<T>> {
        let value = property(self.object, name);
        if is_absent(&value) {
            return Ok(None);
        }
        let unfit = || invalid(format!("{name} of {} must be {kind}", self.what));
        read(&value).map(Some).ok_or_else(unfit)
    }
}

impl OptionSource for Options<'_> {
    fn text(&self, name: &str) -> Result<Option<String>> {
        self.read(name, "a string", JsValue::as_string)
    }

    fn number(&self, name: &str) -> Result<Option<f64>> {
        self.read(name, "a number", JsValue::as_f64)
    }

    fn count(&self, name: &str) -> Result<Option<u32>> {
        let is_count = |number: &f64| number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number);
        self.read(name, "a whole number", |value| value.as_f64().filter(is_count).map(|number| number as u32))
    }

    fn flag(&self, name: &str) -> Result<Option<bool>> {
        self.read(name, "true or false", JsValue::as_bool)
    }
}

/// `undefined` or `null`.
pub fn is_absent(value: &JsValue) -> bool {
    value.is_undefined() || value.is_null()
}

/// An object of texts, in its order.
pub fn texts(value: JsValue, what: &str) -> Result<Vec<(String, String)>> {
    let unfit = || invalid(format!("{what} must be an object of strings"));
    let object: Object = value.dyn_into().map_err(|_| unfit())?;
    let mut texts = Vec::new();
    for entry in Object::entries(&object).iter() {
        let entry: Array = entry.unchecked_into();
        let (Some(name), Some(text)) = (entry.get(0).as_string(), entry.get(1).as_string()) else {
            return Err(unfit());
        };
        texts.push((name, text));
    }
    Ok(texts)
}

/// A property of an options object; `undefined` where there is none.
pub fn property(options: &JsValue, name: &str) -> JsValue {
    Reflect::get(options, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

/// A property that must be a function.
pub fn function(options: &JsValue, name: &str) -> Result<Function> {
    property(options, name).dyn_into().map_err(|_| invalid(format!("{name} must be a function")))
}

/// The limits of a run among the options of a conversation.
pub fn run_limits(options: &JsValue) -> Result<RunLimits> {
    let plain = Options::new(options, "options");
    let default = RunLimits::default();
    Ok(RunLimits {
        max_iterations: plain.count("maxIterationPerRun")?.unwrap_or(default.max_iterations),
        max_budget_per_run: plain.number("maxBudgetPerRun")?,
        stuck_detection: stuck_detection(&property(options, "stuckDetection"))?,
    })
}

/// The limits in the form in which [`run_limits`] reads them, as JSON.
pub fn limits_json(limits: &RunLimits, thresholds: Option<StuckDetectionThresholds>) -> String {
    let mut out = ObjectWriter::new();
    out.field("maxIterationPerRun", &u64::from(limits.max_iterations));
    out.optional("maxBudgetPerRun", &limits.max_budget_per_run);
    match thresholds {
        Some(thresholds) if thresholds != StuckDetectionThresholds::default() => {
            let mut counts = ObjectWriter::new();
            for (name, count) in [
                ("actionObservation", thresholds.action_observation),
                ("actionError", thresholds.action_error),
                ("monologue", thresholds.monologue),
                ("alternatingPattern", thresholds.alternating_pattern),
            ] {
                counts.field(name, &count);
            }
            out.raw("stuckDetection", &counts.finish());
        }
        thresholds => out.field("stuckDetection", &thresholds.is_some()),
    }
    out.finish()
}

/// Whether and when a run stops that goes in circles: yes or no, or thresholds.
fn stuck_detection(value: &JsValue) -> Result<Option<StuckDetection>> {
    let mut thresholds = StuckDetectionThresholds::default();
    match value.as_bool() {
        _ if is_absent(value) => return Ok(None),
        Some(false) => return Ok(Some(StuckDetection::Off)),
        Some(true) => {}
        None => {
            let plain = Options::new(value, "stuckDetection");
            for (name, threshold) in [
                ("actionObservation", &mut thresholds.action_observation),
                ("actionError", &mut thresholds.action_error),
                ("monologue", &mut thresholds.monologue),
                ("alternatingPattern", &mut thresholds.alternating_pattern),
            ] {
                if let Some(count) = plain.count(name)? {
                    *threshold = count.max(1) as usize;
                }
            }
        }
    }
    Ok(Some(StuckDetection::On(thresholds)))
}

/// The agent of these options.
pub fn agent(options: &JsValue) -> Result<Agent> {
    let plain = Options::new(options, "agent");
    let tools: Array =
        property(options, "tools").dyn_into().map_err(|_| invalid("tools must be an array"))?;
    let mut tools =
        ToolRegistry::with_finish(host_tools(&tools)?, finish(&property(options, "finalAnswer"))?)?;
    let mcp = property(options, "mcp");
    if !is_absent(&mcp) {
        let remote = property(&mcp, "tools")
            .dyn_into()
            .map_err(|_| invalid("the tools of MCP servers must be an array"))?;
        tools.set_remote(host_tools(&remote)?);
        let listed = function(&mcp, "listed")?;
        tools.wait_for(Rc::new(move || {
            let listed = listed.call0(&JsValue::UNDEFINED);
            Box::pin(async move {
                if let Ok(listed) = listed {
                    // The tools that are known by then are used.
                    let _ = JsFuture::from(Promise::resolve(&listed)).await;
                }
            })
        }));
    }
    let mcp = Options::new(&mcp, "mcp");
    let memory = plain.text("memory")?;
    Ok(Agent {
        llm: Rc::new(llm(&property(options, "llm"))?),
        tools,
        system_prompt: plain
            .text("systemPrompt")?
            .as_deref()
            .unwrap_or(Agent::DEFAULT_SYSTEM_PROMPT)
            .trim_end()
            .into(),
        condenser: None,
        count_tokens: None,
        context: plain
            .text("context")?
            .as_deref()
            .and_then(given::value)
            .map(|stored| GivenContext { stored, memory: memory.map(Rc::from) }),
        working_dir: plain.text("workingDir")?.map(Rc::from),
        tool_concurrency_limit: plain.count("toolConcurrencyLimit")?.unwrap_or(1).max(1) as usize,
        critic: None,
        mcp_config: mcp.text("config")?.as_deref().and_then(given::value).unwrap_or_default(),
        filter_tools_regex: plain.text("filterToolsRegex")?.map(Rc::from),
    })
}

/// The tool that ends a task, with the structured answer of these options if there are any.
fn finish(options: &JsValue) -> Result<FinishTool> {
    if is_absent(options) {
        return Ok(FinishTool::default());
    }
    let plain = Options::new(options, "finalAnswer");
    let check = function(options, "check")?;
    Ok(FinishTool::with_answer(AnswerSchema {
        schema: given::value(&plain.required_text("schema")?)
            .ok_or_else(|| invalid("finalAnswer must be a JSON Schema"))?,
        parameters: given::text(&plain.required_text("parameters")?).into(),
        check: Rc::new(move |arguments| mistake(&check, arguments)),
    }))
}

/// Tools of the host, or of servers that it calls.
pub fn host_tools(tools: &Array) -> Result<Vec<Rc<dyn Tool>>> {
    tools.iter().map(|tool| Ok(Rc::new(JsTool::read(&tool)?) as Rc<dyn Tool>)).collect()
}

/// The model of these options, and those that answer where it cannot.
pub fn llm(object: &JsValue) -> Result<Llm> {
    let plain = Options::new(object, "llm");
    let given = |name| property(object, name).dyn_into().ok();
    let http: Rc<dyn HttpClient> = Rc::new(PageHttp(FetchClient {
        given: given("fetch"),
        read: function(object, "read")?,
        wait: given("wait"),
        refused_origin: given("refusedOrigin"),
        watch: given("watch"),
    }));
    let options = LlmOptions {
        api_key: api_key(&property(object, "apiKey")),
        model_data: ModelData(Some(text_function(function(object, "modelRow")?, ""))),
        headers: plain.texts("headers")?,
        ..LlmOptions::given(plain.required_text("model")?, &plain)?
    };
    *options.stored_key.token.borrow_mut() = plain.text("keyToken")?;
    let mut made = Llm::new(options, http, Rc::new(WebHost))?;
    made.load_file = given("load").map(loading);
    for fallback in Array::from(&property(object, "fallbacks")).iter() {
        made.fallbacks.push(llm(&fallback)?);
    }
    let codes = property(object, "fallbackOn");
    if !is_absent(&codes) {
        made.fallback_on = Array::from(&codes).iter().filter_map(|code| code.as_string()).collect();
    }
    let (ahead, when_idle) = (made.clone(), given("whenIdle"));
    let _background = promise(async move {
        wait_for(when_idle).await;
        ahead.load_ahead().await;
        Ok(JsValue::UNDEFINED)
    });
    Ok(made)
}

/// Waits for the promise that this function returns.
async fn wait_for(promised: Option<Function>) {
    if let Some(promise) = promised.and_then(|promised| promised.call0(&JsValue::UNDEFINED).ok()) {
        // It never rejects.
        let _ = JsFuture::from(Promise::resolve(&promise)).await;
    }
}

fn api_key(value: &JsValue) -> ApiKey {
    if let Some(key) = value.as_string() {
        return ApiKey::Value(SecretString::new(&key));
    }
    match value.clone().dyn_into() {
        Ok(ask) => ApiKey::Function(text_function(ask, "apiKey()")),
        Err(_) => ApiKey::None,
    }
}

/// A function that returns or promises a text; `name` is what it is called in messages, if it is the host's.
pub fn text_function(ask: Function, name: &'static str) -> TextFunction {
    Rc::new(move |one, other| {
        let answer = match name {
            "" => ask.call2(&JsValue::UNDEFINED, &one.into(), &other.into()),
            _ => ask.call0(&JsValue::UNDEFINED),
        };
        Box::pin(async move {
            let answer = match answer {
                Ok(answer) => JsFuture::from(Promise::resolve(&answer)).await,
                thrown => thrown,
            };
            match answer {
                Ok(text) => text.as_string().ok_or_else(|| format!("{name} must return a string")),
                Err(thrown) if name.is_empty() => Err(message_of(&thrown)),
                Err(thrown) => Err(format!("{name} failed: {}", message_of(&thrown))),
            }
        })
    })
}
