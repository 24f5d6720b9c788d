//! The call in an answer's text: the SDK's `convert_non_fncall_messages_to_fncall_messages` for its last message.
//!
//! Lenient where the SDK is: closing tags that a stop word cut off, tags of models with a format of their own around
//! the call, names of tools of old. Only the first call counts, because the protocol allows one in an answer, and a
//! history with several could not be told in it.
//! A call with a value that has no end is not made: the SDK leaves the value out.

use super::python::{int, str_of};
use crate::{
    json::{EditableObject, Object, elements, float, is_json, is_same, python_dumps, quoted},
    llm::{chat_completions::messages::is_space, completion::ToolSchema},
};

pub(super) const CALL: &str = "<function=";
const CALL_END: &str = "</function>";
const VALUE: &str = "<parameter=";
const VALUE_END: &str = "</parameter>";

/// Tags that some models put in front of a call, and that say nothing.
pub(super) const BEFORE_CALL: [&str; 2] = ["<tool_call>", "</think>"];

/// What models call tools that they were trained with.
const OLD_NAMES: [(&str, &str); 4] = [
    ("str_replace_editor", "file_editor"),
    ("bash", "terminal"),
    ("execute_bash", "terminal"),
    ("str_replace", "file_editor"),
];

/// What is asked for with every call; a tool that does not want it does without.
pub(super) const OF_EVERY_CALL: [&str; 2] = ["security_risk", "summary"];

/// More values than any call has.
const MOST_VALUES: usize = 1000;

/// A call, and what was said before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Spoken<'a> {
    /// The model's words in front of the call.
    pub thought: &'a str,
    /// What it calls the tool.
    name: &'a str,
    /// What stands between the call's tags.
    body: &'a str,
}

/// Finds the first call.
pub(super) fn spoken(text: &str) -> Option<Spoken<'_>> {
    let start = text.find(CALL)?;
    let mut rest = text.get(start..)?;
    loop {
        let (_, behind) = rest.split_once(CALL)?;
        let (name, body) = behind.split_once('>')?;
        if !name.is_empty() {
            // The last call of an answer need not be closed: its end is the stop word.
            let end = body.find(CALL_END).unwrap_or(body.len());
            let thought = text.get(..quiet_start(text, start))?.trim_start_matches(is_space);
            return Some(Spoken { thought, name, body: body.get(..end)? });
        }
        rest = behind;
    }
}

/// Where the white space and the tags begin that say nothing and end at `end`.
pub(super) fn quiet_start(text: &str, end: usize) -> usize {
    let mut before = text.get(..end).unwrap_or_default();
    loop {
        before = before.trim_end_matches(is_space);
        match BEFORE_CALL.iter().find_map(|tag| before.strip_suffix(tag)) {
            Some(earlier) => before = earlier,
            None => return before.len(),
        }
    }
}

/// The tool's name and its arguments as JSON.
///
/// # Errors
/// What is wrong with the call, for the model.
pub(super) fn understood(call: &Spoken<'_>, tools: &[ToolSchema]) -> Result<(String, String), String> {
    let find_tool = |name: &str| tools.iter().find(|tool| tool.name == name);
    let known_as = OLD_NAMES.iter().find(|(old, _)| *old == call.name).map(|(_, name)| *name);
    let Some(tool) = find_tool(call.name).or_else(|| find_tool(known_as?)) else {
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        return Err(format!(
            "The call was not made: there is no function '{}'. Available: {}",
            call.name,
            names.join(", ")
        ));
    };
    let refused = |what: String| Err(format!("The call of '{}' was not made: {what}", tool.name));
    let schema = Object::parse(&tool.parameters).unwrap_or_default();
    let properties = schema.object("properties");
    let is_open = properties.iter().next().is_none();
    let mut arguments = EditableObject::default();
    let (values, unfinished) = values(call.body);
    if let Some(start) = unfinished {
        let name = start.split(['>', '=', '\n']).next().unwrap_or_default();
        return refused(format!("the value of '{name}' has no end. Close it with {VALUE_END}"));
    }
    for (name, text) in values {
        let property = match properties.get(name) {
            Some(property) => Object::parse(property).unwrap_or_default(),
            None if is_open => Object::default(),
            None if OF_EVERY_CALL.contains(&name) => continue,
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
    // The risk is looked at where somebody wants to know it.
    let is_missing = |name: &String| name != "security_risk" && arguments.get(name).is_none();
    let missing: Vec<String> = required.into_iter().filter(is_missing).collect();
    if !missing.is_empty() {
        return refused(format!("these parameters are missing: {}", missing.join(", ")));
    }
    Ok((tool.name.clone(), python_dumps(&arguments.text())))
}

/// The names and values between a call's tags, and the beginning of one that is not closed.
fn values(body: &str) -> (Vec<(&str, &str)>, Option<&str>) {
    let mut found = Vec::new();
    let mut rest = body;
    while let Some((_, behind)) = rest.split_once(VALUE).filter(|_| found.len() < MOST_VALUES) {
        let Some(end) = behind.find(VALUE_END) else { return (found, Some(behind)) };
        let whole = behind.get(..end).unwrap_or_default();
        rest = behind.get(end..).unwrap_or_default();
        // Some models write `<parameter=name=value</parameter>`.
        let torn = whole.split_once('=').filter(|(name, value)| is_name(name) && !value.contains('<'));
        if let Some((name, value)) = torn.or_else(|| whole.split_once('>')) {
            found.push((name, value.trim_matches(is_space)));
        }
    }
    (found, None)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A value as JSON. The SDK reads whole numbers and lists, and leaves the rest to the tool's class, which reads them
/// out of texts; tools here are given what their schema says.
fn value_of(text: &str, property: &Object<'_>) -> Result<String, ()> {
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
