//! Reads and edits JSON text without changing other bytes: finds the parts of a value, and replaces some of them.

pub use crate::json::{Member, members, quoted, range_in, whole_members};

use crate::json::{FromJson, elements, is_json};
use std::ops::Range;

/// One level of a JSON value.
#[derive(Debug, PartialEq)]
pub enum Level<'a> {
    /// The members in the order of the text, repeated names included.
    Object(Vec<Member<'a>>),
    /// The elements.
    Array(Vec<&'a str>),
    /// The string.
    String(String),
    /// Any other scalar.
    Other,
}

/// Reads one level of a JSON text; `None` if it is not exactly one JSON value.
pub fn level(text: &str) -> Option<Level<'_>> {
    match text.trim_start_matches(JSON_SPACE).bytes().next() {
        Some(b'{') => members(text).ok().map(Level::Object),
        Some(b'[') => elements(text).map(Level::Array),
        Some(b'"') => String::from_json(text).map(Level::String),
        _ => is_json(text).then_some(Level::Other),
    }
}

/// The value of a member; of several with the same name the last one, as in Python.
pub fn member<'a>(members: &[Member<'a>], name: &str) -> Option<&'a str> {
    members.iter().rev().find(|(found, _)| found == name).map(|(_, value)| *value)
}

/// The value of a member that is a string.
pub fn string_member(members: &[Member<'_>], name: &str) -> Option<String> {
    String::from_json(member(members, name)?)
}

/// The text with some ranges replaced; all other bytes stay. The ranges must be parts of the text and must not overlap.
pub fn edited(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, replacement) in edits {
        out.push_str(&text[at..range.start]);
        out.push_str(&replacement);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

const JSON_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_and_replaced_in_the_text() {
        let text = " {\"a\": 1.50 , \"b\\u0063\":[\"x\",{}] ,\"a\":null} ";
        let parts = members(text).unwrap();
        assert_eq!(parts.iter().map(|(name, _)| name.as_ref()).collect::<Vec<_>>(), ["a", "bc", "a"]);
        assert_eq!(member(&parts, "a"), Some("null"));
        let range = range_in(text, parts[0].1);
        assert_eq!(text.get(range.clone()), Some("1.50"));
        assert_eq!(
            edited("{\"a\":1,\"b\":2}", vec![(11..12, "9".into()), (5..6, "8".into())]),
            "{\"a\":8,\"b\":9}"
        );
    }

    #[test]
    fn a_text_that_is_not_one_value_is_refused() {
        for bad in ["", "{", "{\"a\":1", "{\"a\":1}x", "{\"a\":}", "[1,]", "\"x", "nul", "\0\0"] {
            assert!(level(bad).is_none(), "{bad:?}");
        }
        for not_an_object in ["[]", "1", "\"\"", "null"] {
            assert!(members(not_an_object).is_err());
        }
    }
}
