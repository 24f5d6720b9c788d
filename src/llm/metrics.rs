//! The usage of a model so far: tokens, dollars and seconds, counted as in the SDK's `llm/utils/metrics.py`.
//!
//! Metrics are held as their stored JSON, so that values that Python has written, and fields that only Python knows, stay
//! unchanged.

use crate::{
    json::{EditableObject, RawJson, ToJson as _, float, object, quoted},
    llm::completion::Completion,
};
use std::collections::HashMap;

/// Tokens of one answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Input tokens.
    pub prompt_tokens: u64,
    /// Output tokens, including reasoning.
    pub completion_tokens: u64,
    /// Input tokens read from the provider's cache.
    pub cache_read_tokens: u64,
    /// Input tokens written to the provider's cache.
    pub cache_write_tokens: u64,
    /// Output tokens of the reasoning.
    pub reasoning_tokens: u64,
}

impl Usage {
    /// Each number combined with that of another usage.
    pub fn with(self, other: Self, combine: fn(u64, u64) -> u64) -> Self {
        Self {
            prompt_tokens: combine(self.prompt_tokens, other.prompt_tokens),
            completion_tokens: combine(self.completion_tokens, other.completion_tokens),
            cache_read_tokens: combine(self.cache_read_tokens, other.cache_read_tokens),
            cache_write_tokens: combine(self.cache_write_tokens, other.cache_write_tokens),
            reasoning_tokens: combine(self.reasoning_tokens, other.reasoning_tokens),
        }
    }
}

/// `TokenUsage`: the tokens of one answer, or of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenUsage {
    /// The model.
    pub model: String,
    /// The tokens.
    pub usage: Usage,
    /// The model's context window in tokens, or 0 if it is unknown.
    pub context_window: u64,
    /// Input and output tokens of the last answer.
    pub per_turn_token: u64,
    /// The id of the answer; empty for a sum.
    pub response_id: String,
}

impl TokenUsage {
    fn read(object: &EditableObject) -> Self {
        let count = |name: &str| object.read::<u64>(name).unwrap_or(0);
        Self {
            model: object.read("model").unwrap_or_default(),
            usage: Usage {
                prompt_tokens: count("prompt_tokens"),
                completion_tokens: count("completion_tokens"),
                cache_read_tokens: count("cache_read_tokens"),
                cache_write_tokens: count("cache_write_tokens"),
                reasoning_tokens: count("reasoning_tokens"),
            },
            context_window: count("context_window"),
            per_turn_token: count("per_turn_token"),
            response_id: object.read("response_id").unwrap_or_default(),
        }
    }

    fn write(&self, object: &mut EditableObject) {
        object.set("model", &quoted(&self.model));
        for (name, count) in [
            ("prompt_tokens", self.usage.prompt_tokens),
            ("completion_tokens", self.usage.completion_tokens),
            ("cache_read_tokens", self.usage.cache_read_tokens),
            ("cache_write_tokens", self.usage.cache_write_tokens),
            ("reasoning_tokens", self.usage.reasoning_tokens),
            ("context_window", self.context_window),
            ("per_turn_token", self.per_turn_token),
        ] {
            object.set(name, &count.to_string());
        }
        object.set("response_id", &quoted(&self.response_id));
    }

    /// The sum; `context_window` is the larger one, `per_turn_token` the later one.
    fn plus(self, later: &Self) -> Self {
        Self {
            usage: self.usage.with(later.usage, u64::saturating_add),
            context_window: self.context_window.max(later.context_window),
            per_turn_token: later.per_turn_token,
            ..self
        }
    }
}

/// `Metrics` of one usage id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metrics(EditableObject);

impl Metrics {
    /// Metrics of a model without any answer.
    pub fn new(model_name: &str) -> Self {
        let mut object = EditableObject::default();
        object.set("model_name", &quoted(model_name));
        object.set("accumulated_cost", "0.0");
        let mut usage = EditableObject::default();
        TokenUsage { model: model_name.to_owned(), ..TokenUsage::default() }.write(&mut usage);
        object.set("accumulated_token_usage", &usage.text());
        for list in LISTS {
            object.set(list, "[]");
        }
        Self(object)
    }

