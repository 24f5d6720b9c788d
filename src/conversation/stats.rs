//! What was spent, by usage id (`conversation/conversation_stats.py`).

use super::base_state::BaseState;
use crate::{
    event::RawJson,
    json::RawObject,
    llm::{Completion, metrics::Metrics},
};

/// What one model has cost.
pub struct Cost {
    /// In dollars.
    pub accumulated: f64,
    /// What it may cost in all.
    pub max_budget_per_task: Option<f64>,
}

/// What each model has cost.
pub fn costs(state: &BaseState) -> Vec<Cost> {
    let by_usage = state.stats().and_then(|stats| stats.field::<RawObject>(BY_USAGE)).unwrap_or_default();
    let metrics = by_usage.iter().filter_map(|(_, json)| Metrics::parse(json).ok());
    let cost = |metrics: Metrics| Cost {
        accumulated: metrics.accumulated_cost(),
        max_budget_per_task: metrics.max_budget_per_task(),
    };
    metrics.map(cost).collect()
}

const BY_USAGE: &str = "usage_to_metrics";

/// Counts an answer under this usage id. `now` is in milliseconds since the epoch. Other usage ids keep their text.
pub fn record(state: &mut BaseState, usage_id: &str, completion: &Completion, now: f64) {
    let stored = state.stats().and_then(|stats| RawObject::parse(stats.as_str()).ok());
    let mut stats = stored.unwrap_or_default();
    let mut by_usage: RawObject = stats.read(BY_USAGE).unwrap_or_default();
    let known = by_usage.get(usage_id).and_then(|json| Metrics::parse(json).ok());
    let mut metrics = known.unwrap_or_else(|| Metrics::new(&completion.model));
    metrics.record(completion, now);
    by_usage.set(usage_id, &metrics.to_json());
    stats.set(BY_USAGE, &by_usage.to_json());
    state.set_stats(&RawJson::of(&stats));
}
