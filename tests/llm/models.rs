//! Model data: every row can be read, and gives the same features, limits and prices as in the SDK.

use crate::calls::{call, hello, options};
use futures_util::FutureExt;
use std::{cell::Cell, collections::BTreeMap, fs, path::Path, rc::Rc};
use threadkeep::{
    json::EditableObject,
    llm::{
        LlmFailure, LlmOptions, TextFunction,
        endpoint::Endpoint,
        metrics::Usage,
        model_data::{ModelRow, price},
        model_features::ModelFeatures,
        options::ModelData,
    },
};

/// The features that the SDK reports for each model name, with a `row` for names that have none in `js/llm/models`. Parsed by
/// this crate, which keeps all digits of a number.
fn answers() -> EditableObject {
    read("tests/fixtures/model_features.json")
}

thread_local! {
    static ANSWERS: BTreeMap<String, EditableObject> = objects(&answers().read("models").unwrap());

    /// Every row, by its lower-case name with and without the provider.
    static ROWS: BTreeMap<String, EditableObject> = {
        let mut rows = BTreeMap::new();
        for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("js/llm/models")).unwrap() {
            let path = entry.unwrap().path();
            let provider = path.file_stem().unwrap().to_string_lossy().into_owned();
            if path.extension().is_some_and(|ending| ending == "json") && provider != "families" {
                for (key, row) in objects(&read(path.to_str().unwrap()).read("models").unwrap()) {
                    rows.insert(key.to_lowercase(), row.clone());
                    rows.insert(format!("{provider}/{key}").to_lowercase(), row);
                }
            }
        }
        rows
    };
}

fn read(file: &str) -> EditableObject {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    EditableObject::compact(&fs::read_to_string(file).unwrap()).unwrap()
}

fn objects(of: &EditableObject) -> BTreeMap<String, EditableObject> {
    of.iter().map(|(key, object)| (key.to_owned(), EditableObject::compact(object).unwrap())).collect()
}

/// The row of a model in the fixtures or in `js/llm/models`; empty for other models.
pub fn row(model: &str) -> ModelRow {
    let known =
        ANSWERS.with(|answers| answers.get(model).and_then(|answer| answer.read::<EditableObject>("row")));
    let row = known.or_else(|| ROWS.with(|rows| rows.get(&model.to_lowercase()).cloned()));
    ModelRow(row.unwrap_or_default())
}

/// [`row`] as the model data of a host.
pub fn data() -> ModelData {
    ModelData(Some(Rc::new(|model, _| {
        let row = row(model);
        async move { Ok(row.0.text()) }.boxed_local()
    })))
}

fn features(model: &str, base_url: Option<&str>) -> ModelFeatures {
    let options = LlmOptions { base_url: base_url.map(Into::into), ..LlmOptions::new(model) };
    ModelFeatures::of(&options, &Endpoint::resolve(model, base_url).unwrap(), &row(model))
}

#[test]
fn rows_give_the_features_and_costs_that_the_sdk_reports() {
    let mut wrong = Vec::new();
    let usages: Vec<Usage> =
        answers().read::<Vec<EditableObject>>("usages").unwrap().iter().map(usage).collect();
    let answers = ANSWERS.with(BTreeMap::clone);
    assert!(answers.len() > 900);
    // LiteLLM treats a version with an unknown date as a new family, and derives a price from the 34b in a name.
    let excluded = ["openai/gpt-5-mini-2099-08-07", "together_ai/togethercomputer/CodeLlama-34b-Instruct"];
    for (model, theirs) in answers.iter().filter(|(model, _)| !excluded.contains(&model.as_str())) {
        let mut endpoint = Endpoint::resolve(model, Some("http://h/v1")).unwrap();
        endpoint.is_user_server = false;
        let row = row(model);
        let ours = ModelFeatures::of(&LlmOptions::new(model), &endpoint, &row);
        let mut same = |what: &str, is_same: bool| {
            if !is_same {
                wrong.push(format!("{model}: {what} {}", theirs.text()));
            }
        };
        let is = |name: &str| theirs.read::<bool>(name).unwrap();
        let mode: String = theirs.read("thinking_mode").unwrap();
        let limits = [ours.max_input_tokens, ours.max_output_tokens].map(|limit| limit.map(u64::from));
        // The SDK refuses models with a context window that is too small for agents, and reports no limits for them.
        let their_limits = theirs.read::<Vec<Option<u64>>>("limits");
        same(&format!("{limits:?}"), their_limits.is_none_or(|theirs| theirs == limits));
        same("vision", ours.supports_vision == is("supports_vision"));
        same("thinking budget", ours.has_thinking_budget == (mode == "manual"));
        same("adaptive thinking", ours.supports_adaptive_thinking == (mode == "adaptive"));
        same("sampling", row.has("supports_sampling_params") == theirs.read("supports_sampling_params"));
        same("prompt cache", ours.supports_prompt_cache == is("supports_prompt_cache"));
        same("responses", ours.supports_responses_api == is("supports_responses_api"));
        same("reasoning sent back", ours.send_reasoning_content == is("send_reasoning_content"));
        same(
            "strings",
            ours.force_string_serializer == is("force_string_serializer") || model.contains("moonshot-v1"),
        );
        let costs: Vec<f64> = usages.iter().map(|usage| row.cost(*usage).unwrap_or(0.0)).collect();
        same(&format!("{costs:?}"), Some(costs) == theirs.read("costs"));
    }
    assert!(wrong.is_empty(), "{} {}", wrong.len(), wrong.join("\n"));
}