    /// Reads stored metrics; `None` if the text is not a JSON object.
    pub fn parse(json: &str) -> Option<Self> {
        EditableObject::compact(json).map(Self)
    }

    /// The stored JSON.
    pub fn to_json(&self) -> String {
        self.0.text()
    }

    /// The JSON without the lists of single answers, for events during a run.
    pub fn snapshot_json(&self) -> String {
        let mut snapshot = self.0.clone();
        snapshot.retain(&|name, _| !LISTS.contains(&name));
        snapshot.text()
    }

    /// The model.
    pub fn model_name(&self) -> String {
        self.0.read("model_name").unwrap_or_else(|| "default".into())
    }

    /// The cost of all answers, in dollars.
    pub fn accumulated_cost(&self) -> f64 {
        self.0.read("accumulated_cost").unwrap_or(0.0)
    }

    /// The budget for all answers in dollars, if one is set.
    pub fn max_budget_per_task(&self) -> Option<f64> {
        self.0.read("max_budget_per_task")
    }

    /// The tokens of all answers.
    pub fn accumulated_token_usage(&self) -> TokenUsage {
        match self.0.read::<EditableObject>("accumulated_token_usage") {
            Some(object) => TokenUsage::read(&object),
            None => TokenUsage { model: self.model_name(), ..TokenUsage::default() },
        }
    }

    /// Adds one answer: its latency, and its cost and tokens if they are known. `now` is in milliseconds since the epoch.
    /// A stored value of another type than the SDK's is left unchanged.
    pub fn record(&mut self, completion: &Completion, now: f64) {
        let model = self.model_name();
        let latency = object! {
            "model": model,
            "latency": completion.latency.max(0.0),
            "response_id": completion.response_id,
        };
        if let Some(value) = completion.cost.filter(|cost| *cost > 0.0 && cost.is_finite()) {
            let sum = (self.accumulated_cost() + value).to_json_text();
            self.set("accumulated_cost", &sum);
            let cost = object! { "model": model, "cost": value, "timestamp": now / 1000.0 };
            self.append("costs", &cost.finish());
        }
        self.append("response_latencies", &latency.finish());
        if let Some(usage) = completion.usage {
            let turn = TokenUsage {
                model,
                usage,
                context_window: completion.context_window.into(),
                per_turn_token: usage.prompt_tokens.saturating_add(usage.completion_tokens),
                response_id: completion.response_id.clone(),
            };
            self.set_accumulated_token_usage(&self.accumulated_token_usage().plus(&turn));
            let mut entry = EditableObject::default();
            turn.write(&mut entry);
            self.append("token_usages", &entry.text());
        }
    }

    /// Adds the answers that only `other` has, which has counted those of the same model elsewhere. An answer is in both if the
    /// lists of both have it, so adding twice changes nothing the second time. The last answer stays the last.
    pub fn add_missing(&mut self, other: &Self) {
        let per_turn_token = self.accumulated_token_usage().per_turn_token;
        let mut cost = self.accumulated_cost();
        let mut usage = self.accumulated_token_usage();
        let mut has_usage = false;
        for list in LISTS {
            let mut counts: HashMap<String, usize> = HashMap::new();
            for name in self.entries(list).iter().map(identity) {
                *counts.entry(name).or_default() += 1;
            }
            for entry in other.entries(list) {
                if let Some(count) = counts.get_mut(&identity(&entry)).filter(|count| **count > 0) {
                    *count -= 1;
                    continue;
                }
                cost += entry.read::<f64>("cost").filter(|cost| *cost > 0.0).unwrap_or(0.0);
                if list == "token_usages" {
                    usage = usage.plus(&TokenUsage::read(&entry));
                    has_usage = true;
                }
                self.append(list, &entry.text());
            }
        }
        if cost > self.accumulated_cost() {
            self.set("accumulated_cost", &cost.to_json_text());
        }
        if has_usage {
            self.set_accumulated_token_usage(&TokenUsage { per_turn_token, ..usage });
        }
    }

