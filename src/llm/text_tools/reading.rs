//! Parses the call in the text of an answer: the SDK's `convert_non_fncall_messages_to_fncall_messages` for its last
//! message.
//!
//! As lenient as the SDK: a closing tag may be cut off by the stop word, tags of some models around the call are ignored,
//! and former names of tools are accepted. Only the first call counts, because the protocol allows one per answer.
//! A call with an unclosed value is refused; the SDK omits the value.

use super::python::{int, str_of};
use crate::{
    json::{EditableObject, Object, elements, float, is_json, is_same, python_dumps, quoted},
    llm::{chat_completions::messages::is_space, completion::ToolSchema},
};

pub(super) const CALL: &str = "<function=";
pub(super) const CALL_END: &str = "</function>";
pub(super) const VALUE: &str = "<parameter=";
pub(super) const VALUE_END: &str = "</parameter>";

/// Tags that some models write before a call, and that are ignored.
pub(super) const IGNORED_TAGS: [&str; 2] = ["<tool_call>", "</think>"];

/// Names of tools with which models were trained, and the current names.
const FORMER_NAMES: [(&str, &str); 4] = [
    ("str_replace_editor", "file_editor"),
    ("bash", "terminal"),
    ("execute_bash", "terminal"),
    ("str_replace", "file_editor"),
];

/// Parameters that models may add to every call; they are dropped if the tool does not have them.
pub(super) const COMMON_PARAMETERS: [&str; 2] = ["security_risk", "summary"];

/// The limit for the values of one call.
const MAX_VALUES: usize = 1000;

/// A call as it is written in the text, and the text before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TextCall<'a> {
    /// The text before the call.
    pub thought: &'a str,
    /// The name of the tool in the call.
    name: &'a str,
    /// The text between the tags of the call.
    body: &'a str,
}

/// Finds the first call.
pub(super) fn find_call(text: &str) -> Option<TextCall<'_>> {
    let start = text.find(CALL)?;
    let mut rest = text.get(start..)?;
    loop {
        let (_, after_tag) = rest.split_once(CALL)?;
        let (name, body) = after_tag.split_once('>')?;
        if !name.is_empty() {
            // The call at the end of an answer may be unclosed, because the stop word is its closing tag.
            let end = body.find(CALL_END).unwrap_or(body.len());
            let thought = text.get(..ignorable_start(text, start))?.trim_start_matches(is_space);
            return Some(TextCall { thought, name, body: body.get(..end)? });
        }
        rest = after_tag;
    }
}

/// The start of the white space and ignored tags that end at `end`.
pub(super) fn ignorable_start(text: &str, end: usize) -> usize {
    let mut before = text.split_at(end).0;
    loop {
        before = before.trim_end_matches(is_space);
        match IGNORED_TAGS.iter().find_map(|tag| before.strip_suffix(tag)) {
            Some(earlier) => before = earlier,
            None => return before.len(),
        }
    }
}

