//! The verbs that only change a setting, and the copy of the agent's settings in the base state.

use super::{
    Conversation,
    machine::{Plan, Transition},
    stats::set_usage,
};
use crate::{
    agent::Agent,
    error::{Error, ErrorCode, Result, shown},
    format::{
        agent_state::{API_KEY_SERVER, RESERVED, TOOL_CONCURRENCY_LIMIT, WAITING_FOR_NETWORK},
        base_state::BaseState,
    },
    json::{EditableObject, FromJson as _, RawJson},
    llm::Llm,
    tool::{Tool, ToolKind},
};
use std::rc::Rc;

impl Conversation {
    /// Stores a change of settings.
    pub(super) async fn change_settings(
        &self,
        plan: Plan,
        edit: &mut dyn FnMut(&mut BaseState),
    ) -> Result<()> {
        self.ensure_writable()?;
        let queue = self.0.log.queue().await;
        self.ensure_writable()?;
        let mut state = self.state().clone();
        Transition::ChangeSettings.apply(&mut state)?;
        edit(&mut state);
        self.commit(&queue, state, plan).await.map(drop)
    }

    /// Replaces the tags. Keys consist of lower-case letters and digits, values have at most 256 characters: the SDK
    /// cannot read a `base_state.json` with other tags.
    ///
    /// # Errors
    /// `invalid_options` naming the tag, `locked_elsewhere`, and those of the store.
    pub async fn set_tags(&self, tags: &[(String, String)]) -> Result<()> {
        self.ensure_writable()?;
        self.state().clone().set_tags(tags)?;
        let mut edit = |state: &mut BaseState| {
            // Checked above.
            let _ = state.set_tags(tags);
        };
        self.change_settings(Plan::default(), &mut edit).await
    }

    /// Sets these fields of `agent_state`; `null` removes one. Others do not change.
    ///
    /// # Errors
    /// `invalid_options` for a field that this library uses itself, `locked_elsewhere`, and those of the store.
    pub async fn set_agent_state(&self, values: &EditableObject) -> Result<()> {
        self.ensure_writable()?;
        if let Some((name, _)) = values.iter().find(|(name, _)| RESERVED.contains(name)) {
            let text = format!(
                "the field {} of agent_state is used by threadkeep itself; choose another name",
                shown(name)
            );
            return Err(Error::new(ErrorCode::InvalidOptions, text));
        }
        let mut edit = |state: &mut BaseState| {
            for (name, value) in values.iter() {
                let value = Some(value).filter(|value| *value != "null").and_then(RawJson::from_json);
                state.set_in_agent_state(name, value.as_ref());
            }
        };
        self.change_settings(Plan::default().strictly(), &mut edit).await
    }

    /// Stores what the library itself learns beside the log, which no host may set: what the run waits for without a network,
    /// where `null` ends that; or, for a usage id, its metrics in place of those that it had: the costs of a sub-agent,
    /// which are counted in the sub-agent's own conversation.
    ///
    /// # Errors
    /// `locked_elsewhere`, `invalid_state` once the conversation is closed, and those of the store.
    pub async fn note(&self, name: &str, value: &RawJson) -> Result<()> {
        if name != WAITING_FOR_NETWORK {
            return self.change_settings(Plan::default(), &mut |state| set_usage(state, name, value)).await;
        }
        let waiting = Some(value).filter(|value| value.as_str() != "null");
        let mut edit = |state: &mut BaseState| state.set_in_agent_state(name, waiting);
        self.change_settings(Plan::default().strictly(), &mut edit).await
    }

    /// The model that answers the next request.
    pub(super) fn llm(&self) -> Rc<Llm> {
        self.0.llm.borrow().clone()
    }

    /// Replaces the tools of MCP servers, from the next request on.
    pub fn set_remote_tools(&self, tools: Vec<Rc<dyn Tool>>) {
        self.0.agent.tools.set_remote(tools);
    }

    /// Switches to another model from the next request on; a request that is under way still uses the old one. Parts of
    /// the history that only the old model can read are left out of requests. The switch is durable when this returns.
    ///
    /// Other than in the SDK, a new model with the usage id of an earlier one is used as given, and both are counted
    /// under that id.
    ///
    /// # Errors
    /// `locked_elsewhere`, `invalid_state` once the conversation is closed, and those of the store; the old model stays
    /// then.
    pub async fn switch_llm(&self, llm: Llm) -> Result<()> {
        self.ensure_writable()?;
        // The model is replaced only after the commit: several switches may be under way, and each may fail.
        let mut edit = |state: &mut BaseState| store_model_settings(state, &self.0.agent, &llm);
        self.change_settings(Plan::default().strictly(), &mut edit).await?;
        self.0.llm.replace(Rc::new(llm));
        Ok(())
    }
}