    /// Sets the tokens of all answers. A stored value that is no object is left unchanged.
    fn set_accumulated_token_usage(&mut self, usage: &TokenUsage) {
        const NAME: &str = "accumulated_token_usage";
        let stored = self.0.get(NAME).filter(|json| *json != "null");
        let Some(mut object) = stored.map_or(Some(EditableObject::default()), EditableObject::compact) else {
            return;
        };
        usage.write(&mut object);
        self.set(NAME, &object.text());
    }

    /// The entries of a list.
    fn entries(&self, list: &str) -> Vec<EditableObject> {
        let entries = self.0.read::<Vec<RawJson>>(list).unwrap_or_default();
        entries.iter().filter_map(|entry| EditableObject::parse(entry.as_str())).collect()
    }

    /// Appends to a list, without reading its entries.
    fn append(&mut self, list: &str, entry: &str) {
        let stored = match self.0.get(list) {
            None | Some("null") => "[",
            Some(json) => match json.trim_end().strip_suffix(']') {
                Some(entries) => entries.trim_end(),
                None => return,
            },
        };
        let comma = if stored.ends_with('[') { "" } else { "," };
        let list_json = format!("{stored}{comma}{entry}]");
        self.set(list, &list_json);
    }

    fn set(&mut self, name: &str, json: &str) {
        self.0.set_in_order(name, json.into(), &ORDER);
    }
}

/// The name of an entry of a list of answers: that of two entries is the same if they are about the same answer, however they spell
/// its numbers.
fn identity(entry: &EditableObject) -> String {
    let mut name = String::new();
    for (field, value) in entry.iter() {
        let number = float(value).map(|number| format!("{:x}", number.to_bits()));
        name.push_str(&format!("{field}:{}\n", number.as_deref().unwrap_or(value)));
    }
    name
}

/// The lists of single answers, which snapshots do not have.
const LISTS: [&str; 3] = ["costs", "response_latencies", "token_usages"];

