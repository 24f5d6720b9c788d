//! The crate's one error type.
//!
//! Every failure that leaves the library is an [`Error`]: a stable [`ErrorCode`] for programs, a message that tells
//! people what was wrong with what and what to do, and the HTTP status where a server answered. Messages never contain
//! secrets.

use std::fmt;

/// `Result` with the crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

macro_rules! error_codes {
    ($($(#[doc = $doc:literal])* $name:ident = $text:literal, retryable $retryable:literal, $advice:literal;)*) => {
        /// A stable code that programs can branch on: it never changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorCode { $($(#[doc = $doc])* $name,)* }

        impl ErrorCode {
            /// Every code.
            pub const ALL: &[ErrorCode] = &[$(ErrorCode::$name,)*];

            /// The stable text, as JavaScript sees it in `error.code`.
            pub const fn as_str(self) -> &'static str {
                match self { $(ErrorCode::$name => $text,)* }
            }

            /// Whether doing the same again later can succeed without the user changing anything.
            pub const fn is_retryable(self) -> bool {
                match self { $(ErrorCode::$name => $retryable,)* }
            }

            /// The meaning, in one sentence: the documentation comment.
            pub const fn meaning(self) -> &'static str {
                match self { $(ErrorCode::$name => concat!($($doc, "\n",)*),)* }
            }

            /// The column "what to do" of `docs/errors.md`, as Markdown.
            pub const fn advice(self) -> &'static str {
                match self { $(ErrorCode::$name => $advice,)* }
            }
        }
    };
}

// The TypeScript type of codes and the table of `docs/errors.md` are generated from here: see `tests/generated`.
error_codes! {
    /// The provider refused the key, or the account has no credit.
    LlmAuth = "llm_auth", retryable false,
        "ask for another key";
    /// The model's key is stored encrypted and cannot be read; nothing was sent.
    KeyLocked = "key_locked", retryable false,
        "open the conversation with its passphrase (`cipher`), or give the key (`apiKey`; `\"\"` to send none)";
    /// The provider is getting too many requests.
    LlmRateLimit = "llm_rate_limit", retryable true,
        "wait, then `run()`";
    /// The conversation no longer fits the model's context window.
    LlmContextWindow = "llm_context_window", retryable false,
        "continue with a model that has a larger window, raise the limit of the condenser (`maxTokens`), or begin a new conversation";
    /// The provider refused the content.
    LlmContentPolicy = "llm_content_policy", retryable false,
        "rephrase the message";
    /// The provider could not make sense of the request.
    LlmBadRequest = "llm_bad_request", retryable false,
        "check the model's name and the options";
    /// The provider failed or is overloaded, or its answer made no sense.
    LlmUnavailable = "llm_unavailable", retryable true,
        "`run()` again later";
    /// No answer came in time, or a stream went silent.
    LlmTimeout = "llm_timeout", retryable true,
        "`run()` again";
    /// The request did not reach the server, or its answer was cut off.
    Network = "network", retryable true,
        "check the connection and the server's address; `run()` when it is back";
    /// The model's server answers, but refuses requests from web pages, or from this one (CORS).
    Cors = "cors", retryable false,
        "let the server allow the page, or set `baseUrl` to a relay: see [models.md](models.md)";
    /// The browser reports that it is offline. A run ends with this code only if it does not wait for the network.
    Offline = "offline", retryable true,
        "`run()` when the network is back: see [durability.md](durability.md#without-a-network)";
    /// The agent server refused the key.
    ServerAuth = "server_auth", retryable false,
        "give `agentServer()` the key of that server: see [server.md](server.md)";
    /// WebAssembly is switched off, or the page's Content-Security-Policy does not allow it.
    WasmBlocked = "wasm_blocked", retryable false,
        "add `'wasm-unsafe-eval'` to `script-src`: see [environments.md](environments.md)";
    /// The `signal` of a run, an import or an export stopped it.
    Aborted = "aborted", retryable false,
        "`run()` continues; of an import nothing is stored";
    /// The browser's storage is full.
    StoreQuota = "store_quota", retryable false,
        "export and delete conversations: `storageStatus()` names the largest";
    /// Another tab keeps the database open in another version, a newer version of the app has written it, or a custom
    /// store has not answered in time.
    StoreBlocked = "store_blocked", retryable true,
        "close or reload the other tab, or reload this one";
    /// There is no IndexedDB here, or the browser forbids it (a sandboxed frame, blocked site data); or the browser has lost its
    /// connection to it, which is `retryable`.
    StoreUnavailable = "store_unavailable", retryable false,
        "allow it, or use `memoryStore()`";
    /// The conversation was stored and is gone: the site's data was cleared, or the browser lost its database.
    StoreLost = "store_lost", retryable false,
        "import an earlier export, or start anew";
    /// The stored data cannot be read, or a store broke its contract.
    StoreCorrupt = "store_corrupt", retryable false,
        "export what can be read";
    /// Another tab or handle writes this conversation, or did, and this handle has not taken its place.
    LockedElsewhere = "locked_elsewhere", retryable true,
        "close it there, or `takeOver()` here: see [tabs.md](tabs.md)";
    /// Only the tab that writes this conversation, or only a conversation that runs here, can do this.
    Unsupported = "unsupported", retryable false,
        "do it there, or `takeOver()` first: see [tabs.md](tabs.md)";
    /// The archive or file cannot be imported; the message names the entry.
    ArchiveInvalid = "archive_invalid", retryable false,
        "repair that entry";
    /// The data stored under this id belongs to another conversation.
    IdMismatch = "id_mismatch", retryable false,
        "–";
    /// An argument is not of the documented form, or there is no such option; the message names it, and the option that was
    /// probably meant.
    InvalidOptions = "invalid_options", retryable false,
        "–";
    /// The conversation's present status does not allow it. While calls wait for the user, `sendMessage` names them.
    InvalidState = "invalid_state", retryable false,
        "decide about the calls first: see [control.md](control.md)";
    /// There is no such conversation, event or file.
    NotFound = "not_found", retryable false,
        "–";
    /// The workspace is not the conversation's own files, so it has no earlier versions.
    NoHistory = "no_history", retryable false,
        "open the conversation without `workspace`: see [workspace.md](workspace.md)";
    /// A file, or the number of files, is over a limit that the message names.
    TooLarge = "too_large", retryable false,
        "use smaller files, or fewer: see [workspace.md](workspace.md)";
    /// The user has to allow access to the folder of a workspace or a store, for the first time or again after a reload; or to unlock
    /// an encrypted store.
    PermissionRequired = "permission_required", retryable false,
        "call `requestPermission()` of the workspace, or of the store's handle, in the handler of a click; of an encrypted store `unlock()`: see [workspace.md](workspace.md) and [stores.md](stores.md)";
    /// A run has taken all its steps, spent its budget, or used up its attempts at a valid final answer. Only failures that are
    /// stored have this code: `run()` resolves.
    LimitReached = "limit_reached", retryable false,
        "raise the limit, or send a message that helps";
    /// Another program has stored the failure under a name that this library does not know.
    Unknown = "unknown", retryable false,
        "show its text";
    /// A defect of this library.
    Internal = "internal", retryable false,
        "reload the page, report it; nothing stored is lost";
}

