//! Whether the calls of an answer wait for the user (`agent/agent.py`, `_requires_user_confirmation`), and who says
//! how dangerous they are. Two ask: the policy, and the tool itself, whatever the policy says.
//!
//! Fails on the safe side: a policy that this version does not know asks about everything, and a call whose analyzer
//! throws, answers nonsense or is not here counts as dangerous.

use super::{
    Conversation,
    imported::decided,
    machine::{Plan, calls},
};
use crate::{
    agent::{Call, Draft, Reply},
    error::Result,
    event::{Body, Event, Head, Parent, SecurityRisk, Source},
    format::{agent_state::ALLOWED_TOOLS, base_state::BaseState},
    id::EventId,
    json::{EditableObject, RawJson, ToJson as _},
    security::{ConfirmationPolicy, StoredAnalyzer},
    tool::ToolKind,
};

/// What is to become of the calls of an answer.
#[derive(Default)]
pub(super) struct Assessment {
    /// Whether they wait for the user.
    waits: bool,
    /// By which policy; a word that is alone needs none.
    judged_by: Option<ConfirmationPolicy>,
    /// What an analyzer other than the model said: action ids and risks.
    risks: EditableObject,
}

impl Assessment {
    /// Whether they wait for the user. Where the policy has changed since they were judged, they do if it asks about
    /// anything at all: whoever has set it relies on it.
    pub fn waits_in(&self, state: &BaseState) -> bool {
        let now = policy_in(state);
        let is_judged =
            now == ConfirmationPolicy::NeverConfirm || self.judged_by.is_none_or(|policy| policy == now);
        self.waits || !is_judged
    }

    /// Keeps what was found out for those who show the calls.
    pub fn keep_risks(&self, state: &mut BaseState) {
        if self.waits && self.risks.iter().next().is_some() {
            calls::keep_risks(state, &self.risks);
        }
    }
}

impl Conversation {
    /// Whether the calls of this answer wait. All of them do if one has to; a `finish` or `think` that is alone
    /// never does.
    pub(super) async fn assess(&self, reply: &Reply) -> Assessment {
        let policy = self.confirmation_policy();
        let allowed: Vec<String> = self.state().in_agent_state(ALLOWED_TOOLS).unwrap_or_default();
        let is_allowed = |call: &Call| allowed.contains(&call.tool_name);
        if self.is_lone_word(&reply.calls) {
            return Assessment::default();
        }
        let mut assessment = Assessment { judged_by: Some(policy), ..Assessment::default() };
        for call in &reply.calls {
            assessment.waits = assessment.waits || self.waits_by_itself(call, is_allowed(call)).await;
        }
        if policy == ConfirmationPolicy::NeverConfirm || reply.calls.iter().all(is_allowed) {
            return assessment;
        }
        let analyzer = self.security_analyzer();
        for call in &reply.calls {
            let action = reply.drafts.iter().find(|draft| draft.id.as_ref() == Some(&call.action_id));
            let Some(action) = action else { continue };
            let risk = self.risk_of(action, &call.action_id, analyzer.as_ref()).await;
            if analyzer.as_ref().is_some_and(|analyzer| !analyzer.is_the_model()) {
                assessment.risks.set(call.action_id.as_str(), &risk.to_json_text());
            }
            let is_risky = policy.should_confirm(risk)
                || self.reaches_out(&call.tool_name) && policy.should_confirm(SecurityRisk::Medium);
            assessment.waits |= is_risky && !is_allowed(call);
        }
        assessment
    }

    /// Whether the tool of this call wants it to wait, whatever the policy says. Where the tool's author has not said
    /// so, what is said to destroy does, unless the user has allowed the tool.
    async fn waits_by_itself(&self, call: &Call, is_allowed: bool) -> bool {
        let Some(tool) = self.0.agent.tools.get(&call.tool_name) else { return false };
        match tool.needs_approval(&call.arguments) {
            Some(answer) => answer.await,
            None => !is_allowed && tool.definition().annotations.destructive_hint == Some(true),
        }
    }

    /// Whether this tool says that it reaches beyond the page: its calls are no less than of medium risk.
    fn reaches_out(&self, tool: &str) -> bool {
        let tool = self.0.agent.tools.get(tool);
        tool.is_some_and(|tool| tool.definition().annotations.open_world_hint == Some(true))
    }