const ORDER: [&str; 7] = [
    "model_name",
    "accumulated_cost",
    "max_budget_per_task",
    "accumulated_token_usage",
    "costs",
    "response_latencies",
    "token_usages",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::message::{Message, Role};

    fn completion(response_id: &str, cost: Option<f64>, usage: Option<Usage>) -> Completion {
        Completion {
            response_id: response_id.into(),
            message: Message::new(Role::Assistant, Vec::new()),
            finish_reason: None,
            usage,
            latency: 0.5,
            model: "openai/gpt-4o".into(),
            cost,
            context_window: 128_000,
        }
    }

    #[test]
    fn recorded_answers_are_written_as_by_the_sdk() {
        let usage = Usage {
            prompt_tokens: 100,
            completion_tokens: 20,
            cache_read_tokens: 40,
            cache_write_tokens: 3,
            reasoning_tokens: 8,
        };
        let mut metrics = Metrics::new("gpt-5.5");
        metrics.record(&completion("r1", Some(0.00001), Some(usage)), 1_795_181_909_343.5);
        metrics.record(&completion("r2", Some(1e-7), None), 1_795_181_910_000.0);
        metrics
            .record(&completion("r3", Some(0.0), Some(Usage { prompt_tokens: 1, ..Usage::default() })), 0.0);
        // The SDK's output for the same calls.
        assert_eq!(
            metrics.to_json(),
            concat!(
                r#"{"model_name":"gpt-5.5","accumulated_cost":0.000010100000000000002,"#,
                r#""accumulated_token_usage":{"model":"gpt-5.5","prompt_tokens":101,"completion_tokens":20,"#,
                r#""cache_read_tokens":40,"cache_write_tokens":3,"reasoning_tokens":8,"context_window":128000,"#,
                r#""per_turn_token":1,"response_id":""},"#,
                r#""costs":[{"model":"gpt-5.5","cost":0.00001,"timestamp":1795181909.3435},"#,
                r#"{"model":"gpt-5.5","cost":1e-7,"timestamp":1795181910.0}],"#,
                r#""response_latencies":[{"model":"gpt-5.5","latency":0.5,"response_id":"r1"},"#,
                r#"{"model":"gpt-5.5","latency":0.5,"response_id":"r2"},"#,
                r#"{"model":"gpt-5.5","latency":0.5,"response_id":"r3"}],"#,
                r#""token_usages":[{"model":"gpt-5.5","prompt_tokens":100,"completion_tokens":20,"#,
                r#""cache_read_tokens":40,"cache_write_tokens":3,"reasoning_tokens":8,"context_window":128000,"#,
                r#""per_turn_token":120,"response_id":"r1"},{"model":"gpt-5.5","prompt_tokens":1,"#,
                r#""completion_tokens":0,"cache_read_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0,"#,
                r#""context_window":128000,"per_turn_token":1,"response_id":"r3"}]}"#,
            )
        );
    }

    #[test]
    fn stored_values_keep_their_spelling() {
        let stored = concat!(
            r#"{"model_name":"m","accumulated_cost":1.50,"extra":[1e5],"#,
            r#""costs":[ {"model":"m","cost":1.50,"timestamp":1.0E2} ],"response_latencies":[]}"#
        );
        let mut metrics = Metrics::parse(stored).unwrap();
        assert_eq!(metrics.to_json(), stored);
        metrics.record(
            &completion("r", Some(0.25), Some(Usage { prompt_tokens: 1, ..Usage::default() })),
            2000.0,
        );
        let json = metrics.to_json();
        assert!(json.starts_with(
            r#"{"model_name":"m","accumulated_cost":1.75,"extra":[1e5],"accumulated_token_usage""#
        ));
        assert!(json.contains(
            r#""costs":[ {"model":"m","cost":1.50,"timestamp":1.0E2},{"model":"m","cost":0.25,"timestamp":2.0}]"#
        ));
        assert_eq!(metrics.accumulated_token_usage().usage.prompt_tokens, 1);
    }

    #[test]
    fn stored_values_of_another_type_are_left_unchanged() {
        let stored = r#"{"model_name":"m","accumulated_token_usage":[7],"costs":"x","token_usages":null}"#;
        let mut metrics = Metrics::parse(stored).unwrap();
        metrics
            .record(&completion("r", Some(0.25), Some(Usage { prompt_tokens: 1, ..Usage::default() })), 0.0);
        let json = metrics.to_json();
        assert!(json.contains(r#""accumulated_token_usage":[7],"costs":"x""#), "{json}");
        assert!(json.contains(r#""token_usages":[{"model":"m""#), "{json}");
    }

    #[test]
    fn answers_of_two_devices_are_added_once() {
        let usage = |tokens| Some(Usage { prompt_tokens: tokens, ..Usage::default() });
        let mut start = Metrics::new("m");
        start.record(&completion("r1", Some(0.5), usage(10)), 1000.0);
        let (mut one, mut two) = (start.clone(), start);
        one.record(&completion("r2", Some(0.25), usage(3)), 2000.0);
        two.record(&completion("r3", Some(0.125), usage(4)), 2000.0);
        two.record(&completion("r3", Some(0.125), usage(4)), 2000.0);
        let (mut both, mut back) = (one.clone(), two.clone());
        both.add_missing(&two);
        assert_eq!(both.accumulated_cost(), 1.0);
        let total = both.accumulated_token_usage();
        assert_eq!((total.usage.prompt_tokens, total.per_turn_token), (21, 3));
        back.add_missing(&both);
        assert_eq!(back.accumulated_cost(), 1.0);
        assert_eq!(back.accumulated_token_usage().usage, total.usage);
        for (metrics, other) in
            [(&mut both.clone(), &back), (&mut back.clone(), &one), (&mut one.clone(), &one)]
        {
            let before = metrics.to_json();
            metrics.add_missing(other);
            assert_eq!(metrics.to_json(), before);
        }
        // Python spells numbers in another way.
        let before = both.to_json();
        both.add_missing(&Metrics::parse(&two.to_json().replace("0.125", "1.25e-1")).unwrap());
        assert_eq!(both.to_json(), before);
    }

    #[test]
    fn a_snapshot_has_no_lists() {
        let mut metrics = Metrics::new("m");
        metrics.record(&completion("r", None, None), 0.0);
        assert!(metrics.to_json().contains("response_latencies"));
        assert!(!metrics.snapshot_json().contains("response_latencies"));
        assert!(metrics.snapshot_json().ends_with(r#""response_id":""}}"#));
    }
}
