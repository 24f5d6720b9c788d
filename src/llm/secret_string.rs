//! A secret text that is not shown in logs and errors.

use crate::{format::secrets::MASK, json::quoted};
use std::{cmp::Reverse, fmt, rc::Rc};

/// A secret. Neither `Debug` nor any error of this library shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretString(Rc<str>);

impl SecretString {
    /// A secret with this text, without white space around it, which pasting may add.
    pub fn new(text: &str) -> Self {
        Self(text.trim().into())
    }

    /// The secret itself, for the one request that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether the secret is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The secret as plain text, in JSON, in JSON as PHP writes it, and in a URL. The longest come first, because replacing
    /// a shorter one could break a longer one that contains it.
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
        let mut all = vec![json.replace('/', "\\/"), json.to_owned(), plain.to_owned(), in_url];
        all.sort_by_key(|spelling| Reverse(spelling.len()));
        all.dedup();
        all
    }

    /// `text` with the secret replaced. A short secret, such as the `ollama` that is set for local servers, is replaced only
    /// as a separate word.
    pub fn redact_in(&self, text: &str) -> String {
        const SHORT: usize = 8;
        if self.is_empty() {
            return text.to_owned();
        }
        let is_short = self.0.len() < SHORT;
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(&*self.0) {
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

/// All texts that must not occur in a message about one request.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Vec<SecretString>);

impl Secrets {
    /// A key, and long words of further headers, which may be keys as well, in every spelling that an error may quote.
    pub fn of_request(key: Option<&SecretString>, headers: &[(String, String)]) -> Self {
        const MIN_LENGTH: usize = 8;
        let mut secrets = Vec::new();
        if let Some(key) = key {
            secrets.push(key.clone());
        }
        for (_, value) in headers {
            for word in value.split_whitespace() {
                if word.len() >= MIN_LENGTH {
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

    /// `text` with all of them replaced.
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
    fn debug_output_does_not_show_the_secret() {
        assert_eq!(format!("{:?}", Some(SecretString::new("sk-1234567890"))), "Some(**********)");
        assert_eq!(SecretString::new(" sk-1\n").expose(), "sk-1");
    }

    #[test]
    fn all_spellings_are_redacted() {
        let key = SecretString::new("sk-a/b+c\"d0123");
        let secrets = Secrets::of_request(Some(&key), &[]);
        for text in ["sk-a/b+c\"d0123", r#"sk-a/b+c\"d0123"#, r#"sk-a\/b+c\"d0123"#, "sk-a%2Fb%2Bc%22d0123"] {
            assert_eq!(secrets.redact_in(&format!("<{text}>")), "<**********>");
        }
    }

    #[test]
    fn a_short_secret_is_redacted_only_as_a_separate_word() {
        let key = SecretString::new("sk-1234567890");
        assert_eq!(key.redact_in("key sk-1234567890!"), "key **********!");
        assert_eq!(key.redact_in("xsk-1234567890sk-1234567890y"), "x********************y");
        let short = SecretString::new("x");
        assert_eq!(short.redact_in("max x, 'x' xx"), "max **********, '**********' xx");
        assert_eq!(SecretString::new("").redact_in("a"), "a");
    }
}
