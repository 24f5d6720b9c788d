//! What an import has brought and the host has not decided about yet. Imports say so in a member of the base state
//! ([`IMPORT`]), whose fields are what is still open:
//!
//! * `new`: nobody has opened it here. `before` is what had been decided here about a conversation that the import
//!   continues. Which tools are allowed, and on what conditions others are, is the host's to say, not the file's.
//! * `calls`: no run has begun here; calls that wait for a result were approved elsewhere, or by nobody.
//! * `settings`: of the policy and the analyzer that came in and those that the host gives the stricter hold.
//! * `secrets`: what is stored of secrets may not be fetched.

use super::{
    Conversation,
    base_state::BaseState,
    confirmation::{ALLOWED_TOOLS, analyzer_in, policy_in, set_analyzer},
    machine::Plan,
};
use crate::{
    error::Result,
    event::RawJson,
    json::RawObject,
    security::{ConfirmationPolicy, Guard, StoredAnalyzer},
    store::IMPORT,
};

/// Whether this is still open.
pub(super) fn is_open(state: &BaseState, what: &str) -> bool {
    open_in(state).get(what).is_some()
}

fn open_in(state: &BaseState) -> RawObject {
    state.field(IMPORT).and_then(|open| open.read()).unwrap_or_default()
}

/// Whether the settings for asking are those of an import, and nobody here has decided about them.
pub fn is_undecided(state: &BaseState) -> bool {
    is_open(state, "settings")
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
        if let Some(before) = open_in(state).read::<RawObject>("before") {
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
    let allowed = is_open(state, "new").then(|| state.in_agent_state(ALLOWED_TOOLS));
    allowed.flatten().unwrap_or_default()
}

/// Whether an import has brought what is to be taken in when it is first opened.
pub(super) fn is_to_be_taken_in(state: &BaseState) -> bool {
    !allowed_elsewhere(state).is_empty() || is_open(state, "before")
}

/// Takes in what an import has brought, and takes up again what had been decided here.
pub(super) fn take_in(state: &mut BaseState) {
    if is_to_be_taken_in(state) {
        let before: RawObject = open_in(state).read("before").unwrap_or_default();
        state.set_in_agent_state(ALLOWED_TOOLS, before.read::<RawJson>("allowed_tools").as_ref());
    }
    decided(state, &["new", "before"]);
}

impl Conversation {
    /// What an import has brought of secrets may be fetched from now on.
    ///
    /// # Errors
    /// `locked_elsewhere`, `invalid_state` once it is closed, and those of the store.
    pub async fn allow_secrets(&self) -> Result<()> {
        self.change_settings(Plan::default().strictly(), &mut |state| decided(state, &["secrets"])).await
    }
}
