//! Repairs JSON that Python cannot read.
//!
//! Python refuses some valid JSON, and the complete conversation with it: lone surrogates, deeply nested values, and
//! integers with thousands of digits. A number that is too large for a float becomes infinite, which Python writes as
//! `null`. All of these can be in free-form JSON that a model or a host has written.

use super::{depths, float, quoted, string_length, well_formed};
use std::borrow::Cow;

/// The deepest nesting that is not replaced. Python's limit is 200.
pub(super) const MAX_DEPTH: usize = 150;

/// The longest number that is not replaced, in bytes. Python's limit is 4300 digits.
const MAX_NUMBER: usize = 4000;

/// The JSON text with everything replaced that Python would refuse: a lone surrogate becomes U+FFFD; a value that is
/// nested too deeply and a number that is too long or too large become a string of their text. `None` if nothing has
/// to be replaced.
pub fn repaired(json: &str) -> Option<String> {
    let mut repair = Repair { json, at: 0, out: String::new(), copied: 0, depth: 0 };
    repair.run();
    if repair.copied == 0 {
        return None;
    }
    repair.out.push_str(json.get(repair.copied..).unwrap_or_default());
    Some(repair.out)
}

struct Repair<'a> {
    json: &'a str,
    at: usize,
    out: String,
    /// The length of the text that has been copied or replaced.
    copied: usize,
    depth: usize,
}

impl<'a> Repair<'a> {
    fn run(&mut self) {
        while let Some(byte) = self.json.as_bytes().get(self.at).copied() {
            let start = self.at;
            match byte {
                b'"' => {
                    let string = self.take(string_length(self.rest()));
                    if let Cow::Owned(string) = well_formed(string) {
                        self.replace(start, &string);
                    }
                }
                b'{' | b'[' if self.depth >= MAX_DEPTH => {
                    let value = self.take(nested_length(self.rest()));
                    self.replace(start, &quoted(value));
                }
                b'-' | b'0'..=b'9' => {
                    let number = self.take(number_length(self.rest()));
                    if number.len() > MAX_NUMBER || is_infinite(number) {
                        self.replace(start, &quoted(number));
                    }
                }
                _ => {
                    match byte {
                        b'{' | b'[' => self.depth = self.depth.saturating_add(1),
                        b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                        _ => {}
                    }
                    self.at += 1;
                }
            }
        }
    }

    fn rest(&self) -> &'a str {
        self.json.get(self.at..).unwrap_or_default()
    }

    /// Passes this many bytes of the rest, and returns them.
    fn take(&mut self, length: usize) -> &'a str {
        let start = self.at;
        self.at = start + length;
        self.json.get(start..self.at).unwrap_or_default()
    }

    /// Writes this in place of the text from `start` on that was passed.
    fn replace(&mut self, start: usize, text: &str) {
        self.out.push_str(self.json.get(self.copied..start).unwrap_or_default());
        self.out.push_str(text);
        self.copied = self.at;
    }
}

/// The length of the object or array that `text` begins with.
fn nested_length(text: &str) -> usize {
    depths(text).find(|(_, depth)| *depth == 0).map_or(text.len(), |(at, _)| at + 1)
}

/// Whether Python reads the number as an infinite float. It reads integers of any size.
fn is_infinite(number: &str) -> bool {
    number.contains(['.', 'e', 'E']) && float(number).is_some_and(f64::is_infinite)
}

fn number_length(text: &str) -> usize {
    let end = |byte: u8| !matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    text.bytes().position(end).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired_or_same(json: &str) -> String {
        repaired(json).unwrap_or_else(|| json.to_owned())
    }

    #[test]
    fn lone_surrogates_become_the_replacement_character() {
        assert_eq!(repaired_or_same(r#"{"a":"x\ud83dy"}"#), "{\"a\":\"x\u{fffd}y\"}");
        assert_eq!(repaired_or_same(r#"{"a\uDE00":"\ud83d"}"#), "{\"a\u{fffd}\":\"\u{fffd}\"}");
        assert_eq!(
            repaired_or_same(r#"["\ud83d\ud83d\ude00\ude00"]"#),
            "[\"\u{fffd}\\ud83d\\ude00\u{fffd}\"]"
        );
    }

    #[test]
    fn valid_escapes_are_not_replaced() {
        for valid in
            [r#"["\\ud83d"]"#, r#"["\\\"\\ud83d"]"#, r#"["\ud83d\ude00"]"#, r#"["\u00e9 \n \" é 😀"]"#]
        {
            assert_eq!(repaired(valid), None, "{valid}");
        }
    }

    #[test]
    fn a_value_that_is_nested_too_deeply_becomes_a_string() {
        let deep = |depth: usize| format!("{}\"]\"{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(repaired(&deep(MAX_DEPTH)), None);
        let repaired = repaired_or_same(&deep(MAX_DEPTH + 2));
        assert_eq!(repaired, format!("{}\"[[\\\"]\\\"]]\"{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH)));
    }

    #[test]
    fn a_number_that_is_too_long_becomes_a_string() {
        let digits = "7".repeat(MAX_NUMBER + 1);
        assert_eq!(repaired_or_same(&format!("[-1.5e3,{digits}]")), format!("[-1.5e3,\"{digits}\"]"));
    }

    #[test]
    fn a_number_that_is_too_large_becomes_a_string() {
        let integer = format!("1{}", "0".repeat(400));
        assert_eq!(
            repaired_or_same(&format!("[1e400,-2.5E+999,1e308,1e-400,{integer}]")),
            format!(r#"["1e400","-2.5E+999",1e308,1e-400,{integer}]"#)
        );
    }

    #[test]
    fn text_that_is_not_json_is_no_panic() {
        for text in
            ["", "\"", "\\", "\"\\", "\"\\u", "\"\\ud8", "\"\\ud83dé", "\"\\é", "[[[", "-", "}}}", "é"]
        {
            repaired(text);
        }
    }
}
