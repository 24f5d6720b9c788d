//! JSON text taken apart without being changed: where the parts of a value are, and replacing some of them.

use crate::order;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt, ops::Range};

/// A member of an object: its name, and the text of its value.
pub type Member<'a> = (Cow<'a, str>, &'a str);

/// One level of a JSON value.
#[derive(Debug, PartialEq)]
pub enum Level<'a> {
    /// The members in the order of the text, repeated names included.
    Object(Vec<Member<'a>>),
    /// The elements.
    Array(Vec<&'a str>),
    /// The string.
    String(Cow<'a, str>),
    /// Any other scalar.
    Other,
}

/// Takes a JSON text apart by one level; an error if it is not exactly one JSON value.
pub fn level(text: &str) -> serde_json::Result<Level<'_>> {
    match text.trim_start_matches(JSON_SPACE).bytes().next() {
        Some(b'{') => members(text).map(Level::Object),
        Some(b'[') => {
            let elements: Vec<&RawValue> = serde_json::from_str(text)?;
            Ok(Level::Array(elements.into_iter().map(RawValue::get).collect()))
        }
        Some(b'"') => serde_json::from_str::<Text<'_>>(text).map(|Text(string)| Level::String(string)),
        _ => serde_json::from_str::<&RawValue>(text).map(|_| Level::Other),
    }
}

/// The members of an object; an error if the text is not exactly one JSON object.
pub fn members(text: &str) -> serde_json::Result<Vec<Member<'_>>> {
    let mut members = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(text);
    Collect(&mut members).deserialize(&mut reader)?;
    reader.end()?;
    Ok(members)
}

/// The members that are whole at the beginning of a text that breaks off or turns into something else.
pub fn whole_members(text: &str) -> Vec<Member<'_>> {
    let mut members = Vec::new();
    // The error is what is expected here; what was read until then is what is wanted.
    let _ = Collect(&mut members).deserialize(&mut serde_json::Deserializer::from_str(text));
    members
}

/// The value of a member; of several with one name the last, as Python reads it.
pub fn member<'a>(members: &[Member<'a>], name: &str) -> Option<&'a str> {
    members.iter().rev().find(|(found, _)| found == name).map(|(_, value)| *value)
}

/// The string that is the value of a member.
pub fn string_member(members: &[Member<'_>], name: &str) -> Option<String> {
    serde_json::from_str(member(members, name)?).ok()
}

/// A string as JSON.
pub fn quoted(text: &str) -> String {
    // Writing a string into memory cannot fail.
    serde_json::to_string(text).unwrap_or_default()
}

/// Where `part`, which is a piece of `whole`, is in it.
pub fn range_in(whole: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
    start..start.saturating_add(part.len())
}

/// The text with some ranges replaced; every other byte stays. The ranges do not overlap.
pub fn edited(text: &str, edits: Vec<(Range<usize>, String)>) -> String {
    let edits = order::by_key(edits, |(range, _)| order::number(range.start as u64));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, replacement) in edits {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(&replacement);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

const JSON_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// A string that is borrowed where it holds no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

struct Collect<'v, 'a>(&'v mut Vec<Member<'a>>);

impl<'a> DeserializeSeed<'a> for Collect<'_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for Collect<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some((Text(name), value)) = map.next_entry::<Text<'a>, &'a RawValue>()? {
            self.0.push((name, value.get()));
        }
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'a>>(self, _: S) -> Result<(), S::Error> {
        Err(serde::de::Error::custom("an array is not an object"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_where_they_are() {
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
    fn what_is_not_one_value_is_an_error() {
        for bad in ["", "{", "{\"a\":1", "{\"a\":1}x", "{\"a\":}", "[1,]", "\"x", "nul", "\0\0"] {
            assert!(level(bad).is_err(), "{bad:?}");
        }
        for not_an_object in ["[]", "1", "\"\"", "null"] {
            assert!(members(not_an_object).is_err());
        }
    }

    #[test]
    fn a_text_that_breaks_off_gives_what_is_whole() {
        let whole = whole_members("{\"id\":\"x\",\"agent\":{\"a\":[1]},\"stats\":{\"us");
        assert_eq!(whole, [(Cow::from("id"), "\"x\""), (Cow::from("agent"), "{\"a\":[1]}")]);
        assert_eq!(whole_members(""), []);
        assert_eq!(whole_members("[1]"), []);
    }
}
