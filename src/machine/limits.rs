//! The limits of each run, as the host gives them in `js/agent/limits.ts`, read by `bindings/options.rs` (`run_limits`).

use super::stuck_detector::StuckDetection;
use crate::{
    error::{Error, ErrorCode, Result},
    format::base_state,
};

/// The limits of each run, as the host gives them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunLimits {
    /// The most steps of one run; at least 1.
    pub max_iterations: u32,
    /// The most dollars that one run may cost.
    pub max_budget_per_run: Option<f64>,
    /// The stuck detection; `None` follows the stored setting.
    pub stuck_detection: Option<StuckDetection>,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self { max_iterations: base_state::MAX_ITERATIONS, max_budget_per_run: None, stuck_detection: None }
    }
}

impl RunLimits {
    /// # Errors
    /// `invalid_options` naming the limit that no run can have, and what it may be.
    pub fn check(&self) -> Result<()> {
        let refused = if self.max_iterations == 0 {
            "maxIterationPerRun must be a whole number of at least 1"
        } else if self.max_budget_per_run.is_some_and(|budget| !budget.is_finite() || budget <= 0.0) {
            "maxBudgetPerRun must be a number of dollars above 0"
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorCode::InvalidOptions, refused))
    }
}
