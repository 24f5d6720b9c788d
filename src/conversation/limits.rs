//! What one run may use: steps, and dollars as the stored metrics count them (`_emit_run_limit_error` in
//! `conversation/impl/local_conversation.py`).

use super::{
    Change, Conversation,
    base_state::ExecutionStatus,
    status::{Happening, happens},
};
use crate::{
    agent::Draft,
    error::Result,
    event::{ConversationErrorEvent, Source},
};

/// What a run has used.
pub(super) struct Used {
    steps: u32,
    /// What the conversation had cost before.
    cost_before: f64,
}

impl Used {
    /// Whether the run may take another step.
    pub(super) fn allows_more(&self, max_iterations: u32) -> bool {
        self.steps < max_iterations
    }
}

impl Conversation {
    /// What a run has used that begins now.
    pub(super) fn used(&self) -> Used {
        Used { steps: 0, cost_before: self.costs().iter().map(|cost| cost.accumulated).sum() }
    }

    /// After a step: counts it, and ends the run as failed if it has used all that it may.
    pub(super) async fn count_step(&self, used: &mut Used) -> Result<()> {
        used.steps += 1;
        self.stop_at_limit(used).await
    }

    /// Ends the run as failed if it has used all that it may. The metrics of one model may have a budget of their own,
    /// which is used up for every run that follows, too.
    pub(super) async fn stop_at_limit(&self, used: &Used) -> Result<()> {
        if self.execution_status() != ExecutionStatus::Running {
            return Ok(());
        }
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
            return self.end_with_error("MaxBudgetReached", detail).await;
        }
        if used.steps >= self.0.max_iterations {
            let detail = format!("The run has taken all {} steps that it may.", self.0.max_iterations);
            return self.end_with_error("MaxIterationsReached", detail).await;
        }
        Ok(())
    }

    /// Ends a run for a reason that is not a failure of anything.
    async fn end_with_error(&self, code: &str, detail: String) -> Result<()> {
        let event = ConversationErrorEvent::new(code, detail);
        let change = Change::append(vec![Draft::new(Source::Environment, event)])
            .and_edit(|state| happens(state, Happening::LimitReached));
        self.append(change).await.map(drop)
    }
}

/// With four places, as the SDK has it.
fn dollars(amount: f64) -> String {
    let parts = (amount * 10_000.0 + 0.5) as u64;
    format!("${}.{:04}", parts / 10_000, parts % 10_000)
}
