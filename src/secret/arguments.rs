//! Masks the arguments of a call, which arrive in pieces of their JSON text.
//!
//! Strings are masked by their values: a secret in an unusual spelling (`\u0073k-1`) is found as well. A string in which
//! something could be masked is written in the usual spelling.

use super::{mask::Mask, stream::MaskedStream};
use crate::json::{plain_length, quoted, unescaped_text};

/// Arguments that are not complete yet.
pub struct MaskedArguments {
    mask: Mask,
    /// An escape that is not complete.
    rest: String,
    is_in_string: bool,
    string: MaskedStream,
    /// The text after its strings were masked: a secret may extend over several values.
    text: MaskedStream,
}

impl MaskedArguments {
    /// Arguments without text.
    pub fn new(mask: &Mask) -> Self {
        let stream = || MaskedStream::new(mask);
        Self {
            mask: mask.clone(),
            rest: String::new(),
            is_in_string: false,
            string: stream(),
            text: stream(),
        }
    }

    /// Adds the next piece and returns the text that can be shown.
    pub fn push(&mut self, piece: String) -> String {
        // Most pieces: nothing before them waits, and nothing in them can become a secret.
        if let Some(is_in_string) = self.passed(&piece) {
            self.is_in_string = is_in_string;
            return piece;
        }
        self.rest.push_str(&piece);
        let text = std::mem::take(&mut self.rest);
        let mut rest = text.as_str();
        let mut out = String::new();
        while !rest.is_empty() {
            let (length, is_end) = match self.is_in_string {
                false => rest.find('"').map_or((rest.len(), false), |at| (at, true)),
                true => length_in_string(rest),
            };
            let (before, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
            if self.is_in_string {
                self.push_string(before, is_end, &mut out);
            } else {
                out.push_str(before);
            }
            if !is_end {
                self.rest = after.to_owned();
                break;
            }
            out.push('"');
            self.is_in_string = !self.is_in_string;
            rest = after.get(1..).unwrap_or_default();
        }
        self.text.push(out)
    }

    /// Whether a string is open after this piece, if it is shown as it is and leaves nothing behind.
    fn passed(&self, piece: &str) -> Option<bool> {
        if !self.rest.is_empty() || !self.string.passes("") || !self.text.passes(piece) {
            return None;
        }
        let mut is_in_string = self.is_in_string;
        let mut rest = piece.as_bytes();
        loop {
            rest = rest.get(plain_length(rest)..)?;
            rest = match rest {
                [] => return Some(is_in_string),
                [b'"', rest @ ..] => {
                    is_in_string = !is_in_string;
                    rest
                }
                // The usual spelling of a character that no secret has.
                [b'\\', b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't', rest @ ..]
                    if is_in_string && self.mask.needs_no_escapes() =>
                {
                    rest
                }
                _ => return None,
            }
        }
    }

    /// Ends the text and returns the rest of it.
    pub fn end(&mut self) -> String {
        let rest = std::mem::take(&mut self.rest);
        let mut out = String::new();
        self.push_string(&rest, true, &mut out);
        let mut shown = self.text.push(out);
        shown.push_str(&self.text.end());
        shown
    }

    /// Adds to the current string, whose escapes are complete.
    fn push_string(&mut self, json: &str, is_end: bool, out: &mut String) {
        if self.mask.is_empty() {
            return out.push_str(json);
        }
        let mut shown = self.string.push(unescaped_text(json).into_owned());
        if is_end {
            shown.push_str(&self.string.end());
        }
        let quoted = quoted(&shown);
        out.push_str(quoted.get(1..quoted.len() - 1).unwrap_or_default());
    }
}

/// Whether the other half of a surrogate pair is what follows, as far as it has come.
fn may_be_low_half(text: &[u8]) -> bool {
    matches!(text, [] | [b'\\'] | [b'\\', b'u', ..])
}

/// The length of the text up to the end of the string or to an escape that is not complete, and whether it is the end.
fn length_in_string(text: &str) -> (usize, bool) {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        let length = match bytes.get(at..).unwrap_or_default() {
            [] => return (at, false),
            [b'"', ..] => return (at, true),
            // The first half of a surrogate pair waits for the other one.
            [b'\\', b'u', b'd' | b'D', b'8' | b'9' | b'a' | b'A' | b'b' | b'B', _, _, rest @ ..]
                if may_be_low_half(rest) =>
            {
                12
            }
            [b'\\', b'u', ..] => 6,
            [b'\\', ..] => 2,
            _ => 1,
        };
        if at + length > bytes.len() {
            return (at, false);
        }
        at += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::FromJson as _;
    use proptest::prelude::*;

    fn mask(texts: &[&str]) -> Mask {
        let mask = Mask::default();
        mask.hide(texts.iter().map(|text| (*text).to_owned()).collect());
        mask
    }

    /// The text that is shown after each piece, and at the end.
    fn shown(mask: &Mask, pieces: &[&str]) -> Vec<String> {
        let mut arguments = MaskedArguments::new(mask);
        let mut all = String::new();
        let mut shown = Vec::new();
        for piece in pieces {
            all.push_str(&arguments.push((*piece).to_owned()));
            shown.push(all.clone());
        }
        shown.push(all + &arguments.end());
        shown
    }

    /// Every spelling of a character in a JSON string.
    fn spelled(text: &str, spelling: usize) -> String {
        text.chars()
            .enumerate()
            .map(|(at, c)| match (spelling + at) % 3 {
                0 => format!("\\u{:04x}", c as u32),
                1 if c == '/' => "\\/".into(),
                _ => quoted(&c.to_string()).trim_matches('"').replace("\\\\\"", "\\\""),
            })
            .collect()
    }

    #[test]
    fn a_secret_in_any_spelling_that_is_cut_anywhere_is_never_shown() {
        let secret = "sk-1/2é\\9\n";
        let mask = mask(&[secret, "sk-1\\/2é", "{\"a\":[1,\"x\"]}"]);
        for spelling in 0..3 {
            let json =
                format!("{{\"key\": \"a {}!\", \"n\": {{\"a\":[1,\"x\"]}}}}", spelled(secret, spelling));
            assert_eq!(
                String::from_json(json.get(8..json.find("!\"").unwrap() + 2).unwrap()).unwrap(),
                format!("a {secret}!")
            );
            let expected = "{\"key\": \"a <secret-hidden>!\", \"n\": <secret-hidden>}";
            for cut in (0..=json.len()).filter(|at| json.is_char_boundary(*at)) {
                let (one, other) = json.split_at(cut);
                let shown = shown(&mask, &[one, other]);
                assert_eq!(shown.last().unwrap(), expected, "{json} at {cut}");
                assert!(shown.iter().all(|text| expected.starts_with(text)), "{shown:?} at {cut}");
            }
        }
    }

    #[test]
    fn without_secrets_and_without_a_possible_beginning_nothing_is_held_back() {
        assert_eq!(
            shown(&Mask::default(), &["{\"a\": \"\\", "u00e9", "\\n"]),
            ["{\"a\": \"", "{\"a\": \"\\u00e9", "{\"a\": \"\\u00e9\\n", "{\"a\": \"\\u00e9\\n"]
        );
        assert_eq!(
            shown(&mask(&["zzzz"]), &["{\"a\": \"b", "\\\"", "c\"}"]),
            ["{\"a\": \"b", "{\"a\": \"b\\\"", "{\"a\": \"b\\\"c\"}", "{\"a\": \"b\\\"c\"}"]
        );
    }

    #[test]
    fn a_surrogate_pair_and_a_lone_half_are_characters() {
        let mask = mask(&["😀key"]);
        assert_eq!(shown(&mask, &["\"\\ud83d", "\\ude00", "key\""]).last().unwrap(), "\"<secret-hidden>\"");
        assert_eq!(shown(&mask, &["\"\\ud83d", "\\n\\ud83d\""]).last().unwrap(), "\"\u{fffd}\\n\u{fffd}\"");
    }

    proptest! {
        #[test]
        fn any_pieces_give_the_same_and_no_secret(
            texts in prop::collection::vec(prop_oneof!["[ab\"\\\\0:/]{4,6}", "[ab0:/]{4,6}"], 0..4),
            tokens in prop::collection::vec(prop::sample::select(vec!["a", "b", "\"", "\\\\", "\\\"", "\\n", "\\u0061", "\\u0062", "\\/", "0", ":", "{", "é", "\\ud83d"]), 0..20),
            size in 1..7_usize,
        ) {
            let mask = mask(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            let whole = tokens.concat();
            let characters: Vec<char> = whole.chars().collect();
            let pieces: Vec<String> = characters.chunks(size).map(|piece| piece.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let shown = shown(&mask, &pieces);
            let last = shown.last().unwrap();
            prop_assert_eq!(last, &super::tests::shown(&mask, &[&whole])[1]);
            for text in &shown {
                prop_assert!(last.starts_with(text.as_str()));
            }
            for hidden in &texts {
                prop_assert!(!last.contains(hidden.as_str()), "{} in {}", hidden, last);
            }
        }
    }
}
