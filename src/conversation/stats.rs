//! What was spent, by usage id (`conversation/conversation_stats.py`).

use super::{Change, Conversation, base_state::BaseState, kept_answer::kept_answer_in};
use crate::{
    error::Result,
    event::RawJson,
    json::RawObject,
    llm::{Completion, metrics::Metrics},
};

/// An answer that has cost something, and the usage id under which it is to be counted.
pub(super) struct Spent {
    usage_id: String,
    answer: Completion,
}

impl Conversation {
    /// These answers have cost something. One that a provider keeps is one, however often it comes.
    pub(super) fn spends(&self, answers: &[Completion], usage_id: &str) {
        let kept = kept_answer_in(&self.state());
        let mut spent = self.0.spent.borrow_mut();
        for answer in answers {
            if kept.as_ref() == Some(&answer.response_id) {
                spent.retain(|spent| spent.answer.response_id != answer.response_id);
            }
            spent.push(Spent { usage_id: usage_id.to_owned(), answer: answer.clone() });
        }
    }

    /// Commits a change and counts in it what has been spent, but for an answer that is remembered: it will come again.
    pub(super) async fn append_and_count(&self, change: Change<'_>) -> Result<()> {
        let change = change.and_edit(|state| {
            let kept = kept_answer_in(state);
            for Spent { usage_id, answer } in &*self.0.spent.borrow() {
                if kept.as_ref() != Some(&answer.response_id) {
                    record(state, usage_id, answer, self.0.log.host.now());
                }
            }
        });
        self.append(change).await?;
        let kept = kept_answer_in(&self.state());
        self.0.spent.borrow_mut().retain(|spent| kept.as_ref() == Some(&spent.answer.response_id));
        Ok(())
    }
}

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
