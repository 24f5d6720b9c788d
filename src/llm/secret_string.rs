//! A string that is never shown.

use std::{fmt, rc::Rc};

/// What stands in a secret's place, as in the SDK's files.
pub const REDACTED: &str = "**********";

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
            let (before, found) = rest.split_at(at);
            let after = found.get(self.0.len()..).unwrap_or_default();
            let touches = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            let last = before.chars().next_back().or(out.chars().next_back());
            let is_part_of_word = is_short && (touches(last) || touches(after.chars().next()));
            out.push_str(before);
            out.push_str(if is_part_of_word { &self.0 } else { REDACTED });
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
    /// A key, and whatever words of further headers could be one.
    pub fn of_request(key: Option<&SecretString>, headers: &[(String, String)]) -> Self {
        const WORD: usize = 8;
        let words = headers.iter().flat_map(|(_, value)| value.split_whitespace());
        let words = words.filter(|word| word.len() >= WORD).map(SecretString::new);
        Self(key.cloned().into_iter().chain(words).filter(|secret| !secret.is_empty()).collect())
    }

    /// `text` without any of them.
    pub fn redact_in(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| secret.redact_in(&text))
    }
}

impl fmt::Debug for SecretString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
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
    fn is_taken_out_of_texts() {
        let key = SecretString::new("sk-1234567890");
        assert_eq!(key.redact_in("key sk-1234567890!"), "key **********!");
        assert_eq!(key.redact_in("xsk-1234567890sk-1234567890y"), "x********************y");
        let short = SecretString::new("x");
        assert_eq!(short.redact_in("max x, 'x' xx"), "max **********, '**********' xx");
        assert_eq!(SecretString::new("").redact_in("a"), "a");
    }
}
