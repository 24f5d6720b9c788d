//! The settings of a conversation, and what it learns beside its log. They can be changed in any status.
//! The verb of a setting is in `handle/settings.rs`.

use super::{
    assessment::set_analyzer,
    imported::{Control, restore_allowed_tools},
    stored_agent::{store_model_settings, store_servers},
    stored_usage::set_usage,
    undecided::mark_decided,
};
use crate::{
    agent::Agent,
    format::{
        agent_state::{ALLOWED_TOOLS, BACKGROUND_RESPONSE, WAITING_FOR_NETWORK},
        base_state::BaseState,
        import_mark::SECRETS,
    },
    id::ConversationId,
    json::{EditableObject, FromJson as _, RawJson},
    llm::Llm,
    security::{ConfirmationPolicy, StoredAnalyzer},
    store::Durability,
};
use std::rc::Rc;

/// A setting and its new value.
pub enum Setting {
    /// Tags, of which `null` removes one; if these `replace` the others, those are removed as well. They can be stored: whether
    /// they can does not depend on the others.
    Tags { changes: EditableObject, replaces: bool, now: f64 },
    /// Fields of `agent_state`, of which `null` removes one.
    AgentState(EditableObject),
    /// The note that the run waits for the network; `None` removes it.
    WaitingForNetwork(Option<RawJson>),
    /// The metrics of a usage id.
    Usage { usage_id: String, metrics: RawJson },
    /// The background response that a later page can fetch.
    BackgroundResponse(RawJson),
    /// The task that this call has started, and the conversation that works on it.
    SubagentTask { action: String, conversation: ConversationId },
    /// The agent of this handle, in place of the stored one.
    Agent,
    /// The model.
    Llm(Rc<Llm>),
    /// The limits of each run; without the last one, whether runs that are stuck stop does not change.
    Limits { max_iterations: u32, detects_stuck: Option<bool> },
    /// The policy that decides which calls wait.
    ConfirmationPolicy(ConfirmationPolicy),
    /// The analyzer that rates calls.
    SecurityAnalyzer(Option<StoredAnalyzer>),
    /// The tools that are always allowed.
    AllowedTools(Option<RawJson>),
    /// The sources of secrets by name, of which `null` removes one.
    Secrets(EditableObject),
    /// Imported sources of secrets may be fetched.
    AllowedSecrets,
    /// The settings that were given at opening, also by the agent, and those that the opening of an import decides.
    Given(Control),
}

impl Setting {
    /// The failure that the commit of the setting has to survive.
    pub fn durability(&self) -> Durability {
        match self {
            Self::Tags { .. } | Self::Usage { .. } | Self::BackgroundResponse(_) => Durability::Relaxed,
            _ => Durability::Strict,
        }
    }

    /// Whether it is no work on the conversation, which keeps its time and its place in lists then: somebody has opened it.
    pub fn keeps_time(&self) -> bool {
        matches!(self, Self::Given(_))
    }

    /// Sets it in this state.
    pub fn apply(&self, state: &mut BaseState, agent: &Agent) {
        match self {
            Self::Tags { changes, replaces, now } => drop(state.change_tags(changes, *replaces, *now)),
            Self::AgentState(values) => {
                for (name, value) in values.iter() {
                    let value = Some(value).filter(|value| *value != "null").and_then(RawJson::from_json);
                    state.set_in_agent_state(name, value.as_ref());
                }
            }
            Self::WaitingForNetwork(waiting) => {
                state.set_in_agent_state(WAITING_FOR_NETWORK, waiting.as_ref());
            }
            Self::Usage { usage_id, metrics } => set_usage(state, usage_id, metrics),
            Self::BackgroundResponse(response) => {
                state.set_in_agent_state(BACKGROUND_RESPONSE, Some(response));
            }
            Self::SubagentTask { action, conversation } => {
                if !state.subagent_tasks().iter().any(|task| task.action == *action) {
                    state.add_subagent_task(action, *conversation);
                }
            }
            Self::Agent => state.set_field("agent", Some(&agent.to_sdk_json())),
            Self::Llm(llm) => store_model_settings(state, agent, llm),
            Self::Limits { max_iterations, detects_stuck } => {
                state.set_max_iterations((*max_iterations).into());
                if let Some(detects_stuck) = detects_stuck {
                    state.set_stuck_detection(*detects_stuck);
                }
            }
            Self::ConfirmationPolicy(policy) => {
                state.set_confirmation_policy(&RawJson::of(policy));
                mark_decided(state, &["settings", "new"]);
            }
            Self::SecurityAnalyzer(analyzer) => set_analyzer(state, analyzer.as_ref()),
            Self::AllowedTools(names) => {
                state.set_in_agent_state(ALLOWED_TOOLS, names.as_ref());
                mark_decided(state, &["new"]);
            }
            Self::Secrets(sources) => {
                for (name, source) in sources.iter() {
                    let source = RawJson::parse(source).filter(|source| source.as_str() != "null");
                    state.set_secret_source(name, source.as_ref());
                }
            }
            Self::AllowedSecrets => mark_decided(state, &[SECRETS]),
            Self::Given(control) => {
                control.apply(state);
                if let Some(given) = agent.context.as_ref().filter(|_| state.agent_context().is_none()) {
                    state.set_agent_context(&given.stored);
                }
                store_servers(state, agent);
                restore_allowed_tools(state);
            }
        }
    }
}
