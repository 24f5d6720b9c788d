//! Settings of an imported conversation that the host has not confirmed yet. The fields of the note are explained in
//! `format/import_mark.rs`; here they take effect, and are removed.

use super::{
    assessment::{analyzer_in, policy_in, set_analyzer},
    undecided::{awaits_decision, mark_decided, undecided_in},
};
use crate::{
    format::{
        agent_state::ALLOWED_TOOLS,
        base_state::BaseState,
        import_mark::{BEFORE, NEW, SETTINGS},
    },
    json::{EditableObject, RawJson},
    security::{ConfirmationPolicy, Guard, StoredAnalyzer},
};

/// Whether the policy and the analyzer come from an import, and the host has not decided about them.
pub fn is_undecided(state: &BaseState) -> bool {
    awaits_decision(state, SETTINGS)
}

/// The policy and the analyzer that are given at opening.
pub struct Control {
    /// `None` keeps the stored one.
    pub policy: Option<ConfirmationPolicy>,
    /// `None` keeps the stored one, `Some(None)` removes it.
    pub analyzer: Option<Option<StoredAnalyzer>>,
    /// Whether the conversation is that of a sub-agent.
    pub is_subagent: bool,
}

impl Control {
    /// Sets both. Where those that came with an import, or those of a sub-agent, are stricter, they stay.
    pub fn apply(&self, state: &mut BaseState) {
        let Self { policy, analyzer, is_subagent } = self;
        let now = policy_in(state);
        let mut guard = Guard { policy: now, analyzer: analyzer_in(state) };
        if !is_undecided(state) {
            let analyzer = analyzer.as_ref().unwrap_or(&guard.analyzer).clone();
            let given = Guard { policy: policy.unwrap_or(now), analyzer };
            guard = if *is_subagent { guard.and(given) } else { given };
        } else {
            if let Some(before) = undecided_in(state).read::<EditableObject>(BEFORE) {
                let before =
                    Guard::stored(before.read("confirmation_policy"), before.read("security_analyzer"));
                guard = guard.and(before);
            }
            let analyzer = match (policy, analyzer) {
                (_, Some(analyzer)) => analyzer.clone(),
                // A policy without an analyzer: all risks are unknown, and the policy decides about unknown ones.
                (Some(_), None) => None,
                (None, None) => guard.analyzer.clone(),
            };
            let policy = policy.unwrap_or(guard.policy);
            guard = guard.and(Guard { policy, analyzer });
        }
        // Unchanged settings keep their stored text, which this version may not understand.
        if guard.policy != now {
            state.set_confirmation_policy(&RawJson::of(&guard.policy));
        }
        if guard.analyzer != analyzer_in(state) {
            set_analyzer(state, guard.analyzer.as_ref());
        }
    }
}

/// The tools that an import allows, as long as the import has not been opened here.
pub fn imported_allowed_tools(state: &BaseState) -> Vec<String> {
    let allowed = awaits_decision(state, NEW).then(|| state.in_agent_state(ALLOWED_TOOLS));
    allowed.flatten().unwrap_or_default()
}

/// Whether the first opening of an import has to change its list of allowed tools.
pub fn has_imported_tools(state: &BaseState) -> bool {
    !imported_allowed_tools(state).is_empty() || awaits_decision(state, BEFORE)
}

/// Replaces the imported list of allowed tools by the local one from before the import.
pub fn restore_allowed_tools(state: &mut BaseState) {
    if has_imported_tools(state) {
        let before: EditableObject = undecided_in(state).read(BEFORE).unwrap_or_default();
        state.set_in_agent_state(ALLOWED_TOOLS, before.read::<RawJson>(ALLOWED_TOOLS).as_ref());
    }
    mark_decided(state, &[NEW, BEFORE]);
}
