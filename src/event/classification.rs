//! What kind of failure an error was, in the SDK's small closed vocabulary.
//!
//! Mirrors `event/error_classification.py`: codes that say enough by themselves come first, then what the detail
//! says, then codes of wrappers that say little.

use crate::json::{FromJson, Object, ObjectWriter, ToJson, string_enum};

/// What an error means for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorClassification {
    /// The kind of failure.
    pub kind: FailureKind,
    /// Whether the same can succeed later.
    pub retryable: bool,
    /// What the user can do.
    pub user_action: FailureAction,
    /// An id under which a service has recorded it.
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
        let mut fields = ObjectWriter::new();
        fields.field("kind", &self.kind);
        fields.field("retryable", &self.retryable);
        fields.field("user_action", &self.user_action);
        fields.optional("error_id", &self.error_id);
        out.push_str(&fields.finish());
    }
}

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The key was refused.
    Auth,
    /// The account is used up.
    Quota,
    /// Too many requests.
    RateLimit,
    /// A setting is wrong.
    Config,
    /// The service or the network failed.
    Transient,
    /// The model did something that it can do better.
    AgentAction,
    /// A defect.
    Internal,
    /// Nobody knows.
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

/// What a user can do about a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailureAction {
    /// Nothing.
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

    /// A defect in what was to be done, such as a tool that threw.
    pub const INTERNAL: Self = Self::new(FailureKind::Internal, false, FailureAction::None);

    /// Nothing is known.
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
        by_telling_code(code)
            .or_else(|| by_detail(&detail.to_ascii_lowercase()))
            .or_else(|| WRAPPER_CODES.contains(&code).then(|| Self::retry(FailureKind::Transient)))
            .unwrap_or(Self::UNKNOWN)
    }
}

/// Codes that say what happened, whatever the detail says.
fn by_telling_code(code: &str) -> Option<ErrorClassification> {
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

/// What errors say about themselves, in the order in which it counts.
fn by_detail(detail: &str) -> Option<ErrorClassification> {
    let (_, classification) =
        DETAILS.iter().find(|(signs, _)| signs.iter().any(|sign| detail.contains(sign)))?;
    Some(classification.clone())
}

/// What providers and the SDK say. Python goes through the same list for the same stored detail, so it stays as it is.
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
    fn a_telling_code_counts_more_than_the_detail() {
        assert_eq!(C::of("LLMRateLimitError", "invalid api key").kind, FailureKind::RateLimit);
        assert_eq!(
            C::of("MaxIterationsReached", "timeout"),
            C::new(FailureKind::AgentAction, false, FailureAction::None)
        );
    }

    #[test]
    fn the_detail_counts_more_than_the_code_of_a_wrapper() {
        assert_eq!(C::of("OpenAIError", "Incorrect API key provided").kind, FailureKind::Auth);
        assert_eq!(C::of("OpenAIError", "what?").kind, FailureKind::Transient);
        assert_eq!(C::of("SomethingElse", "what?"), C::UNKNOWN);
    }

    #[test]
    fn of_two_signs_in_a_detail_the_one_that_asks_more_of_the_user_counts() {
        assert_eq!(C::of("", "rate limit: daily quota used up").kind, FailureKind::Quota);
        assert_eq!(C::of("", "Cloudflare timeout, unauthorized").kind, FailureKind::Auth);
    }
}
