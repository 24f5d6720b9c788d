//! The ways in which a run and its parts end.

use crate::{
    error::{Error, ErrorCode},
    id::EventId,
    llm::LlmError,
};

/// The way in which a part of a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The part is complete.
    Done,
    /// The run was cancelled.
    Cancelled,
}

/// The error that ended a run.
pub enum RunError {
    /// A failure of the model or its provider, and the id of the answer that it was asked for.
    Llm(LlmError, Option<EventId>),
    /// Any other failure.
    Other(Error),
    /// The run was refused before it began, which is not recorded in the log.
    Refused(Error),
}

impl RunError {
    /// The error of a run that could not begin.
    pub fn at_start(error: Error) -> Self {
        match error.code() {
            ErrorCode::InvalidState | ErrorCode::NotFound | ErrorCode::LockedElsewhere => {
                Self::Refused(error)
            }
            _ => Self::Other(error),
        }
    }
}

impl From<Error> for RunError {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

impl From<RunError> for Error {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Llm(error, _) => error.into(),
            RunError::Other(error) | RunError::Refused(error) => error,
        }
    }
}
