//! Tools described in words, for the end of the instructions: the SDK's `convert_tools_to_description`.

use super::python::str_of;
use crate::{
    json::{RawObject, elements},
    llm::completion::ToolSchema,
};

/// What follows the instructions; the tools stand in the place of the mark.
const FUNCTIONS: &str = include_str!("prompts/functions.md");
const MARK: &str = "@@ functions";

const UNIONS: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// How deep a schema is described; what is nested deeper would fill the stack before it told a model anything.
const DEEPEST: usize = 50;

/// The tools, and how they are called.
pub(super) fn description_of(tools: &[ToolSchema]) -> String {
    let described: Vec<String> = (1..).zip(tools).map(|(number, tool)| function(number, tool)).collect();
    let (before, after) = FUNCTIONS.split_once(MARK).unwrap_or_default();
    [before, &described.join("\n"), after].concat()
}

fn function(number: usize, tool: &ToolSchema) -> String {
    let mut text = format!("---- BEGIN FUNCTION #{number}: {} ----\n", tool.name);
    text.push_str(&format!("Description: {}\nParameters:\n", tool.description));
    let schema = RawObject::parse(&tool.parameters).unwrap_or_default();
    let required = required_of(&schema);
    let properties: RawObject = schema.read("properties").unwrap_or_default();
    for (place, (name, property)) in (1..).zip(properties.iter()) {
        let status = status(&required, name);
        text.push_str(&format!("  ({place}) {name} ({}, {status}): ", type_of(property)));
        text.push_str(&description(property));
        if let Some(values) = RawObject::parse(property).ok().and_then(|schema| options(&schema, "enum")) {
            let values: Vec<String> = values.iter().map(|value| format!("`{}`", str_of(value))).collect();
            text.push_str(&format!("\nAllowed values: [{}]", values.join(", ")));
        }
        text.push('\n');
        detail(property, 6, &mut text);
    }
    text.push_str(&format!("---- END FUNCTION #{number} ----\n"));
    text
}

fn required_of(schema: &RawObject) -> Vec<String> {
    schema.read("required").unwrap_or_default()
}

fn status(required: &[String], name: &str) -> &'static str {
    if required.iter().any(|required| required == name) { "required" } else { "optional" }
}

/// The texts of a list's elements, if there is such a list.
fn options(schema: &RawObject, name: &str) -> Option<Vec<String>> {
    let all = elements(schema.get(name)?)?;
    Some(all.into_iter().map(str::to_owned).collect())
}

/// What a schema allows, in a few words.
fn type_of(schema: &str) -> String {
    type_within(schema, DEEPEST)
}

fn type_within(schema: &str, depth: usize) -> String {
    let Ok(schema) = RawObject::parse(schema) else { return str_of(schema) };
    let Some(depth) = depth.checked_sub(1) else { return "unknown".into() };
    let inner = |schema: &str| type_within(schema, depth);
    if let Some(union) = UNIONS.iter().find_map(|union| options(&schema, union)) {
        return either(&union, inner);
    }
    match schema.get("type") {
        Some(json) if json.starts_with('[') => either(&options(&schema, "type").unwrap_or_default(), str_of),
        Some("\"array\"") => match (schema.get("items"), options(&schema, "items")) {
            (_, Some(items)) => {
                let items: Vec<String> = items.iter().map(|item| inner(item)).collect();
                format!("array[{}]", items.join(", "))
            }
            (Some(item), None) if item.starts_with('{') => format!("array[{}]", inner(item)),
            _ => "array".into(),
        },
        Some(json) => str_of(json),
        None if schema.get("enum").is_some() => "enum".into(),
        None => "unknown".into(),
    }
}

fn either(options: &[String], name: impl Fn(&str) -> String) -> String {
    let names: Vec<String> = options.iter().map(|option| name(option)).collect();
    names.join(" or ")
}

fn description(schema: &str) -> String {
    let said = RawObject::parse(schema).ok().and_then(|schema| schema.read::<String>("description"));
    said.filter(|said| !said.trim().is_empty()).unwrap_or_else(|| "No description provided".into())
}

/// What is inside arrays, objects and unions, a line for each thing.
fn detail(schema: &str, indent: usize, out: &mut String) {
    let Ok(schema) = RawObject::parse(schema) else { return };
    if indent > 4 * DEEPEST {
        return;
    }
    for union in UNIONS {
        let Some(all) = options(&schema, union) else { continue };
        line(out, indent, &format!("{union} options:"));
        for option in all {
            line(out, indent + 2, &format!("- {}: {}", type_of(&option), description(&option)));
            detail(&option, indent + 4, out);
        }
        return;
    }
    match schema.get("type") {
        Some(json) if json.starts_with('[') => {
            let types: Vec<String> = options(&schema, "type").unwrap_or_default();
            let types: Vec<String> = types.iter().map(|one| str_of(one)).collect();
            line(out, indent, &format!("Allowed types: {}", types.join(", ")));
        }
        Some("\"array\"") => {
            line(out, indent, "Array items:");
            match (schema.get("items"), options(&schema, "items")) {
                (_, Some(items)) => {
                    for (place, item) in items.iter().enumerate() {
                        line(out, indent + 2, &format!("- index {place}: {}", type_of(item)));
                        detail(item, indent + 4, out);
                    }
                }
                (Some(item), None) if item.starts_with('{') => {
                    line(out, indent + 2, &format!("Type: {}", type_of(item)));
                    detail(item, indent + 4, out);
                }
                _ => line(out, indent + 2, "Type: unknown"),
            }
        }
        Some("\"object\"") => object_detail(&schema, indent, out),
        _ => {}
    }
}

fn object_detail(schema: &RawObject, indent: usize, out: &mut String) {
    let properties: RawObject = schema.read("properties").unwrap_or_default();
    let required = required_of(schema);
    for (place, (name, property)) in properties.iter().enumerate() {
        if place == 0 {
            line(out, indent, "Object properties:");
        }
        let status = status(&required, name);
        let said = description(property);
        line(out, indent + 2, &format!("- {name} ({}, {status}): {said}", type_of(property)));
        detail(property, indent + 4, out);
    }
    match schema.get("additionalProperties") {
        Some("true") => line(out, indent, "Additional properties allowed."),
        Some("false") => line(out, indent, "Additional properties not allowed."),
        Some(other) if other.starts_with('{') => {
            line(out, indent, &format!("Additional properties allowed: {}", type_of(other)));
            detail(other, indent + 2, out);
        }
        _ => {}
    }
}

fn line(out: &mut String, indent: usize, text: &str) {
    out.push_str(&" ".repeat(indent));
    out.push_str(text);
    out.push('\n');
}
