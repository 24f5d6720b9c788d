//! Stopping a run that goes in circles (`conversation/stuck_detector.py`).

use super::{Change, Conversation, base_state::ExecutionStatus};
use crate::error::Result;

/// After so many answers in a row without text or call the model is stuck (`StuckDetectionThresholds.monologue`).
const MAX_EMPTY_ANSWERS: u32 = 3;

impl Conversation {
    /// Before a step: whether there is any use in taking it. The turn is held by the caller.
    pub(super) async fn stop_if_stuck(&self, empty_answers: u32) -> Result<()> {
        if empty_answers >= MAX_EMPTY_ANSWERS && self.execution_status() == ExecutionStatus::Running {
            self.append(Change::edit(|state| state.set_execution_status(ExecutionStatus::Stuck))).await?;
        }
        Ok(())
    }
}
