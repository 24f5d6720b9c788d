//! Tool definitions as a `SystemPromptEvent` records them.
//!
//! They are read by people and by the SDK, never by a model: what a model is sent comes from the tools that are
//! there at the time. A tool that the host defines is recorded as an MCP tool, the one class that every process of
//! the SDK can read whatever the tool's arguments are. Mirrors the dumps of `tool/tool.py`.

use crate::json::{FromJson, ObjectWriter, RawJson, ToJson};

/// One recorded tool.
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

/// What a tool says about itself beyond its arguments. The defaults are the SDK's: think the worst.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolAnnotations {
    /// A name for people.
    pub title: Option<String>,
    /// It changes nothing.
    pub read_only: bool,
    /// It may destroy something.
    pub destructive: bool,
    /// Doing it again with the same arguments changes nothing more.
    pub idempotent: bool,
    /// It reaches beyond what the conversation knows.
    pub open_world: bool,
}

impl Default for ToolAnnotations {
    fn default() -> Self {
        Self { title: None, read_only: false, destructive: true, idempotent: false, open_world: true }
    }
}

/// A tool that the host defines.
#[derive(Clone, Copy, Debug)]
pub struct McpTool<'a> {
    /// The name that the model calls.
    pub name: &'a str,
    /// What it is for.
    pub description: &'a str,
    /// The JSON Schema of its arguments, an object schema.
    pub input_schema: &'a RawJson,
    /// What else it says about itself.
    pub annotations: Option<&'a ToolAnnotations>,
}

impl ToolDefinition {
    /// A tool that the host defines.
    pub fn mcp_tool(tool: McpTool<'_>) -> Self {
        let mut mcp_tool = ObjectWriter::new();
        mcp_tool.field("name", tool.name);
        mcp_tool.field("description", tool.description);
        // MCP libraries before 2.0 know only this spelling, later ones read both.
        mcp_tool.field("inputSchema", tool.input_schema);
        let mut out = start(tool.description, "MCPToolAction", "MCPToolObservation", tool.annotations);
        out.raw("mcp_tool", &mcp_tool.finish());
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

    /// The object with all its fields.
    pub fn into_json(self) -> RawJson {
        self.0
    }
}

/// What `finish` and `think` say about themselves.
const HARMLESS: ToolAnnotations =
    ToolAnnotations { title: None, read_only: true, destructive: false, idempotent: true, open_world: false };

fn start(
    description: &str,
    action_type: &str,
    observation_type: &str,
    annotations: Option<&ToolAnnotations>,
) -> ObjectWriter {
    let mut out = ObjectWriter::new();
    out.field("description", description);
    out.field("action_type", action_type);
    out.field("observation_type", observation_type);
    if let Some(annotations) = annotations {
        let mut hints = ObjectWriter::new();
        hints.optional("title", &annotations.title);
        hints.field("readOnlyHint", &annotations.read_only);
        hints.field("destructiveHint", &annotations.destructive);
        hints.field("idempotentHint", &annotations.idempotent);
        hints.field("openWorldHint", &annotations.open_world);
        out.raw("annotations", &hints.finish());
    }
    out
}

/// `title` is a computed field in the SDK and therefore stands behind `kind`.
fn finish(mut out: ObjectWriter, kind: &str, title: &str) -> ToolDefinition {
    out.field("kind", kind);
    out.field("title", title);
    ToolDefinition(out.into())
}
