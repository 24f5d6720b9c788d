//! Settings of an imported conversation that the host has not confirmed yet. The fields of the note are explained in
//! `format/import_mark.rs`; here they take effect, and are removed.

use super::{
    Conversation,
    confirmation::{analyzer_in, set_analyzer},
    machine::{
        assessment::policy_in,
        undecided::{awaits_decision, mark_decided, undecided_in},
    },
    settings::Changing,
};
use crate::{
    format::{
        agent_state::ALLOWED_TOOLS,
        base_state::BaseState,
        import_mark::{BEFORE, NEW, SECRETS, SETTINGS},
    },
    json::{EditableObject, RawJson},
    security::{ConfirmationPolicy, Guard, StoredAnalyzer},
};

/// Whether the policy and the analyzer come from an import, and the host has not decided about them.
pub fn is_undecided(state: &BaseState) -> bool {
    awaits_decision(state, SETTINGS)
}

/// Sets the policy and the analyzer that are given at opening. Where those that came with an import, or those of a sub-agent,
/// are stricter, they stay.
pub(super) fn apply_control_options(
    state: &mut BaseState,
    policy: Option<ConfirmationPolicy>,
    analyzer: Option<&Option<StoredAnalyzer>>,
    is_subagent: bool,
) {
    let now = policy_in(state);
    let mut guard = Guard { policy: now, analyzer: analyzer_in(state) };
    if !is_undecided(state) {
        let analyzer = analyzer.unwrap_or(&guard.analyzer).clone();
        let given = Guard { policy: policy.unwrap_or(now), analyzer };
        guard = if is_subagent { guard.and(given) } else { given };
    } else {
        if let Some(before) = undecided_in(state).read::<EditableObject>(BEFORE) {
            let before = Guard::stored(before.read("confirmation_policy"), before.read("security_analyzer"));
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

/// The tools that an import allows, as long as the import has not been opened here.
pub(super) fn imported_allowed_tools(state: &BaseState) -> Vec<String> {
    let allowed = awaits_decision(state, NEW).then(|| state.in_agent_state(ALLOWED_TOOLS));
    allowed.flatten().unwrap_or_default()
}

/// Whether the first opening of an import has to change its list of allowed tools.
pub(super) fn has_imported_tools(state: &BaseState) -> bool {
    !imported_allowed_tools(state).is_empty() || awaits_decision(state, BEFORE)
}

/// Replaces the imported list of allowed tools by the local one from before the import.
pub(super) fn restore_allowed_tools(state: &mut BaseState) {
    if has_imported_tools(state) {
        let before: EditableObject = undecided_in(state).read(BEFORE).unwrap_or_default();
        state.set_in_agent_state(ALLOWED_TOOLS, before.read::<RawJson>(ALLOWED_TOOLS).as_ref());
    }
    mark_decided(state, &[NEW, BEFORE]);
}

impl Conversation {
    /// Allows fetching the values of imported secret sources.
    ///
    /// # Errors
    /// `locked_elsewhere`, `invalid_state` once the conversation is closed, and those of the store.
    pub fn allow_secrets(&self) -> Changing {
        self.change(|state| mark_decided(state, &[SECRETS]))
    }
}
