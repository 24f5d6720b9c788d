//! The copy of the agent's settings in the base state, from which Python and later pages continue.

use crate::{
    agent::Agent,
    format::{
        agent_state::{API_KEY_SERVER, TOOL_CONCURRENCY_LIMIT},
        base_state::BaseState,
    },
    json::{EditableObject, RawJson},
    llm::Llm,
    tool::ToolKind,
};

/// Writes the settings of the current model into the stored agent, whose other fields do not change. Does nothing for a
/// kind of agent that has no model, such as an external program.
pub fn store_model_settings(state: &mut BaseState, agent: &Agent, llm: &Llm) {
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
pub fn enable_native_calls(state: &mut BaseState) {
    const FIELD: &str = "native_tool_calling";
    let stored = state.agent_llm().and_then(|llm| EditableObject::compact(llm.as_str()));
    if let Some(mut llm) = stored.filter(|llm| llm.read(FIELD) == Some(false)) {
        llm.set(FIELD, "true");
        state.set_agent_llm(&RawJson::of(&llm));
    }
}

/// Stores how many calls this run executes at a time. A later page needs this if the current one dies.
pub fn store_concurrency(state: &mut BaseState, agent: &Agent) {
    let limit = agent.tool_concurrency_limit as u64;
    state.set_in_agent_state(TOOL_CONCURRENCY_LIMIT, (limit > 1).then(|| RawJson::of(&limit)).as_ref());
}

/// Stores the agent's MCP servers and its filter of tools. A server that is stored with the same URL stays as it is, since
/// it may have secrets that only Python can read; servers that the host does not give stay as well. Returns whether
/// anything has changed.
pub fn store_servers(state: &mut BaseState, agent: &Agent) -> bool {
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
