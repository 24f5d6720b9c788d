//! A string that is never shown.

use crate::{format::secrets::MASK, json::quoted};
use std::cmp::Reverse;
use std::{fmt, rc::Rc};

/// A secret. Neither `Debug` nor any error of this library shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretString(Rc<str>);

impl SecretString {
    /// Keeps `text`, without the white space around it that a paste brings along.
    pub fn new(text: &str) -> Self {
        Self(text.trim().into())
    }

    /// The secret itself, for the one request that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The secret as it is, in JSON, in JSON as PHP writes it, and in a URL. The longer come first, so that what they
    /// contain does not spoil them.
    fn spellings(&self) -> Vec<String> {
        let plain = self.expose();
        let json = quoted(plain);
        let json = json.trim_matches('"');
        let mut in_url = String::new();
        for byte in plain.bytes() {
            match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                    in_url.push(byte.into())
                }
                byte => in_url.push_str(&format!("%{byte:02X}")),
            }
        }
        let mut all = vec![json.replace('/', "\\/"), json.to_owned(), in_url, plain.to_owned()];
        all.sort_by_key(|spelling| Reverse(spelling.len()));
        all.dedup();
        all
    }

    /// `text` without the secret. A short one, such as the `ollama` that local servers are given, is taken out only
    /// where it stands as a word of its own.
    pub fn redact_in(&self, text: &str) -> String {
        const SHORT: usize = 8;
        if self.is_empty() {
            return text.to_owned();
        }
        let is_short = self.0.len() < SHORT;
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(&*self.0) {
            let before = rest.get(..at).unwrap_or_default();
            let after = rest.get(at + self.0.len()..).unwrap_or_default();
            let touches = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
            let last = before.chars().next_back().or(out.chars().next_back());
            let is_part_of_word = is_short && (touches(last) || touches(after.chars().next()));
            out.push_str(before);
            out.push_str(if is_part_of_word { &self.0 } else { MASK });
            rest = after;
        }
        out.push_str(rest);
        out
    }
}

/// Everything that must not get into a message about one request.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Vec<SecretString>);

impl Secrets {
    /// A key, and whatever words of further headers could be one, in every spelling that an error may quote them in.
    pub fn of_request(key: Option<&SecretString>, headers: &[(String, String)]) -> Self {
        const WORD: usize = 8;
        let mut secrets = Vec::new();
        if let Some(key) = key {
            secrets.push(key.clone());
        }
        for (_, value) in headers {
            for word in value.split_whitespace() {
                if word.len() >= WORD {
                    secrets.push(SecretString::new(word));
                }
            }
        }
        let mut spellings = Self::default();
        for secret in secrets {
            for spelling in secret.spellings() {
                spellings.0.push(SecretString::new(&spelling));
            }
        }
        spellings
    }

    /// `text` without any of them.
    pub fn redact_in(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.0 {
            text = secret.redact_in(&text);
        }
        text
    }
}

impl fmt::Debug for SecretString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_not_shown() {
        assert_eq!(format!("{:?}", Some(SecretString::new("sk-1234567890"))), "Some(**********)");
        assert_eq!(SecretString::new(" sk-1\n").expose(), "sk-1");
    }

    #[test]
    fn is_taken_out_however_it_is_spelled() {
        let key = SecretString::new("sk-a/b+c\"d0123");
        let secrets = Secrets::of_request(Some(&key), &[]);
        for text in ["sk-a/b+c\"d0123", r#"sk-a/b+c\"d0123"#, r#"sk-a\/b+c\"d0123"#, "sk-a%2Fb%2Bc%22d0123"] {
            assert_eq!(secrets.redact_in(&format!("<{text}>")), "<**********>");
        }
    }

    #[test]
    fn is_taken_out_of_texts() {
        let key = SecretString::new("sk-1234567890");
        assert_eq!(key.redact_in("key sk-1234567890!"), "key **********!");
        assert_eq!(key.redact_in("xsk-1234567890sk-1234567890y"), "x********************y");
        let short = SecretString::new("x");
        assert_eq!(short.redact_in("max x, 'x' xx"), "max **********, '**********' xx");
        assert_eq!(SecretString::new("").redact_in("a"), "a");
    }
}
