//! What was spent, by usage id (`conversation/conversation_stats.py`).

use super::{Conversation, background::background_response_in};
use crate::{
    format::base_state::BaseState,
    json::EditableObject,
    llm::{Completion, metrics::Metrics},
};
use std::rc::Rc;

/// An answer that has cost something, and the usage id under which it is to be counted.
struct Spent {
    usage_id: String,
    answer: Rc<Completion>,
}

/// What was spent and is to be counted, and what has been.
#[derive(Default)]
pub(super) struct Spending {
    uncounted: Vec<Spent>,
    ledger: Ledger,
}

impl Conversation {
    /// These answers have cost something. One that a provider keeps is one, however often it comes.
    pub(super) fn spends(&self, answers: &[Completion], usage_id: &str) {
        let kept = background_response_in(&self.state());
        let uncounted = &mut self.0.spending.borrow_mut().uncounted;
        for answer in answers {
            if kept.as_ref() == Some(&answer.response_id) {
                uncounted.retain(|spent| spent.answer.response_id != answer.response_id);
            }
            uncounted.push(Spent { usage_id: usage_id.to_owned(), answer: Rc::new(answer.clone()) });
        }
    }

    /// Counts in this state what has been spent, but for an answer that is remembered: it will come again. Returns what
    /// was counted.
    pub(super) fn count_spending(&self, state: &mut BaseState) -> Vec<Rc<Completion>> {
        let kept = background_response_in(state);
        let Spending { uncounted, ledger } = &mut *self.0.spending.borrow_mut();
        let mut counted = Vec::new();
        for Spent { usage_id, answer } in uncounted {
            if kept.as_ref() != Some(&answer.response_id) {
                ledger.record(state, usage_id, answer, self.0.log.host.now());
                counted.push(Rc::clone(answer));
            }
        }
        counted
    }

    /// These are stored. Others may have come while they were.
    pub(super) fn are_counted(&self, counted: &[Rc<Completion>]) {
        let is_counted = |spent: &Spent| counted.iter().any(|answer| Rc::ptr_eq(answer, &spent.answer));
        self.0.spending.borrow_mut().uncounted.retain(|spent| !is_counted(spent));
    }

    /// What each model has cost.
    pub(super) fn costs(&self) -> Vec<Cost> {
        self.0.spending.borrow_mut().ledger.costs(&self.state())
    }
}

/// What one model has cost.
pub(super) struct Cost {
    /// In dollars.
    pub accumulated: f64,
    /// What it may cost in all.
    pub max_budget_per_task: Option<f64>,
}

const BY_USAGE: &str = "usage_to_metrics";

/// The stored metrics. They grow with every answer, so they are read once and then only written.
#[derive(Default)]
struct Ledger {
    /// What was read or written last.
    text: Option<Rc<str>>,
    stats: EditableObject,
    by_usage: EditableObject,
    metrics: Vec<(String, Metrics)>,
}

impl Ledger {
    fn read(&mut self, state: &BaseState) {
        let text = state.stats();
        let is_known = match (text, &self.text) {
            (Some(text), Some(known)) => Rc::ptr_eq(text, known),
            (text, known) => text.is_none() && known.is_none(),
        };
        if is_known {
            return;
        }
        self.text = text.cloned();
        self.stats = text.and_then(|text| EditableObject::compact(text)).unwrap_or_default();
        self.by_usage = self.stats.read(BY_USAGE).unwrap_or_default();
        self.metrics.clear();
        for (usage_id, json) in self.by_usage.iter() {
            if let Some(metrics) = Metrics::parse(json) {
                self.metrics.push((usage_id.to_owned(), metrics));
            }
        }
    }

    fn costs(&mut self, state: &BaseState) -> Vec<Cost> {
        self.read(state);
        let cost = |(_, metrics): &(String, Metrics)| Cost {
            accumulated: metrics.accumulated_cost(),
            max_budget_per_task: metrics.max_budget_per_task(),
        };
        self.metrics.iter().map(cost).collect()
    }

    /// Counts an answer under this usage id. `now` is in milliseconds since the epoch. Other usage ids keep their text.
    fn record(&mut self, state: &mut BaseState, usage_id: &str, completion: &Completion, now: f64) {
        self.read(state);
        let place = match self.metrics.iter().position(|(known, _)| known == usage_id) {
            Some(place) => place,
            None => {
                self.metrics.push((usage_id.to_owned(), Metrics::new(&completion.model)));
                self.metrics.len() - 1
            }
        };
        let Some((_, metrics)) = self.metrics.get_mut(place) else { return };
        metrics.record(completion, now);
        self.by_usage.set(usage_id, &metrics.to_json());
        self.stats.set(BY_USAGE, &self.by_usage.text());
        let text: Rc<str> = self.stats.text().into();
        self.text = Some(text.clone());
        state.set_stats(text);
    }
}
