//! Names of tools and ids of calls that providers accept, made from those of other servers and of models.
//!
//! Names of tools match `^[a-zA-Z0-9_-]{1,64}$` at OpenAI and at those who copy it, `{1,128}` at Anthropic, whose ids of calls
//! match `^[a-zA-Z0-9_-]+$`; neither may occur twice (platform.claude.com, "Tool use", and the APIs' own errors "String
//! should match pattern" and "`tool_use` ids must be unique"). MCP servers name tools with dots and slashes; ids of other
//! providers have colons, bars and signatures. A model can also name a tool as its template does
//! (`multi_tool_use.parallel`), and every later request would be refused for it.

use crate::llm::wire_api::LlmRequest;
use std::collections::BTreeSet;

/// Anthropic's limit for a name.
pub(super) const ANTHROPIC_LIMIT: usize = 128;

/// OpenAI's limit for a name.
pub(super) const OPENAI_LIMIT: usize = 64;

/// The tools of one request: those that are renamed, with their original name and the one that is sent.
#[derive(Clone, Default)]
pub(super) struct ToolNames {
    renamed: Vec<(String, String)>,
    /// The names of the tools that the model may call.
    offered: Vec<String>,
}

impl ToolNames {
    /// The names for all tools of the request and its history, of at most `limit` bytes. A valid name stays.
    pub(super) fn of(request: &LlmRequest<'_>, limit: usize) -> Self {
        let offered: Vec<String> = request.tools.iter().map(|tool| tool.name.clone()).collect();
        let calls = request.messages.iter().filter_map(|message| message.tool_calls.as_ref()).flatten();
        let mut seen = BTreeSet::new();
        // A long history has the same few names again and again.
        let mut names: Vec<&String> = offered.iter().chain(calls.map(|call| &call.name)).collect();
        names.retain(|name| seen.insert(name.as_str()));
        let (valid, others): (Vec<&String>, Vec<&String>) =
            names.into_iter().partition(|name| accepted(name, limit) == **name);
        let mut taken = BTreeSet::new();
        taken.extend(valid.into_iter().cloned());
        let rename = |name: &String| (name.clone(), unique(&accepted(name, limit), &mut taken, limit));
        Self { renamed: others.into_iter().map(rename).collect(), offered }
    }

    /// The name that is sent for a tool.
    pub(super) fn sent<'a>(&'a self, name: &'a str) -> &'a str {
        self.renamed.iter().find(|(original, _)| original == name).map_or(name, |(_, sent)| sent)
    }

    /// The renamed tools.
    pub(super) fn renamed(&self) -> &[(String, String)] {
        &self.renamed
    }

    /// The original name of a tool that the model has called by this name. A name that was not offered may have tokens of
    /// the model's template around one that was.
    pub(super) fn original<'a>(&'a self, name: &'a str) -> &'a str {
        if let Some((original, _)) = self.renamed.iter().find(|(_, sent)| sent == name) {
            return original;
        }
        let is_offered = |name: &str| self.offered.iter().any(|offered| offered == name);
        if is_offered(name) {
            return name;
        }
        // `get_weather<|channel|>commentary`, `functions.get_weather:0`, ` get_weather`.
        let before = name.split("<|").next().unwrap_or_default().trim();
        let behind = name.rsplit("|>").next().unwrap_or_default().trim();
        let bare = if before.is_empty() { behind } else { before };
        let counted =
            bare.rsplit_once(':').filter(|(_, count)| count.bytes().all(|byte| byte.is_ascii_digit()));
        let bare = counted.map_or(bare, |(bare, _)| bare);
        let last = bare.rsplit_once('.').map_or(bare, |(_, last)| last);
        let sent = |name: &str| {
            self.renamed.iter().find(|(_, sent)| sent == name).map(|(original, _)| original.as_str())
        };
        [bare, last]
            .into_iter()
            .find(|name| is_offered(name))
            .or_else(|| sent(bare))
            .or_else(|| sent(last))
            .unwrap_or(name)
    }
}

fn accepted(name: &str, limit: usize) -> String {
    let accepted = only_accepted(name);
    accepted.get(..limit).unwrap_or(&accepted).to_owned()
}

/// The ids of one request's calls.
#[derive(Default)]
pub(super) struct CallIds(BTreeSet<String>);

impl CallIds {
    /// The id that is sent for the next call, whose original id is `id`.
    pub(super) fn next(&mut self, id: &str) -> String {
        unique(&only_accepted(id), &mut self.0, ANTHROPIC_LIMIT)
    }
}

fn only_accepted(text: &str) -> String {
    let is_accepted = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let accepted: String = text.chars().map(|c| if is_accepted(c) { c } else { '_' }).collect();
    if accepted.is_empty() { "_".into() } else { accepted }
}

/// `start`, with a number appended if it is taken.
fn unique(start: &str, taken: &mut BTreeSet<String>, limit: usize) -> String {
    let mut unique = start.to_owned();
    let mut number = 1;
    while taken.contains(&unique) {
        number += 1;
        let end = format!("_{number}");
        let room = limit.saturating_sub(end.len());
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

    fn names(renamed: &[(&str, &str)], offered: &[&str]) -> ToolNames {
        let owned = |name: &&str| (*name).to_owned();
        let renamed = renamed.iter().map(|(original, sent)| (owned(original), owned(sent))).collect();
        ToolNames { renamed, offered: offered.iter().map(owned).collect() }
    }

    #[test]
    fn a_renamed_tool_is_translated_back() {
        let mut taken = BTreeSet::from(["a_b".to_owned()]);
        let sent = unique(&accepted("a.b", 64), &mut taken, 64);
        let names = names(&[("a.b", &sent)], &["a.b", "a_b"]);
        assert_eq!((names.sent("a.b"), names.original("a_b_2")), ("a_b_2", "a.b"));
        assert_eq!((names.sent("a_b"), names.original("a_b")), ("a_b", "a_b"));
    }

    #[test]
    fn a_name_with_tokens_of_a_template_is_the_tool_in_it() {
        let names = names(&[("srv.run", "srv_run")], &["get_weather", "srv.run"]);
        for (called, tool) in [
            ("get_weather<|channel|>commentary", "get_weather"),
            ("<|tool_call|>get_weather", "get_weather"),
            ("functions.get_weather", "get_weather"),
            ("functions.get_weather:12", "get_weather"),
            ("default_api.srv_run", "srv.run"),
            ("\nget_weather ", "get_weather"),
            ("functions.unknown:1", "functions.unknown:1"),
            ("get_weather:now", "get_weather:now"),
        ] {
            assert_eq!(names.original(called), tool, "{called}");
        }
    }

    #[test]
    fn a_long_name_is_cut() {
        let long = "x".repeat(200);
        let mut taken = BTreeSet::new();
        assert_eq!(unique(&accepted(&long, 128), &mut taken, 128).len(), 128);
        let second = unique(&accepted(&long, 128), &mut taken, 128);
        assert_eq!((second.len(), second.ends_with("x_2")), (128, true));
    }
}
