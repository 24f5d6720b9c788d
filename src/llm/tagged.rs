//! Thoughts and calls that a server has left in the text of an answer, because it did not recognise what its model wrote: found
//! by their form when the answer is complete, and given the place that they have in other answers.

use super::settled_calls::end_of_object;
use crate::{
    json::{FromJson as _, Object},
    llm::message::{Content, Message, MessageToolCall},
};

/// The tags around thoughts.
const THOUGHTS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// The fields that have the arguments of a call.
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "args", "input"];

/// What templates write between the parts of a call, beside tags.
const FILLERS: [&str; 4] = ["function", "json", "```json", "```"];

/// The longest tag, in bytes, and the most places where calls are looked for.
const LONGEST_TAG: usize = 80;
const MOST_PLACES: usize = 100;

/// Moves thoughts and calls out of the text. `tools` has the names of the tools that are offered, and `new_id` makes ids.
pub(super) fn untag(message: &mut Message, tools: &[&str], new_id: &mut dyn FnMut() -> String) {
    if let [Content::Text { text, .. }] = message.content.as_slice()
        && message.reasoning_content.is_none()
        && message.thinking_blocks.is_empty()
        && let Some((thoughts, said)) = thoughts_in(text)
    {
        message.reasoning_content = Some(thoughts.trim().to_owned()).filter(|text| !text.is_empty());
        message.content = content(said);
    }
    if let [Content::Text { text, .. }] = message.content.as_slice()
        && message.tool_calls.is_none()
        && let Some((said, calls)) = calls_in(text, tools)
    {
        let call = |(name, arguments): (&str, String)| MessageToolCall {
            id: format!("call_{}", new_id()),
            responses_item_id: None,
            name: name.to_owned(),
            arguments,
            origin: "completion".into(),
        };
        message.tool_calls = Some(calls.into_iter().map(call).collect());
        message.content = content(said);
    }
}

fn content(text: &str) -> Vec<Content> {
    let text = text.trim();
    if text.is_empty() { Vec::new() } else { vec![Content::text(text)] }
}

/// The thoughts with which an answer begins, and the rest. Some templates open them in the request, so that only their end is in
/// the answer, on a line of its own.
fn thoughts_in(text: &str) -> Option<(&str, &str)> {
    let start = text.trim_start();
    THOUGHTS.iter().find_map(|(open, close)| match start.strip_prefix(open) {
        Some(rest) => Some(rest.split_once(close).unwrap_or((rest, ""))),
        None => {
            let (before, after) = text.split_once(close)?;
            let is_line = before.is_empty() || before.ends_with('\n');
            let ends_line = after.is_empty() || after.starts_with(['\n', '\r']);
            (is_line && ends_line && !before.contains(open) && !is_fenced(before)).then_some((before, after))
        }
    })
}

/// Whether what follows this text is in a block of code.
fn is_fenced(text: &str) -> bool {
    text.lines().filter(|line| line.trim_start().starts_with("```")).count() % 2 == 1
}

