//! Parses the arguments of a tool call (`agent/utils.py`).
//!
//! Models write raw control characters into JSON, misspell `security_risk`, send `null` for omitted arguments, and wrap
//! lists into strings. Such mistakes are corrected where the schema does not allow what was sent and the meaning is clear;
//! others are answered with an error that the model reads. Values keep their spelling.

use super::schema::{Kind, Place, Schema};
use crate::{
    event::SecurityRisk,
    json::{
        EditableObject, FromJson, ListWriter, Object, depths, elements, is_json, members, python_dumps,
        quoted, well_formed,
    },
    tool::ToolDefinition,
};
use std::borrow::Cow;

/// Misspellings of `security_risk` that the SDK accepts.
const MISSPELT_RISK: [&str; 3] = ["security_rort", "securtiy_risk", "security_riks"];

/// So many objects and lists may be in each other: in an event they are in some more, and what is nested deeper than Python reads it
/// would be stored, and run after a reload, as a text.
const MAX_DEPTH: usize = 127;

/// The parsed arguments of a call.
#[derive(Debug, PartialEq, Eq)]
pub struct Arguments {
    /// All arguments as JSON in Python's spelling, for the event's `tool_call`.
    pub stored: String,
    /// The arguments for the tool, without `security_risk` and the SDK's `summary`.
    pub for_tool: EditableObject,
    /// The model's own rating of the call.
    pub risk: SecurityRisk,
    /// A one-line description of the call for the user.
    pub summary: String,
}

/// Parses the arguments of a call. The model's rating of the risk is used if `reads_risk` is set and the tool is not
/// read-only.
///
/// # Errors
/// A sentence for the model, if the text is not JSON or nested too deep, or the risk has an unknown value.
pub fn read_arguments(text: &str, tool: &ToolDefinition, reads_risk: bool) -> Result<Arguments, String> {
    let mut arguments = parse(text)?;
    let is_parameter = has_parameter(tool, "summary");
    // The library has added these two, and requires neither.
    for own in ["security_risk", "summary"] {
        if arguments.get(own) == Some("null") && !(is_parameter && own == "summary") {
            arguments.remove(own);
        }
    }
    let schema = Schema::new(&tool.parameters);
    unwrap_strings(&mut arguments, &schema);
    if is_too_deep(&arguments.text()) {
        return Err(format!("objects and lists may be nested in each other at most {MAX_DEPTH} times"));
    }
    if let Some(rest) = without_nulls(&arguments.text(), &schema, &schema.arguments()) {
        arguments = EditableObject::compact(&rest).unwrap_or(arguments);
    }
    let all = arguments.text();
    let stored = python_dumps(&all);
    let risk = match arguments.remove("security_risk") {
        Some(value) if reads_risk && !tool.annotations.read_only_hint => SecurityRisk::from_json(&value)
            .ok_or_else(|| format!("security_risk must be UNKNOWN, LOW, MEDIUM or HIGH, not {value}"))?,
        _ => SecurityRisk::Unknown,
    };
    let given = arguments.read::<String>("summary").filter(|summary| !summary.trim().is_empty());
    if !is_parameter {
        arguments.remove("summary");
    }
    let summary = match given {
        Some(summary) if is_parameter => summary.trim().to_owned(),
        Some(summary) => summary,
        None => {
            let rest = arguments.text();
            let spelled: Cow<'_, str> =
                if rest == all { (&*stored).into() } else { python_dumps(&rest).into() };
            [&tool.name, ": ", &spelled].concat()
        }
    };
    Ok(Arguments { stored, for_tool: arguments, risk, summary })
}

/// The names of the arguments, for an error message; `None` if the text is not JSON.
pub fn argument_names(text: &str) -> Option<Vec<String>> {
    Some(parse(text).ok()?.iter().map(|(name, _)| name.to_owned()).collect())
}

/// Whether every provider accepts a history with these arguments.
pub fn is_accepted(text: &str) -> bool {
    Object::parse(text).is_some() && !is_too_deep(text)
}

fn is_too_deep(text: &str) -> bool {
    depths(text).any(|(_, depth)| depth > MAX_DEPTH)
}

/// The JSON to store instead of arguments that are not [accepted](is_accepted).
pub fn malformed(error: &str) -> String {
    let mut object = EditableObject::default();
    object.set("_openhands_malformed_tool_call", "true");
    object.set("error", &quoted(error));
    python_dumps(&object.text())
}

fn parse(text: &str) -> Result<EditableObject, String> {
    let text = &well_formed(text);
    let mut object = match parse_any(text) {
        Ok(object) => object,
        Err(error) => parse_any(&escape_control_characters(text)).map_err(|_| error)?,
    };
    if let Some(misspelt) = MISSPELT_RISK.iter().find(|name| object.get(name).is_some())
        && let Some(value) = object.remove(misspelt)
    {
        object.set("security_risk", &value);
    }
    Ok(object)
}

/// Parses an object. Other JSON values count as no arguments, as in the SDK.
fn parse_any(text: &str) -> Result<EditableObject, String> {
    if let Some(object) = EditableObject::compact(text) {
        return Ok(object);
    }
    match members(text) {
        Err(error) if !is_json(text) => Err(format!("the arguments are not valid JSON ({error})")),
        _ => Ok(EditableObject::default()),
    }
}

