//! Why a model gave no answer: from a provider's status and words to what a program and a person can do.
//!
//! The provider's own words are kept; secrets are taken out of them before anything else is done with them. The
//! classes are the SDK's (`llm/exceptions`), so that a log says the same whoever wrote it.

use crate::{
    error::{Error, ErrorCode},
    llm::{provider_errors::ErrorBody, secret_string::Secrets},
};
use std::{fmt, time::Duration};

macro_rules! llm_failures {
    ($($(#[$doc:meta])* $name:ident: $code:ident, $class:literal, retry $retry:literal, $what:literal, $advice:literal;)*) => {
        /// What went wrong, finer than the public [`ErrorCode`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum LlmFailure { $($(#[$doc])* $name,)* }

        impl LlmFailure {
            /// Every failure there is.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The public code.
            pub const fn code(self) -> ErrorCode {
                match self { $(Self::$name => ErrorCode::$code,)* }
            }

            /// Whether another attempt may succeed.
            pub const fn is_retryable(self) -> bool {
                match self { $(Self::$name => $retry,)* }
            }

            const fn sdk_class(self) -> &'static str {
                match self { $(Self::$name => $class,)* }
            }

            const fn what(self) -> &'static str {
                match self { $(Self::$name => $what,)* }
            }

            const fn advice(self) -> &'static str {
                match self { $(Self::$name => $advice,)* }
            }
        }
    };
}

llm_failures! {
    /// The key was refused, or there was none.
    Auth: LlmAuth, "LLMAuthenticationError", retry false,
        "the provider refused the API key", "check the key and that it may use this model";
    /// Nothing was sent.
    KeyLocked: KeyLocked, "LLMAuthenticationError", retry false,
        "the key of this model is stored encrypted, and cannot be read", "open the conversation with its passphrase (cipher), or give the key (apiKey, empty for none)";
    /// The account has nothing left to spend.
    Quota: LlmAuth, "APIError", retry false,
        "the provider says that the account has no credit or quota left", "check its billing, or use another key";
    /// Too many requests.
    RateLimit: LlmRateLimit, "LLMRateLimitError", retry true,
        "the provider is getting too many requests", "wait and try again";
    /// Too long for the model.
    ContextWindow: LlmContextWindow, "LLMContextWindowExceedError", retry false,
        "the conversation no longer fits the model's context window", "condense it or use a model with a larger window";
    /// Calls and results do not pair as this provider wants them.
    MalformedHistory: LlmBadRequest, "LLMMalformedConversationHistoryError", retry false,
        "the provider refused the order of tool calls and results", "condense the conversation or go back before it";
    /// Refused for what it says.
    ContentPolicy: LlmContentPolicy, "LLMContentPolicyViolationError", retry false,
        "the provider's content filter blocked the request or the answer", "change what is asked";
    /// Not understood.
    BadRequest: LlmBadRequest, "LLMBadRequestError", retry false,
        "the provider refused the request", "check the model's name, the base URL and the options";
    /// What answered is not a model's server.
    NotAnApi: LlmBadRequest, "LLMBadRequestError", retry false,
        "the server answered with something that is no model's answer", "check the base URL";
    /// Overloaded or broken.
    Unavailable: LlmUnavailable, "LLMServiceUnavailableError", retry true,
        "the provider failed or is overloaded", "try again later";
    /// An answer without an answer.
    NoResponse: LlmUnavailable, "LLMNoResponseError", retry true,
        "the provider sent an empty answer", "try again";
    /// Silence.
    Timeout: LlmTimeout, "LLMTimeoutError", retry true,
        "the provider did not answer in time", "try again, or allow more with the timeout option";
    /// Not reached, or cut off.
    Network: Network, "LLMServiceUnavailableError", retry true,
        "the connection to the provider failed", "check the connection, the base URL, and that the server allows requests from web pages (CORS)";
    /// The browser says so.
    Offline: Offline, "LLMServiceUnavailableError", retry true,
        "the browser is offline", "connect and try again";
    /// What speaks with this provider may not run here.
    WasmBlocked: WasmBlocked, "LLMServiceUnavailableError", retry false,
        "the page or the browser forbids WebAssembly", "allow it in the page's Content-Security-Policy";
    /// Nothing was sent.
    InvalidOptions: InvalidOptions, "LLMBadRequestError", retry false,
        "the model's options cannot be used", "correct them";
}

