//! The mark of an import: a member of the stored `base_state.json` for the decisions that the host has yet to make. It is
//! never exported.
//!
//! It is the first member, so that removing it restores the imported bytes. `conversation/imported.rs`, which reads it,
//! describes its fields.

use super::json;
use crate::store::IMPORT;

/// A base state as an import stores it, with nothing decided. `before` is the base state that was stored before the import.
pub fn marked(text: &str, before: Option<&str>) -> String {
    let text = unmarked(text);
    let before = before.map(decided_before).unwrap_or_default();
    let mark =
        format!("{{\"{IMPORT}\":{{\"new\":true{before},\"calls\":true,\"settings\":true,\"secrets\":true}},");
    text.replacen('{', &mark, 1)
}

/// A base state without the mark, also if the mark comes from the archive.
pub fn unmarked(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(edit) = range_of_mark(&text) {
        text = json::edited(&text, vec![(edit, String::new())]);
    }
    text
}

/// The range from the name of the mark to the comma after it; if it is the last member, from the comma before it.
fn range_of_mark(text: &str) -> Option<std::ops::Range<usize>> {
    let members = json::members(text).ok()?;
    let position = members.iter().position(|(name, _)| name == IMPORT)?;
    let (_, value) = members.get(position)?;
    let end = json::range_in(text, value).end;
    let before = position.checked_sub(1).and_then(|before| members.get(before));
    let start =
        before.map_or(text.find('{')?.saturating_add(1), |(_, value)| json::range_in(text, value).end);
    let comma = text.get(end..)?.find(',').filter(|_| before.is_none() && members.len() > 1);
    Some(start..comma.map_or(end, |comma| end.saturating_add(comma).saturating_add(1)))
}

/// The earlier decisions of the host about a stored conversation, as the field `before` of the mark. For a conversation
/// that was imported and not opened since, they are those from before that import.
fn decided_before(stored: &str) -> String {
    let members = json::members(stored).unwrap_or_default();
    let mark = json::member(&members, IMPORT).and_then(|mark| json::members(mark).ok()).unwrap_or_default();
    if json::member(&mark, "new").is_some() {
        return json::member(&mark, "before")
            .map(|before| format!(",\"before\":{before}"))
            .unwrap_or_default();
    }
    let agent_state = json::member(&members, "agent_state").and_then(|state| json::members(state).ok());
    let decided: Vec<String> = [
        ("confirmation_policy", json::member(&members, "confirmation_policy")),
        ("security_analyzer", json::member(&members, "security_analyzer")),
        ("allowed_tools", agent_state.as_ref().and_then(|state| json::member(state, "allowed_tools"))),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some(format!("\"{name}\":{}", value?)))
    .collect();
    format!(",\"before\":{{{}}}", decided.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marking_and_unmarking_restores_every_byte() {
        for text in [
            "{\"id\":\"x\"}",
            " {\n  \"id\" : \"x\" ,\"n\":1.50 }\n",
            "{\"agent_state\":{\"allowed_tools\":[\"pay\"]},\"id\":\"{\"}",
        ] {
            for before in [None, Some("{\"confirmation_policy\":{\"kind\":\"AlwaysConfirm\"}}")] {
                let marked = marked(text, before);
                assert!(json::members(&marked).unwrap()[0].0 == IMPORT, "{marked}");
                assert_eq!(unmarked(&marked), text);
            }
        }
    }

    #[test]
    fn a_mark_in_an_archive_is_replaced() {
        for spoofed in [
            "{\"threadkeep_import\":{},\"id\":\"x\"}",
            "{\"id\":\"x\",\"threadkeep_import\":{}}",
            "{\"threadkeep_import\":{},\"id\":\"x\", \"threadkeep\\u005fimport\" : {} }",
        ] {
            let stored = marked(spoofed, None);
            let members = json::members(&stored).unwrap();
            let marks: Vec<&str> =
                members.iter().filter(|(name, _)| name == IMPORT).map(|(_, value)| *value).collect();
            assert_eq!(marks, [r#"{"new":true,"calls":true,"settings":true,"secrets":true}"#], "{stored}");
        }
        assert_eq!(unmarked("{\"threadkeep_import\":{}}"), "{}");
    }

    #[test]
    fn a_second_import_keeps_the_decisions_from_before_the_first() {
        let ours =
            r#"{"confirmation_policy":{"kind":"AlwaysConfirm"},"agent_state":{"allowed_tools":["a"]}}"#;
        let decided = r#""before":{"confirmation_policy":{"kind":"AlwaysConfirm"},"allowed_tools":["a"]}"#;
        let once = marked("{\"id\":1}", Some(ours));
        assert!(once.contains(decided), "{once}");
        let twice = marked("{\"id\":2}", Some(&once));
        assert!(twice.contains(decided), "{twice}");
        let never_opened = marked("{\"id\":2}", Some(&marked("{\"id\":1}", None)));
        assert!(!never_opened.contains("before"), "{never_opened}");
    }
}