/// The name of the tool and the arguments as JSON.
///
/// # Errors
/// A message for the model about the error in the call.
pub(super) fn parse_call(call: &TextCall<'_>, tools: &[ToolSchema]) -> Result<(String, String), String> {
    let Some(tool) = tool_named(call.name, tools) else {
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        return Err(format!(
            "The call was not made: there is no function '{}'. Available: {}",
            call.name,
            names.join(", ")
        ));
    };
    let refused = |problem: String| Err(format!("The call of '{}' was not made: {problem}", tool.name));
    let schema = Object::parse(&tool.parameters).unwrap_or_default();
    let properties = schema.object("properties");
    let mut arguments = EditableObject::default();
    let (values, unfinished) = values(call.body);
    if let Some(start) = unfinished {
        let name = start.split(['>', '=', '\n']).next().unwrap_or_default();
        return refused(format!("the value of '{name}' has no end. Close it with {VALUE_END}"));
    }
    for (name, text) in values {
        let property = match property_of(&properties, name) {
            Some(property) => property,
            None if COMMON_PARAMETERS.contains(&name) => continue,
            None => {
                let names: Vec<&str> = properties.iter().map(|(name, _)| name).collect();
                return refused(format!("it has no parameter '{name}'. It has: {}", names.join(", ")));
            }
        };
        let Ok(value) = value_of(text, &property) else {
            let kind = property.read::<String>("type").unwrap_or_default();
            return refused(format!("the value of '{name}' must be of type {kind}"));
        };
        let choices = property.get("enum").and_then(elements);
        if let Some(choices) = choices.filter(|choices| !choices.iter().any(|one| is_same(one, &value))) {
            let choices: Vec<String> = choices.into_iter().map(str_of).collect();
            return refused(format!("the value of '{name}' must be one of: {}", choices.join(", ")));
        }
        arguments.set(name, &value);
    }
    let required: Vec<String> = schema.read("required").unwrap_or_default();
    // The risk is checked only where it is needed.
    let is_missing = |name: &String| name != "security_risk" && arguments.get(name).is_none();
    let missing: Vec<String> = required.into_iter().filter(is_missing).collect();
    if !missing.is_empty() {
        return refused(format!("these parameters are missing: {}", missing.join(", ")));
    }
    Ok((tool.name.clone(), python_dumps(&arguments.text())))
}

/// The tool of this name, or of the name that has replaced it.
pub(super) fn tool_named<'a>(name: &str, tools: &'a [ToolSchema]) -> Option<&'a ToolSchema> {
    let find_tool = |name: &str| tools.iter().find(|tool| tool.name == name);
    let current_name = FORMER_NAMES.iter().find(|(old, _)| *old == name).map(|(_, name)| *name);
    find_tool(name).or_else(|| find_tool(current_name?))
}

/// The schema of a parameter; `None` if there is no such parameter. A tool without properties accepts any.
pub(super) fn property_of<'a>(properties: &Object<'a>, name: &str) -> Option<Object<'a>> {
    match properties.get(name) {
        Some(property) => Some(Object::parse(property).unwrap_or_default()),
        None => properties.iter().next().is_none().then(Object::default),
    }
}

/// The names and values in the body of a call, and the text of an unclosed value.
fn values(body: &str) -> (Vec<(&str, &str)>, Option<&str>) {
    let mut found = Vec::new();
    let mut rest = body;
    while let Some((_, after_tag)) = rest.split_once(VALUE).filter(|_| found.len() < MAX_VALUES) {
        let Some((element, after)) = after_tag.split_once(VALUE_END) else { return (found, Some(after_tag)) };
        rest = after;
        found.extend(name_and_value(element));
    }
    (found, None)
}

/// The name and the value in the text between the tags of a value.
pub(super) fn name_and_value(element: &str) -> Option<(&str, &str)> {
    // Some models write `<parameter=name=value</parameter>`.
    let malformed = element.split_once('=').filter(|(name, value)| is_name(name) && !value.contains('<'));
    let (name, value) = malformed.or_else(|| element.split_once('>'))?;
    Some((name, value.trim_matches(is_space)))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A value as JSON of the type in the schema. The SDK converts integers and lists only, and leaves other types to the
/// tool's class, which accepts them as text.
pub(super) fn value_of(text: &str, property: &Object<'_>) -> Result<String, ()> {
    let kind = property.read::<String>("type");
    let json = text.trim_matches(is_space);
    match kind.as_deref() {
        Some("integer") => int(text).ok_or(()),
        Some("array") if is_json(json) => Ok(json.into()),
        Some("array") => Err(()),
        Some("boolean") if text.eq_ignore_ascii_case("true") => Ok("true".into()),
        Some("boolean") if text.eq_ignore_ascii_case("false") => Ok("false".into()),
        Some("number") if float(json).is_some_and(f64::is_finite) => Ok(json.into()),
        Some("object") if json.starts_with('{') && is_json(json) => Ok(json.into()),
        _ => Ok(quoted(text)),
    }
}
