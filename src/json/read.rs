//! JSON text on its way in: taken apart level by level, and read into values.
//!
//! Derived readers would cost a page two kilobytes for each type and more for each union; what is read here are a few
//! small objects, so each says by hand which fields it has.

use super::{
    scan::{Broken, Scanner},
    text::wtf8,
};
use std::{borrow::Cow, ops::Range};

/// What can be read from the text of one JSON value.
pub trait FromJson: Sized {
    /// `None` if the text is not such a value. A text that is not JSON at all may be read as one.
    fn from_json(json: &str) -> Option<Self>;
}

impl FromJson for String {
    fn from_json(json: &str) -> Option<Self> {
        Self::from_utf8(wtf8(string(json)?)).ok()
    }
}

impl FromJson for bool {
    fn from_json(json: &str) -> Option<Self> {
        json.trim().parse().ok()
    }
}

impl FromJson for u64 {
    fn from_json(json: &str) -> Option<Self> {
        whole(json)?.parse().ok()
    }
}

impl FromJson for usize {
    fn from_json(json: &str) -> Option<Self> {
        u64::from_json(json)?.try_into().ok()
    }
}

impl FromJson for i64 {
    fn from_json(json: &str) -> Option<Self> {
        whole(json)?.parse().ok()
    }
}

/// Rust reads a plus sign, and JSON has none.
fn whole(json: &str) -> Option<&str> {
    Some(json.trim()).filter(|json| !json.starts_with('+'))
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(json: &str) -> Option<Self> {
        let mut values = Self::new();
        for element in elements(json)? {
            values.push(T::from_json(element)?);
        }
        Some(values)
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(json: &str) -> Option<Self> {
        if is_null(json) { Some(None) } else { T::from_json(json).map(Some) }
    }
}

fn is_null(json: &str) -> bool {
    json.trim() == "null"
}

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

/// A member of an object: its name, and the text of its value.
pub type Member<'a> = (Cow<'a, str>, &'a str);

/// The members of an object in the order of the text, repeated names included; an error if the text is not exactly
/// one JSON object.
pub fn members(text: &str) -> Result<Vec<Member<'_>>, Broken> {
    // Few objects have more.
    let mut members = Vec::with_capacity(8);
    let mut scanner = Scanner::new(text);
    let is_whole = collect(&mut scanner, &mut members).and_then(|()| scanner.end());
    is_whole.map(|()| members).ok_or_else(|| scanner.broken())
}

/// The members that are whole at the beginning of a text that breaks off or turns into something else.
pub fn whole_members(text: &str) -> Vec<Member<'_>> {
    let mut members = Vec::new();
    // A failure is what is expected here; what was read until then is what is wanted.
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

/// A JSON object as its text, with the places of its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object<'a> {
    text: &'a str,
    fields: Vec<Member<'a>>,
}

impl<'a> Object<'a> {
    /// Finds the fields. `None` if the text is not exactly one JSON object.
    pub fn parse(text: &'a str) -> Option<Self> {
        Some(Self { text, fields: members(text).ok()? })
    }

    /// The text of a field's value. Of several fields with one name the last counts, as in Python.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.fields.iter().rev().find(|(field, _)| field == name).map(|(_, value)| *value)
    }

    /// A field's value as a `T`. `null` counts as absent; so does what is not a `T`.
    pub fn read<T: FromJson>(&self, name: &str) -> Option<T> {
        self.optional(name).flatten()
    }

    /// A field that must be there.
    pub fn required<T: FromJson>(&self, name: &str) -> Option<T> {
        T::from_json(self.get(name)?)
    }

    /// A field that has a default: `None` only if it is there and is not a `T`.
    pub fn defaulted<T: FromJson>(&self, name: &str, default: impl FnOnce() -> T) -> Option<T> {
        match self.get(name) {
            Some(text) => T::from_json(text),
            None => Some(default()),
        }
    }

    /// A field that may be missing or `null`: `None` only if it is there and is neither `null` nor a `T`.
    pub fn optional<T: FromJson>(&self, name: &str) -> Option<Option<T>> {
        self.get(name).map_or(Some(None), Option::from_json)
    }

    /// The fields' names in the order of the text.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(name, _)| name.as_ref())
    }

    /// The fields' names, and where in the text their values are.
    pub fn places(self) -> impl Iterator<Item = (String, Range<usize>)> {
        let text = self.text;
        self.fields.into_iter().map(|(name, value)| (name.into_owned(), range_in(text, value)))
    }
}

/// Where `part`, which is a piece of `whole`, is in it.
pub fn range_in(whole: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
    start..start.saturating_add(part.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_another_kind_is_not_read() {
        assert_eq!(String::from_json(r#""a\u00e9""#).as_deref(), Some("aé"));
        assert_eq!(Vec::<Option<u64>>::from_json("[1, null]"), Some(vec![Some(1), None]));
        assert_eq!(Vec::<u64>::from_json("[1, \"2\"]"), None);
        assert_eq!((u64::from_json("1.0"), u64::from_json("-1"), u64::from_json("+1")), (None, None, None));
        assert_eq!(
            (i64::from_json("-7"), f64::from_json("1"), f64::from_json("\"1\"")),
            (Some(-7), Some(1.0), None)
        );
        assert_eq!((bool::from_json("true"), bool::from_json("1")), (Some(true), None));
    }

    #[test]
    fn of_a_repeated_field_the_last_counts() {
        let object = Object::parse(r#"{"a":1,"b\u0063":null,"a":2}"#).unwrap();
        assert_eq!(object.required::<u64>("a"), Some(2));
        assert_eq!((object.optional::<u64>("bc"), object.required::<u64>("bc")), (Some(None), None));
        assert_eq!(object.defaulted("none", || 7_u64), Some(7));
        assert_eq!(object.names().collect::<Vec<_>>(), ["a", "bc", "a"]);
        assert!(Object::parse("[]").is_none() && Object::parse("{} {}").is_none());
    }

    #[test]
    fn a_text_that_breaks_off_gives_what_is_whole() {
        let whole = whole_members("{\"id\":\"x\",\"agent\":{\"a\":[1]},\"stats\":{\"us");
        assert_eq!(whole, [(Cow::from("id"), "\"x\""), (Cow::from("agent"), "{\"a\":[1]}")]);
        assert_eq!(whole_members(""), []);
        assert_eq!(whole_members("[1]"), []);
    }
}
