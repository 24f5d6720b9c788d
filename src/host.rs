//! Time, random numbers and characters. The core gets them through a trait, so that tests control them.

use futures_util::future::LocalBoxFuture;
use std::time::Duration;
use uuid::Uuid;

/// The source of time and random numbers.
pub trait Host {
    /// Milliseconds since the Unix epoch.
    fn now(&self) -> f64;

    /// The local time in the form of the SDK, without a zone: `2026-01-31T09:15:02.123456`.
    fn local_time(&self) -> String;

    /// A random UUID, version 4.
    fn random_uuid(&self) -> Uuid;

    /// Resolves after `duration`. Dropping the future cancels the timer.
    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()>;

    /// The place at which the last character of this text begins, as people see characters: a flag, a family or a letter with
    /// its marks is several code points. A host that does not know takes each code point for a character.
    fn last_character(&self, text: &str) -> usize {
        text.char_indices().next_back().map_or(0, |(place, _)| place)
    }
}

/// The beginning of a text with at most so many code points. What is seen as one character is in it or is not, unless it
/// alone is longer.
pub fn beginning<'a>(host: &dyn Host, text: &'a str, most: usize) -> &'a str {
    let Some((end, next)) = text.char_indices().nth(most) else { return text };
    let whole = text.get(..end + next.len_utf8()).map_or(0, |text| host.last_character(text));
    text.get(..if whole == 0 { end } else { whole }).unwrap_or_default()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A host whose characters are letters with the accents that follow them.
    pub struct Accents;

    impl Host for Accents {
        fn now(&self) -> f64 {
            0.0
        }

        fn local_time(&self) -> String {
            String::new()
        }

        fn random_uuid(&self) -> Uuid {
            Uuid::nil()
        }

        fn sleep(&self, _: Duration) -> LocalBoxFuture<'static, ()> {
            Box::pin(std::future::pending())
        }

        fn last_character(&self, text: &str) -> usize {
            text.rfind(|c| c != '\u{301}').unwrap_or_default()
        }
    }

    #[test]
    fn a_beginning_ends_with_a_whole_character() {
        for (text, most, expected) in [
            ("", 3, ""),
            ("abc", 3, "abc"),
            ("abcd", 3, "abc"),
            ("äöü", 2, "äö"),
            ("abc", 0, ""),
            ("abe\u{301}c", 2, "ab"),
            ("abe\u{301}c", 3, "ab"),
            ("abe\u{301}c", 4, "abe\u{301}"),
            ("e\u{301}\u{301}", 2, "e\u{301}"), // alone it is longer
        ] {
            assert_eq!(beginning(&Accents, text, most), expected, "{text:?} at {most}");
        }
    }
}