fn escape_control_characters(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// Where the schema does not allow what came: parses lists and objects that came as strings, and joins lists of strings into one.
fn unwrap_strings(arguments: &mut EditableObject, schema: &Schema<'_>) {
    let mut meant = Vec::new();
    for (name, value) in arguments.iter() {
        let (from, to): (_, &[Kind]) = match value {
            string if Kind::String.is_of(string) => (Kind::String, &[Kind::Array, Kind::Object]),
            list if Kind::Array.is_of(list) => (Kind::Array, &[Kind::String]),
            _ => continue,
        };
        let place = schema.member(&schema.arguments(), name);
        if schema.allows(&place, from) || !to.iter().any(|kind| schema.allows(&place, *kind)) {
            continue;
        }
        let value = match from {
            Kind::String => String::from_json(value)
                .map(|inner| escape_control_characters_in_strings(inner.trim()))
                .filter(|inner| inner.starts_with(['[', '{']) && is_json(inner)),
            _ => Vec::<String>::from_json(value).map(|pieces| quoted(&pieces.concat())),
        };
        meant.extend(value.map(|value| (name.to_owned(), value)));
    }
    for (name, value) in meant {
        arguments.set(&name, &value);
    }
}

/// The value without the members that are null although the schema neither allows this nor requires them; `None` if it has none.
fn without_nulls<'a>(value: &str, schema: &Schema<'a>, place: &Place<'a>) -> Option<String> {
    if !value.contains("null") {
        return None;
    }
    if let Some(list) = elements(value) {
        let inner = |(number, element): (usize, &&str)| {
            without_nulls(element, schema, &schema.element(place, number))
        };
        let changed: Vec<_> = list.iter().enumerate().map(inner).collect();
        changed.iter().any(Option::is_some).then_some(())?;
        let mut out = ListWriter::new();
        out.items(list.iter().zip(changed).map(|(old, new)| new.unwrap_or_else(|| (*old).to_owned())));
        return Some(out.finish());
    }
    let old = EditableObject::compact(value)?;
    let mut new = old.clone();
    for (name, value) in old.iter() {
        let member = schema.member(place, name);
        if value != "null" {
            let inner = without_nulls(value, schema, &member);
            inner.into_iter().for_each(|inner| new.set(name, &inner));
        } else if !schema.allows(&member, Kind::Null) && !schema.requires(place, name) {
            new.remove(name);
        }
    }
    (new != old).then(|| new.text())
}

/// Escapes raw control characters, which JSON that came inside a JSON string can contain.
fn escape_control_characters_in_strings(text: &str) -> String {
    if is_json(text) { text.to_owned() } else { escape_control_characters(text) }
}