/// The calls with which an answer ends, and the text before them.
fn calls_in<'a>(text: &'a str, tools: &[&'a str]) -> Option<(&'a str, Vec<(&'a str, String)>)> {
    if tools.is_empty() || !text.contains('{') {
        return None;
    }
    let marked = text.match_indices(['<', '[']).map(|(at, _)| at).filter(|at| is_mark(text, *at));
    let places = marked.take(MOST_PLACES).chain([text.len() - text.trim_start().len()]);
    places.into_iter().find_map(|at| {
        let (before, rest) = text.split_at_checked(at)?;
        let calls = calls_of(rest, tools)?;
        (!is_fenced(before)).then_some((before, calls))
    })
}

/// Whether a tag that is about calls begins here.
fn is_mark(text: &str, at: usize) -> bool {
    let Some((tag, _)) = text.get(at..).and_then(tag_of) else { return false };
    let tag = tag.to_ascii_lowercase();
    ["tool", "function", "call"].iter().any(|word| tag.contains(word))
}

/// What is in the tag with which a text begins, `<…>` or `[UPPER_CASE]`, and what follows it.
fn tag_of(text: &str) -> Option<(&str, &str)> {
    let (tag, rest) = match text.strip_prefix('<') {
        Some(rest) => rest.split_once('>')?,
        None => text.strip_prefix('[')?.split_once(']')?,
    };
    let is_name = |c: char| c.is_ascii_uppercase() || c == '_';
    let is_tag = text.starts_with('<') && !tag.contains(['\n', '{', '<']) || tag.chars().all(is_name);
    (is_tag && !tag.is_empty() && tag.len() <= LONGEST_TAG).then_some((tag, rest))
}

/// The calls of which a text consists: objects that name a tool and have its arguments, or arguments behind the name of a tool.
fn calls_of<'a>(text: &'a str, tools: &[&'a str]) -> Option<Vec<(&'a str, String)>> {
    let mut calls = Vec::new();
    let mut rest = text;
    loop {
        let (between, object) = rest.split_at_checked(rest.find('{').unwrap_or(rest.len()))?;
        let name = name_in(between, tools)?;
        if object.is_empty() {
            return (name.is_none() && !calls.is_empty()).then_some(calls);
        }
        let (object, after) = object.split_at_checked(end_of_object(object)?)?;
        let fields = Object::parse(object)?;
        calls.push(match name {
            Some(name) => (name, object.to_owned()),
            None => named_call(&fields, tools)?,
        });
        rest = after;
    }
}

/// The tool that is named between two objects, if anything is; `None` if there is something else.
fn name_in<'a>(between: &str, tools: &[&'a str]) -> Option<Option<&'a str>> {
    let mut names = Vec::new();
    let mut words = String::new();
    let mut has_tags = false;
    let mut rest = between;
    while let Some(c) = rest.chars().next() {
        if let Some((tag, after)) = tag_of(rest) {
            has_tags = true;
            names.extend(tag.split_once('=').map(|(_, name)| name));
            words.push(' ');
            rest = after;
        } else {
            words.push(if matches!(c, ',' | '[' | ']') { ' ' } else { c });
            rest = rest.get(c.len_utf8()..)?;
        }
    }
    let known = words.split_whitespace().filter(|word| !(has_tags && FILLERS.contains(word)));
    let names: Vec<&str> = names.into_iter().chain(known).collect();
    match names.as_slice() {
        [] => Some(None),
        [name] => tool_of(name, tools).map(Some),
        _ => None,
    }
}

/// The tool that is meant: templates number its calls, and say that it is a function.
fn tool_of<'a>(name: &str, tools: &[&'a str]) -> Option<&'a str> {
    let name = name.trim_matches(['"', '\'']);
    let bare = name.strip_prefix("functions.").unwrap_or(name);
    let numberless = bare.rsplit_once(':').filter(|(_, number)| number.parse::<u32>().is_ok());
    let bare = numberless.map_or(bare, |(name, _)| name);
    tools.iter().find(|tool| **tool == name || **tool == bare).copied()
}

/// The call that an object is, with nothing else in it.
fn named_call<'a>(fields: &Object<'_>, tools: &[&'a str]) -> Option<(&'a str, String)> {
    if let Some(function) = fields.get("function").and_then(Object::parse) {
        return named_call(&function, tools);
    }
    let name = tool_of(&fields.read::<String>("name")?, tools)?;
    let is_part = |name: &str| ["name", "id", "type"].contains(&name) || ARGUMENTS.contains(&name);
    if !fields.iter().all(|(name, _)| is_part(name)) {
        return None;
    }
    let given = ARGUMENTS.iter().find_map(|name| fields.get(name))?;
    let text = fields_text(given)?;
    Object::parse(&text)?;
    Some((name, text))
}

