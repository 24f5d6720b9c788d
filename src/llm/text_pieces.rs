//! Joins JSON strings between which a surrogate pair may be split.
//!
//! Some servers divide their answer between the two `\u` escapes of one character, so that a chunk ends with half of
//! it. A Rust string cannot contain a half; this module joins it with the other half in the next chunk.

use crate::json::{string, wtf8};

/// Decodes consecutive pieces of a text and joins surrogate pairs across them.
#[derive(Default)]
pub(super) struct TextPieces {
    /// The high surrogate at the end of the last piece.
    pending: Option<u16>,
}

impl TextPieces {
    /// The text of a JSON string, without a high surrogate at its end; `None` if the JSON is not a string.
    pub(super) fn text(&mut self, json: &str) -> Option<String> {
        let mut bytes = wtf8(string(json)?);
        if self.pending.is_none() {
            match String::from_utf8(bytes) {
                Ok(text) => return Some(text),
                Err(invalid) => bytes = invalid.into_bytes(),
            }
        }
        Some(self.join(&bytes))
    }

    /// The replacement for a high surrogate that is left at the end.
    pub(super) fn rest(&mut self) -> Option<String> {
        self.pending.take().map(|_| char::REPLACEMENT_CHARACTER.into())
    }

    /// `bytes` are UTF-8 in which surrogates may be encoded like characters (WTF-8).
    fn join(&mut self, bytes: &[u8]) -> String {
        let mut out = String::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            match rest {
                [0xed, second @ 0xa0..=0xbf, third, tail @ ..] => {
                    let unit = 0xd000 | u16::from(second & 0x3f) << 6 | u16::from(third & 0x3f);
                    self.push_unit(unit, &mut out);
                    rest = tail;
                }
                _ => {
                    let end = rest.windows(2).position(|pair| matches!(pair, [0xed, 0xa0..=0xbf]));
                    let (plain, tail) = rest.split_at(end.unwrap_or(rest.len()).max(1));
                    self.flush(&mut out);
                    out.push_str(&String::from_utf8_lossy(plain));
                    rest = tail;
                }
            }
        }
        out
    }

    fn push_unit(&mut self, unit: u16, out: &mut String) {
        match self.pending.take() {
            Some(high) if (0xdc00..0xe000).contains(&unit) => {
                let code = 0x10000 + (u32::from(high & 0x3ff) << 10) + u32::from(unit & 0x3ff);
                out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            other => {
                self.pending = other;
                self.flush(out);
                if (0xd800..0xdc00).contains(&unit) {
                    self.pending = Some(unit);
                } else {
                    out.push(char::REPLACEMENT_CHARACTER);
                }
            }
        }
    }

    fn flush(&mut self, out: &mut String) {
        out.extend(self.rest());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pieces: &[&str]) -> Vec<String> {
        let mut text = TextPieces::default();
        let mut out: Vec<String> = pieces.iter().filter_map(|json| text.text(json)).collect();
        out.extend(text.rest());
        out
    }

    #[test]
    fn a_surrogate_pair_across_pieces_is_joined() {
        assert_eq!(texts(&[r#""a\ud83d""#, r#""\ude00b""#]), ["a", "😀b"]);
        assert_eq!(texts(&[r#""é\ud83d\ude00""#]), ["é😀"]);
    }

    #[test]
    fn a_lone_surrogate_is_replaced() {
        assert_eq!(texts(&[r#""a\ud83d""#, r#""b""#]), ["a", "\u{fffd}b"]);
        assert_eq!(texts(&[r#""\ude00é""#]), ["\u{fffd}é"]);
        assert_eq!(texts(&[r#""\ud83d\ud83d""#]), ["\u{fffd}", "\u{fffd}"]);
    }

    #[test]
    fn other_values_than_strings_have_no_text() {
        assert_eq!(texts(&["null", "1", "[\"a\"]", "\"b\""]), ["b"]);
    }
}