/// Writes the settings of the current model into the stored agent, whose other fields do not change. Does nothing for a
/// kind of agent that has no model, such as an external program.
pub(super) fn store_model_settings(state: &mut BaseState, agent: &Agent, llm: &Llm) {
    let kind = state.agent().and_then(|agent| agent.field::<String>("kind"));
    if kind.is_some_and(|kind| kind != "Agent") {
        return;
    }
    let options = &llm.options;
    let stored = state.agent_llm();
    if let Some(stored) = &stored {
        let server = options.server_left(stored.as_str());
        let is_replaced = options.stored_key.token.borrow().is_some();
        let is_known = state.in_agent_state::<RawJson>(API_KEY_SERVER).is_some();
        if is_replaced && is_known || server.is_some() && !is_known {
            state.set_in_agent_state(API_KEY_SERVER, server.map(|server| RawJson::of(&server)).as_ref());
        }
    }
    // The result is an object by construction.
    if let Some(llm) = RawJson::parse(&options.to_sdk_json(stored.as_ref().map(RawJson::as_str))) {
        state.set_agent_llm(&llm);
    }
    if let Some(critic) = agent.critic.as_ref().and_then(|critic| critic.stored()) {
        state.set_in_agent("critic", Some(critic));
    }
    store_tool_specs(state, agent);
    if let Some(directory) = &agent.working_dir {
        state.set_working_dir(directory);
    }
    let has_own_tools = || agent.tools.iter().any(|tool| tool.definition().kind == ToolKind::Mcp);
    if let Some(condenser) = &agent.condenser {
        state.set_in_agent(
            "condenser",
            condenser.as_ref().map(|condenser| condenser.to_sdk_json(llm)).as_ref(),
        );
    }
    if options.native_tool_calling == Some(false) && has_own_tools() {
        enable_native_calls(state);
    }
}

/// Adds the agent's tools that Python has classes for to those of the stored agent. Python does not continue a
/// conversation with an agent that lacks a tool of the log.
fn store_tool_specs(state: &mut BaseState, agent: &Agent) {
    let specs = agent.tool_specs();
    let mut stored: Vec<RawJson> = state.agent().and_then(|agent| agent.field("tools")).unwrap_or_default();
    let name_of = |spec: &RawJson| spec.field::<String>("name");
    if agent.tools.expects_answer() {
        // The entry of `finish` contains a schema, which may have changed, and the SDK accepts only one `finish`.
        let is_finish = |name: &str| name == "FinishTool";
        let defaults: Option<Vec<String>> =
            state.agent().and_then(|agent| agent.field("include_default_tools"));
        if let Some(mut defaults) = defaults.filter(|names| names.iter().any(|name| is_finish(name))) {
            defaults.retain(|name| !is_finish(name));
            state.set_in_agent("include_default_tools", Some(&RawJson::of(&defaults)));
        }
        stored.retain(|spec| specs.contains(spec) || !name_of(spec).is_some_and(|name| is_finish(&name)));
    }
    let known: Vec<Option<String>> = stored.iter().map(name_of).collect();
    let missing: Vec<RawJson> = specs.into_iter().filter(|spec| !known.contains(&name_of(spec))).collect();
    if !missing.is_empty() {
        stored.extend(missing);
        state.set_in_agent("tools", Some(&RawJson::of(&stored)));
    }
}

/// Enables native tool calls in the stored settings of the model. With `native_tool_calling: false` the SDK converts the
/// calls of the history to text and back, which fails for several calls in one answer and for tools that it does not
/// have, such as all tools of the host. It could then not continue the conversation at all.
pub(super) fn enable_native_calls(state: &mut BaseState) {
    const FIELD: &str = "native_tool_calling";
    let stored = state.agent_llm().and_then(|llm| EditableObject::compact(llm.as_str()));
    if let Some(mut llm) = stored.filter(|llm| llm.read(FIELD) == Some(false)) {
        llm.set(FIELD, "true");
        state.set_agent_llm(&RawJson::of(&llm));
    }
}

/// Stores how many calls this run executes at a time. A later page needs this if the current one dies.
pub(super) fn store_concurrency(state: &mut BaseState, agent: &Agent) {
    let limit = agent.tool_concurrency_limit as u64;
    state.set_in_agent_state(TOOL_CONCURRENCY_LIMIT, (limit > 1).then(|| RawJson::of(&limit)).as_ref());
}

/// Stores the agent's MCP servers and its filter of tools. A server that is stored with the same URL stays as it is, since
/// it may have secrets that only Python can read; servers that the host does not give stay as well. Returns whether
/// anything has changed.
pub(super) fn store_servers(state: &mut BaseState, agent: &Agent) -> bool {
    if agent.mcp_config.is_empty() && agent.filter_tools_regex.is_none() {
        return false;
    }
    let Some(stored) = state.agent() else { return false };
    if stored.field::<String>("kind").is_some_and(|kind| kind != "Agent") {
        return false;
    }
    let before: EditableObject = stored.field("mcp_config").unwrap_or_default();
    let filter: Option<String> = stored.field("filter_tools_regex");
    let mut servers = before.clone();
    for (name, server) in agent.mcp_config.iter() {
        let url = |server: &str| EditableObject::compact(server)?.read::<String>("url");
        if before.get(name).is_none_or(|stored| url(stored) != url(server)) {
            servers.set(name, server);
        }
    }
    let mut is_changed = servers != before;
    if is_changed {
        state.set_in_agent("mcp_config", Some(&RawJson::of(&servers)));
    }
    if let Some(given) = agent.filter_tools_regex.as_deref().filter(|given| filter.as_deref() != Some(given))
    {
        state.set_in_agent("filter_tools_regex", Some(&RawJson::of(given)));
        is_changed = true;
    }
    is_changed
}