fn usage(counts: &EditableObject) -> Usage {
    let count = |name: &str| counts.read(name).unwrap_or(0);
    Usage {
        prompt_tokens: count("prompt"),
        completion_tokens: count("completion"),
        cache_read_tokens: count("read"),
        cache_write_tokens: count("write"),
        reasoning_tokens: count("reasoning"),
    }
}

#[test]
fn the_output_limit_is_lower_on_a_user_server() {
    assert_eq!(features("openai/gpt-5", None).max_output_tokens, Some(128_000));
    assert_eq!(features("openai/gpt-5", Some("http://h/v1")).max_output_tokens, Some(16_384));
    assert_eq!(features("litellm_proxy/gpt-5.4", Some("http://h/v1")).max_output_tokens, Some(128_000));
    let claude = features("openai/claude-sonnet-4-5-20250929", Some("http://h/v1"));
    assert_eq!(claude.max_output_tokens, Some(64_000));
    assert_eq!(features("mistral/mistral-large-latest", None).max_output_tokens, Some(131_072));
}

#[test]
fn a_failed_lookup_of_model_data_is_a_network_error_and_is_repeated_by_the_next_call() {
    let lookups = Rc::new(Cell::new(0));
    let counter = lookups.clone();
    let source = ModelData(Some(Rc::new(move |model, real_name| {
        counter.set(counter.get() + 1);
        assert_eq!((model, real_name), ("openai/my-alias", "gpt-4o"));
        let is_first = counter.get() == 1;
        let row =
            if is_first { Err("a part did not load".into()) } else { Ok("{\"max_input_tokens\":7}".into()) };
        async move { row }.boxed_local()
    })));
    let options = LlmOptions {
        model: "openai/my-alias".into(),
        model_canonical_name: Some("gpt-4o".into()),
        model_data: source,
        ..options()
    };
    let error = call(options.clone(), Vec::new()).result.unwrap_err();
    assert_eq!((error.failure, error.message.as_str()), (LlmFailure::Network, "a part did not load"));
    assert_eq!(call(options, vec![hello()]).result.unwrap().context_window, 7);
    assert_eq!(lookups.get(), 2);
}

#[test]
fn without_model_data_the_context_window_and_the_cost_are_unknown() {
    let nothing: TextFunction = Rc::new(|_, _| async { Ok(String::new()) }.boxed_local());
    for model_data in [ModelData(None), ModelData(Some(nothing))] {
        let completion = call(LlmOptions { model_data, ..options() }, vec![hello()]).result.unwrap();
        assert_eq!((completion.context_window, completion.cost), (0, None));
    }
}

#[test]
fn the_users_prices_take_precedence_over_the_table_and_a_reported_cost_over_the_table() {
    let cost = |options: LlmOptions| call(options, vec![hello()]).result.unwrap().cost;
    assert_eq!(cost(options()), Some(10.0 * 2.5e-6 + 2.0 * 1e-5));
    let own = LlmOptions { input_cost_per_token: Some(0.5), output_cost_per_token: Some(0.25), ..options() };
    assert_eq!(cost(own), Some(5.5));
    let only_one = LlmOptions { input_cost_per_token: Some(0.5), ..options() };
    assert_eq!(cost(only_one), cost(options()));
    let reported = call(options(), vec![hello().with_header("x-litellm-response-cost", "0.125")]);
    assert_eq!(reported.result.unwrap().cost, Some(0.125));
}

#[test]
fn inconsistent_counts_have_no_negative_cost_and_malformed_prices_no_cost() {
    let odd = Usage {
        prompt_tokens: 5,
        cache_read_tokens: 9,
        completion_tokens: 1,
        reasoning_tokens: 3,
        ..Usage::default()
    };
    assert_eq!(price(odd, [1.0, 10.0, 0.5, 0.0], Some(10.0)), 34.5);
    for broken in
        ["{}", r#"{"prices":[]}"#, r#"{"prices":[[0,1]]}"#, r#"{"prices":["x"]}"#, r#"{"prices":7}"#]
    {
        assert_eq!(ModelRow(EditableObject::compact(broken).unwrap()).cost(odd), None, "{broken}");
    }
}
