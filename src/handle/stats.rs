//! The costs of a conversation by usage id (`conversation/conversation_stats.py`).

use super::Conversation;
use crate::{
    cancel::CancelToken,
    format::base_state::BaseState,
    json::{ObjectWriter, object},
    llm::{
        CallContext, Completion, Llm, LlmError, ToolSchema,
        message::Message,
        metrics::{Metrics, Usage},
    },
    machine::{
        background::background_response_in,
        stored_usage::{BY_USAGE, StoredStats},
    },
};
use futures_util::future::{Either, select};
use std::{pin::pin, rc::Rc};

/// An answer whose cost is to be counted under this usage id.
struct Spent {
    usage_id: String,
    answer: Rc<Completion>,
}

/// The answers that are not counted yet, and the stored metrics.
#[derive(Default)]
pub(crate) struct Spending {
    uncounted: Vec<Spent>,
    ledger: Ledger,
    /// The last answer whose request the provider has counted; `None` until there is one or the stored metrics were read.
    pub(crate) last_counted: Option<Counted>,
}

/// An answer whose request the provider has counted.
#[derive(Clone, Default)]
pub(crate) struct Counted {
    /// Its id; empty if there is no such answer.
    pub response_id: String,
    /// The tokens of its request.
    pub tokens: u64,
    /// The estimate for the same request, once it was made.
    pub estimated: Option<u64>,
}

impl Conversation {
    /// Completes these messages beside the agent's requests; `None` if `cancel` was cancelled before. The next commit
    /// stores the cost, also that of attempts without an answer.
    pub(crate) async fn complete_aside(
        &self,
        llm: &Llm,
        messages: Vec<Message>,
        tools: &[ToolSchema],
        cancel: &CancelToken,
    ) -> Option<std::result::Result<Completion, LlmError>> {
        let messages: Vec<Rc<Message>> = messages.into_iter().map(Rc::new).collect();
        let context = CallContext {
            conversation_id: Some(self.id().to_string()),
            files: self.0.files.clone(),
            ..CallContext::default()
        };
        let asked = Box::pin(llm.complete(&messages, tools, &context, &|_| {}));
        let answer = match select(asked, pin!(cancel.cancelled())).await {
            Either::Left((answer, _)) => Some(answer),
            Either::Right(_) => None,
        };
        let mut paid = context.lost.take();
        paid.extend(answer.iter().flatten().cloned());
        self.record_spending(&paid, llm.options.usage_id());
        answer
    }

    /// Whether there are costs that no commit has stored yet.
    pub(crate) fn has_uncounted_spending(&self) -> bool {
        !self.0.spending.borrow().uncounted.is_empty()
    }

    /// Adds answers whose costs are to be counted. A background response that is fetched several times is counted once.
    pub(crate) fn record_spending(&self, answers: &[Completion], usage_id: &str) {
        let background_id = background_response_in(&self.state());
        let uncounted = &mut self.0.spending.borrow_mut().uncounted;
        for answer in answers {
            if background_id.as_ref() == Some(&answer.response_id) {
                uncounted.retain(|spent| spent.answer.response_id != answer.response_id);
            }
            uncounted.push(Spent { usage_id: usage_id.to_owned(), answer: Rc::new(answer.clone()) });
        }
    }

    /// Adds the uncounted costs to this state and returns the answers that were counted. The stored background response
    /// is not counted yet, because it will be fetched again.
    pub(crate) fn count_spending(&self, state: &mut BaseState) -> Vec<Rc<Completion>> {
        let background_id = background_response_in(state);
        let Spending { uncounted, ledger, .. } = &mut *self.0.spending.borrow_mut();
        let mut counted = Vec::new();
        for Spent { usage_id, answer } in uncounted {
            if background_id.as_ref() != Some(&answer.response_id) {
                ledger.record(state, usage_id, answer, self.0.log.host.now());
                counted.push(Rc::clone(answer));
            }
        }
        counted
    }

    /// Removes these answers from the uncounted ones, because their costs are stored.
    pub(crate) fn mark_counted(&self, counted: &[Rc<Completion>]) {
        let is_counted = |spent: &Spent| counted.iter().any(|answer| Rc::ptr_eq(answer, &spent.answer));
        self.0.spending.borrow_mut().uncounted.retain(|spent| !is_counted(spent));
    }

