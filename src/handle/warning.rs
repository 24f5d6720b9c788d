//! Warnings about settings that have no effect here, and about a run that has died.

use crate::{
    agent::{Agent, condenser::is_known},
    error::{Error, shown},
    format::base_state::BaseState,
    json::{EditableObject, FromJson, RawJson},
    log::warning::{Warning, WarningCode},
    machine::assessment::analyzer_in,
    security::ConfirmationPolicy,
};

/// The warning of a writer that finds the status `running`: only a page that died can have left it.
pub fn interrupted_run() -> Warning {
    Warning {
        code: WarningCode::Interrupted,
        message: "the page was closed or crashed during a run; run() continues from the last stored event"
            .into(),
    }
}

/// The names of tools that the stored agent has and this agent does not.
pub fn unavailable_tools(state: &BaseState, agent: &Agent) -> Vec<String> {
    let stored: Vec<EditableObject> = agent_field(state, "tools").unwrap_or_default();
    let names = stored.iter().filter_map(|tool| tool.read::<String>("name"));
    let built_in: Vec<String> = agent_field(state, "include_default_tools").unwrap_or_default();
    let names = names.chain(built_in).map(|class| {
        let tool = BUILT_IN.iter().find(|(known, _)| *known == class);
        tool.map_or(class, |(_, name)| (*name).to_owned())
    });
    // The entry of a tool may have another name than the tool: `task_tool_set` for `task`.
    let specs = agent.tool_specs();
    let is_spec = |name: &str| specs.iter().any(|spec| spec.field::<String>("name").as_deref() == Some(name));
    names.filter(|name| agent.tools.get(name).is_none() && !is_spec(name)).collect()
}

/// The SDK's built-in tools: the class names in settings, and the names that models use.
const BUILT_IN: &[(&str, &str)] = &[
    ("FinishTool", "finish"),
    ("ThinkTool", "think"),
    ("InvokeSkillTool", "invoke_skill"),
    ("SwitchLLMTool", "switch_llm"),
    ("VisionInspectTool", "inspect_image_with_vision"),
];

/// Warnings about tools and settings of the stored agent that have no effect here. They stay stored for the SDK.
pub fn agent_warnings(state: &BaseState, agent: &Agent) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let tools = unavailable_tools(state, agent);
    if !tools.is_empty() {
        warnings.push(Warning {
            code: WarningCode::ToolsUnavailable,
            message: format!(
                "this conversation uses tools that the agent does not have: {}; calls of them are answered with an error",
                tools.join(", ")
            ),
        });
    }
    let settings = unavailable_settings(state, agent);
    if !settings.is_empty() {
        warnings.push(Warning {
            code: WarningCode::SettingsUnavailable,
            message: format!(
                "settings of this conversation have no effect here, but stay stored: {}",
                settings.join(", ")
            ),
        });
    }
    warnings
}

/// Warnings about a policy or an analyzer that this version does not know. Both then fail on the safe side.
pub fn control_warnings(state: &BaseState) -> Vec<Warning> {
    let mut messages = Vec::new();
    if state.confirmation_policy().is_some_and(|policy| policy.read::<ConfirmationPolicy>().is_none()) {
        messages.push(
            "the kind of this conversation's confirmation policy is unknown; every call waits for approval"
                .to_owned(),
        );
    }
    if let Some(analyzer) = analyzer_in(state).filter(|analyzer| !analyzer.is_known()) {
        messages.push(format!(
            "the security analyzer of this conversation ({}) cannot run here; every call has risk HIGH",
            analyzer.kind()
        ));
    }
    let warn = |message| Warning { code: WarningCode::SettingsUnavailable, message };
    messages.into_iter().map(warn).collect()
}

/// The warning about tools that an import always allows, which does not hold here.
pub fn imported_tools(tools: &[String]) -> Option<Warning> {
    (!tools.is_empty()).then(|| Warning {
        code: WarningCode::SettingsUnavailable,
        message: format!(
            "tools were always allowed where this conversation was exported, and need approval here: {}",
            tools.join(", ")
        ),
    })
}

/// The warning that the skills of a conversation could not be loaded.
pub fn skills_not_loaded(error: &Error) -> Warning {
    let message = format!(
        "the skills of this conversation are not used, because their code could not be loaded; open the conversation \
         again ({})",
        error.message()
    );
    Warning { code: WarningCode::SettingsUnavailable, message }
}

/// The warning about skills that cannot be used here.
pub fn unusable_skills(complaint: &str) -> Warning {
    Warning { code: WarningCode::SettingsUnavailable, message: complaint.to_owned() }
}

fn unavailable_settings(state: &BaseState, agent: &Agent) -> Vec<String> {
    let mut settings = Vec::new();
    let servers: EditableObject = agent_field(state, "mcp_config").unwrap_or_default();
    let unused: Vec<String> = servers
        .iter()
        .filter(|(name, _)| agent.mcp_config.get(name).is_none())
        .map(|(name, _)| shown(name))
        .collect();
    if !unused.is_empty() {
        settings.push(format!("MCP servers ({})", unused.join(", ")));
    }
    let condenser = agent_field::<RawJson>(state, "condenser");
    if agent.condenser.is_none() && condenser.is_some_and(|condenser| !is_known(&condenser)) {
        settings.push("condenser".into());
    }
    if agent.critic.is_none() && agent_field::<EditableObject>(state, "critic").is_some() {
        settings.push("critic".into());
    }
    if state.field("hook_config").is_some() {
        settings.push("hooks".into());
    }
    if agent_field::<String>(state, "kind").is_some_and(|kind| kind != "Agent") {
        settings.push("the kind of agent".into());
    }
    settings
}

fn agent_field<T: FromJson>(state: &BaseState, name: &str) -> Option<T> {
    state.agent()?.field(name)
}
