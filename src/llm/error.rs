//! Errors of model calls: a provider's status and message become a failure that programs and people can act on.
//!
//! The provider's message is included; secrets are removed from it before anything else is done with it. The classes are
//! the SDK's (`llm/exceptions`), so that logs of both are equal.

use crate::{
    error::{Error, ErrorCode},
    llm::{provider_errors::ErrorBody, secret_string::Secrets},
};
use std::{fmt, time::Duration};

macro_rules! llm_failures {
    ($($(#[$doc:meta])* $name:ident: $code:ident, $class:literal, retry $retry:literal, $summary:literal, $advice:literal;)*) => {
        /// The kind of a failure, finer than the public [`ErrorCode`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum LlmFailure { $($(#[$doc])* $name,)* }

        impl LlmFailure {
            /// All failures.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The public code.
            pub const fn code(self) -> ErrorCode {
                match self { $(Self::$name => ErrorCode::$code,)* }
            }

            /// Whether another attempt may succeed.
            pub const fn is_retryable(self) -> bool {
                match self { $(Self::$name => $retry,)* }
            }

            /// The class of the SDK.
            pub const fn sdk_class(self) -> &'static str {
                match self { $(Self::$name => $class,)* }
            }

            /// How its message begins.
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$name => $summary,)* }
            }

            const fn advice(self) -> &'static str {
                match self { $(Self::$name => $advice,)* }
            }
        }
    };
}

llm_failures! {
    /// The key was refused or missing.
    Auth: LlmAuth, "LLMAuthenticationError", retry false,
        "the provider refused the API key", "check the key and that it may use this model";
    /// The stored key cannot be decrypted; nothing was sent.
    KeyLocked: KeyLocked, "LLMAuthenticationError", retry false,
        "the stored key of this model is encrypted and cannot be read", "open the conversation with its passphrase (cipher), or give the key (apiKey, empty for none)";
    /// The account has no credit or quota left.
    Quota: LlmAuth, "APIError", retry false,
        "the account at the provider has no credit or quota left", "check its billing, or use another key";
    /// Too many requests.
    RateLimit: LlmRateLimit, "LLMRateLimitError", retry true,
        "the provider is getting too many requests", "wait and try again";
    /// The request is too long for the model.
    ContextWindow: LlmContextWindow, "LLMContextWindowExceedError", retry false,
        "the conversation no longer fits the model's context window", "condense it or use a model with a larger window";
    /// The provider refused the order of tool calls and results.
    MalformedHistory: LlmBadRequest, "LLMMalformedConversationHistoryError", retry false,
        "the provider refused the order of tool calls and results", "condense the conversation or go back before it";
    /// Refused because of its content.
    ContentPolicy: LlmContentPolicy, "LLMContentPolicyViolationError", retry false,
        "the provider's content filter blocked the request or the answer", "change the request";
    /// The provider refused the request as invalid.
    BadRequest: LlmBadRequest, "LLMBadRequestError", retry false,
        "the provider refused the request", "check the model's name, the base URL and the options";
    /// The server is not an API for models.
    NotAnApi: LlmBadRequest, "LLMBadRequestError", retry false,
        "the server sent something that is not a model's answer", "check the base URL";
    /// Overloaded or broken.
    Unavailable: LlmUnavailable, "LLMServiceUnavailableError", retry true,
        "the provider failed or is overloaded", "try again later";
    /// The answer was empty.
    NoResponse: LlmUnavailable, "LLMNoResponseError", retry true,
        "the provider sent an empty answer", "try again";
    /// The model wrote a call that the server could not read.
    UnreadableCall: LlmUnavailable, "LLMServiceUnavailableError", retry true,
        "the model wrote a call that the provider could not read", "try again";
    /// The server did not answer in time.
    Timeout: LlmTimeout, "LLMTimeoutError", retry true,
        "the provider did not answer in time", "try again, or set a longer timeout";
    /// The server was not reached, or the connection was lost.
    Network: Network, "LLMServiceUnavailableError", retry true,
        "the connection to the provider failed", "check the connection, the base URL, and that the server allows requests from web pages (CORS)";
    /// The server answers, but not to this page.
    Cors: Cors, "LLMServiceUnavailableError", retry false,
        "the server answers, but does not allow requests from web pages (CORS)", "let it allow this page, or set baseUrl to a relay of yours";
    /// The browser reports that it is offline.
    Offline: Offline, "LLMServiceUnavailableError", retry true,
        "the browser is offline", "connect and try again";
    /// The part of the library for this wire API may not run here.
    WasmBlocked: WasmBlocked, "LLMServiceUnavailableError", retry false,
        "the page or the browser forbids WebAssembly", "allow it in the page's Content-Security-Policy";
    /// The options are invalid; nothing was sent.
    InvalidOptions: InvalidOptions, "LLMBadRequestError", retry false,
        "the model's options are invalid", "correct them";
}

