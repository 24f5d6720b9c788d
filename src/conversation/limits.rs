//! What one run may use.

use super::{Change, Conversation, base_state::ExecutionStatus};
use crate::{
    agent::Draft,
    error::Result,
    event::{ConversationErrorEvent, Source},
};

/// What a run has used.
#[derive(Default)]
pub(super) struct Used {
    steps: u32,
}

impl Conversation {
    /// After a step: counts it, and ends the run as failed if it has used all that it may.
    pub(super) async fn count_step(&self, used: &mut Used) -> Result<()> {
        used.steps += 1;
        if used.steps < self.0.max_iterations || self.execution_status() != ExecutionStatus::Running {
            return Ok(());
        }
        let detail = format!("Agent reached maximum iterations limit ({}).", self.0.max_iterations);
        self.end_with_error("MaxIterationsReached", detail).await
    }

    /// Ends a run for a reason that is not a failure of anything.
    async fn end_with_error(&self, code: &str, detail: String) -> Result<()> {
        let event = ConversationErrorEvent::new(code, detail);
        let change = Change::append(vec![Draft::new(Source::Environment, event)])
            .and_edit(|state| state.set_execution_status(ExecutionStatus::Error));
        self.append(change).await.map(drop)
    }
}
