//! Classifies errors by the SDK's fixed set of failure kinds.
//!
//! Mirrors `event/error_classification.py`: specific codes come first, then phrases in the detail, then generic codes of
//! wrapper exceptions.

use crate::json::{FromJson, Object, ToJson, object, string_enum};

/// The classification of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorClassification {
    /// The kind of failure.
    pub kind: FailureKind,
    /// Whether a repetition can succeed.
    pub retryable: bool,
    /// The action by which the user can resolve the error.
    pub user_action: FailureAction,
    /// The id under which a service has recorded the error.
    pub error_id: Option<String>,
}

impl FromJson for ErrorClassification {
    fn from_json(json: &str) -> Option<Self> {
        let fields = Object::parse(json)?;
        Some(Self {
            kind: fields.required("kind")?,
            retryable: fields.required("retryable")?,
            user_action: fields.defaulted("user_action", FailureAction::default)?,
            error_id: fields.optional("error_id")?,
        })
    }
}

impl ToJson for ErrorClassification {
    fn write_json(&self, out: &mut String) {
        let classification = object! {
            "kind": self.kind,
            "retryable": self.retryable,
            "user_action": self.user_action,
            "error_id"?: self.error_id,
        };
        classification.write_json(out);
    }
}

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The key was refused.
    Auth,
    /// The quota or the credit is used up.
    Quota,
    /// Too many requests.
    RateLimit,
    /// A setting is wrong.
    Config,
    /// The service or the network failed.
    Transient,
    /// A mistake of the model, which it can correct.
    AgentAction,
    /// A defect of the software.
    Internal,
    /// Not classified.
    Unknown,
}

string_enum!(FailureKind {
    Auth = "auth",
    Quota = "quota",
    RateLimit = "rate_limit",
    Config = "config",
    Transient = "transient",
    AgentAction = "agent_action",
    Internal = "internal",
    Unknown = "unknown",
});

/// The action by which a user can resolve a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailureAction {
    /// No action.
    #[default]
    None,
    /// Try again.
    Retry,
    /// Change the settings.
    Settings,
}

string_enum!(FailureAction {
    None = "none",
    Retry = "retry",
    Settings = "settings",
});

impl ErrorClassification {
    /// An expected failure that the model can correct, such as a call that does not fit its tool.
    pub const AGENT_OUTCOME: Self = Self::new(FailureKind::AgentAction, true, FailureAction::Retry);

    /// A defect of the software, such as an exception in a tool.
    pub const INTERNAL: Self = Self::new(FailureKind::Internal, false, FailureAction::None);

    /// An error that is not classified.
    pub const UNKNOWN: Self = Self::new(FailureKind::Unknown, false, FailureAction::None);

    const fn new(kind: FailureKind, retryable: bool, user_action: FailureAction) -> Self {
        Self { kind, retryable, user_action, error_id: None }
    }

    const fn settings(kind: FailureKind) -> Self {
        Self::new(kind, false, FailureAction::Settings)
    }

    const fn retry(kind: FailureKind) -> Self {
        Self::new(kind, true, FailureAction::Retry)
    }

    /// The classification of an error with this code (an exception's class name) and this detail.
    pub fn of(code: &str, detail: &str) -> Self {
        by_specific_code(code)
            .or_else(|| by_detail(&detail.to_ascii_lowercase()))
            .or_else(|| WRAPPER_CODES.contains(&code).then(|| Self::retry(FailureKind::Transient)))
            .unwrap_or(Self::UNKNOWN)
    }
}

/// The classification of codes that are specific enough without the detail.
fn by_specific_code(code: &str) -> Option<ErrorClassification> {
    use ErrorClassification as C;
    Some(match code {
        "LLMAuthenticationError" | "ACPAuthRequired" => C::settings(FailureKind::Auth),
        "LLMRateLimitError" => C::retry(FailureKind::RateLimit),
        "MaxBudgetReached" => C::settings(FailureKind::Quota),
        "LLMBadRequestError" | "ACPInitError" | "ACPSpawnError" | "ACPPromptError" | "NotFoundError"
        | "LibTmuxException" => C::settings(FailureKind::Config),
        "LLMContextWindowExceedError" | "LLMMalformedConversationHistoryError" => C::AGENT_OUTCOME,
        "MaxIterationsReached" | "ConversationOwnershipLostError" => {
            C::new(FailureKind::AgentAction, false, FailureAction::None)
        }
        "KeyError" | "AssertionError" | "PydanticSerializationError" | "AttributeError" | "TypeError" => {
            C::INTERNAL
        }
        _ => return None,
    })
}