/// A failed call of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LlmError {
    /// The kind of the failure.
    pub failure: LlmFailure,
    /// The HTTP status, if a server answered.
    pub status: Option<u16>,
    /// The time that the server asks to wait.
    pub retry_after: Option<Duration>,
    /// The message for people: what was wrong with what, and what to do.
    pub message: String,
    /// The provider's own message.
    pub provider_message: Option<String>,
}

impl LlmError {
    /// A failure with this message and without one of a provider.
    pub fn new(failure: LlmFailure, message: impl Into<String>) -> Self {
        Self { failure, status: None, retry_after: None, message: message.into(), provider_message: None }
    }

    /// A failure with the message of the platform or the provider, which is put between the failure's summary and advice.
    pub fn with_message(failure: LlmFailure, status: Option<u16>, original: &str) -> Self {
        let original = shortened(original);
        let mut message = String::from(failure.summary());
        if let Some(status) = status {
            message.push_str(" (HTTP ");
            message.push_str(&status.to_string());
            message.push(')');
        }
        if !original.is_empty() {
            message.push_str(": ");
            message.push_str(&original);
        }
        message.push_str("; ");
        message.push_str(failure.advice());
        let provider_message = Some(original).filter(|original| !original.is_empty());
        Self { failure, status, retry_after: None, message, provider_message }
    }

    /// Reads a provider's error: a response's status and body, or an error object inside a stream.
    pub fn from_provider(status: Option<u16>, body: &str, secrets: &Secrets) -> Self {
        let error = ErrorBody::read(body, secrets);
        let shown = status.filter(|status| *status >= 400).or(error.status);
        Self::with_message(error.failure(shown.or(status)), shown, &error.message)
    }

    /// A connection that was lost after the server had begun to answer: nothing of it is to be configured.
    pub(super) fn broken_off(original: &str) -> Self {
        let whole = Self::with_message(LlmFailure::Network, None, original);
        let message = whole.message.replace(LlmFailure::Network.advice(), "try again");
        Self { message, ..whole }
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
            // For LiteLLM, which has no class for quotas, every 429 is a rate limit.
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

/// The error of a request for which a file of the wasm could not be loaded.
impl From<Error> for LlmError {
    fn from(error: Error) -> Self {
        let failure = match error.code() {
            ErrorCode::Network => LlmFailure::Network,
            ErrorCode::WasmBlocked => LlmFailure::WasmBlocked,
            _ => LlmFailure::InvalidOptions,
        };
        Self::new(failure, error.message())
    }
}

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
fn shortened(message: &str) -> String {
    const LIMIT: usize = 600;
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}…", line.split_at(end).0),
        None => line.trim_end_matches('.').to_owned(),
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
    fn the_error_responses_of_providers_are_classified() {
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
    fn a_message_has_the_problem_and_the_advice_and_no_key() {
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
    fn a_long_body_is_cut_after_secrets_are_removed() {
        let key = SecretString::new("sk-1234567890");
        let body = format!("{}sk-1234567890", "x".repeat(595));
        let error = LlmError::from_provider(Some(400), &body, &Secrets::of_request(Some(&key), &[]));
        assert!(!error.message.contains("sk-1"), "{}", error.message);
        assert!(error.message.contains('…'));
    }

    #[test]
    fn classes_equal_those_of_the_sdk() {
        let class = |failure, status| LlmError { status, ..LlmError::new(failure, "") }.sdk_class();
        assert_eq!(class(LlmFailure::Auth, Some(401)), "LLMAuthenticationError");
        assert_eq!(class(LlmFailure::Network, None), "LLMServiceUnavailableError");
        assert_eq!(class(LlmFailure::Quota, Some(429)), "LLMRateLimitError");
        for failure in LlmFailure::ALL {
            assert!(failure.summary().chars().next().is_some_and(char::is_lowercase), "{failure:?}");
            assert_eq!(failure.is_retryable(), failure.code().is_retryable(), "{failure:?}");
        }
    }
}
