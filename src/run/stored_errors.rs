//! The names under which failures of runs are stored, and the codes that programs see for them.
//!
//! The names are the SDK's, several failures share one, and a log of the SDK has no others. So a code is found by the name
//! and, where that is not enough, by the beginning of the text. TypeScript's table is generated from here.

use super::limits::LIMITS;
use crate::{
    error::ErrorCode,
    llm::{LlmError, LlmFailure},
};

/// A failure as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredError {
    /// `ConversationErrorEvent.code`.
    pub name: &'static str,
    /// The code that programs see.
    pub code: ErrorCode,
    /// How the text begins, where another failure has the same name.
    pub begin: Option<&'static str>,
}

/// All failures that are stored under a name that is no code; the first one that fits counts. Any other name that is no
/// code is [`ErrorCode::Unknown`].
pub fn stored_errors() -> Vec<StoredError> {
    let (mut special, mut general): (Vec<StoredError>, Vec<StoredError>) = Default::default();
    for failure in LlmFailure::ALL {
        let code = failure.code();
        let stored = |status| LlmError { status, ..LlmError::new(*failure, "") }.sdk_class();
        let (name, too_many) = (stored(None), stored(Some(429)));
        // For the SDK it is the name of any failure that has no class.
        let is_known = general.iter().find(|other| other.name == name);
        if name == "APIError" || is_known.is_some_and(|other| other.code != code) {
            special.push(StoredError { name, code, begin: Some(failure.summary()) });
        } else if is_known.is_none() {
            general.push(StoredError { name, code, begin: None });
        }
        if too_many != name {
            special.push(StoredError { name: too_many, code, begin: Some(failure.summary()) });
        }
    }
    let limits = LIMITS.map(|name| StoredError { name, code: ErrorCode::LimitReached, begin: None });
    special.into_iter().chain(general).chain(limits).collect()
}
