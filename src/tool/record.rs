//! The form in which tools, their calls and their results are stored in the log.

use super::{Tool, ToolKind, ToolOutput};
use crate::{
    event::{self, Action, McpTool, Observation},
    json::{EditableObject, RawJson},
};

/// The stored form of a tool that has classes of its own in the SDK.
pub trait Record {
    /// The entry in the stored agent's `tools`, for a tool that the SDK finds by such an entry.
    fn spec(&self) -> Option<&RawJson> {
        None
    }

    /// The definition for a `SystemPromptEvent`.
    fn definition(&self) -> event::ToolDefinition;

    /// The action of a call with these arguments.
    fn action(&self, arguments: &EditableObject) -> Action;

    /// The observation of a call with these arguments.
    fn observation(&self, arguments: &str, output: &ToolOutput) -> Observation;
}

/// The definition of a tool for a `SystemPromptEvent`.
pub fn record_of_tool(tool: &dyn Tool) -> event::ToolDefinition {
    if let Some(record) = tool.record() {
        return record.definition();
    }
    let tool = tool.definition();
    match tool.kind {
        ToolKind::Finish => event::ToolDefinition::finish(&tool.description),
        ToolKind::Think => event::ToolDefinition::think(&tool.description),
        ToolKind::Mcp | ToolKind::Sdk => event::ToolDefinition::mcp_tool(McpTool {
            name: &tool.name,
            description: &tool.description,
            // A registry accepts no tool whose schema is not JSON.
            input_schema: &RawJson::parse(&tool.parameters)
                .unwrap_or_else(|| RawJson::of(&EditableObject::default())),
            annotations: Some(&event::ToolAnnotations {
                title: tool.annotations.title.clone(),
                read_only: tool.annotations.read_only_hint,
                destructive: tool.annotations.destructive_hint.unwrap_or(true),
                idempotent: tool.annotations.idempotent_hint,
                open_world: tool.annotations.open_world_hint.unwrap_or(true),
            }),
        }),
    }
}

/// The action of a call whose arguments have passed the tool's check.
pub fn record_of_call(tool: &dyn Tool, arguments: &EditableObject) -> Action {
    if let Some(record) = tool.record() {
        return record.action(arguments);
    }
    let text = |name| arguments.read::<String>(name).unwrap_or_default();
    match tool.definition().kind {
        ToolKind::Finish => Action::finish(&text("message")),
        ToolKind::Think => Action::think(&text("thought")),
        ToolKind::Mcp | ToolKind::Sdk => Action::mcp_tool(&RawJson::of(arguments)),
    }
}

/// The observation of a call with these arguments that returned.
pub fn record_of_output(tool: &dyn Tool, arguments: &str, output: &ToolOutput) -> Observation {
    if let Some(record) = tool.record() {
        return record.observation(arguments, output);
    }
    let text = || output.content.first().and_then(|part| part.as_text()).unwrap_or_default();
    let tool = tool.definition();
    match tool.kind {
        ToolKind::Finish => Observation::finish(text()),
        ToolKind::Think => Observation::think(text()),
        ToolKind::Mcp | ToolKind::Sdk => Observation::mcp_tool(&tool.name, &output.content, output.is_error),
    }
}

/// The arguments of a stored action, as JSON text.
pub fn arguments_of_record(action: &Action) -> String {
    if let Some(arguments) = action.mcp_arguments() {
        return arguments.as_str().to_owned();
    }
    let mut fields = EditableObject::compact(action.as_json().as_str()).unwrap_or_default();
    fields.remove("kind");
    fields.text()
}
