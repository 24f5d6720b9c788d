//! Masks secrets in JSON, which stays valid and keeps its structure.
//!
//! Strings are masked by their values, not by their spelling. The structure of an event is not masked: field names,
//! kinds, ids and tool names could by chance equal a secret, and the log has to stay readable.

use super::mask::{HIDDEN, Mask};
use crate::json::{backslash, is_json, quoted, string_length, unquoted};
use std::ops::Range;

/// The treatment of values in a part of a JSON text.
#[derive(Clone, Copy, PartialEq)]
enum Zone {
    /// Fields of the SDK's classes: strings are masked, names are not.
    Structured,
    /// Free-form JSON: names, numbers, and secrets that extend over several values are masked as well.
    Free,
    /// A string that contains JSON.
    Nested,
    /// Nothing is masked.
    Unmasked,
}

/// Fields of events, and of objects in them, that have a fixed form or are referred to by others.
const UNMASKED: &[&str] = &[
    "id",
    "kind",
    "type",
    "role",
    "source",
    "timestamp",
    "parent_id",
    "name",
    "tool_name",
    "tool_call_id",
    "llm_response_id",
    "responses_item_id",
    "action_id",
    "message_id",
    "origin",
    "security_risk",
    "rejection_source",
    "hook_event_type",
    "classification",
    "code",
    "key",
    "signature",
    "encrypted_content",
    "activated_skills",
    "forgotten_event_ids",
    "tools",
];

impl Zone {
    /// The zone of a field's value in this zone.
    fn of_value(self, name: &str) -> Self {
        match name {
            _ if self != Self::Structured => self,
            "data" | "hook_input" => Self::Free,
            "arguments" => Self::Nested,
            _ if UNMASKED.contains(&name) => Self::Unmasked,
            _ => Self::Structured,
        }
    }
}

impl Mask {
    /// The JSON of an event with secrets masked; `None` if it contains none.
    pub fn event(&self, json: &str) -> Option<String> {
        if self.is_nowhere_in(json) { None } else { self.masked(json, Zone::Structured) }
    }

    /// Free-form JSON, such as the arguments of a call, with secrets masked; `None` if it contains none. Text that is not
    /// JSON is masked as text.
    pub fn arguments(&self, json: &str) -> Option<String> {
        if self.is_nowhere_in(json) {
            return None;
        }
        if is_json(json) {
            return self.masked(json, Zone::Free);
        }
        let masked = self.text(json);
        (*masked != *json).then(|| masked.into_owned())
    }

    /// Whether no value in this JSON can contain a secret, nor JSON that is in its strings. Most texts are known by that in one
    /// pass: no secret has a character that needs an escape, and no escape of theirs stands for one that needs none.
    fn is_nowhere_in(&self, json: &str) -> bool {
        self.is_empty()
            || self.needs_no_escapes()
                && self.spans(json, 0).is_empty()
                && !has_unusual_escape(json.as_bytes())
    }

    fn masked(&self, json: &str, zone: Zone) -> Option<String> {
        let mut walk = Walk { mask: self, json, raw: None, out: String::new(), copied: 0 };
        walk.walk(zone);
        if walk.copied == 0 {
            return None;
        }
        walk.out.push_str(json.get(walk.copied..).unwrap_or_default());
        Some(walk.out)
    }
}

/// Whether something behind a backslash, also behind one that is escaped itself, is an escape that its character does not need.
fn has_unusual_escape(json: &[u8]) -> bool {
    let mut rest = json;
    while let Some(at) = backslash(rest) {
        rest = rest.get(at + 1..).unwrap_or_default();
        if matches!(rest, [b'u', b'0', b'0', b'0'..=b'7', ..] | [b'/', ..]) {
            return true;
        }
    }
    false
}

struct Walk<'a> {
    mask: &'a Mask,
    json: &'a str,
    /// The occurrences of secrets in the JSON text itself, once they are asked for.
    raw: Option<Vec<Range<usize>>>,
    out: String,
    /// The length of the text that has been copied or replaced.
    copied: usize,
}

