//! What one run may use: steps, and dollars as the stored metrics count them (`_emit_run_limit_error` in
//! `conversation/impl/local_conversation.py`).

use super::Conversation;
use crate::{
    agent::Draft,
    event::{ConversationErrorEvent, Source},
};

/// What a run has used.
pub(super) struct Used {
    steps: u32,
    /// The model has answered: the calls that follow belong to the same step.
    has_answer: bool,
    /// What the conversation had cost before.
    cost_before: f64,
}

impl Used {
    /// The model was asked, which is a step.
    pub(super) fn asked_model(&mut self) {
        self.steps += 1;
        self.has_answer = true;
    }

    /// Calls have run: those of the answer before, or such as waited, which is a step too.
    pub(super) fn ran_calls(&mut self) {
        if !std::mem::take(&mut self.has_answer) {
            self.steps += 1;
        }
    }

    /// Whether a step has been made.
    pub(super) fn has_stepped(&self) -> bool {
        self.steps > 0
    }

    /// Whether the run may take another step.
    pub(super) fn allows_more(&self, max_iterations: u32) -> bool {
        self.steps < max_iterations
    }
}

impl Conversation {
    /// What a run has used that begins now.
    pub(super) fn used(&self) -> Used {
        Used {
            steps: 0,
            has_answer: false,
            cost_before: self.costs().iter().map(|cost| cost.accumulated).sum(),
        }
    }

    /// The event that ends the run, if it has used all that it may. The metrics of one model may have a budget of their
    /// own, which is used up for every run that follows, too.
    pub(super) fn limit_reached(&self, used: &Used) -> Option<Draft> {
        let costs = self.costs();
        let spent = costs.iter().map(|cost| cost.accumulated).sum::<f64>() - used.cost_before;
        let over_run =
            self.0.max_budget_per_run.filter(|budget| spent >= *budget).map(|budget| (budget, spent));
        let over_task = costs
            .iter()
            .filter_map(|cost| Some((cost.max_budget_per_task?, cost.accumulated)))
            .find(|(budget, cost)| cost >= budget);
        if let Some((budget, cost)) = over_run.or(over_task) {
            let (budget, cost) = (dollars(budget), dollars(cost));
            let detail = format!("The budget of {budget} is used up: {cost} were spent.");
            return Some(error("MaxBudgetReached", detail));
        }
        if used.steps >= self.0.max_iterations {
            let detail = format!("The run has taken all {} steps that it may.", self.0.max_iterations);
            return Some(error("MaxIterationsReached", detail));
        }
        None
    }
}

fn error(code: &str, detail: String) -> Draft {
    Draft::new(Source::Environment, ConversationErrorEvent::new(code, detail))
}

/// With four places, as the SDK has it.
fn dollars(amount: f64) -> String {
    let parts = (amount * 10_000.0 + 0.5) as u64;
    format!("${}.{:04}", parts / 10_000, parts % 10_000)
}
