//! The example before the user's first message: a call of one of the available tools.

use super::{call::text_of, reading::COMMON_PARAMETERS};
use crate::{
    json::{EditableObject, Object, elements},
    llm::{completion::ToolSchema, message::MessageToolCall},
};

/// The text after the user's first message.
pub(super) const TASK_END: &str = include_str!("prompts/task_end.md");

/// A short conversation with marks for the call and the name of its tool.
const EXAMPLE: &str = include_str!("prompts/example.md");

/// The example for these tools.
pub(super) fn example_for(tools: &[ToolSchema]) -> String {
    // A call that ends the task would be a bad example.
    let Some(tool) = tools.iter().find(|tool| tool.name != "finish").or(tools.first()) else {
        return String::new();
    };
    let call = MessageToolCall {
        id: String::new(),
        responses_item_id: None,
        name: tool.name.clone(),
        arguments: arguments_for(tool),
        origin: "completion".into(),
    };
    EXAMPLE.replace("@@ call", &text_of(&call)).replace("@@ name", &tool.name)
}

/// A value for each parameter that the tool requires.
fn arguments_for(tool: &ToolSchema) -> String {
    let schema = Object::parse(&tool.parameters).unwrap_or_default();
    let properties = schema.object("properties");
    let required: Vec<String> = schema.read("required").unwrap_or_default();
    let mut arguments = EditableObject::default();
    // Every tool may have these parameters, and models omit them if the example does.
    for (name, value) in COMMON_PARAMETERS.into_iter().zip(["\"LOW\"", "\"Try it out\""]) {
        if properties.get(name).is_some() {
            arguments.set(name, value);
        }
    }
    for name in required {
        if arguments.get(&name).is_none() {
            let property = properties.object(&name);
            arguments.set(&name, value_for(&property));
        }
    }
    arguments.text()
}

/// A value that this schema allows, if its `enum` or `type` shows one.
fn value_for<'a>(schema: &Object<'a>) -> &'a str {
    let choices = schema.get("enum").and_then(elements).unwrap_or_default();
    choices.first().copied().unwrap_or(match schema.get("type") {
        Some("\"integer\"" | "\"number\"") => "1",
        Some("\"boolean\"") => "true",
        Some("\"array\"") => "[]",
        Some("\"object\"") => "{}",
        _ => "\"something\"",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, parameters: &str) -> ToolSchema {
        ToolSchema { name: name.into(), description: String::new(), parameters: parameters.into() }
    }

    #[test]
    fn the_example_calls_an_available_tool_with_its_required_parameters() {
        let properties = r#""where": {"type": "string", "enum": ["here", "there"]}, "count": {"type": "integer"},
            "deep": {"type": "boolean"}, "all": {"type": "array"}, "more": {"type": "string"}, "summary": {"type": "string"}"#;
        let schema =
            format!(r#"{{"properties": {{{properties}}}, "required": ["where", "count", "deep", "all"]}}"#);
        let example = example_for(&[tool("finish", "{}"), tool("look", &schema)]);
        let call = "<function=look>\n<parameter=summary>Try it out</parameter>\n<parameter=where>here</parameter>\n\
                    <parameter=count>1</parameter>\n<parameter=deep>True</parameter>\n<parameter=all>[]</parameter>\n</function>";
        assert!(example.contains(call), "{example}");
        assert!(!example.contains("@@"), "{example}");
    }

    #[test]
    fn without_other_tools_the_example_calls_finish() {
        assert!(example_for(&[tool("finish", "{}")]).contains("<function=finish>\n</function>"));
    }
}
