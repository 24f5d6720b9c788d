//! JSON strings: escaping and unescaping.

use super::well_formed;
use crate::bytes::{equal, first, less};
use std::{borrow::Cow, iter, ops::Range};

/// A text as a JSON string in the spelling of the SDK's event files: non-ASCII characters are not escaped.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_quoted(&mut out, text);
    out
}

/// Appends a text as a JSON string, as [`quoted`] spells it.
pub(super) fn push_quoted(out: &mut String, text: &str) {
    // A text that grows bit by bit is copied again and again.
    out.reserve(text.len() + 2);
    out.push('"');
    let mut rest = text;
    loop {
        let (plain, after) = rest.split_at_checked(plain_length(rest.as_bytes())).unwrap_or((rest, ""));
        out.push_str(plain);
        let Some(byte) = after.bytes().next() else { break };
        let short = match byte {
            0x08 => 'b',
            0x0c => 'f',
            b'\n' => 'n',
            b'\r' => 'r',
            b'\t' => 't',
            0..=0x1f => 'u',
            other => other.into(),
        };
        out.push('\\');
        out.push(short);
        if short == 'u' {
            push_hex(out, byte.into());
        }
        rest = after.get(1..).unwrap_or_default();
    }
    out.push('"');
}

/// The place of the first backslash.
pub fn backslash(text: &[u8]) -> Option<usize> {
    first(text, |word| equal(word, b'\\'))
}

/// The number of bytes before the first one that a JSON string cannot contain as it is: a quotation mark, a backslash or a
/// control character.
pub fn plain_length(text: &[u8]) -> usize {
    let is_found = |word| less(word, 0x20) | equal(word, b'"') | equal(word, b'\\');
    first(text, is_found).unwrap_or(text.len())
}

/// Appends the four digits of a `\u` escape.
pub(super) fn push_hex(out: &mut String, unit: u16) {
    for shift in [12, 8, 4, 0] {
        out.push(char::from_digit(u32::from(unit >> shift & 0xf), 16).unwrap_or('0'));
    }
}

/// An escape of a JSON string.
pub(super) struct Escape {
    /// Where, in bytes, with its backslash.
    pub(super) place: Range<usize>,
    /// The code point that it stands for, which is no character if it is a surrogate without a partner.
    pub(super) code: u32,
}

/// The escapes of a JSON text from left to right. Outside of strings JSON has none.
pub(super) fn escapes(json: &str) -> impl Iterator<Item = Escape> {
    let mut at = 0;
    iter::from_fn(move || {
        let start = at + backslash(json.as_bytes().get(at..)?)?;
        let (length, code) = unescaped(json.get(start..)?);
        at = start + length;
        Some(Escape { place: start..at, code })
    })
}

/// The length of the escape at the beginning of `text`, and the code point that it stands for. Two surrogates that form
/// a pair are one escape. In a text that is not JSON any character may follow the backslash, or none.
fn unescaped(text: &str) -> (usize, u32) {
    let code = match text.as_bytes().get(1) {
        Some(b'b') => 0x08,
        Some(b'f') => 0x0c,
        Some(b'n') => 0x0a,
        Some(b'r') => 0x0d,
        Some(b't') => 0x09,
        Some(b'u') => match (unit_at(text), text.get(6..).and_then(unit_at)) {
            (Some(high @ 0xd800..0xdc00), Some(low @ 0xdc00..0xe000)) => {
                return (12, 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
            }
            (Some(unit), _) => return (6, unit),
            (None, _) => 'u'.into(),
        },
        _ => {
            let escaped = text.chars().nth(1);
            return (1 + escaped.map_or(0, char::len_utf8), escaped.map_or(0, u32::from));
        }
    };
    (2, code)
}

/// The UTF-16 code unit of the `\uXXXX` escape at the beginning of `text`.
fn unit_at(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

/// The content of a JSON string in UTF-8. A lone surrogate is encoded as if it were a character, so that the result is
/// not valid UTF-8 then. `string` is a valid JSON string with its quotes.
pub fn wtf8(string: &str) -> Vec<u8> {
    without_escapes(content_of(string))
}

/// The text of a JSON string, in which U+FFFD stands for each lone surrogate. `string` is a valid JSON string with its quotes.
pub fn unquoted(string: &str) -> Cow<'_, str> {
    unescaped_text(content_of(string))
}

/// As [`unquoted`], for a part of a JSON string without its quotes that ends with no part of an escape.
pub fn unescaped_text(content: &str) -> Cow<'_, str> {
    if backslash(content.as_bytes()).is_none() {
        return content.into();
    }
    let text = String::from_utf8(without_escapes(content));
    text.or_else(|_| String::from_utf8(without_escapes(&well_formed(content)))).unwrap_or_default().into()
}

fn content_of(string: &str) -> &str {
    string.get(1..string.len().saturating_sub(1)).unwrap_or_default()
}

fn without_escapes(content: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len());
    let mut copied = 0;
    for Escape { place, code } in escapes(content) {
        out.extend_from_slice(content.get(copied..place.start).unwrap_or_default().as_bytes());
        match char::from_u32(code) {
            Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None => out.extend(
                [0xe0 | code >> 12, 0x80 | code >> 6 & 0x3f, 0x80 | code & 0x3f].map(|byte| byte as u8),
            ),
        }
        copied = place.end;
    }
    out.extend_from_slice(content.get(copied..).unwrap_or_default().as_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::FromJson as _;
    use proptest::prelude::*;

    #[test]
    fn a_lone_surrogate_is_not_valid_utf8() {
        assert_eq!(wtf8(r#""a\ud83d""#), b"a\xed\xa0\xbd");
        assert_eq!(wtf8(r#""\ude00\ud83d\ude00""#), b"\xed\xb8\x80\xf0\x9f\x98\x80");
        assert_eq!(wtf8(r#""\ud83d\ud83d\ude00\ud83d\n""#), b"\xed\xa0\xbd\xf0\x9f\x98\x80\xed\xa0\xbd\n");
        assert_eq!(String::from_json(r#""a\ud83d""#), None);
    }

    proptest! {
        /// Compared with serde_json.
        #[test]
        fn strings_are_read_and_written_as_by_serde_json(
            text in any::<String>(),
            controls in "[\\x00-\\x20\"\\\\é]{0,8}",
            escapes in "(\\\\[bfnrtu/\"\\\\]|\\\\u[0dD][08cC9][0-9a-f]{2}|[a-fé \"]){0,8}",
        ) {
            for text in [&text, &controls] {
                prop_assert_eq!(quoted(text), serde_json::to_string(text).unwrap());
                prop_assert_eq!(String::from_json(&quoted(text)), Some(text.clone()));
            }
            let string = format!("\"{escapes}\"");
            if let Some(text) = String::from_json(&well_formed(&string)) {
                prop_assert_eq!(unquoted(&string), text);
            }
            let json = format!(" {string}\n");
            prop_assert_eq!(String::from_json(&json), serde_json::from_str(&json).ok(), "{}", json);
        }
    }
}
