//! The assessment of an answer's calls, which `features/confirmation/mod.rs` makes.

use super::calls;
use crate::{
    format::base_state::BaseState,
    json::EditableObject,
    security::{ConfirmationPolicy, StoredAnalyzer},
};

/// The assessment of an answer's calls.
#[derive(Default)]
pub struct Assessment {
    /// Whether the calls wait for the user.
    pub waits: bool,
    /// The policy that was applied; `None` for calls that no policy applies to.
    pub policy: Option<ConfirmationPolicy>,
    /// The ratings of an analyzer other than the model, by action id.
    pub risks: EditableObject,
}

impl Assessment {
    /// Whether the calls wait for the user. If the policy was changed during the assessment, they wait under every new
    /// policy that can ask at all, because the caller who set it relies on it.
    pub fn waits_in(&self, state: &BaseState) -> bool {
        let now = policy_in(state);
        let is_current =
            now == ConfirmationPolicy::NeverConfirm || self.policy.is_none_or(|policy| policy == now);
        self.waits || !is_current
    }

    /// Stores the risks of calls that wait, so that they can be shown.
    pub fn store_risks(&self, state: &mut BaseState) {
        if self.waits && self.risks.iter().next().is_some() {
            calls::store_risks(state, &self.risks);
        }
    }
}

/// The policy of this state. An unknown one counts as [`ConfirmationPolicy::AlwaysConfirm`].
pub fn policy_in(state: &BaseState) -> ConfirmationPolicy {
    ConfirmationPolicy::stored(state.confirmation_policy())
}

/// The analyzer that this state names.
pub fn analyzer_in(state: &BaseState) -> Option<StoredAnalyzer> {
    StoredAnalyzer::of(state.field("security_analyzer")?)
}

/// Sets the analyzer, or removes it.
pub fn set_analyzer(state: &mut BaseState, analyzer: Option<&StoredAnalyzer>) {
    state.set_field("security_analyzer", analyzer.map(StoredAnalyzer::as_json));
}