/// A failed call of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LlmError {
    /// What went wrong.
    pub failure: LlmFailure,
    /// The HTTP status, where a server answered.
    pub status: Option<u16>,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// For people: what was wrong with what, and what to do.
    pub message: String,
    /// What the provider said, in its own words.
    pub provider_message: Option<String>,
}

impl LlmError {
    /// A failure that no provider had words for.
    pub fn new(failure: LlmFailure, message: impl Into<String>) -> Self {
        Self { failure, status: None, retry_after: None, message: message.into(), provider_message: None }
    }

    /// A failure with the platform's or the provider's words.
    pub fn with_message(failure: LlmFailure, status: Option<u16>, words: &str) -> Self {
        let words = shortened(words);
        let mut message = String::from(failure.what());
        if let Some(status) = status {
            message.push_str(" (HTTP ");
            message.push_str(&status.to_string());
            message.push(')');
        }
        if !words.is_empty() {
            message.push_str(": ");
            message.push_str(&words);
        }
        message.push_str("; ");
        message.push_str(failure.advice());
        let provider_message = Some(words).filter(|words| !words.is_empty());
        Self { failure, status, retry_after: None, message, provider_message }
    }

    /// Reads a provider's error: a response's status and body, or an error object inside a stream.
    pub fn from_provider(status: Option<u16>, body: &str, secrets: &Secrets) -> Self {
        let said = ErrorBody::read(body, secrets);
        let status = status.filter(|status| *status >= 400).or(said.status);
        Self::with_message(said.failure(status), status, &said.words)
    }

    /// The public code.
    pub fn code(&self) -> ErrorCode {
        self.failure.code()
    }

    /// Whether another attempt may succeed.
    pub fn is_retryable(&self) -> bool {
        self.failure.is_retryable()
    }

    /// Whether the server was not reached, or the connection to it was lost.
    pub fn is_of_the_network(&self) -> bool {
        matches!(self.failure, LlmFailure::Network | LlmFailure::Offline)
    }

    /// The name of the exception that the SDK would raise, which it writes as `ConversationErrorEvent.code`.
    pub fn sdk_class(&self) -> &'static str {
        match (self.failure, self.status) {
            // LiteLLM knows no quota: to it, every 429 is a rate limit.
            (LlmFailure::Quota, Some(429)) => LlmFailure::RateLimit.sdk_class(),
            (failure, _) => failure.sdk_class(),
        }
    }
}

impl fmt::Display for LlmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LlmError {}

impl From<LlmError> for Error {
    fn from(error: LlmError) -> Self {
        let status = error.status;
        let public = Error::new(error.code(), error.message);
        match status {
            Some(status) => public.with_status(status),
            None => public,
        }
    }
}

