//! The description of tools as text, for the end of the instructions.

use super::python::str_of;
use crate::{
    json::{Object, elements},
    llm::completion::ToolSchema,
};

/// The text after the instructions, with a mark for the tools.
const FUNCTIONS: &str = include_str!("prompts/functions.md");
const MARK: &str = "@@ functions\n";

const UNIONS: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// The depth to which a schema is described, so that nested schemas cannot overflow the stack.
const MAX_DEPTH: usize = 50;

/// The indentation of a nested list, in spaces.
const INDENT: usize = 2;

/// The description of the tools and of the form of a call.
pub(super) fn description_of(tools: &[ToolSchema]) -> String {
    let described: String = tools.iter().map(function).collect();
    FUNCTIONS.replace(MARK, &described)
}

fn function(tool: &ToolSchema) -> String {
    let mut text = format!("## {}\n\n{}\n\n", tool.name, tool.description.trim());
    let schema = Object::parse(&tool.parameters).unwrap_or_default();
    let start = text.len();
    fields(&schema, 0, &mut text);
    if text.len() == start {
        text.push_str("It takes no parameters.\n");
    }
    text.push('\n');
    text
}

/// An entry for each field of an object.
fn fields(schema: &Object<'_>, indent: usize, out: &mut String) {
    let required: Vec<String> = schema.read("required").unwrap_or_default();
    let properties = schema.object("properties");
    for (name, property) in properties.iter() {
        let status = if required.iter().any(|one| one == name) { "required" } else { "optional" };
        entry(&format!("{name} ({}, {status})", type_of(property)), property, indent, out);
    }
}

/// A line about a value, and below it the details of its schema.
fn entry(label: &str, schema: &str, indent: usize, out: &mut String) {
    let description = Object::parse(schema).and_then(|schema| schema.read::<String>("description"));
    let description = description.as_deref().unwrap_or_default().trim();
    let colon = if description.is_empty() { "" } else { ": " };
    line(&format!("- {label}{colon}{description}"), indent, out);
    details(schema, indent + INDENT, out);
}

/// The allowed values and the nested schemas of a value.
fn details(schema: &str, indent: usize, out: &mut String) {
    let Some(schema) = Object::parse(schema) else { return };
    if indent > INDENT * MAX_DEPTH {
        return;
    }
    if let Some(values) = list(&schema, "enum") {
        let values: Vec<String> = values.iter().map(|value| format!("`{}`", str_of(value))).collect();
        line(&format!("One of {}", values.join(", ")), indent, out);
    }
    for union in UNIONS {
        for option in list(&schema, union).unwrap_or_default() {
            entry(&type_of(&option), &option, indent, out);
        }
    }
    match list(&schema, "items") {
        Some(items) => {
            for (position, item) in (1..).zip(items) {
                entry(&format!("item {position} ({})", type_of(&item)), &item, indent, out);
            }
        }
        None => {
            if let Some(item) = schema.get("items").filter(|item| item.starts_with('{')) {
                entry(&format!("each item ({})", type_of(item)), item, indent, out);
            }
        }
    }
    fields(&schema, indent, out);
    match schema.get("additionalProperties") {
        Some("true") => line("- any other field", indent, out),
        Some("false") => line("- no other field", indent, out),
        Some(other) if other.starts_with('{') => {
            entry(&format!("each other field ({})", type_of(other)), other, indent, out);
        }
        _ => {}
    }
}

/// The JSON of a list's elements, if there is such a list.
fn list(schema: &Object<'_>, name: &str) -> Option<Vec<String>> {
    let all = elements(schema.get(name)?)?;
    Some(all.into_iter().map(str::to_owned).collect())
}

/// The types that a schema allows, in a few words.
fn type_of(schema: &str) -> String {
    type_within(schema, MAX_DEPTH)
}

fn type_within(schema: &str, depth: usize) -> String {
    let Some(schema) = Object::parse(schema) else { return "anything".into() };
    let Some(depth) = depth.checked_sub(1) else { return "anything".into() };
    let inner = |schema: &String| type_within(schema, depth);
    if let Some(union) = UNIONS.iter().find_map(|union| list(&schema, union)) {
        return union.iter().map(inner).collect::<Vec<_>>().join(" or ");
    }
    if let Some(types) = list(&schema, "type") {
        return types.iter().map(|one| str_of(one)).collect::<Vec<_>>().join(" or ");
    }
    match schema.get("type") {
        Some("\"array\"") => match schema.get("items").filter(|item| item.starts_with('{')) {
            Some(item) => format!("list of {}", type_within(item, depth)),
            None => "list".into(),
        },
        Some(json) => str_of(json),
        None => "anything".into(),
    }
}

fn line(text: &str, indent: usize, out: &mut String) {
    out.push_str(&" ".repeat(indent));
    out.push_str(text);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(parameters: &str) -> String {
        let tool = ToolSchema {
            name: "own".into(),
            description: "Made for this.\nOn two lines.\n".into(),
            parameters: parameters.into(),
        };
        let text = description_of(&[tool]);
        let (_, behind) = text.split_once("## own\n\nMade for this.\nOn two lines.\n\n").unwrap();
        behind.split_once("\n## How to call one").unwrap().0.to_owned()
    }

    #[test]
    fn a_parameter_has_its_type_its_description_and_its_choices() {
        let schema = r#"{"properties": {
            "plain": {"type": "string", "description": " A text: é. "},
            "blank": {"type": "string", "description": "  "},
            "nothing": {},
            "listed": {"type": ["string", "null"]},
            "chosen": {"type": "string", "enum": ["a", "b c", 2.5, true], "description": "Choose."}
        }, "required": ["plain"]}"#;
        let expected = "\
- plain (string, required): A text: é.
- blank (string, optional)
- nothing (anything, optional)
- listed (string or null, optional)
- chosen (string, optional): Choose.
  One of `a`, `b c`, `2.5`, `True`
";
        assert_eq!(described(schema), expected);
    }

    #[test]
    fn nested_schemas_are_described_below_their_value() {
        let schema = r#"{"properties": {
            "either": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}, "description": "Several."}]},
            "pair": {"type": "array", "items": [{"type": "string"}, {"type": "boolean"}]},
            "things": {"type": "array", "description": "Things.", "items": {
                "type": "object", "required": ["name"], "additionalProperties": false,
                "properties": {"name": {"type": "string", "description": "Its name."}}
            }},
            "map": {"type": "object", "additionalProperties": {"type": "number"}}
        }}"#;
        let expected = "\
- either (string or list of integer, optional)
  - string
  - list of integer: Several.
    - each item (integer)
- pair (list, optional)
  - item 1 (string)
  - item 2 (boolean)
- things (list of object, optional): Things.
  - each item (object)
    - name (string, required): Its name.
    - no other field
- map (object, optional)
  - each other field (number)
";
        assert_eq!(described(schema), expected);
    }

    #[test]
    fn a_tool_without_parameters_is_described_as_such() {
        assert_eq!(described("{}"), "It takes no parameters.\n");
    }
}
