//! Names of tools and ids of calls that Anthropic accepts, made from those of other servers and providers.
//!
//! Tool names match `^[a-zA-Z0-9_-]{1,128}$` and ids of calls `^[a-zA-Z0-9_-]+$`; neither may occur twice
//! (platform.claude.com, "Tool use", and the API's own errors "String should match pattern" and "`tool_use` ids must
//! be unique"). MCP servers name tools with dots and slashes; ids of other providers have colons, bars and signatures.

use crate::llm::wire_api::LlmRequest;
use std::collections::BTreeSet;

const MAX_NAME_LENGTH: usize = 128;

/// The renamed tools: the original name, and the name that is sent.
#[derive(Default)]
pub(super) struct ToolNames(Vec<(String, String)>);

impl ToolNames {
    /// The names for all tools of the request and its history. A valid name stays.
    pub(super) fn of(request: &LlmRequest<'_>) -> Self {
        let tools = request.tools.iter().map(|tool| &tool.name);
        let calls = request.messages.iter().filter_map(|message| message.tool_calls.as_ref()).flatten();
        let names: Vec<&String> = tools.chain(calls.map(|call| &call.name)).collect();
        let mut taken = BTreeSet::new();
        for name in &names {
            if *accepted(name) == **name {
                taken.insert((*name).clone());
            }
        }
        let mut renamed = Self::default();
        for name in names {
            if !taken.contains(name) && renamed.sent(name) == name {
                let sent = unique(&accepted(name), &mut taken);
                renamed.0.push((name.clone(), sent));
            }
        }
        renamed
    }

    /// The name that is sent for a tool.
    pub(super) fn sent<'a>(&'a self, name: &'a str) -> &'a str {
        self.0.iter().find(|(original, _)| original == name).map_or(name, |(_, sent)| sent)
    }

    /// The original name of a tool that was sent with this name.
    pub(super) fn original<'a>(&'a self, name: &'a str) -> &'a str {
        self.0.iter().find(|(_, sent)| sent == name).map_or(name, |(original, _)| original)
    }
}

fn accepted(name: &str) -> String {
    let accepted = only_accepted(name);
    accepted.get(..MAX_NAME_LENGTH).unwrap_or(&accepted).to_owned()
}

/// The ids of one request's calls.
#[derive(Default)]
pub(super) struct CallIds(BTreeSet<String>);

impl CallIds {
    /// The id that is sent for the next call, whose original id is `id`.
    pub(super) fn next(&mut self, id: &str) -> String {
        unique(&only_accepted(id), &mut self.0)
    }
}

fn only_accepted(text: &str) -> String {
    let is_accepted = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let accepted: String = text.chars().map(|c| if is_accepted(c) { c } else { '_' }).collect();
    if accepted.is_empty() { "_".into() } else { accepted }
}

/// `start`, with a number appended if it is taken.
fn unique(start: &str, taken: &mut BTreeSet<String>) -> String {
    let mut unique = start.to_owned();
    let mut number = 1;
    while taken.contains(&unique) {
        number += 1;
        let end = format!("_{number}");
        let room = MAX_NAME_LENGTH.saturating_sub(end.len());
        unique = format!("{}{end}", start.get(..room).unwrap_or(start));
    }
    taken.insert(unique.clone());
    unique
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_is_taken_or_not_accepted_is_replaced() {
        let mut ids = CallIds::default();
        let sent = ["call_1", "a.b|é", "a_b_", "call_1", "call_1", ""].map(|id| ids.next(id));
        assert_eq!(sent, ["call_1", "a_b__", "a_b_", "call_1_2", "call_1_3", "_"]);
    }

    #[test]
    fn a_renamed_tool_is_translated_back() {
        let mut taken = BTreeSet::from(["a_b".to_owned()]);
        let names = ToolNames(vec![("a.b".into(), unique(&accepted("a.b"), &mut taken))]);
        assert_eq!((names.sent("a.b"), names.original("a_b_2")), ("a_b_2", "a.b"));
        assert_eq!((names.sent("a_b"), names.original("a_b")), ("a_b", "a_b"));
    }

    #[test]
    fn a_long_name_is_cut() {
        let long = "x".repeat(200);
        let mut taken = BTreeSet::new();
        assert_eq!(unique(&accepted(&long), &mut taken).len(), 128);
        let second = unique(&accepted(&long), &mut taken);
        assert_eq!((second.len(), second.ends_with("x_2")), (128, true));
    }
}
