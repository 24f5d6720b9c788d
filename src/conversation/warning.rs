//! What an open conversation has to say about itself: things set aside, and things that do not work here.

use super::confirmation::analyzer_in;
use crate::{
    agent::Agent,
    context::branch::{Branch, Break, Wanted},
    event::{Body, Event},
    format::base_state::BaseState,
    json::{EditableObject, FromJson},
    security::ConfirmationPolicy,
};

/// One thing that the host should know and perhaps show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What a program acts on.
    pub code: WarningCode,
    /// What a person reads.
    pub message: String,
}

/// The kinds of warnings; their texts are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarningCode {
    /// Files that could not be read were moved out of the log and kept.
    Quarantined,
    /// The stored HEAD was not the end of what had been written; it was moved.
    HeadMoved,
    /// A run died in the middle.
    Interrupted,
    /// An event in the log cannot be read; it is kept and skipped.
    Unreadable,
    /// An event names a parent that it cannot follow; it follows the event before it in the log.
    HistoryBroken,
    /// Tools of the conversation that are not here.
    ToolsUnavailable,
    /// Settings of the conversation's agent that have no effect here.
    SettingsUnavailable,
}

impl WarningCode {
    /// The stable text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Quarantined => "quarantined",
            Self::HeadMoved => "head_moved",
            Self::Interrupted => "interrupted",
            Self::Unreadable => "unreadable",
            Self::HistoryBroken => "history_broken",
            Self::ToolsUnavailable => "tools_unavailable",
            Self::SettingsUnavailable => "settings_unavailable",
        }
    }
}

/// A writer found the conversation running, which nobody can have left so but a page that died.
pub fn run_died() -> Warning {
    Warning {
        code: WarningCode::Interrupted,
        message: "the page was closed or crashed while the agent worked; run() goes on from what was stored"
            .into(),
    }
}

/// What is wrong with a history.
pub fn about_history(branch: &Branch) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if let Some(first) = branch.breaks.first() {
        let what = match first {
            Break::Missing(Wanted::Id(id)) => format!("an event follows {id}, which is not there"),
            Break::Missing(Wanted::Index(index)) => format!("event {index} is not there"),
            Break::Nowhere(id) => format!("what event {id} follows cannot be an event"),
            Break::Circle(id) => format!("event {id} is before and behind another one"),
        };
        warnings.push(Warning {
            code: WarningCode::HistoryBroken,
            message: format!(
                "the history is broken in places ({}): {what}; there it goes on with the event before in the log",
                branch.breaks.len()
            ),
        });
    }
    let unreadable: Vec<&Event> =
        branch.events.iter().filter(|event| matches!(event.body(), Body::Unreadable)).collect();
    if let Some(first) = unreadable.first() {
        warnings.push(Warning {
            code: WarningCode::Unreadable,
            message: format!(
                "events of the history that cannot be read are kept and skipped ({}), the first is {}",
                unreadable.len(),
                first.id()
            ),
        });
    }
    warnings
}

/// The tools that the stored agent has and this one has not.
pub fn unavailable_tools(state: &BaseState, agent: &Agent) -> Vec<String> {
    let stored: Vec<EditableObject> = agent_field(state, "tools").unwrap_or_default();
    let names = stored.iter().filter_map(|tool| tool.read::<String>("name"));
    let built_in: Vec<String> = agent_field(state, "include_default_tools").unwrap_or_default();
    let built_in = built_in.into_iter().map(|class| {
        let tool = BUILT_IN.iter().find(|(known, _)| *known == class);
        tool.map_or(class, |(_, name)| (*name).to_owned())
    });
    names.chain(built_in).filter(|name| agent.tools.get(name).is_none()).collect()
}

/// The SDK's own tools: settings name their classes, models their names.
const BUILT_IN: &[(&str, &str)] = &[
    ("FinishTool", "finish"),
    ("ThinkTool", "think"),
    ("InvokeSkillTool", "invoke_skill"),
    ("SwitchLLMTool", "switch_llm"),
    ("VisionInspectTool", "inspect_image_with_vision"),
];

/// What of the stored agent's settings has no effect here. It stays in the file, for the way back.
pub fn about_agent(state: &BaseState, agent: &Agent) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let tools = unavailable_tools(state, agent);
    if !tools.is_empty() {
        warnings.push(Warning {
            code: WarningCode::ToolsUnavailable,
            message: format!(
                "tools of this conversation that cannot run here: {}; a call of one is answered with an error",
                tools.join(", ")
            ),
        });
    }
    let settings = unavailable_settings(state);
    if !settings.is_empty() {
        warnings.push(Warning {
            code: WarningCode::SettingsUnavailable,
            message: format!(
                "settings of this conversation that have no effect here and are kept: {}",
                settings.join(", ")
            ),
        });
    }
    warnings
}

/// What decides about calls in a way that this version cannot follow, so that everything looks dangerous.
pub fn about_control(state: &BaseState) -> Vec<Warning> {
    let mut messages = Vec::new();
    if state.confirmation_policy().is_some_and(|policy| policy.read::<ConfirmationPolicy>().is_none()) {
        messages.push(
            "the confirmation policy of this conversation is not known here; every call waits".to_owned(),
        );
    }
    if let Some(analyzer) = analyzer_in(state).filter(|analyzer| !analyzer.is_known()) {
        messages.push(format!(
            "the security analyzer of this conversation ({}) cannot be asked here; every call counts as HIGH",
            analyzer.kind()
        ));
    }
    let warn = |message| Warning { code: WarningCode::SettingsUnavailable, message };
    messages.into_iter().map(warn).collect()
}

/// The tools that an import allows once and for all, which is not its to say.
pub fn about_allowed(tools: &[String]) -> Option<Warning> {
    (!tools.is_empty()).then(|| Warning {
        code: WarningCode::SettingsUnavailable,
        message: format!(
            "tools that were always allowed where this conversation comes from, and are asked about here: {}",
            tools.join(", ")
        ),
    })
}

fn unavailable_settings(state: &BaseState) -> Vec<&'static str> {
    let mut settings = Vec::new();
    if agent_field::<EditableObject>(state, "mcp_config")
        .is_some_and(|servers| servers.iter().next().is_some())
    {
        settings.push("MCP servers");
    }
    let condenser = agent_field::<EditableObject>(state, "condenser")
        .and_then(|condenser| condenser.read::<String>("kind"));
    if condenser.is_some_and(|kind| kind != "NoOpCondenser") {
        settings.push("condenser");
    }
    for (field, name) in [("agent_context", "skills and context"), ("critic", "critic")] {
        if agent_field::<EditableObject>(state, field).is_some() {
            settings.push(name);
        }
    }
    if state.field("hook_config").is_some() {
        settings.push("hooks");
    }
    if agent_field::<String>(state, "kind").is_some_and(|kind| kind != "Agent") {
        settings.push("the kind of agent");
    }
    settings
}

fn agent_field<T: FromJson>(state: &BaseState, name: &str) -> Option<T> {
    state.agent()?.field(name)
}