/// Arguments as an object, or as a text that is one.
fn fields_text(json: &str) -> Option<String> {
    if json.starts_with('{') { Some(json.to_owned()) } else { String::from_json(json) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::message::Role;

    fn of(text: &str) -> String {
        let mut message = Message::new(Role::Assistant, vec![Content::text(text)]);
        untag(&mut message, &["look", "add"], &mut || "1".to_owned());
        let calls = message.tool_calls.iter().flatten();
        let calls: Vec<String> = calls.map(|call| format!("{}{}", call.name, call.arguments)).collect();
        let thoughts = message.reasoning_content.clone().unwrap_or_default();
        [thoughts, message.text(), calls.join(" ")].join("|")
    }

    #[test]
    fn thoughts_in_tags_are_thoughts() {
        for (text, expected) in [
            ("<think>\nI add.\n</think>\n\nIt is 5.", "I add.|It is 5.|"),
            ("\n<thinking>I add.</thinking>It is 5.", "I add.|It is 5.|"),
            // The template has opened them.
            ("I add.\n</think>\n\nIt is 5.", "I add.|It is 5.|"),
            // The limit was reached.
            ("<think>I add and", "I add and||"),
            ("<think></think>It is 5.", "|It is 5.|"),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
        for text in [
            "The tag </think> ends it.",
            "Models write <think>…</think> first.",
            "```\nI add.\n</think>\n```",
            "</thinker>",
        ] {
            assert_eq!(of(text), format!("|{text}|"));
        }
    }

    #[test]
    fn calls_that_an_answer_ends_with_are_calls() {
        let one = r#"{"name": "look", "arguments": {"a": 1}}"#;
        for text in [
            format!("<tool_call>\n{one}\n</tool_call>"),
            format!("<|tool_call|>[{one}]"),
            format!("[TOOL_CALLS][{one}]"),
            "<|python_tag|>{\"name\": \"look\", \"parameters\": {\"a\": 1}}<|eom_id|>".into(),
            one.to_owned(),
            format!("[{one}]"),
            r#"{"type": "function", "function": {"name": "look", "arguments": "{\"a\": 1}"}}"#.into(),
            r#"<function=look>{"a": 1}</function>"#.into(),
            r#"[TOOL_CALLS]look{"a": 1}"#.into(),
            r#"<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>{"a": 1}<|tool_call_end|><|tool_calls_section_end|>"#.into(),
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>look\n```json\n{\"a\": 1}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>".into(),
        ] {
            assert_eq!(of(&text), "||look{\"a\": 1}", "{text}");
        }
        let two = format!(
            "<think>Both.</think>I look.\n<tool_call>{one}</tool_call><tool_call>{{\"name\": \"add\", \"arguments\": {{}}}}</tool_call>"
        );
        assert_eq!(of(&two), "Both.|I look.|look{\"a\": 1} add{}");
    }

    #[test]
    fn a_text_about_calls_is_a_text() {
        let one = r#"{"name": "look", "arguments": {"a": 1}}"#;
        for text in [
            // Words before a bare object, words behind a call, and code.
            format!("Send {one}"),
            format!("<tool_call>{one}</tool_call> calls it."),
            format!("So:\n```\n<tool_call>{one}</tool_call>\n```"),
            format!("```json\n{one}\n```"),
            // No such tool, no arguments, more than a call.
            r#"{"name": "Ann", "arguments": {}}"#.into(),
            r#"{"name": "look"}"#.into(),
            r#"{"name": "look", "arguments": {}, "price": 3}"#.into(),
            r#"<tool_call>{"name": "look", "arguments": [1]}</tool_call>"#.into(),
            r#"<tool_call>{"name": "look", "arguments": {"a": 1</tool_call>"#.into(),
            r#"{"a": 1}"#.into(),
            "look".into(),
        ] {
            assert_eq!(of(&text), format!("|{text}|"), "{text}");
        }
    }
}
