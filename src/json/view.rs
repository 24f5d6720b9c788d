//! A view of JSON text: the values in it, each with its exact spelling.

use super::{
    FromJson,
    scan::{Broken, Scanner},
    text::wtf8,
};
use std::{borrow::Cow, ops::Range};

/// Whether the text is exactly one JSON value.
pub fn is_json(text: &str) -> bool {
    only_value(text).is_some()
}

/// The text of exactly one JSON string, with its quotes.
pub fn string(text: &str) -> Option<&str> {
    only_value(text).filter(|value| value.starts_with('"'))
}

/// The text of exactly one JSON value, without white space around it.
fn only_value(text: &str) -> Option<&str> {
    let mut scanner = Scanner::new(text);
    let value = scanner.value()?;
    scanner.end()?;
    Some(value)
}

/// The texts of an array's elements.
pub fn elements(text: &str) -> Option<Vec<&str>> {
    let mut elements = Vec::new();
    let mut scanner = Scanner::new(text);
    scanner.mark(b'[')?;
    if scanner.mark(b']').is_none() {
        elements.push(scanner.value()?);
        while scanner.mark(b',').is_some() {
            elements.push(scanner.value()?);
        }
        scanner.mark(b']')?;
    }
    scanner.end()?;
    Some(elements)
}

/// Views of the elements of an array; `None` if the text is not an array of objects.
pub fn objects(text: &str) -> Option<Vec<Object<'_>>> {
    elements(text)?.into_iter().map(Object::parse).collect()
}

/// The name and the text of the value of a field.
pub type Member<'a> = (Cow<'a, str>, &'a str);

/// The fields of an object in the order of the text, with repeated names.
///
/// # Errors
/// [`Broken`] if the text is not exactly one JSON object.
pub fn members(text: &str) -> Result<Vec<Member<'_>>, Broken> {
    // Few objects have more fields.
    let mut members = Vec::with_capacity(8);
    let mut scanner = Scanner::new(text);
    let complete = collect(&mut scanner, &mut members).and_then(|()| scanner.end());
    complete.map(|()| members).ok_or_else(|| scanner.broken())
}

/// The complete fields at the beginning of a text that ends too early or is not JSON from some place on.
pub fn complete_members(text: &str) -> Vec<Member<'_>> {
    let mut members = Vec::new();
    // The failure is expected: only the fields before it are wanted.
    let _ = collect(&mut Scanner::new(text), &mut members);
    members
}

fn collect<'a>(scanner: &mut Scanner<'a>, members: &mut Vec<Member<'a>>) -> Option<()> {
    scanner.mark(b'{')?;
    if scanner.mark(b'}').is_some() {
        return Some(());
    }
    loop {
        let name = scanner.name()?;
        let plain = name.get(1..name.len().checked_sub(1)?)?;
        let name = if plain.as_bytes().contains(&b'\\') {
            Cow::Owned(String::from_utf8(wtf8(name)).ok()?)
        } else {
            Cow::Borrowed(plain)
        };
        members.push((name, scanner.value()?));
        if scanner.mark(b',').is_none() {
            return scanner.mark(b'}');
        }
    }
}

/// A view of a JSON object: the text, and where its fields are. Nothing is copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object<'a> {
    text: &'a str,
    fields: Vec<Member<'a>>,
}

impl<'a> Object<'a> {
    /// A view of the object in this text. `None` if the text is not exactly one JSON object.
    pub fn parse(text: &'a str) -> Option<Self> {
        Some(Self { text, fields: members(text).ok()? })
    }

    /// The text of a field's value. Of several fields with one name the last counts, as in Python.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.fields.iter().rev().find(|(field, _)| field == name).map(|(_, value)| *value)
    }

    /// A field's value as a `T`. `null` counts as absent; so does a value that is not a `T`.
    pub fn read<T: FromJson>(&self, name: &str) -> Option<T> {
        self.optional(name).flatten()
    }

    /// A field that must exist.
    pub fn required<T: FromJson>(&self, name: &str) -> Option<T> {
        T::from_json(self.get(name)?)
    }

    /// A field that has a default: `None` only if the field exists and is not a `T`.
    pub fn defaulted<T: FromJson>(&self, name: &str, default: impl FnOnce() -> T) -> Option<T> {
        match self.get(name) {
            Some(text) => T::from_json(text),
            None => Some(default()),
        }
    }

    /// A field that may be missing or `null`: `None` only if the field exists and is neither `null` nor a `T`.
    pub fn optional<T: FromJson>(&self, name: &str) -> Option<Option<T>> {
        self.get(name).map_or(Some(None), Option::from_json)
    }

    /// A view of the object in a field; without fields if there is no object.
    pub fn object(&self, name: &str) -> Object<'a> {
        self.get(name).and_then(Object::parse).unwrap_or_default()
    }

    /// Views of the objects in an array; `None` if the field is not an array of objects.
    pub fn objects(&self, name: &str) -> Option<Vec<Object<'a>>> {
        objects(self.get(name)?)
    }

    /// The complete text of the object.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The names and values in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.fields.iter().map(|(name, value)| (name.as_ref(), *value))
    }

    /// The names, and where in the text the values are.
    pub fn places(self) -> impl Iterator<Item = (String, Range<usize>)> {
        let text = self.text;
        self.fields.into_iter().map(|(name, value)| (name.into_owned(), range_in(text, value)))
    }
}

/// The place of `part` in `text`. `part` must be a slice of `text`.
pub fn range_in(text: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start.saturating_add(part.len())
}

/// The text with some ranges replaced; every other byte stays. Of ranges that overlap, the first one is replaced.
pub fn with_replaced(text: &str, mut replacements: Vec<(Range<usize>, String)>) -> String {
    replacements.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, replacement) in replacements {
        let Some(before) = text.get(at..range.start) else { continue };
        out.push_str(before);
        out.push_str(&replacement);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_repeated_field_the_last_counts() {
        let object = Object::parse(r#"{"a":1,"b\u0063":null,"a":2}"#).unwrap();
        assert_eq!(object.required::<u64>("a"), Some(2));
        assert_eq!((object.optional::<u64>("bc"), object.required::<u64>("bc")), (Some(None), None));
        assert_eq!(object.defaulted("none", || 7_u64), Some(7));
        assert_eq!(object.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["a", "bc", "a"]);
        assert!(Object::parse("[]").is_none() && Object::parse("{} {}").is_none());
    }

    #[test]
    fn a_text_that_ends_too_early_gives_its_complete_fields() {
        let complete = complete_members("{\"id\":\"x\",\"agent\":{\"a\":[1]},\"stats\":{\"us");
        assert_eq!(complete, [(Cow::from("id"), "\"x\""), (Cow::from("agent"), "{\"a\":[1]}")]);
        assert_eq!(complete_members(""), []);
        assert_eq!(complete_members("[1]"), []);
    }

    #[test]
    fn ranges_are_replaced_in_any_order() {
        let text = " {\"a\": 1.50 , \"b\\u0063\":[\"x\",{}] ,\"a\":null} ";
        let parts = members(text).unwrap();
        assert_eq!(text.get(range_in(text, parts[0].1)), Some("1.50"));
        let replacements = vec![(11..12, "9".into()), (5..6, "8".into())];
        assert_eq!(with_replaced("{\"a\":1,\"b\":2}", replacements), "{\"a\":8,\"b\":9}");
    }
}
