//! Reads and classifies the error responses of providers.
//!
//! Secrets are removed before anything else is done with a message.

use crate::{
    json::{EditableObject, FromJson as _},
    llm::{
        error::{LlmError, LlmFailure},
        secret_string::Secrets,
    },
};

/// The body of an error response.
#[derive(Default)]
pub(super) struct ErrorBody {
    pub(super) message: String,
    /// Message, code and type in lower case, in which phrases are searched.
    search_text: String,
    pub(super) status: Option<u16>,
    is_page: bool,
}

impl ErrorBody {
    pub(super) fn read(body: &str, secrets: &Secrets) -> Self {
        let body = body.trim();
        if body.starts_with('<') {
            return Self { message: "a web page".into(), is_page: true, ..Self::default() };
        }
        // Gemini sends its error object in a list.
        let object = EditableObject::compact(body)
            .or_else(|| Vec::<EditableObject>::from_json(body).and_then(|list| list.into_iter().next()));
        let Some(object) = object else {
            let message = secrets.redact_in(body);
            return Self { search_text: message.to_ascii_lowercase(), message, ..Self::default() };
        };
        let inner = object.read::<EditableObject>("error").unwrap_or_else(|| object.clone());
        let mut message = ["message", "error", "detail", "msg"]
            .iter()
            .find_map(|name| inner.read::<String>(name))
            .unwrap_or_else(|| inner.text());
        if let Some(raw) =
            inner.read::<EditableObject>("metadata").and_then(|metadata| metadata.read::<String>("raw"))
        {
            message.push_str(": ");
            message.push_str(&raw);
        }
        let message = secrets.redact_in(&message);
        let code = inner.get("code").unwrap_or_default();
        let kind = inner.get("type").or_else(|| inner.get("status")).unwrap_or_default();
        let status = ["code", "status", "status_code"].iter().find_map(|name| status_of(inner.get(name)?));
        Self {
            search_text: format!("{message} {code} {kind}").to_ascii_lowercase(),
            message,
            status,
            is_page: false,
        }
    }

    /// The failure for this body and the status of its response.
    pub(super) fn failure(&self, status: Option<u16>) -> LlmFailure {
        if self.is_page { page_failure(status) } else { classify(status, &self.search_text) }
    }
}

fn status_of(json: &str) -> Option<u16> {
    json.trim_matches('"').parse().ok().filter(|status| (400..600).contains(status))
}

fn page_failure(status: Option<u16>) -> LlmFailure {
    match status {
        Some(500..) => LlmFailure::Unavailable,
        Some(408) => LlmFailure::Timeout,
        Some(429) => LlmFailure::RateLimit,
        _ => LlmFailure::NotAnApi,
    }
}

fn classify(status: Option<u16>, search_text: &str) -> LlmFailure {
    let has = |phrases: &str| phrases.lines().any(|phrase| search_text.contains(phrase));
    match status {
        Some(401 | 403) if has(CONTENT_POLICY) => LlmFailure::ContentPolicy,
        Some(402) => LlmFailure::Quota,
        // Gemini names every limit a quota, and most of them are reset within a minute.
        Some(429) if has("resource_exhausted") => LlmFailure::RateLimit,
        Some(401 | 403 | 429) if has(QUOTA) => LlmFailure::Quota,
        Some(401 | 403) => LlmFailure::Auth,
        Some(425 | 429) => LlmFailure::RateLimit,
        Some(413) if has(RATE_LIMIT) => LlmFailure::RateLimit,
        _ if has(CONTEXT_WINDOW) => LlmFailure::ContextWindow,
        _ if has(MALFORMED_HISTORY) => LlmFailure::MalformedHistory,
        _ if has(CONTENT_POLICY) => LlmFailure::ContentPolicy,
        _ if has(QUOTA) => LlmFailure::Quota,
        Some(408) => LlmFailure::Timeout,
        Some(413) => LlmFailure::ContextWindow,
        Some(500..) => LlmFailure::Unavailable,
        _ if has(AUTH) => LlmFailure::Auth,
        Some(_) => LlmFailure::BadRequest,
        None if has(RATE_LIMIT) => LlmFailure::RateLimit,
        None if has(TIMEOUT) => LlmFailure::Timeout,
        None if has(BAD_REQUEST) => LlmFailure::BadRequest,
        None => LlmFailure::Unavailable,
    }
}

/// The phrases of the SDK's classifier and of LiteLLM, which classifies before it.
const CONTEXT_WINDOW: &str = "\
contextwindowexceedederror
context_length_exceeded
prompt is too long
exceed context limit
please reduce the length of
exceeds the available context size
context length exceeded
input exceeds the context window
context window exceeds limit
maximum context length
model's maximum context limit
longer than the model's context length
input is too long for requested model
exceeds the maximum number of tokens allowed
exceeded model token limit
context length of only
maximum prompt length is
`inputs` tokens + `max_new_tokens`
input tokens exceed the configured limit";

const MALFORMED_HISTORY: &str = "\
tool_use ids were found without `tool_result` blocks immediately after
tool_use` ids were found without `tool_result` blocks immediately after
each `tool_use` block must have a corresponding `tool_result` block in the next message
each tool_use must have a single result
found multiple `tool_result` blocks with id:
unexpected `tool_use_id` found in `tool_result` blocks
each `tool_result` block must have a corresponding `tool_use` block in the previous message
must be followed by tool messages responding to each 'tool_call_id'
must be a response to a preceeding message with 'tool_calls'
failed to parse tool call arguments as json";

const CONTENT_POLICY: &str = "\
content_policy
content_filter
content filtering policy
content management policy
output blocked by content filtering
requires moderation";

const QUOTA: &str = "\
insufficient_quota
insufficient balance
insufficient credits
more credits
exceeded your current quota
exceeded_current_quota
credit balance is too low
used all available credits
run out of credits
budget has been exceeded
billing_hard_limit_reached";

const AUTH: &str = "\
invalid api key
invalid_api_key
incorrect api key
api key not valid
unauthorized
missing api key
invalid authentication
authentication_error
permission_error
access denied";

const RATE_LIMIT: &str = "\
rate_limit
rate limit
tokens per min
too many requests";
const TIMEOUT: &str = "\
timeout
timed out";
const BAD_REQUEST: &str = "\
invalid_request
bad_request
not_found
not found";

/// The error of Gemini behind a proxy for a prompt that is too small for cache marks.
pub(super) const PROMPT_CACHE_TOO_SMALL: &str = "minimum token count to start caching";

/// Whether the provider refused reasoning in the history, which comes from another model or is incomplete. The errors of
/// Anthropic are "Invalid `signature` in `thinking` block", "each thinking block must contain thinking" and "`thinking`
/// or `redacted_thinking` blocks in the latest assistant message cannot be modified", that of OpenAI is "The encrypted
/// content … could not be verified".
pub(super) fn refuses_thoughts(error: &LlmError) -> bool {
    let message = error.message.to_ascii_lowercase();
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| message.contains(phrase));
    error.failure == LlmFailure::BadRequest
        && (has(&["encrypted content", "encrypted_content"])
            || has(&["thinking"]) && has(&["signature", "must contain thinking", "cannot be modified"]))
}
