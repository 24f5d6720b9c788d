//! Tool definitions in a `SystemPromptEvent`.
//!
//! They document the tools for people and the SDK. Requests contain the agent's current tools instead. A tool of the host
//! is recorded as an MCP tool, the only class that every process of the SDK can read with arbitrary arguments. Mirrors
//! the dumps of `tool/tool.py`.

use crate::json::{FromJson, ObjectWriter, RawJson, ToJson, object};

/// The recorded definition of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition(RawJson);

impl FromJson for ToolDefinition {
    fn from_json(json: &str) -> Option<Self> {
        RawJson::from_json(json).map(Self)
    }
}

impl ToJson for ToolDefinition {
    fn write_json(&self, out: &mut String) {
        self.0.write_json(out);
    }
}

/// Hints about the effects of a tool. The defaults are the SDK's, which assume the worst.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolAnnotations {
    /// A name for people.
    pub title: Option<String>,
    /// The tool changes nothing.
    pub read_only: bool,
    /// The tool may destroy something.
    pub destructive: bool,
    /// Repeating a call with the same arguments has no further effect.
    pub idempotent: bool,
    /// The tool interacts with external systems.
    pub open_world: bool,
}

impl Default for ToolAnnotations {
    fn default() -> Self {
        Self { title: None, read_only: false, destructive: true, idempotent: false, open_world: true }
    }
}

/// A tool of the host.
#[derive(Clone, Copy, Debug)]
pub struct McpTool<'a> {
    /// The name by which the model calls it.
    pub name: &'a str,
    /// The description for the model.
    pub description: &'a str,
    /// The JSON Schema of the arguments, which describes an object.
    pub input_schema: &'a RawJson,
    /// Hints about the effects.
    pub annotations: Option<&'a ToolAnnotations>,
}

impl ToolDefinition {
    /// A tool of the host.
    pub fn mcp_tool(tool: McpTool<'_>) -> Self {
        let mcp_tool = object! {
            "name": tool.name,
            "description": tool.description,
            // MCP libraries before 2.0 accept only this spelling, later ones accept both.
            "inputSchema": tool.input_schema,
        };
        let mut out = start(tool.description, "MCPToolAction", "MCPToolObservation", tool.annotations);
        out.field("mcp_tool", &mcp_tool);
        let title = tool.annotations.and_then(|annotations| annotations.title.as_deref());
        finish(out, "MCPToolDefinition", title.unwrap_or(tool.name))
    }

    /// The built-in tool `finish`.
    pub fn finish(description: &str) -> Self {
        let annotations = ToolAnnotations { title: Some("finish".into()), ..HARMLESS };
        let out = start(description, "FinishAction", "FinishObservation", Some(&annotations));
        finish(out, "FinishTool", "finish")
    }

    /// The built-in tool `think`.
    pub fn think(description: &str) -> Self {
        let out = start(description, "ThinkAction", "ThinkObservation", Some(&HARMLESS));
        finish(out, "ThinkTool", "think")
    }

    /// The built-in tool of the SDK called `name`, with classes of its own, whose names begin with `class`.
    pub fn of_class(class: &str, name: &str, description: &str, annotations: &ToolAnnotations) -> Self {
        let of_class = |part: &str| [class, part].concat();
        let out = start(description, &of_class("Action"), &of_class("Observation"), Some(annotations));
        finish(out, &of_class("Tool"), annotations.title.as_deref().unwrap_or(name))
    }

    /// The object with all its fields.
    pub fn into_json(self) -> RawJson {
        self.0
    }
}

/// The hints of `finish` and `think`.
const HARMLESS: ToolAnnotations =
    ToolAnnotations { title: None, read_only: true, destructive: false, idempotent: true, open_world: false };

fn start(
    description: &str,
    action_type: &str,
    observation_type: &str,
    annotations: Option<&ToolAnnotations>,
) -> ObjectWriter {
    let hints = annotations.map(|annotations| {
        object! {
            "title"?: annotations.title,
            "readOnlyHint": annotations.read_only,
            "destructiveHint": annotations.destructive,
            "idempotentHint": annotations.idempotent,
            "openWorldHint": annotations.open_world,
        }
    });
    object! {
        "description": description,
        "action_type": action_type,
        "observation_type": observation_type,
        "annotations"?: hints,
    }
}

/// Adds the last fields. `title` is a computed field in the SDK and therefore follows `kind`.
fn finish(mut out: ObjectWriter, kind: &str, title: &str) -> ToolDefinition {
    out.field("kind", kind);
    out.field("title", title);
    ToolDefinition(out.into())
}