/// One line of at most 600 characters, without a final stop.
fn shortened(words: &str) -> String {
    const LIMIT: usize = 600;
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or_default()),
        None => words.trim_end_matches('.').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::secret_string::SecretString;

    fn failure(status: u16, body: &str) -> LlmFailure {
        LlmError::from_provider(Some(status), body, &Secrets::default()).failure
    }

    #[test]
    fn providers_say_it_in_their_own_ways() {
        use LlmFailure::*;
        let table = [
            (
                401,
                r#"{"error":{"message":"Incorrect API key provided: sk-***.","code":"invalid_api_key"}}"#,
                Auth,
            ),
            (
                403,
                r#"{"error":{"message":"Your chosen model requires moderation","code":403}}"#,
                ContentPolicy,
            ),
            (
                400,
                r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}]"#,
                Auth,
            ),
            (402, r#"{"error":{"message":"Insufficient Balance"}}"#, Quota),
            (
                429,
                r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#,
                Quota,
            ),
            (
                429,
                r#"{"error":{"message":"Rate limit reached for gpt-4o","code":"rate_limit_exceeded"}}"#,
                RateLimit,
            ),
            (413, r#"{"error":{"message":"Request too large on tokens per minute (TPM)"}}"#, RateLimit),
            (413, "Payload Too Large", ContextWindow),
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 128000 tokens.","code":null}}"#,
                ContextWindow,
            ),
            (
                400,
                r#"{"error":{"message":"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."}}"#,
                MalformedHistory,
            ),
            (400, r#"{"error":{"message":"filtered","code":"content_filter"}}"#, ContentPolicy),
            (400, r#"{"object":"error","message":"unknown field"}"#, BadRequest),
            (404, r#"{"error":"model 'x' not found"}"#, BadRequest),
            (404, "<!doctype html><title>404</title>", NotAnApi),
            (422, r#"{"detail":[{"msg":"field required"}]}"#, BadRequest),
            (500, "", Unavailable),
            (502, "<html>Bad gateway</html>", Unavailable),
            (
                529,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                Unavailable,
            ),
            (408, "", Timeout),
        ];
        for (status, body, expected) in table {
            assert_eq!(failure(status, body), expected, "{status} {body}");
        }
    }

    #[test]
    fn an_error_inside_a_stream_has_its_own_status() {
        let error = LlmError::from_provider(
            None,
            r#"{"error":{"code":502,"message":"Provider disconnected","metadata":{"raw":"upstream: reset"}}}"#,
            &Secrets::default(),
        );
        assert_eq!((error.failure, error.status), (LlmFailure::Unavailable, Some(502)));
        assert_eq!(error.provider_message.as_deref(), Some("Provider disconnected: upstream: reset"));
        let named = |body| LlmError::from_provider(None, body, &Secrets::default()).failure;
        assert_eq!(named(r#"{"type":"rate_limit_error","message":"slow down"}"#), LlmFailure::RateLimit);
        assert_eq!(named(r#"{"type":"invalid_request_error","message":"no"}"#), LlmFailure::BadRequest);
        assert_eq!(named(r#"{"type":"server_error","message":"no"}"#), LlmFailure::Unavailable);
    }

    #[test]
    fn messages_say_what_and_what_to_do_without_the_key() {
        let key = SecretString::new("sk-abc\"/1234567890");
        let secrets = Secrets::of_request(Some(&key), &[("x-other".into(), "Bearer other-secret".into())]);
        let body = r#"{"error":{"message":"bad key sk-abc\"\/1234567890 and other-secret."}}"#;
        let error = LlmError::from_provider(Some(401), body, &secrets);
        assert_eq!(
            error.message,
            "the provider refused the API key (HTTP 401): bad key ********** and **********; \
             check the key and that it may use this model"
        );
        let public = Error::from(error);
        assert_eq!((public.code(), public.status()), (ErrorCode::LlmAuth, Some(401)));
    }

    #[test]
    fn a_long_body_is_cut_after_secrets_are_out() {
        let key = SecretString::new("sk-1234567890");
        let body = format!("{}sk-1234567890", "x".repeat(595));
        let error = LlmError::from_provider(Some(400), &body, &Secrets::of_request(Some(&key), &[]));
        assert!(!error.message.contains("sk-1"), "{}", error.message);
        assert!(error.message.contains('…'));
    }

    #[test]
    fn classes_are_the_sdks() {
        let class = |failure, status| LlmError { status, ..LlmError::new(failure, "") }.sdk_class();
        assert_eq!(class(LlmFailure::Auth, Some(401)), "LLMAuthenticationError");
        assert_eq!(class(LlmFailure::Network, None), "LLMServiceUnavailableError");
        assert_eq!(class(LlmFailure::Quota, Some(429)), "LLMRateLimitError");
        for failure in LlmFailure::ALL {
            assert!(failure.what().chars().next().is_some_and(char::is_lowercase), "{failure:?}");
            assert_eq!(failure.is_retryable(), failure.code().is_retryable(), "{failure:?}");
        }
    }
}