/// The classification of the first phrase found in a detail, which has to be in lower case.
fn by_detail(detail: &str) -> Option<ErrorClassification> {
    let (_, classification) =
        DETAILS.iter().find(|(phrases, _)| phrases.iter().any(|phrase| detail.contains(phrase)))?;
    Some(classification.clone())
}

/// Phrases of providers and of the SDK, in order of precedence. Python applies the same list to the same stored detail,
/// so it must not be changed.
const DETAILS: &[(&[&str], ErrorClassification)] = &[
    (
        &[
            "invalid api key",
            "incorrect api key",
            "authentication required",
            "invalid bearer token",
            "invalid proxy server token",
            "unauthorized",
            "error code: 401",
            "status\": 401",
            "token_not_found",
            "api key is missing",
        ],
        ErrorClassification::settings(FailureKind::Auth),
    ),
    (
        &[
            "weekly usage limit",
            "daily quota",
            "session usage limit",
            "insufficient balance",
            "more credits",
            "budget has been exceeded",
        ],
        ErrorClassification::settings(FailureKind::Quota),
    ),
    (&["rate limit", "error code: 429", "status\": 429"], ErrorClassification::retry(FailureKind::RateLimit)),
    (
        &[
            "provider not provided",
            "no models loaded",
            "does not support thinking",
            "model is no longer available",
            "model not found",
            "invalid params",
            "inactive_service",
            "powershell is not available",
        ],
        ErrorClassification::settings(FailureKind::Config),
    ),
    (
        &[
            "timeout",
            "connection error",
            "connection closed",
            "service temporarily unavailable",
            "bad gateway",
            "cloudflare",
            "cannot connect",
            "name or service not known",
            "error code: 5",
        ],
        ErrorClassification::retry(FailureKind::Transient),
    ),
    (
        &[
            "on_token callback",
            "duplicate tool names",
            "list_tools",
            "on_tools_changed",
            "surrogates not allowed",
        ],
        ErrorClassification::INTERNAL,
    ),
];

/// Codes of wrapper exceptions, which say nothing about the cause.
const WRAPPER_CODES: &[&str] = &[
    "LLMServiceUnavailableError",
    "LLMTimeoutError",
    "ReadTimeout",
    "LLMNoResponseError",
    "MCPTimeoutError",
    "BadGatewayError",
    "HTTPStatusError",
    "RequestError",
    "CloudflareError",
    "OpenAIError",
    "APIError",
    "BaseLLMException",
    "AnthropicError",
    "OpenRouterException",
    "OllamaError",
];

#[cfg(test)]
mod tests {
    use super::{ErrorClassification as C, FailureAction, FailureKind};

    #[test]
    fn a_specific_code_takes_precedence_over_the_detail() {
        assert_eq!(C::of("LLMRateLimitError", "invalid api key").kind, FailureKind::RateLimit);
        assert_eq!(
            C::of("MaxIterationsReached", "timeout"),
            C::new(FailureKind::AgentAction, false, FailureAction::None)
        );
    }

    #[test]
    fn the_detail_takes_precedence_over_the_code_of_a_wrapper() {
        assert_eq!(C::of("OpenAIError", "Incorrect API key provided").kind, FailureKind::Auth);
        assert_eq!(C::of("OpenAIError", "what?").kind, FailureKind::Transient);
        assert_eq!(C::of("SomethingElse", "what?"), C::UNKNOWN);
    }

    #[test]
    fn of_two_phrases_in_a_detail_the_one_earlier_in_the_list_counts() {
        assert_eq!(C::of("", "rate limit: daily quota used up").kind, FailureKind::Quota);
        assert_eq!(C::of("", "Cloudflare timeout, unauthorized").kind, FailureKind::Auth);
    }
}
