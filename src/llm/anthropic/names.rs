//! Names and ids that Anthropic accepts, for those that others made up.
//!
//! Tool names match `^[a-zA-Z0-9_-]{1,128}$` and ids of calls `^[a-zA-Z0-9_-]+$`; neither may stand twice
//! (platform.claude.com, "Tool use", and the API's own errors "String should match pattern" and "`tool_use` ids must
//! be unique"). MCP servers name tools with dots and slashes; ids of other providers have colons, bars and signatures.

use crate::llm::wire_api::LlmRequest;
use std::collections::BTreeSet;

const LONGEST_NAME: usize = 128;

/// The tools that have another name on the way: ours, and the one that is sent.
#[derive(Default)]
pub(super) struct ToolNames(Vec<(String, String)>);

impl ToolNames {
    /// Names every tool of the request and of its history. A name that is valid stays.
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
                let sent = free(&accepted(name), &mut taken);
                renamed.0.push((name.clone(), sent));
            }
        }
        renamed
    }

    /// What a tool is called on the way out.
    pub(super) fn sent<'a>(&'a self, name: &'a str) -> &'a str {
        self.0.iter().find(|(own, _)| own == name).map_or(name, |(_, sent)| sent)
    }

    /// What a tool is called here.
    pub(super) fn own<'a>(&'a self, name: &'a str) -> &'a str {
        self.0.iter().find(|(_, sent)| sent == name).map_or(name, |(own, _)| own)
    }
}

fn accepted(name: &str) -> String {
    let accepted = only_accepted(name);
    accepted.get(..LONGEST_NAME).unwrap_or(&accepted).to_owned()
}

/// The ids of one request's calls.
#[derive(Default)]
pub(super) struct CallIds(BTreeSet<String>);

impl CallIds {
    /// The id that a call is sent with.
    pub(super) fn next(&mut self, id: &str) -> String {
        free(&only_accepted(id), &mut self.0)
    }
}

fn only_accepted(text: &str) -> String {
    let is_accepted = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let accepted: String = text.chars().map(|c| if is_accepted(c) { c } else { '_' }).collect();
    if accepted.is_empty() { "_".into() } else { accepted }
}

/// `start`, or with a number behind it where that is taken.
fn free(start: &str, taken: &mut BTreeSet<String>) -> String {
    let mut free = start.to_owned();
    let mut number = 1;
    while taken.contains(&free) {
        number += 1;
        let end = format!("_{number}");
        let room = LONGEST_NAME.saturating_sub(end.len());
        free = format!("{}{end}", start.get(..room).unwrap_or(start));
    }
    taken.insert(free.clone());
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_is_taken_or_not_accepted_becomes_another() {
        let mut ids = CallIds::default();
        let sent = ["call_1", "a.b|é", "a_b_", "call_1", "call_1", ""].map(|id| ids.next(id));
        assert_eq!(sent, ["call_1", "a_b__", "a_b_", "call_1_2", "call_1_3", "_"]);
    }

    #[test]
    fn a_name_is_found_again() {
        let mut taken = BTreeSet::from(["a_b".to_owned()]);
        let names = ToolNames(vec![("a.b".into(), free(&accepted("a.b"), &mut taken))]);
        assert_eq!((names.sent("a.b"), names.own("a_b_2")), ("a_b_2", "a.b"));
        assert_eq!((names.sent("a_b"), names.own("a_b")), ("a_b", "a_b"));
    }

    #[test]
    fn a_long_name_is_cut() {
        let long = "x".repeat(200);
        let mut taken = BTreeSet::new();
        assert_eq!(free(&accepted(&long), &mut taken).len(), 128);
        let second = free(&accepted(&long), &mut taken);
        assert_eq!((second.len(), second.ends_with("x_2")), (128, true));
    }
}