fn has_parameter(tool: &ToolDefinition, name: &str) -> bool {
    EditableObject::compact(&tool.parameters)
        .and_then(|schema| schema.read::<EditableObject>("properties"))
        .is_some_and(|properties| properties.get(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::{Replay, ToolAnnotations, ToolKind};

    fn tool(parameters: &str) -> ToolDefinition {
        ToolDefinition {
            name: "note".into(),
            description: String::new(),
            parameters: parameters.into(),
            annotations: ToolAnnotations::default(),
            replay: Replay::Never,
            kind: ToolKind::Mcp,
        }
    }

    fn read(text: &str, parameters: &str) -> Arguments {
        read_arguments(text, &tool(parameters), true).unwrap()
    }

    #[test]
    fn risk_and_summary_are_stored_in_the_log_but_not_passed_to_the_tool() {
        let arguments = read(r#"{"security_risk":"LOW","summary":"write é","text":"x","n":1.0}"#, "{}");
        assert_eq!(
            arguments.stored,
            r#"{"security_risk": "LOW", "summary": "write \u00e9", "text": "x", "n": 1.0}"#
        );
        assert_eq!(arguments.for_tool.text(), r#"{"text":"x","n":1.0}"#);
        assert_eq!(arguments.summary, "write é");
    }

    #[test]
    fn the_models_risk_is_used_only_on_request_and_not_for_read_only_tools() {
        let risk = |text: &str, reads_risk, read_only_hint| {
            let mut tool = tool("{}");
            tool.annotations.read_only_hint = read_only_hint;
            read_arguments(text, &tool, reads_risk).map(|arguments| arguments.risk)
        };
        assert_eq!(risk(r#"{"security_risk":"HIGH"}"#, true, false), Ok(SecurityRisk::High));
        assert_eq!(risk(r#"{"securtiy_risk":"LOW"}"#, true, false), Ok(SecurityRisk::Low));
        assert_eq!(risk("{}", true, false), Ok(SecurityRisk::Unknown));
        assert_eq!(risk(r#"{"security_risk":null}"#, true, false), Ok(SecurityRisk::Unknown));
        for wrong in [r#"{"security_risk":"high"}"#, r#"{"security_risk":3}"#] {
            assert!(risk(wrong, true, false).unwrap_err().contains("UNKNOWN, LOW, MEDIUM or HIGH"));
            assert_eq!(risk(wrong, false, false), Ok(SecurityRisk::Unknown));
            assert_eq!(risk(wrong, true, true), Ok(SecurityRisk::Unknown));
        }
    }

    #[test]
    fn the_summary_of_a_call_defaults_to_its_arguments() {
        assert_eq!(read(r#"{"text":"x"}"#, "{}").summary, r#"note: {"text": "x"}"#);
        assert_eq!(read(r#"{"text":"x","summary":"  "}"#, "{}").summary, r#"note: {"text": "x"}"#);
        assert_eq!(read("{}", "{}").summary, "note: {}");
    }

    #[test]
    fn a_tools_own_summary_argument_reaches_the_tool() {
        let schema = r#"{"properties":{"summary":{"type":"string"}}}"#;
        let arguments = read(r#"{"summary":" Title "}"#, schema);
        assert_eq!(arguments.for_tool.text(), r#"{"summary":" Title "}"#);
        assert_eq!(arguments.summary, "Title");
    }

    #[test]
    fn raw_line_breaks_and_misspelt_risks_are_accepted() {
        let arguments = read("{\"text\":\"a\nb\",\"securtiy_risk\":\"HIGH\"}", "{}");
        assert_eq!(arguments.for_tool.text(), r#"{"text":"a\nb"}"#);
        assert_eq!(arguments.stored, r#"{"text": "a\nb", "security_risk": "HIGH"}"#);
    }

    #[test]
    fn lists_in_strings_and_strings_in_pieces_are_corrected_if_the_schema_expects_it() {
        let schema = r#"{"properties":{"a":{"type":"array"},"s":{"type":["string","null"]},"t":{"type":"string"},
            "o":{"anyOf":[{"type":"object"},{"type":"null"}]}}}"#;
        let arguments = read(r#"{"a":"[1, 5]","s":["x","y"],"t":"[1]","o":"{\"k\":\"a\nb\"}"}"#, schema);
        assert_eq!(arguments.for_tool.text(), r#"{"a":[1, 5],"s":"xy","t":"[1]","o":{"k":"a\nb"}}"#);
    }

    #[test]
    fn a_required_argument_that_may_be_null_reaches_the_tool() {
        let schema = r#"{"properties":{"note":{"type":["string","null"]},"n":{"type":"integer"},"list":{"type":"array",
            "items":{"properties":{"a":{"type":"string"}}}}},"required":["note","r"],"additionalProperties":{"type":"string"}}"#;
        let arguments =
            read(r#"{"note":null,"n":null,"x":null,"r":null,"list":[{"a":null,"b":null},null]}"#, schema);
        assert_eq!(arguments.for_tool.text(), r#"{"note":null,"r":null,"list":[{"b":null},null]}"#);
        assert_eq!(arguments.stored, r#"{"note": null, "r": null, "list": [{"b": null}, null]}"#);
        let arguments = read(r#"{"security_risk":null,"summary":null,"any":null}"#, "{}");
        assert_eq!(arguments.for_tool.text(), r#"{"any":null}"#);
    }

    #[test]
    fn what_is_nested_too_deep_for_the_log_is_refused_and_the_rest_keeps_its_text() {
        let deep = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1));
        let schema = r#"{"properties":{"list":{"type":"array"}}}"#;
        assert_eq!(read(&deep(127), "{}").for_tool.text(), deep(127));
        let list = format!("{}{}", "[".repeat(126), "]".repeat(126));
        assert_eq!(
            read(&format!(r#"{{"list":"{list}"}}"#), schema).for_tool.text(),
            format!(r#"{{"list":{list}}}"#)
        );
        for depth in [128, 500, 100_000] {
            let list = format!(r#"{{"list":"{}{}"}}"#, "[".repeat(depth - 1), "]".repeat(depth - 1));
            for (text, schema) in [(deep(depth), "{}"), (list, schema)] {
                let error = read_arguments(&text, &tool(schema), true).unwrap_err();
                assert_eq!(error, "objects and lists may be nested in each other at most 127 times");
            }
        }
    }

    #[test]
    fn a_string_that_the_schema_allows_stays_a_string() {
        let schema = r#"{"properties":{"either":{"anyOf":[{"type":"string"},{"type":"array"}]},"any":{}}}"#;
        let arguments = read(r#"{"either":"[1]","any":["x"]}"#, schema);
        assert_eq!(arguments.for_tool.text(), r#"{"either":"[1]","any":["x"]}"#);
    }

    #[test]
    fn json_other_than_an_object_is_no_arguments_and_malformed_json_is_an_error() {
        assert_eq!(read("[1]", "{}").stored, "{}");
        assert!(read_arguments("{\"a\":", &tool("{}"), true).unwrap_err().contains("not valid JSON"));
        assert_eq!(argument_names("{\"a\":"), None);
        assert_eq!(argument_names(r#"{"a":1,"b":2}"#), Some(vec!["a".into(), "b".into()]));
        assert_eq!(
            malformed("no \"JSON\""),
            r#"{"_openhands_malformed_tool_call": true, "error": "no \"JSON\""}"#
        );
    }
}
