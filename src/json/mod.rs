//! JSON text that keeps its spelling: objects as ordered lists of fields whose values stay text, and Python's own
//! way of writing JSON.

mod float;
mod read;
mod same;
mod scan;
mod text;
mod string_enum;
mod write;

pub use float::float;
pub use read::{FromJson, Member, Object, elements, is_json, members, range_in, string, whole_members};
pub use same::is_same;
pub use scan::Broken;
pub(crate) use string_enum::string_enum;
pub use text::{quoted, wtf8};
pub use write::{ObjectWriter, ToJson};

use std::{borrow::Cow, rc::Rc};

/// An object whose fields keep their order and their values' exact text. A repeated key keeps its first place and
/// its last value, as Python reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawObject(Vec<(Rc<str>, Rc<str>)>);

impl RawObject {
    /// An object without fields.
    pub const EMPTY: Self = Self(Vec::new());

    /// Reads an object.
    ///
    /// # Errors
    /// Where the text is not one JSON object.
    pub fn parse(text: &str) -> Result<Self, Broken> {
        let mut object = Self::EMPTY;
        for (name, value) in members(text)? {
            object.set(&name, value);
        }
        Ok(object)
    }

    /// The text of a field's value.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| **key == *name).map(|(_, value)| &**value)
    }

    /// A field's value as a `T`, if it is there and has that form.
    pub fn read<T: FromJson>(&self, name: &str) -> Option<T> {
        T::from_json(self.get(name)?)
    }

    /// Sets a field to JSON text, in its place or at the end.
    pub fn set(&mut self, name: &str, json: &str) {
        match self.0.iter_mut().find(|(key, _)| **key == *name) {
            Some((_, value)) => *value = json.into(),
            None => self.0.push((name.into(), json.into())),
        }
    }

    /// Takes a field out.
    pub fn remove(&mut self, name: &str) -> Option<Rc<str>> {
        let place = self.0.iter().position(|(key, _)| **key == *name)?;
        Some(self.0.remove(place).1)
    }

    /// Takes out every field that does not pass.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &str) -> bool) {
        self.0.retain(|(name, value)| keep(name, value));
    }

    /// The fields in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    /// The object as compact JSON; values are copied as they are.
    pub fn to_json(&self) -> String {
        let mut out =
            String::with_capacity(self.iter().map(|(name, value)| name.len() + value.len() + 4).sum());
        out.push('{');
        for (name, value) in self.iter() {
            if out.len() > 1 {
                out.push(',');
            }
            out.push_str(&quoted(name));
            out.push(':');
            out.push_str(value);
        }
        out.push('}');
        out
    }
}

impl FromJson for RawObject {
    fn from_json(json: &str) -> Option<Self> {
        Self::parse(json).ok()
    }
}

impl ToJson for RawObject {
    fn write_json(&self, out: &mut String) {
        out.push_str(&self.to_json());
    }
}

/// JSON text respelled as Python's `json.dumps` does: `", "` and `": "` between, non-ASCII characters escaped.
/// The SDK stores a tool call's arguments so. Numbers keep their spelling. The text must be valid JSON.
pub fn python_dumps(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 8);
    let mut rest = json;
    while let Some(c) = rest.chars().next() {
        match c {
            '"' => {
                let end = end_of_string(rest);
                let text = rest.get(..end).and_then(String::from_json).unwrap_or_default();
                push_ascii(&mut out, &text);
                rest = rest.get(end..).unwrap_or_default();
                continue;
            }
            ',' => out.push_str(", "),
            ':' => out.push_str(": "),
            ' ' | '\t' | '\n' | '\r' => {}
            other => out.push(other),
        }
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    out
}

/// JSON text in which a half of a surrogate pair that stands alone (`"\\ud83d"`) is replaced by U+FFFD. JavaScript
/// writes such halves, and Python refuses the whole file for one.
pub fn well_formed(json: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(next) = json.get(at..).and_then(|rest| rest.find('\\')) {
        at += next;
        match unit_at(json, at) {
            Some(unit @ 0xd800..=0xdfff) => {
                let is_pair = unit < 0xdc00 && matches!(unit_at(json, at + 6), Some(0xdc00..=0xdfff));
                if !is_pair {
                    out.push_str(json.get(copied..at).unwrap_or_default());
                    out.push('\u{fffd}');
                    copied = at + 6;
                }
                at += if is_pair { 12 } else { 6 };
            }
            // Any other escape is two characters or more, and the second is never the start of another one.
            _ => at = json.len().min(at + 2),
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(json.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// The code unit of the `\uXXXX` escape at this place.
fn unit_at(json: &str, at: usize) -> Option<u32> {
    let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
    u32::from_str_radix(digits, 16).ok()
}

/// Where the string that `text` begins with ends, behind its closing quote.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn push_ascii(out: &mut String, text: &str) {
    let json = quoted(text);
    let mut units = [0; 2];
    for c in json.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut units) {
                out.push_str("\\u");
                text::push_hex(out, *unit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untouched_fields_keep_their_text_and_place() {
        let text = r#"{"a":1.50,"b":{"z":1,"a":[ ]},"c":null}"#;
        let mut object = RawObject::parse(text).unwrap();
        assert_eq!(object.to_json(), text);
        object.set("b", "2");
        object.set("d", "\"x\"");
        assert_eq!(object.to_json(), r#"{"a":1.50,"b":2,"c":null,"d":"x"}"#);
        assert_eq!(object.remove("a").as_deref(), Some("1.50"));
        assert_eq!(object.to_json(), r#"{"b":2,"c":null,"d":"x"}"#);
    }

    #[test]
    fn python_spelling() {
        assert_eq!(
            python_dumps("{\"a\":[1,2.50 , true],\n\"b\":\"x: \\\"y\\\", é😀\\u00e9\\/\"}"),
            r#"{"a": [1, 2.50, true], "b": "x: \"y\", \u00e9\ud83d\ude00\u00e9/"}"#
        );
        assert_eq!(python_dumps("{}"), "{}");
        assert_eq!(python_dumps(r#""\u0001\b\f\n\u007f""#), "\"\\u0001\\b\\f\\n\u{7f}\"");
    }

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_and_escaped_backslashes_are_not() {
        let sound = r#"{"a":"\ud83d\ude00 é \\ud83d \n \u00e9"}"#;
        assert!(matches!(well_formed(sound), Cow::Borrowed(text) if text == sound));
        assert_eq!(well_formed(r#""a\ud83d""#), "\"a\u{fffd}\"");
        assert_eq!(well_formed(r#""\ud83dx\uDE00\ud83d\ude00""#), "\"\u{fffd}x\u{fffd}\\ud83d\\ude00\"");
        assert_eq!(well_formed(r#""\ud83d\ud83d\ude00""#), "\"\u{fffd}\\ud83d\\ude00\"");
        for cut in ["\\", "\\u", "\\ud8", "é\\", "\"\\ud83dé"] {
            well_formed(cut);
        }
    }
}
