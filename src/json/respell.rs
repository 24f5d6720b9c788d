//! JSON text in another spelling: as Python writes it, without lone surrogates, or without numbers that JSON does not have.

use super::{
    quoted, string_length,
    text::{Escape, escapes, push_hex},
};
use std::borrow::Cow;

/// JSON text as Python's `json.dumps` spells it: `", "` and `": "` as separators, non-ASCII characters escaped.
/// The SDK stores a tool call's arguments in this form. Numbers keep their spelling. The text must be valid JSON.
pub fn python_dumps(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 8);
    let mut rest = json;
    while let Some(c) = rest.chars().next() {
        match c {
            '"' => {
                let (string, after) = rest.split_at_checked(string_length(rest)).unwrap_or((rest, ""));
                push_string(&mut out, string);
                rest = after;
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

/// JSON text in which every lone surrogate (`"\\ud83d"`) is replaced by U+FFFD. JavaScript writes lone surrogates, and
/// Python refuses the whole file because of one.
pub fn well_formed(json: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for Escape { place, .. } in escapes(json).filter(|escape| char::from_u32(escape.code).is_none()) {
        out.push_str(json.get(copied..place.start).unwrap_or_default());
        out.push('\u{fffd}');
        copied = place.end;
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    out.push_str(json.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// The JSON text for a text with `NaN`, `Infinity` or `-Infinity`, which Python writes and reads as numbers: `null`, and
/// numbers that are too large for a float, take their places. `None` if there are none; the result may still not be JSON.
pub fn without_constants(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', 'N', 'I']) {
        let (before, found) = rest.split_at_checked(at)?;
        out.push_str(before);
        let (length, replaced) = match found.bytes().next() {
            Some(b'"') => (string_length(found), None),
            Some(b'N') if found.starts_with("NaN") => (3, Some("null")),
            Some(b'I') if found.starts_with("Infinity") => (8, Some("1e999")),
            _ => (1, None),
        };
        let (token, after) = found.split_at_checked(length)?;
        out.push_str(replaced.unwrap_or(token));
        rest = after;
    }
    out.push_str(rest);
    (out != text).then_some(out)
}

/// Appends a JSON string. Most of its escapes are as Python writes them.
fn push_string(out: &mut String, string: &str) {
    let mut copied = 0;
    for Escape { place, code } in escapes(string) {
        push_ascii(out, string.get(copied..place.start).unwrap_or_default());
        copied = place.end;
        match string.get(place).unwrap_or_default() {
            usual if usual.len() == 2 && usual != "\\/" => out.push_str(usual),
            _ => {
                let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                let json = quoted(c.encode_utf8(&mut [0; 4]));
                push_ascii(out, json.get(1..json.len() - 1).unwrap_or_default());
            }
        }
    }
    push_ascii(out, string.get(copied..).unwrap_or_default());
}

/// Appends a part of a JSON string, with escapes for characters that are not ASCII.
fn push_ascii(out: &mut String, part: &str) {
    // Most texts are ASCII, and this is found out faster than by looking at each character.
    if part.is_ascii() {
        return out.push_str(part);
    }
    let (mut units, mut copied) = ([0; 2], 0);
    for (at, c) in part.char_indices().filter(|(_, c)| !c.is_ascii()) {
        out.push_str(part.get(copied..at).unwrap_or_default());
        for unit in c.encode_utf16(&mut units) {
            out.push_str("\\u");
            push_hex(out, *unit);
        }
        copied = at + c.len_utf8();
    }
    out.push_str(part.get(copied..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn python_dumps_separates_and_escapes_as_python_does() {
        assert_eq!(
            python_dumps("{\"a\":[1,2.50 , true],\n\"b\":\"x: \\\"y\\\", é😀\\u00e9\\/\"}"),
            r#"{"a": [1, 2.50, true], "b": "x: \"y\", \u00e9\ud83d\ude00\u00e9/"}"#
        );
        assert_eq!(python_dumps("{}"), "{}");
        assert_eq!(python_dumps(r#""\u0022\u005c\u000a\u0041\"\\\n""#), r#""\"\\\nA\"\\\n""#);
        assert_eq!(python_dumps(r#"{"a":"b\ud83d"}"#), r#"{"a": "b\ufffd"}"#);
        assert_eq!(python_dumps(r#""\u0001\b\f\n\u007f""#), "\"\\u0001\\b\\f\\n\u{7f}\"");
    }

    #[test]
    fn numbers_of_python_that_json_does_not_have_are_replaced_outside_of_strings() {
        let text = r#"{"NaN":[NaN,-Infinity, Infinity ],"a":"NaN \"Infinity","b":{"c":NaN}}"#;
        let json = r#"{"NaN":[null,-1e999, 1e999 ],"a":"NaN \"Infinity","b":{"c":null}}"#;
        assert_eq!(without_constants(text).as_deref(), Some(json));
        for other in [json, "", "N", "\"NaN", "é", "Nán"] {
            assert_eq!(without_constants(other), None, "{other}");
        }
    }

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_and_escaped_backslashes_are_not() {
        let valid = r#"{"a":"\ud83d\ude00 é \\ud83d \n \u00e9"}"#;
        assert!(matches!(well_formed(valid), Cow::Borrowed(text) if text == valid));
        assert_eq!(well_formed(r#""a\ud83d""#), "\"a\u{fffd}\"");
        assert_eq!(well_formed(r#""\ud83dx\uDE00\ud83d\ude00""#), "\"\u{fffd}x\u{fffd}\\ud83d\\ude00\"");
        assert_eq!(well_formed(r#""\ud83d\ud83d\ude00""#), "\"\u{fffd}\\ud83d\\ude00\"");
        for cut in ["\\", "\\u", "\\ud8", "é\\", "\"\\ud83dé"] {
            well_formed(cut);
        }
    }
}
