//! Decides whether the calls of an answer wait for the user (`agent/agent.py`, `_requires_user_confirmation`), and rates
//! their risks. The policy can demand confirmation, and so can the tool itself under any policy.
//!
//! Fails on the safe side: an unknown policy asks about every call, and a call has risk HIGH if its analyzer throws,
//! returns an invalid value or is unavailable.

mod pending;
mod edit;

use crate::{
    agent::{Call, NewEvent, Reply},
    event::{Body, Event, Head, Parent, SecurityRisk, Source},
    format::agent_state::{ALLOWED_TOOLS, SECURITY_RISKS},
    handle::{Conversation, settings::Changing},
    id::EventId,
    json::{RawJson, ToJson as _},
    machine::{
        Assessment, Setting,
        answers::call_of,
        assessment::{analyzer_in, policy_in},
        imported::is_undecided,
    },
    security::{ConfirmationPolicy, StoredAnalyzer},
    tool::ToolKind,
};
use std::collections::HashSet;

impl Conversation {
    /// Assesses the calls of an answer. All of them wait if one has to. A single `finish` or `think` never waits.
    pub(crate) async fn assess(&self, reply: &Reply) -> Assessment {
        let policy = self.confirmation_policy();
        let allowed: Vec<String> = self.state().in_agent_state(ALLOWED_TOOLS).unwrap_or_default();
        let is_allowed = |call: &Call| allowed.contains(&call.tool_name);
        if self.is_exempt(&reply.calls) {
            return Assessment::default();
        }
        let mut assessment = Assessment { policy: Some(policy), ..Assessment::default() };
        for call in &reply.calls {
            assessment.waits = assessment.waits || self.tool_demands_approval(call, is_allowed(call)).await;
        }
        if policy == ConfirmationPolicy::NeverConfirm || reply.calls.iter().all(is_allowed) {
            return assessment;
        }
        let analyzer = self.security_analyzer();
        for call in &reply.calls {
            let action = reply.events.iter().find(|new_event| new_event.id.as_ref() == Some(&call.action_id));
            let Some(action) = action else { continue };
            let risk = self.risk_of(action, &call.action_id, analyzer.as_ref()).await;
            if analyzer.as_ref().is_some_and(|analyzer| !analyzer.is_the_model()) {
                assessment.risks.set(call.action_id.as_str(), &risk.to_json_text());
            }
            assessment.waits |= self.policy_asks(policy, risk, &call.tool_name) && !is_allowed(call);
        }
        assessment
    }

    /// Whether the tool demands approval of this call under any policy. Tools that do not decide this themselves demand
    /// it if they are annotated as destructive and the user does not always allow them.
    async fn tool_demands_approval(&self, call: &Call, is_allowed: bool) -> bool {
        let Some(tool) = self.0.agent.tools.get(&call.tool_name) else { return false };
        match tool.needs_approval(&call.arguments) {
            Some(answer) => answer.await,
            None => !is_allowed && tool.definition().annotations.destructive_hint == Some(true),
        }
    }

    /// The calls among these that would not wait if the user always allowed their tools, which [`Self::set_allowed_tools`]
    /// does: neither those of tools that are allowed already, nor those for which the tool demands approval itself, nor
    /// those that wait only because a call of another tool in the same answer does.
    pub async fn allowable(&self, actions: Vec<Event>) -> Vec<Event> {
        let allowed = self.allowed_tools();
        let mut allowable = Vec::new();
        let mut asking = HashSet::new();
        for action in actions {
            let Some(call) = call_of(&action) else { continue };
            let tool = &call.tool_name;
            if allowed.contains(tool) || self.tool_demands_approval(&call, true).await {
                continue;
            }
            if self.is_risky(&action, tool) || self.tool_demands_approval(&call, false).await {
                asking.insert(tool.clone());
            }
            allowable.push(action);
        }
        allowable.retain(|action| call_of(action).is_some_and(|call| asking.contains(&call.tool_name)));
        allowable
    }