    /// The usage of all models together, with that of sub-agents.
    pub(crate) fn total_usage(&self) -> TotalUsage {
        let mut total = TotalUsage::default();
        let ledger = &mut self.0.spending.borrow_mut().ledger;
        ledger.read(&self.state());
        for (_, metrics) in &ledger.metrics {
            total.cost += metrics.accumulated_cost();
            total.tokens = total.tokens.with(metrics.accumulated_token_usage().usage, u64::saturating_add);
        }
        total
    }

    /// The metrics of this state without the lists of single answers, as JSON.
    pub(crate) fn usage_snapshot(&self, state: &BaseState) -> String {
        let ledger = &mut self.0.spending.borrow_mut().ledger;
        ledger.read(state);
        let mut by_usage = ObjectWriter::new();
        for (usage_id, metrics) in &ledger.metrics {
            by_usage.raw(usage_id, &metrics.snapshot_json());
        }
        object! { BY_USAGE: by_usage }.finish()
    }

    /// The costs of each model.
    pub(crate) fn costs(&self) -> Vec<Cost> {
        self.0.spending.borrow_mut().ledger.costs(&self.state())
    }
}

/// The usage of several models.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TotalUsage {
    /// US dollars.
    pub cost: f64,
    /// The tokens.
    pub tokens: Usage,
}

impl TotalUsage {
    /// The part of it that has come since.
    pub fn since(self, before: Self) -> Self {
        Self {
            cost: (self.cost - before.cost).max(0.0),
            tokens: self.tokens.with(before.tokens, u64::saturating_sub),
        }
    }
}

/// The cost of one model, in dollars.
pub(crate) struct Cost {
    pub accumulated: f64,
    /// The most that the model may cost in this conversation.
    pub max_budget_per_task: Option<f64>,
}

/// The stored metrics. Their text grows with every answer, so it is parsed once and then only written.
///
/// Metrics that cannot be read are never overwritten. What is spent then counts towards the limits of this page's runs,
/// but is not stored.
#[derive(Default)]
struct Ledger {
    /// The text that was read or written last.
    text: Option<Rc<str>>,
    /// `None` if the stored text cannot be read.
    stored: Option<StoredStats>,
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
        self.stored = match text {
            Some(text) => StoredStats::parse(text),
            None => Some(StoredStats::default()),
        };
        self.metrics.clear();
        let mut is_readable = true;
        for (usage_id, json) in self.stored.iter().flat_map(|stored| stored.by_usage.iter()) {
            match Metrics::parse(json) {
                Some(metrics) => self.metrics.push((usage_id.to_owned(), metrics)),
                None => is_readable = false,
            }
        }
        if !is_readable {
            self.stored = None;
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

    /// Counts an answer under this usage id. `now` is in milliseconds since the epoch. The text of other usage ids does
    /// not change.
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
        let Some(stored) = &mut self.stored else { return };
        stored.by_usage.set(usage_id, &metrics.to_json());
        stored.stats.set(BY_USAGE, &stored.by_usage.text());
        let text: Rc<str> = stored.stats.text().into();
        self.text = Some(text.clone());
        state.set_stats(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        id::ConversationId,
        json::RawJson,
        llm::message::{Message, Role},
    };
    use uuid::Uuid;

    #[test]
    fn metrics_that_cannot_be_read_are_counted_for_limits_but_not_overwritten() {
        let object = RawJson::parse("{}").unwrap();
        let answer = Completion {
            response_id: "r".into(),
            message: Message::new(Role::Assistant, Vec::new()),
            finish_reason: None,
            usage: None,
            latency: 0.0,
            model: "m".into(),
            cost: Some(0.5),
            context_window: 0,
        };
        for stats in ["[1]", r#"{"usage_to_metrics":[1]}"#, r#"{"usage_to_metrics":{"agent":7}}"#] {
            let mut state = BaseState::new(ConversationId::from(Uuid::nil()), &object);
            state.set_stats(stats.into());
            let mut ledger = Ledger::default();
            ledger.record(&mut state, "agent", &answer, 0.0);
            ledger.record(&mut state, "agent", &answer, 0.0);
            assert_eq!(state.stats().map(|stats| &**stats), Some(stats));
            assert_eq!(ledger.costs(&state).iter().map(|cost| cost.accumulated).sum::<f64>(), 1.0);
        }
    }
}