    fn is_lone_word(&self, calls: &[Call]) -> bool {
        let [call] = calls else { return calls.is_empty() };
        let tool = self.0.agent.tools.get(&call.tool_name);
        tool.is_some_and(|tool| matches!(tool.definition().kind, ToolKind::Finish | ToolKind::Think))
    }

    /// How dangerous the call in this draft is.
    pub(super) async fn risk_of(
        &self,
        action: &Draft,
        id: &EventId,
        analyzer: Option<&StoredAnalyzer>,
    ) -> SecurityRisk {
        let risk = self.risk_said_of(action, id, analyzer).await;
        match &action.body {
            Body::ActionEvent(action) if risk == SecurityRisk::Low && self.reaches_out(&action.tool_name) => {
                SecurityRisk::Medium
            }
            _ => risk,
        }
    }

    /// How dangerous it is by what the analyzer says alone.
    async fn risk_said_of(
        &self,
        action: &Draft,
        id: &EventId,
        analyzer: Option<&StoredAnalyzer>,
    ) -> SecurityRisk {
        let Some(analyzer) = analyzer else { return SecurityRisk::Unknown };
        if analyzer.is_the_model() {
            return match &action.body {
                Body::ActionEvent(action) => action.security_risk,
                _ => SecurityRisk::High,
            };
        }
        let Some(analyzer) = &self.0.security_analyzer else { return SecurityRisk::High };
        let timestamp = self.0.log.host.local_time();
        let head = Head { id: id.clone(), timestamp, source: Source::Agent, parent: Parent::Unset };
        let event = Event::new(head, action.body.clone());
        analyzer.security_risk(event.json()).await.unwrap_or(SecurityRisk::High)
    }

    /// When a call needs the user's consent.
    pub fn confirmation_policy(&self) -> ConfirmationPolicy {
        policy_in(&self.state())
    }

    /// Who says how dangerous a call is; `None` where nobody does and every risk is unknown.
    pub fn security_analyzer(&self) -> Option<StoredAnalyzer> {
        analyzer_in(&self.state())
    }

    /// From the next answer on, calls need the user's consent when this policy says so. Calls that wait already go on
    /// waiting.
    ///
    /// # Errors
    /// `locked_elsewhere`, and those of the store.
    pub async fn set_confirmation_policy(&self, policy: ConfirmationPolicy) -> Result<()> {
        let mut edit = |state: &mut BaseState| {
            state.set_confirmation_policy(&RawJson::of(&policy));
            decided(state, &["settings", "new"]);
        };
        self.change_settings(Plan::default().strictly(), &mut edit).await
    }

    /// From the next answer on, this analyzer says how dangerous calls are.
    ///
    /// # Errors
    /// `locked_elsewhere`, and those of the store.
    pub async fn set_security_analyzer(&self, analyzer: Option<StoredAnalyzer>) -> Result<()> {
        let mut edit = |state: &mut BaseState| set_analyzer(state, analyzer.as_ref());
        self.change_settings(Plan::default().strictly(), &mut edit).await
    }

    /// The tools whose calls do not wait, whatever the policy says.
    pub fn allowed_tools(&self) -> Vec<String> {
        self.state().in_agent_state(ALLOWED_TOOLS).unwrap_or_default()
    }

    /// Allows the calls of these tools, and of no others, once and for all. The SDK knows no such list and asks.
    ///
    /// # Errors
    /// `locked_elsewhere`, and those of the store.
    pub async fn set_allowed_tools(&self, names: &[String]) -> Result<()> {
        let names = (!names.is_empty()).then(|| RawJson::of(names));
        let mut edit = |state: &mut BaseState| {
            state.set_in_agent_state(ALLOWED_TOOLS, names.as_ref());
            decided(state, &["new"]);
        };
        self.change_settings(Plan::default().strictly(), &mut edit).await
    }
}

/// The policy of this state. One that this version does not know asks about everything.
pub(super) fn policy_in(state: &BaseState) -> ConfirmationPolicy {
    match state.confirmation_policy() {
        Some(policy) => policy.read().unwrap_or(ConfirmationPolicy::AlwaysConfirm),
        None => ConfirmationPolicy::NeverConfirm,
    }
}

/// The analyzer that this state names.
pub(super) fn analyzer_in(state: &BaseState) -> Option<StoredAnalyzer> {
    StoredAnalyzer::of(state.field("security_analyzer")?)
}

pub(super) fn set_analyzer(state: &mut BaseState, analyzer: Option<&StoredAnalyzer>) {
    state.set_field("security_analyzer", analyzer.map(StoredAnalyzer::as_json));
}
