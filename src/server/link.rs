//! The connection to a server: when it is tried again, and when not.

use crate::error::{Error, ErrorCode};

/// The first wait, in milliseconds. It doubles with each attempt.
const FIRST_WAIT: f64 = 500.0;

/// The longest wait, in milliseconds.
const LONGEST_WAIT: f64 = 30_000.0;

/// The consequence of a closed socket.
#[derive(Debug)]
pub enum AfterClose {
    /// Another attempt, after so many milliseconds.
    Wait(f64),
    /// No attempt succeeds until the user changes something.
    Fatal(Error),
}

/// The consequence of a socket that was closed with this code, for the `attempts`-th time since one has worked. `random` is from 0 to 1, so
/// that the pages of many users do not come back at once.
pub fn after_close(code: u16, reason: &str, attempts: u32, random: f64) -> AfterClose {
    match code {
        4001 => AfterClose::Fatal(Error::new(
            ErrorCode::ServerAuth,
            "the agent server refuses the key; give agentServer() the one that the server was started with",
        )),
        4004 => AfterClose::Fatal(Error::new(
            ErrorCode::NotFound,
            "the agent server does not have this conversation, or has closed it",
        )),
        // A frame that is too large is sent again, so that only asking helps; the others are over when others have gone.
        1013 if reason == "frame_too_large" => AfterClose::Wait(LONGEST_WAIT),
        _ => {
            let doubled = FIRST_WAIT * 2f64.powi(attempts.min(10) as i32);
            let wait = doubled.min(LONGEST_WAIT);
            AfterClose::Wait(wait * (0.5 + random.clamp(0.0, 1.0) / 2.0))
        }
    }
}
