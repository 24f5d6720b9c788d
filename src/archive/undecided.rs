//! What an import leaves for the host to decide: a member of the stored `base_state.json`, which no export has.
//!
//! It is the first member, so that without it every other byte is as it came. What its fields mean is said where they
//! are read, in `conversation/imported.rs`.

use super::json;
use crate::store::IMPORT;

/// A base state as an import stores it: nothing about it is decided. `before` is what was stored of the conversation.
pub fn marked(text: &str, before: Option<&str>) -> String {
    let text = unmarked(text);
    let before = before.map(decided_before).unwrap_or_default();
    let mark =
        format!("{{\"{IMPORT}\":{{\"new\":true{before},\"calls\":true,\"settings\":true,\"secrets\":true}},");
    text.replacen('{', &mark, 1)
}

/// A base state without that member, whoever wrote it.
pub fn unmarked(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(edit) = place_of_mark(&text) {
        text = json::edited(&text, vec![(edit, String::new())]);
    }
    text
}

/// From the member's name to the comma behind it; of the last one, from the comma before it.
fn place_of_mark(text: &str) -> Option<std::ops::Range<usize>> {
    let members = json::members(text).ok()?;
    let place = members.iter().position(|(name, _)| name == IMPORT)?;
    let (_, value) = members.get(place)?;
    let end = json::range_in(text, value).end;
    let before = place.checked_sub(1).and_then(|before| members.get(before));
    let start =
        before.map_or(text.find('{')?.saturating_add(1), |(_, value)| json::range_in(text, value).end);
    let comma = text.get(end..)?.find(',').filter(|_| before.is_none() && members.len() > 1);
    Some(start..comma.map_or(end, |comma| end.saturating_add(comma).saturating_add(1)))
}

/// What the host had decided about a stored conversation, as a field of the mark. Of an import that nobody has opened it
/// is what had been decided before that.
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
    fn what_is_marked_and_unmarked_again_is_byte_for_byte_what_it_was() {
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
    fn a_mark_that_an_archive_brings_is_not_believed() {
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
    fn a_second_import_remembers_what_was_decided_here_before_the_first() {
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