impl Walk<'_> {
    fn walk(&mut self, zone: Zone) {
        let mut around: Vec<Zone> = vec![zone];
        let mut next = zone;
        let mut at = 0;
        while let Some(byte) = self.json.as_bytes().get(at).copied() {
            let inside = around.last().copied().unwrap_or(zone);
            let start = at;
            at += 1;
            match byte {
                b'{' | b'[' => around.push(next),
                b'}' | b']' => {
                    around.pop();
                    next = around.last().copied().unwrap_or(zone);
                }
                b',' => next = inside,
                b'"' => {
                    at = start + string_length(self.rest(start));
                    let is_name = self.rest(at).trim_start().starts_with(':');
                    let text = self.json.get(start..at).unwrap_or_default();
                    let text = unquoted(text);
                    if is_name {
                        next = inside.of_value(&text);
                    }
                    match if is_name { inside } else { next } {
                        Zone::Structured if is_name => {}
                        Zone::Unmasked => {}
                        Zone::Nested => {
                            if let Some(masked) = self.mask.arguments(&text) {
                                self.replace(start..at, &masked);
                            }
                        }
                        Zone::Structured => self.mask_string(start..at, &text, false),
                        Zone::Free => self.mask_string(start..at, &text, !is_name),
                    }
                }
                b'-' | b'0'..=b'9' | b'a'..=b'z' => {
                    let is_end = |byte: u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r');
                    let rest = self.rest(start);
                    at = start + rest.bytes().position(is_end).unwrap_or(rest.len());
                    if next == Zone::Free && self.touches(start..at, false) {
                        self.replace(start..at, HIDDEN);
                    }
                }
                _ => {}
            }
        }
    }

    /// Masks a string. With `is_part` it is also replaced if it is part of a secret that extends beyond it.
    fn mask_string(&mut self, range: Range<usize>, text: &str, is_part: bool) {
        let masked = self.mask.text(text);
        if *masked != *text {
            self.replace(range, &masked);
        } else if is_part && self.touches(range.clone(), true) {
            self.replace(range, HIDDEN);
        }
    }

    /// Whether a secret overlaps this range; with `beyond`, whether one that extends beyond it does.
    fn touches(&mut self, range: Range<usize>, beyond: bool) -> bool {
        let raw = self.raw.get_or_insert_with(|| self.mask.spans(self.json, 0));
        raw.iter().any(|span| {
            let reaches_beyond = span.start < range.start || span.end > range.end;
            span.start < range.end && range.start < span.end && (reaches_beyond || !beyond)
        })
    }

    fn replace(&mut self, range: Range<usize>, text: &str) {
        self.out.push_str(self.json.get(self.copied..range.start).unwrap_or_default());
        self.out.push_str(&quoted(text));
        self.copied = range.end;
    }

    fn rest(&self, at: usize) -> &str {
        self.json.get(at..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::FromJson;
    use proptest::prelude::*;

    fn mask(texts: &[&str]) -> Mask {
        let mask = Mask::default();
        mask.hide(texts.iter().map(|text| (*text).to_owned()).collect());
        mask
    }

    #[test]
    fn strings_are_masked_by_their_values() {
        let mask = mask(&["a\"b\\c\n", "caf\u{e9}"]);
        assert_eq!(
            mask.event(r#"{"thought":[{"type":"text","text":"x a\"b\\c\n y"}],"summary":"caf\u00e9"}"#)
                .unwrap(),
            r#"{"thought":[{"type":"text","text":"x <secret-hidden> y"}],"summary":"<secret-hidden>"}"#
        );
        assert_eq!(mask.event(r#"{"summary":"a\"b"}"#), None);
        // A lone surrogate does not prevent masking.
        assert_eq!(
            mask.arguments(r#"{"a":"\ud83d caf\u00e9"}"#).unwrap(),
            "{\"a\":\"\u{fffd} <secret-hidden>\"}"
        );
    }

    #[test]
    fn a_secret_in_an_unusual_spelling_is_masked_at_any_depth() {
        let mask = mask(&["sk-1/2=="]);
        for spelled in ["sk-1/2==", "sk-1\\/2==", "\\u0073k-1/2==", "sk\\u002D1/2=="] {
            let arguments = format!(r#"{{"a":"\n {spelled}"}}"#);
            let masked = r#"{"a":"\n <secret-hidden>"}"#;
            assert_eq!(mask.arguments(&arguments).as_deref(), Some(masked));
            let event = |json: &str| format!(r#"{{"tool_call":{{"arguments":{json}}}}}"#);
            let nested = quoted(&arguments);
            for nested in [&nested, &nested.replace(r"\\", r"\u005c"), &nested.replace('s', r"\u0073")] {
                assert_eq!(mask.event(&event(nested)), Some(event(&quoted(masked))), "{nested}");
            }
        }
        assert_eq!(mask.event(r#"{"summary":"\u00e9 \n \\ sk"}"#), None);
    }

    #[test]
    fn the_structure_of_an_event_is_not_masked() {
        let mask =
            mask(&["text", "agent", "thought", "ActionEvent", "get_time", "call_1", "completion", "{\"id\""]);
        let json = r#"{"id":"call_1","source":"agent","thought":[{"type":"text","text":"the text"}],"tool_name":"get_time","tool_call":{"id":"call_1","name":"get_time","arguments":"{\"text\": 1}","origin":"completion"},"kind":"ActionEvent"}"#;
        let masked = json
            .replace("the text", "the <secret-hidden>")
            .replace(r#"\"text\": 1"#, r#"\"<secret-hidden>\": 1"#);
        assert_eq!(mask.event(json).unwrap(), masked);
    }

    #[test]
    fn in_free_form_json_names_numbers_and_secrets_across_values_are_masked() {
        let mask = mask(&["12345678", "{\"a\":[1,\"x\"]}", "sk-name"]);
        let json = r#"{"action":{"data":{"n":[123456789,true],"s":{"a":[1,"x"]},"sk-name":2,"ok":[1,"x"]},"kind":"MCPToolAction"}}"#;
        assert_eq!(
            mask.event(json).unwrap(),
            r#"{"action":{"data":{"n":["<secret-hidden>",true],"s":{"a":["<secret-hidden>","<secret-hidden>"]},"<secret-hidden>":2,"ok":[1,"x"]},"kind":"MCPToolAction"}}"#
        );
    }

    #[test]
    fn masked_arguments_stay_json() {
        let mask = mask(&["abc\\", "abc\\\\"]);
        assert_eq!(mask.arguments(r#"{"q": "abc\"x"}"#), None);
        assert_eq!(mask.arguments(r#"{"q": "abc\\"}"#).unwrap(), r#"{"q": "<secret-hidden>"}"#);
        assert_eq!(mask.arguments(r#"{"q": "abc\"#).unwrap(), r#"{"q": "<secret-hidden>"#);
    }

    fn json() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            "[ab\"\\\\\n]{0,9}".prop_map(|text| quoted(&text)),
            (0_u32..100_000).prop_map(|number| number.to_string()),
            Just("null".to_owned()),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(|all| format!("[{}]", all.join(","))),
                prop::collection::vec(("[ab\"]{0,6}", inner), 0..4).prop_map(|all| {
                    let members: Vec<String> =
                        all.iter().map(|(name, value)| format!("{}: {value}", quoted(name))).collect();
                    format!("{{{}}}", members.join(","))
                }),
            ]
        })
    }

    fn strings_of(json: &str, found: &mut Vec<String>) {
        if let Some(text) = String::from_json(json) {
            found.push(text);
        } else if let Some(elements) = crate::json::elements(json) {
            elements.iter().for_each(|element| strings_of(element, found));
        } else if let Ok(members) = crate::json::members(json) {
            for (name, value) in members {
                found.push(name.into_owned());
                strings_of(value, found);
            }
        }
    }

    proptest! {
        #[test]
        fn masked_free_form_json_is_json_without_secrets(json in json(), texts in prop::collection::vec("[ab\"\\\\0-9:\\[]{4,6}", 1..4)) {
            let mask = mask(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            let masked = mask.arguments(&json).unwrap_or_else(|| json.clone());
            prop_assert!(is_json(&masked), "{}", masked);
            let mut strings = Vec::new();
            strings_of(&masked, &mut strings);
            for hidden in &texts {
                prop_assert!(strings.iter().all(|text| !text.contains(hidden.as_str())));
            }
        }
    }
}
