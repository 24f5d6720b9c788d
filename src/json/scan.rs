//! The grammar of JSON: where the values of a text begin and end, and whether it is JSON at all.
//!
//! Nothing is built here. One function passes values of any kind and any depth, so that a page downloads the grammar
//! once, and what is nested too deep fills a list and not the stack.

use super::text::plain_length;
use std::fmt;

/// The reason why a text could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The character that is not allowed; `None` if the text ends too early.
    found: Option<char>,
    /// The place of the error in the text, in bytes.
    at: usize,
}

impl Broken {
    /// Whether the text was in order as far as it goes.
    pub fn is_cut_off(&self) -> bool {
        self.found.is_none()
    }

    /// Where the text stopped being in order, in bytes.
    pub fn place(&self) -> usize {
        self.at
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.found {
            Some(found) => write!(f, "{found} is out of place at byte {}", self.at),
            None => f.write_str("it breaks off"),
        }
    }
}

/// The length of the JSON string at the beginning of `text`, with both quotes; all of `text` if it is none.
pub fn string_length(text: &str) -> usize {
    let mut scanner = Scanner::new(text);
    scanner.string().map_or(text.len(), str::len)
}

/// The places at which lists and objects of a text begin and end, each with the number of those that are open behind it.
pub fn depths(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let (mut at, mut depth) = (0_usize, 0_usize);
    std::iter::from_fn(move || {
        loop {
            let place = at;
            let byte = *text.as_bytes().get(place)?;
            at += if byte == b'"' { string_length(text.get(place..).unwrap_or_default()) } else { 1 };
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => continue,
            }
            return Some((place, depth));
        }
    })
}

/// A place in a text. Every step either passes what it is named after, or gives `None` and stays at the first
/// character that does not fit.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Why the last step failed.
    pub(super) fn broken(&self) -> Broken {
        let rest = self.text.get(self.at..).unwrap_or_default();
        Broken { found: rest.chars().next(), at: self.at }
    }

    /// Passes white space, and whether that was all.
    pub(super) fn end(&mut self) -> Option<()> {
        self.space();
        (self.at == self.text.len()).then_some(())
    }

    /// Passes white space and this character.
    pub(super) fn mark(&mut self, mark: u8) -> Option<()> {
        self.space();
        self.byte(mark)
    }

    /// Passes a member's name with its colon. The name comes with its quotes.
    pub(super) fn name(&mut self) -> Option<&'a str> {
        self.space();
        let name = self.string()?;
        self.mark(b':')?;
        Some(name)
    }

    /// Passes one value. Its text has no white space around it.
    pub(super) fn value(&mut self) -> Option<&'a str> {
        self.space();
        let start = self.at;
        let mut open = Open::default();
        loop {
            self.space();
            match self.peek()? {
                b'"' => {
                    self.string()?;
                }
                b'{' => {
                    self.at += 1;
                    open.push(true);
                    if self.mark(b'}').is_none() {
                        self.name()?;
                        continue;
                    }
                    open.pop();
                }
                b'[' => {
                    self.at += 1;
                    open.push(false);
                    if self.mark(b']').is_none() {
                        continue;
                    }
                    open.pop();
                }
                b't' => self.word("true")?,
                b'f' => self.word("false")?,
                b'n' => self.word("null")?,
                _ => self.number()?,
            }
            loop {
                let Some(is_object) = open.last() else { return self.text.get(start..self.at) };
                if self.mark(b',').is_some() {
                    if is_object {
                        self.name()?;
                    }
                    break;
                }
                self.byte(if is_object { b'}' } else { b']' })?;
                open.pop();
            }
        }
    }

    fn number(&mut self) -> Option<()> {
        let _sign = self.byte(b'-');
        if self.byte(b'0').is_none() {
            self.digits()?;
        }
        if self.byte(b'.').is_some() {
            self.digits()?;
        }
        if self.byte(b'e').or_else(|| self.byte(b'E')).is_some() {
            let _sign = self.byte(b'+').or_else(|| self.byte(b'-'));
            self.digits()?;
        }
        Some(())
    }

    /// One digit or more.
    fn digits(&mut self) -> Option<()> {
        let is_digit = |found: &u8| found.is_ascii_digit();
        self.peek().filter(is_digit)?;
        while self.peek().is_some_and(|found| is_digit(&found)) {
            self.at += 1;
        }
        Some(())
    }

    /// Passes a string, with its quotes.
    fn string(&mut self) -> Option<&'a str> {
        let start = self.at;
        self.byte(b'"')?;
        loop {
            let rest = self.text.as_bytes().get(self.at..)?;
            self.at += plain_length(rest);
            let found = self.peek().filter(|byte| *byte > 0x1f)?;
            self.at += 1;
            match found {
                b'"' => return self.text.get(start..self.at),
                _ => self.escape()?,
            }
        }
    }

    fn escape(&mut self) -> Option<()> {
        let escaped = self.peek()?;
        if !matches!(escaped, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' | b'u') {
            return None;
        }
        self.at += 1;
        if escaped == b'u' {
            for _ in 0..4 {
                self.peek().filter(u8::is_ascii_hexdigit)?;
                self.at += 1;
            }
        }
        Some(())
    }

    fn word(&mut self, word: &str) -> Option<()> {
        word.bytes().try_for_each(|byte| self.byte(byte))
    }

    #[inline(always)]
    fn byte(&mut self, byte: u8) -> Option<()> {
        self.peek().filter(|found| *found == byte)?;
        self.at += 1;
        Some(())
    }

    #[inline(always)]
    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    // Every byte of an answer comes by here several times, and a compiler that wants little code calls it each time.
    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

