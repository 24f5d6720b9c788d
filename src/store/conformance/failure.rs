//! The failure of a case: a sentence, and the values that differ.

use crate::id::shortened;
use serde::Serialize;
use std::fmt::Debug;

/// Lines shown of each of two values, from shortly before the first line that differs.
const SHOWN_LINES: usize = 24;

/// Why a case failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// A sentence.
    pub message: String,
    /// The lines of the expected value where it differs from the found one; absent if no two values were compared.
    pub expected: Option<String>,
    /// The same lines of the value that the store returned.
    pub actual: Option<String>,
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self { message, expected: None, actual: None }
    }
}

impl Failure {
    /// The failure of a comparison; `subject` names what was compared.
    pub(super) fn of_difference(subject: &str, found: &impl Debug, expected: &impl Debug) -> Self {
        let message = format!(
            "{subject}: found {}, expected {}",
            shortened(&format!("{found:?}")),
            shortened(&format!("{expected:?}"))
        );
        let (found, expected) = (format!("{found:#?}"), format!("{expected:#?}"));
        let equal = found.lines().zip(expected.lines()).take_while(|(one, other)| one == other).count();
        let excerpt = |text: &str| {
            let lines: Vec<_> = text.lines().skip(equal.saturating_sub(3)).take(SHOWN_LINES).collect();
            Some(lines.join("\n"))
        };
        Self { message, expected: excerpt(&expected), actual: excerpt(&found) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_far_behind_the_beginning_is_shown() {
        let expected: Vec<u32> = (0..10_000).collect();
        let mut found = expected.clone();
        if let Some(number) = found.get_mut(9_000) {
            *number = 7;
        }
        let failure = Failure::of_difference("numbers", &found, &expected);
        assert!(failure.message.starts_with("numbers: found [0, 1, 2"));
        assert!(
            failure.expected.is_some_and(|text| text.contains("9000") && text.lines().count() == SHOWN_LINES)
        );
        assert!(failure.actual.is_some_and(|text| text.lines().nth(3) == Some("    7,")));
    }
}
