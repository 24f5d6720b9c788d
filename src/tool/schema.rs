//! The JSON Schema of a tool for the model (`tool/tool.py`, `_get_tool_schema`).
//!
//! As in the SDK, two arguments are added: `security_risk`, unless the tool is read-only, and `summary`. They come
//! first, so that the model writes them before the other arguments, and are never required.

use super::ToolDefinition;
use crate::json::EditableObject;

const SECURITY_RISK: &str = concat!(
    r#"{"type":"string","description":"How much harm this call could do: LOW for reading and for changes that "#,
    r#"are easily undone, MEDIUM for lasting changes to the user's own data, HIGH for what leaves the page, costs "#,
    r#"money, deletes or touches credentials, UNKNOWN if you cannot tell.","#,
    r#""enum":["UNKNOWN","LOW","MEDIUM","HIGH"]}"#
);
const SUMMARY: &str =
    r#"{"type":"string","description":"What this call does, in about ten words, for the user to read."}"#;

/// The schema to send, as JSON text.
pub fn model_parameters(tool: &ToolDefinition) -> String {
    let mut schema = EditableObject::compact(&tool.parameters).unwrap_or_default();
    let own = schema.get("properties").and_then(EditableObject::compact).unwrap_or_default();
    let mut properties = EditableObject::default();
    if !tool.annotations.read_only_hint {
        properties.set("security_risk", SECURITY_RISK);
    }
    if own.get("summary").is_none() {
        properties.set("summary", SUMMARY);
    }
    for (name, property) in own.iter() {
        properties.set(name, property);
    }
    if schema.get("type").is_none() {
        schema.set("type", r#""object""#);
    }
    schema.set("properties", &properties.text());
    schema.text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::{FinishTool, Tool};

    #[test]
    fn the_schema_of_a_read_only_tool_gets_only_a_summary_before_its_own_arguments() {
        let schema = model_parameters(FinishTool::default().definition());
        let properties = EditableObject::compact(&schema).unwrap().get("properties").unwrap().to_owned();
        let names: Vec<String> =
            EditableObject::compact(&properties).unwrap().iter().map(|(name, _)| name.to_owned()).collect();
        assert_eq!(names, ["summary", "message"]);
    }

    #[test]
    fn a_tools_own_summary_argument_is_not_replaced() {
        let mut tool = FinishTool::default().definition().clone();
        tool.annotations.read_only_hint = false;
        tool.parameters = r#"{"properties":{"summary":{"type":"integer"}},"required":["summary"]}"#.into();
        let schema = model_parameters(&tool);
        assert!(schema.contains(r#""summary":{"type":"integer"}"#));
        assert!(schema.contains(r#""security_risk""#));
        assert!(schema.contains(r#""required":["summary"]"#));
    }
}