    /// Whether the policy demands approval of this call alone. Nothing is known about the calls of an import.
    fn is_risky(&self, action: &Event, tool: &str) -> bool {
        let state = self.state();
        let rated = || state.in_agent_state::<RawJson>(SECURITY_RISKS)?.field(action.id().as_str());
        let risk = match (self.security_analyzer(), action.body()) {
            (None, _) => SecurityRisk::Unknown,
            (Some(analyzer), Body::ActionEvent(action)) if analyzer.is_the_model() => action.security_risk,
            _ => rated().unwrap_or(SecurityRisk::High),
        };
        is_undecided(&state) || self.policy_asks(policy_in(&state), risk, tool)
    }

    fn policy_asks(&self, policy: ConfirmationPolicy, risk: SecurityRisk, tool: &str) -> bool {
        policy.should_confirm(risk) || self.is_open_world(tool) && policy.should_confirm(SecurityRisk::Medium)
    }

    /// Whether this tool is annotated as acting outside the page. Its calls then have at least risk MEDIUM.
    fn is_open_world(&self, tool: &str) -> bool {
        let tool = self.0.agent.tools.get(tool);
        tool.is_some_and(|tool| tool.definition().annotations.open_world_hint == Some(true))
    }

    /// Whether no policy applies to these calls: there are none, or only one `finish` or `think`.
    fn is_exempt(&self, calls: &[Call]) -> bool {
        let [call] = calls else { return calls.is_empty() };
        let tool = self.0.agent.tools.get(&call.tool_name);
        tool.is_some_and(|tool| matches!(tool.definition().kind, ToolKind::Finish | ToolKind::Think))
    }

    /// The risk of the call in this new event.
    pub(crate) async fn risk_of(
        &self,
        action: &NewEvent,
        id: &EventId,
        analyzer: Option<&StoredAnalyzer>,
    ) -> SecurityRisk {
        let risk = self.analyzer_risk(action, id, analyzer).await;
        match &action.body {
            Body::ActionEvent(action)
                if risk == SecurityRisk::Low && self.is_open_world(&action.tool_name) =>
            {
                SecurityRisk::Medium
            }
            _ => risk,
        }
    }

    /// The risk by the analyzer's rating alone.
    async fn analyzer_risk(
        &self,
        action: &NewEvent,
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
        let Ok(event) = Event::new(head, action.body.clone()) else { return SecurityRisk::High };
        analyzer.security_risk(event.valid_json()).await.unwrap_or(SecurityRisk::High)
    }

    /// The policy that decides which calls need the user's approval.
    pub fn confirmation_policy(&self) -> ConfirmationPolicy {
        policy_in(&self.state())
    }

    /// The analyzer that rates the risks of calls. Without one, every risk is UNKNOWN.
    pub fn security_analyzer(&self) -> Option<StoredAnalyzer> {
        analyzer_in(&self.state())
    }

    /// Sets the policy, which applies from the next answer on. Calls that already wait continue to wait.
    ///
    /// # Errors
    /// `locked_elsewhere`, and those of the store.
    pub fn set_confirmation_policy(&self, policy: ConfirmationPolicy) -> Changing {
        self.change(Setting::ConfirmationPolicy(policy))
    }

    /// Sets the analyzer, which rates calls from the next answer on.
    ///
    /// # Errors
    /// `locked_elsewhere`, and those of the store.
    pub fn set_security_analyzer(&self, analyzer: Option<StoredAnalyzer>) -> Changing {
        self.change(Setting::SecurityAnalyzer(analyzer))
    }

    /// The names of the tools whose calls are allowed under any policy.
    pub fn allowed_tools(&self) -> Vec<String> {
        self.state().in_agent_state(ALLOWED_TOOLS).unwrap_or_default()
    }

    /// Sets the tools that are always allowed. The SDK does not have such a list and asks about their calls.
    ///
    /// # Errors
    /// `locked_elsewhere`, and those of the store.
    pub fn set_allowed_tools(&self, names: &[String]) -> Changing {
        self.change(Setting::AllowedTools((!names.is_empty()).then(|| RawJson::of(names))))
    }

    /// Allows fetching the values of imported secret sources.
    ///
    /// # Errors
    /// `locked_elsewhere`, `invalid_state` once the conversation is closed, and those of the store.
    pub fn allow_secrets(&self) -> Changing {
        self.change(Setting::AllowedSecrets)
    }
}
