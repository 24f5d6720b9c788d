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
        let inner = inner_of(&object);
        let mut message = message_in(&object, 0).unwrap_or_else(|| inner.text());
        let further =
            inner.read::<EditableObject>("metadata").and_then(|metadata| metadata.read::<String>("raw"));
        // Groq's call that it could not read, in the words of the model.
        for more in further.into_iter().chain(inner.read::<String>("failed_generation")) {
            message.push_str(": ");
            message.push_str(&more);
        }
        let message = secrets.redact_in(&message);
        let code =
            ["code", "status_code", "error_code"].iter().find_map(|name| inner.get(name)).unwrap_or_default();
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

/// Objects in which servers put their error: OpenAI's, MiniMax's, FastAPI's, and those of gateways.
const INNER: &[&str] = &["error", "base_resp", "detail", "errors", "body", "data"];

/// The object with the code and the message of an error.
fn inner_of(object: &EditableObject) -> EditableObject {
    let inner = |name: &&str| {
        let found = object.read::<EditableObject>(name);
        found.or_else(|| object.read::<Vec<EditableObject>>(name)?.into_iter().next())
    };
    INNER.iter().find_map(inner).unwrap_or_else(|| object.clone())
}

/// The server's own words, wherever it has put them.
fn message_in(object: &EditableObject, depth: u8) -> Option<String> {
    const NAMES: &[&str] = &[
        "message",
        "error",
        "detail",
        "msg",
        "status_msg",
        "error_msg",
        "error_message",
        "errorMessage",
        "error_description",
        "reason",
        "title",
    ];
    let own = || {
        let texts = NAMES.iter().filter_map(|name| object.read::<String>(name));
        texts.into_iter().find(|text| !text.trim().is_empty())
    };
    let inner = || Some(inner_of(object)).filter(|inner| depth < 3 && inner.text() != object.text());
    inner().and_then(|inner| message_in(&inner, depth + 1)).or_else(own)
}

/// Whether a whole answer, which came with a status of success, is an error: it says something in a place of errors.
pub(super) fn is_error(document: &str) -> bool {
    let Some(object) = EditableObject::compact(document) else { return false };
    let is_set =
        |name: &str| object.get(name).is_some_and(|json| !matches!(json, "null" | "\"\"" | "{}" | "[]"));
    ["error", "error_code", "error_msg", "errors", "detail", "msg"].into_iter().any(is_set)
        || object.get("object") == Some("\"error\"")
        || ["code", "status", "status_code"].iter().any(|name| object.get(name).and_then(status_of).is_some())
        || object
            .read::<EditableObject>("base_resp")
            .is_some_and(|base| base.get("status_code").is_some_and(|code| code != "0"))
}

fn classify(status: Option<u16>, search_text: &str) -> LlmFailure {
    let has = |phrases: &str| phrases.lines().any(|phrase| search_text.contains(phrase));
    let is_limited = has(RATE_LIMIT) || has(QUOTA) || has("resource_exhausted");
    match status {
        _ if has(UNREADABLE_CALL) => LlmFailure::UnreadableCall,
        // What is too long is so whatever its status: llama.cpp answers 500, Copilot 400, others 422 or 429.
        _ if !is_limited && (has(CONTEXT_WINDOW) || sounds_too_long(search_text)) => {
            LlmFailure::ContextWindow
        }
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
        Some(_) if has(OVERLOADED) => LlmFailure::Unavailable,
        Some(200) if has(RATE_LIMIT) => LlmFailure::RateLimit,
        Some(_) => LlmFailure::BadRequest,
        None if has(RATE_LIMIT) => LlmFailure::RateLimit,
        None if has(TIMEOUT) => LlmFailure::Timeout,
        None if has(BAD_REQUEST) => LlmFailure::BadRequest,
        None => LlmFailure::Unavailable,
    }
}

/// Whether a sentence says that the input has too many tokens, in words that are not known. Each server has its own.
fn sounds_too_long(text: &str) -> bool {
    const WHAT: &str = "prompt\ninput\ncontext\nconversation";
    const MEASURE: &str = "token\nlength\nwindow\ncontext size\nn_ctx";
    const TOO_MUCH: &str = "\
exceed
too long
longer than
too large
larger than
greater than
must be less
must have less
should be [
cannot truncate";
    // Words about other limits than that of the context: requests per time, the length of an answer, a field or a file.
    const OTHER: &str = "\
per min
per day
per hour
too long. expected
above_max_length
image
file
completion tokens
output tokens
max_tokens
max_completion_tokens
thinking
budget
schema";
    let has = |words: &str| words.lines().any(|word| text.contains(word));
    has(WHAT) && has(MEASURE) && has(TOO_MUCH) && !has(OTHER)
}

/// The phrases of the SDK's classifier and of LiteLLM, which classifies before it.
/// Beyond them: GLM's code 1261, Copilot's and llama.cpp's, vLLM's newest sentence, Doubao's, and Bedrock's.
const CONTEXT_WINDOW: &str = "\
\"1261\"
model_max_prompt_tokens_exceeded
exceed_context_size_error
context_window_exceeded
range of input length should be
context length is only
exceed max message tokens
too many input tokens
input is too long
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
contentfilter
content violates
usage guidelines
usage policy
safety_check_type
responsibleaipolicyviolation
data_inspection_failed
datainspectionfailed
inappropriate content
content exists risk
considered high risk
new_sensitive
sensitivecontentdetected
prohibited_content
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
invalid apikey
invalid api-key
incorrect api key
no api key
no auth credentials
api key expired
invalid access token
api key not valid
unauthorized
missing api key
invalid authentication
authentication_error
permission_error
access denied";

/// A call that the server could not parse. The model writes another one when it is asked again.
const UNREADABLE_CALL: &str = "\
tool_use_failed
failed to parse tool call
failed to call a function";

const OVERLOADED: &str = "\
overloaded
server_error
server is busy
service is busy
currently busy
temporarily unavailable
service unavailable
internal server error
bad gateway
upstream
try again later
timed out
timeout";

const RATE_LIMIT: &str = "\
rate_limit
rate limit
per minute
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
            || has(&["thinking"])
                && has(&["signature", "must contain thinking", "cannot be modified", "cannot contain"]))
}