/// The lists and objects that are open, a bit each behind a leading one; a list in memory only for those that are nested
/// deep, for most values are small and there are many.
struct Open {
    inner: u32,
    outer: Vec<u32>,
}

impl Default for Open {
    fn default() -> Self {
        Self { inner: 1, outer: Vec::new() }
    }
}

impl Open {
    fn push(&mut self, is_object: bool) {
        if self.inner.leading_zeros() == 0 {
            self.outer.push(std::mem::replace(&mut self.inner, 1));
        }
        self.inner = self.inner << 1 | u32::from(is_object);
    }

    /// Whether the innermost one is an object.
    fn last(&self) -> Option<bool> {
        (self.inner > 1).then_some(self.inner & 1 == 1)
    }

    fn pop(&mut self) {
        self.inner >>= 1;
        if self.inner == 1 {
            self.inner = self.outer.pop().unwrap_or(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::json::{elements, is_json, members};
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    #[test]
    fn an_error_names_the_unexpected_character_and_truncated_text_is_recognized() {
        let message = |text| members(text).unwrap_err().to_string();
        assert_eq!(message(r#"{"a":1,}"#), "} is out of place at byte 7");
        assert_eq!(message("[1]"), "[ is out of place at byte 0");
        assert_eq!(message(r#"{"é":1 é"#), "é is out of place at byte 8");
        for text in
            ["", "{", r#"{"a"#, r#"{"a\"#, r#"{"a\u00"#, r#"{"a":"#, r#"{"a":tr"#, r#"{"a":-"#, r#"{"a":[1"#]
        {
            assert!(members(text).unwrap_err().is_cut_off(), "{text}");
        }
        for text in
            ["x", "{}{}", r#"{"a":trx"#, r#"{"a":01}"#, r#"{"a":"\x"}"#, "{\"a\":\"\n\"}", r#"{"\ud83d":1}"#]
        {
            assert!(!members(text).unwrap_err().is_cut_off(), "{text}");
        }
    }

    #[test]
    fn deeply_nested_json_is_accepted() {
        let deep = format!("{}1{}", "[{\"a\":".repeat(100_000), "}]".repeat(100_000));
        assert!(is_json(&deep));
        assert!(!is_json(&deep[1..]));
    }

    /// Pieces that make JSON, and near misses, more often than random characters would.
    fn near_json() -> impl Strategy<Value = String> {
        let pieces = [
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\"a\"",
            "\"a\":",
            "\"\\u00e9\":",
            "\\",
            "\\n",
            "\\u",
            "\\ud83d",
            "\\ude00",
            "0",
            "-",
            "1",
            "12",
            ".",
            "e",
            "E+",
            "-1.5e-7",
            "1e999",
            "true",
            "false",
            "null",
            "nul",
            " ",
            "\n",
            "\t",
            "\u{1}",
            "é",
            "😀",
            "\u{7f}",
            "{}",
            "[]",
            "[1,2]",
        ];
        prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..14).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        /// serde_json as the second opinion.
        #[test]
        fn the_same_text_is_json_as_for_another_parser(text in near_json(), value in "[-0-9.eE+]{1,8}") {
            for text in [&text, &value, &format!("[{text}]"), &format!("{{\"a\":{text}}}"), &format!("\"{text}\"")] {
                let value = serde_json::from_str::<&RawValue>(text);
                prop_assert_eq!(is_json(text), value.is_ok(), "{}", text);
                let list = serde_json::from_str::<Vec<&RawValue>>(text).ok();
                let list = list.map(|list| list.into_iter().map(RawValue::get).collect::<Vec<_>>());
                prop_assert_eq!(elements(text), list, "{}", text);
                let object = serde_json::from_str::<std::collections::BTreeMap<String, &RawValue>>(text);
                prop_assert_eq!(members(text).is_ok(), object.is_ok(), "{}", text);
                // Of what is no object, of a number that lacks digits and of an escape, the other does not tell.
                let tells = |error: &serde_json::Error| {
                    text.trim_start().starts_with('{') && !error.to_string().contains("number") && !text.contains("\\u")
                };
                if let (Err(own), Err(other)) = (members(text), object) && tells(&other) {
                    prop_assert_eq!(own.is_cut_off(), other.is_eof(), "{}: {}", text, other);
                }
            }
        }
    }
}
