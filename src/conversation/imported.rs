//! What the host has not decided yet about an import. The fields of the note are explained in `format/import_mark.rs`;
//! this is where they take effect, and where they are removed.

use super::{
    Conversation,
    confirmation::{analyzer_in, policy_in, set_analyzer},
    machine::Plan,
};
use crate::{
    error::Result,
    format::{
        agent_state::ALLOWED_TOOLS,
        base_state::BaseState,
        import_mark::{BEFORE, IMPORT, NEW, SECRETS, SETTINGS},
    },
    json::{EditableObject, RawJson},
    security::{ConfirmationPolicy, Guard, StoredAnalyzer},
};

/// Whether this is still open.
pub(super) fn is_open(state: &BaseState, what: &str) -> bool {
    open_in(state).get(what).is_some()
}

fn open_in(state: &BaseState) -> EditableObject {
    state.field(IMPORT).and_then(|open| open.read()).unwrap_or_default()
}

/// Whether the settings for asking are those of an import, and nobody here has decided about them.
pub fn is_undecided(state: &BaseState) -> bool {
    is_open(state, SETTINGS)
}

/// This is decided.
pub(super) fn decided(state: &mut BaseState, what: &[&str]) {
    let mut open = open_in(state);
    let mut was_open = false;
    for name in what {
        was_open |= open.remove(name).is_some();
    }
    if was_open {
        let is_empty = open.iter().next().is_none();
        state.set_field(IMPORT, (!is_empty).then(|| RawJson::of(&open)).as_ref());
    }
}

/// Takes over the policy and the analyzer that the host gives at opening.
pub(super) fn choose(
    state: &mut BaseState,
    policy: Option<ConfirmationPolicy>,
    analyzer: Option<&Option<StoredAnalyzer>>,
) {
    let now = policy_in(state);
    let mut guard = Guard { policy: now, analyzer: analyzer_in(state) };
    if !is_undecided(state) {
        guard.policy = policy.unwrap_or(now);
        if let Some(analyzer) = analyzer {
            guard.analyzer.clone_from(analyzer);
        }
    } else {
        if let Some(before) = open_in(state).read::<EditableObject>(BEFORE) {
            let policy = before.read("confirmation_policy").unwrap_or(ConfirmationPolicy::AlwaysConfirm);
            let analyzer = before.read("security_analyzer").and_then(StoredAnalyzer::of);
            guard = guard.and(Guard { policy, analyzer });
        }
        let analyzer = match (policy, analyzer) {
            (_, Some(analyzer)) => analyzer.clone(),
            // Who decides about risks and names nobody to tell them, asks about unknown ones.
            (Some(_), None) => None,
            (None, None) => guard.analyzer.clone(),
        };
        let policy = policy.unwrap_or(guard.policy);
        guard = guard.and(Guard { policy, analyzer });
    }
    // What is not known here stays as it is spelled.
    if guard.policy != now {
        state.set_confirmation_policy(&RawJson::of(&guard.policy));
    }
    if guard.analyzer != analyzer_in(state) {
        set_analyzer(state, guard.analyzer.as_ref());
    }
}

/// The tools that an import which nobody has opened here allows once and for all.
pub(super) fn allowed_elsewhere(state: &BaseState) -> Vec<String> {
    let allowed = is_open(state, NEW).then(|| state.in_agent_state(ALLOWED_TOOLS));
    allowed.flatten().unwrap_or_default()
}

/// Whether an import has brought what is to be taken in when it is first opened.
pub(super) fn is_to_be_taken_in(state: &BaseState) -> bool {
    !allowed_elsewhere(state).is_empty() || is_open(state, BEFORE)
}

/// Takes in what an import has brought, and takes up again what had been decided here.
pub(super) fn take_in(state: &mut BaseState) {
    if is_to_be_taken_in(state) {
        let before: EditableObject = open_in(state).read(BEFORE).unwrap_or_default();
        state.set_in_agent_state(ALLOWED_TOOLS, before.read::<RawJson>(ALLOWED_TOOLS).as_ref());
    }
    decided(state, &[NEW, BEFORE]);
}

impl Conversation {
    /// What an import has brought of secrets may be fetched from now on.
    ///
    /// # Errors
    /// `locked_elsewhere`, `invalid_state` once it is closed, and those of the store.
    pub async fn allow_secrets(&self) -> Result<()> {
        self.change_settings(Plan::default().strictly(), &mut |state| decided(state, &[SECRETS])).await
    }
}
