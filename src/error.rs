//! The crate's one error type.
//!
//! Every failure that leaves the library is an [`Error`]: a stable [`ErrorCode`] to act on, a sentence that says
//! what was wrong with what and what to do, and the little a program can use (HTTP status, whether a retry can
//! help). Secrets never enter a message.

use std::fmt;

/// `Result` with the crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

macro_rules! error_codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, retryable $retryable:literal;)*) => {
        /// What went wrong, as a promise: a code never changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorCode { $($(#[$doc])* $name,)* }

        impl ErrorCode {
            /// Every code there is.
            pub const ALL: &[ErrorCode] = &[$(ErrorCode::$name,)*];

            /// The stable text, as JavaScript sees it in `error.code`.
            pub const fn as_str(self) -> &'static str {
                match self { $(ErrorCode::$name => $text,)* }
            }

            /// Whether doing the same again later can succeed without the user changing anything.
            pub const fn is_retryable(self) -> bool {
                match self { $(ErrorCode::$name => $retryable,)* }
            }
        }
    };
}

error_codes! {
    /// The provider refused the key, or there was none.
    LlmAuth = "llm_auth", retryable false;
    /// The key is stored encrypted, and nobody gave its passphrase: nothing was sent.
    KeyLocked = "key_locked", retryable false;
    /// Too many requests; wait and try again.
    LlmRateLimit = "llm_rate_limit", retryable true;
    /// The conversation no longer fits the model's context window.
    LlmContextWindow = "llm_context_window", retryable false;
    /// The provider refused the content.
    LlmContentPolicy = "llm_content_policy", retryable false;
    /// The provider could not make sense of the request.
    LlmBadRequest = "llm_bad_request", retryable false;
    /// The provider failed or is overloaded, or its answer made no sense.
    LlmUnavailable = "llm_unavailable", retryable true;
    /// No answer within the time allowed, or a stream that went silent.
    LlmTimeout = "llm_timeout", retryable true;
    /// The request did not reach the server, or its answer was cut off.
    Network = "network", retryable true;
    /// The browser says it is offline.
    Offline = "offline", retryable true;
    /// The page or the browser forbids WebAssembly.
    WasmBlocked = "wasm_blocked", retryable false;
    /// The caller's signal, `interrupt` or `close` stopped it.
    Aborted = "aborted", retryable false;
    /// The browser's storage is full.
    StoreQuota = "store_quota", retryable false;
    /// Another tab keeps an older or newer version of the database open, or a newer one has been written.
    StoreBlocked = "store_blocked", retryable true;
    /// There is no storage here, or the page may not use it.
    StoreUnavailable = "store_unavailable", retryable false;
    /// What was stored is gone: the browser lost it, or the site's data was cleared.
    StoreLost = "store_lost", retryable false;
    /// What is stored cannot be read, or the store broke its contract.
    StoreCorrupt = "store_corrupt", retryable false;
    /// Another tab or handle is writing this conversation.
    LockedElsewhere = "locked_elsewhere", retryable true;
    /// The archive is not one this library can import; the message names the entry.
    ArchiveInvalid = "archive_invalid", retryable false;
    /// What is stored under this id says it is another conversation.
    IdMismatch = "id_mismatch", retryable false;
    /// Tools that the conversation was created with are missing.
    ToolsMismatch = "tools_mismatch", retryable false;
    /// An argument or option is not of the documented form.
    InvalidOptions = "invalid_options", retryable false;
    /// Not possible in the conversation's present status.
    InvalidState = "invalid_state", retryable false;
    /// There is no such conversation, event or file.
    NotFound = "not_found", retryable false;
    /// A defect of this library.
    Internal = "internal", retryable false;
}

/// A failure: what kind, what was wrong with what, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: ErrorCode,
    message: String,
    status: Option<u16>,
}

impl Error {
    /// An error with this code; `message` is lower case, says what to do, and has no final stop.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), status: None }
    }

    /// The same error with the HTTP status that the server answered.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// The same error in other words.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// What a program acts on.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// What a person reads.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The HTTP status, where a server answered.
    pub fn status(&self) -> Option<u16> {
        self.status
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Something foreign as a message quotes it: cut where no real name is as long, and with nothing in it that nobody
/// sees or that turns other text round.
pub fn shown(text: &str) -> String {
    const LONGEST: usize = 100;
    let mut out = String::from("\"");
    for (count, c) in text.chars().enumerate() {
        if count == LONGEST {
            return out + "\"…";
        }
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\0'..' ' | '\u{7f}'..'\u{a0}' | '\u{ad}' | '\u{61c}' | '\u{feff}' => {
                out.extend(c.escape_unicode())
            }
            '\u{200b}'..'\u{2010}' | '\u{2028}'..'\u{202f}' | '\u{2060}'..'\u{2070}' => {
                out.extend(c.escape_unicode())
            }
            c => out.push(c),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::{ErrorCode, shown};
    use std::collections::BTreeSet;

    #[test]
    fn what_is_foreign_is_quoted_and_cut() {
        assert_eq!(shown("é \"x\" \\"), r#""é \"x\" \\""#);
        assert_eq!(shown("a\n\u{202e}txt.exe\u{0}"), r#""a\u{a}\u{202e}txt.exe\u{0}""#);
        assert_eq!(shown(&"é".repeat(101)), format!("\"{}\"…", "é".repeat(100)));
        assert_eq!(shown(&"é".repeat(100)), format!("\"{}\"", "é".repeat(100)));
    }

    #[test]
    fn every_code_has_a_text_of_its_own() {
        let texts: BTreeSet<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(texts.len(), ErrorCode::ALL.len());
    }
}