/// A failure: its code, and a sentence that says what was wrong with what and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: ErrorCode,
    message: String,
    status: Option<u16>,
    is_retryable: bool,
}

impl Error {
    /// An error with this code; `message` is lower case, says what to do, and has no final stop.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), status: None, is_retryable: code.is_retryable() }
    }

    /// The same error with the HTTP status that the server answered.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// The same error, of which it is known whether doing the same again later can succeed.
    #[must_use]
    pub fn with_retryable(mut self, is_retryable: bool) -> Self {
        self.is_retryable = is_retryable;
        self
    }

    /// The same error with another message.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// Whether doing the same again later can succeed, with nothing changed.
    pub fn is_retryable(&self) -> bool {
        self.is_retryable
    }

    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// The sentence for people.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The HTTP status, if a server answered.
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

/// Text from outside, quoted for a message: cut where no real name is as long, with invisible characters and those that
/// change the direction of writing escaped.
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
    fn text_from_outside_is_quoted_escaped_and_cut() {
        assert_eq!(shown("é \"x\" \\"), r#""é \"x\" \\""#);
        assert_eq!(shown("a\n\u{202e}txt.exe\u{0}"), r#""a\u{a}\u{202e}txt.exe\u{0}""#);
        assert_eq!(shown(&"é".repeat(101)), format!("\"{}\"…", "é".repeat(100)));
        assert_eq!(shown(&"é".repeat(100)), format!("\"{}\"", "é".repeat(100)));
    }

    #[test]
    fn every_code_has_a_unique_text() {
        let texts: BTreeSet<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(texts.len(), ErrorCode::ALL.len());
    }
}
