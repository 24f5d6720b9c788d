//! Error responses of providers, as users have reported them: each is a file with its source, and with the exception that
//! the real SDK raises for the same response.

use serde::Deserialize;
use std::{fs, path::Path};
use threadkeep::llm::{LlmError, secret_string::Secrets};

#[derive(Deserialize)]
struct Refusal {
    source: String,
    model: String,
    status: u16,
    body: String,
    failure: String,
    sdk: Raised,
}

#[derive(Deserialize)]
struct Raised {
    class: String,
}

/// Responses that the SDK classifies as a bad request or not at all, because LiteLLM does not recognize their message.
const UNKNOWN_TO_THE_SDK: &[&str] = &[
    "anthropic-no-money",
    "anthropic-too-large",
    "deepseek-no-money",
    "litellm_proxy-no-money",
    "lm_studio-too-long",
    "moonshot-too-long",
    "xai-wrong-key",
];

#[test]
fn each_error_response_is_classified_and_its_message_is_preserved() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/errors");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let refusal: Refusal = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        assert!(refusal.source.starts_with("https://") && refusal.model.contains('/'), "{name}");
        let error = LlmError::from_provider(Some(refusal.status), &refusal.body, &Secrets::default());
        assert_eq!(format!("{:?}", error.failure), refusal.failure, "{name}: {error}");
        let message = error.provider_message.as_deref().unwrap();
        // An error without a text is shown as its JSON, which may have other spaces.
        let without_spaces = |text: &str| text.replace(['\\', ' '], "");
        let start: String = without_spaces(message).chars().take(30).collect();
        assert!(without_spaces(&refusal.body).contains(&start), "{name}: {message}");
        let is_known = !UNKNOWN_TO_THE_SDK.contains(&name.as_str());
        assert_eq!(error.sdk_class() == refusal.sdk.class, is_known, "{name}: {}", refusal.sdk.class);
        // Inside a stream, the same object comes without a status of its own.
        let inside = LlmError::from_provider(None, &refusal.body, &Secrets::default());
        assert_eq!(inside.provider_message, error.provider_message, "{name}");
        count += 1;
    }
    assert!(count > 30, "the fixtures are missing");
}

/// What servers are known to say, by kind: each has its own words, and a status that says little.
#[test]
fn the_kind_of_an_error_is_in_its_words() {
    let context = [
        (400, r#"{"error":{"code":"1261","message":"Prompt exceeds max length"}}"#),
        (
            400,
            r#"{"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]"}}"#,
        ),
        (400, r#"{"error":"Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)"}"#),
        (500, r#"{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}"#),
        (400, r#"{"error":{"message":"prompt token count of 130000 exceeds the limit of 128000"}}"#),
        (400, r#"{"error":{"message":"prompt too long; exceeded max context length by 4 tokens"}}"#),
        (
            400,
            r#"{"object":"error","message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096."}"#,
        ),
        (
            400,
            r#"{"error":{"message":"You passed 33000 input tokens and requested 100 output tokens. However, the model's context length is only 32768 tokens."}}"#,
        ),
        (
            422,
            r#"{"error":"`inputs` must have less than 4096 tokens. Given: 5000","error_type":"validation"}"#,
        ),
        (400, r#"{"detail":"Prompt length 9000 is greater than max_seq_len 8192"}"#),
        (429, r#"{"message":"Input length 9000 exceeds maximum allowed token size 8192"}"#),
        (400, r#"{"message":"length of prompt_tokens (9000) must be less than max_seq_len (8192)."}"#),
        (400, r#"{"message":"too many tokens: total number of tokens in the prompt cannot exceed 128000"}"#),
    ];
    let policy = [
        (
            403,
            r#"{"code":"The caller does not have permission","error":"Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"}"#,
        ),
        (400, r#"{"error":{"message":"Content Exists Risk","type":"invalid_request_error"}}"#),
        (
            400,
            r#"{"error":{"code":"data_inspection_failed","message":"Input data may contain inappropriate content."}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"The request was rejected because it was considered high risk","type":"content_filter"}}"#,
        ),
    ];
    let others = [
        (
            400,
            r#"{"error":{"message":"Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40."}}"#,
            "BadRequest",
        ),
        (
            400,
            r#"{"error":{"message":"max_tokens is too large: 50000. This model supports at most 4096 completion tokens."}}"#,
            "BadRequest",
        ),
        (
            400,
            r#"{"error":{"message":"messages.0.content.1.image.source.base64: image exceeds 5 MB maximum"}}"#,
            "BadRequest",
        ),
        (
            429,
            r#"{"error":{"message":"Quota exceeded for metric: input_token_count, limit: 250000","status":"RESOURCE_EXHAUSTED"}}"#,
            "RateLimit",
        ),
        (
            413,
            r#"{"error":{"message":"Request too large for model on tokens per minute (TPM): Limit 6000, Requested 7000"}}"#,
            "RateLimit",
        ),
        (
            400,
            r#"{"error":{"message":"Failed to call a function.","code":"tool_use_failed","failed_generation":"<function=f{\"x\":>"}}"#,
            "UnreadableCall",
        ),
        (400, r#"{"error":{"message":"System is currently overloaded, please retry."}}"#, "Unavailable"),
    ];
    let kinds = context.map(|(status, body)| (status, body, "ContextWindow"));
    let kinds =
        kinds.into_iter().chain(policy.map(|(status, body)| (status, body, "ContentPolicy"))).chain(others);
    for (status, body, kind) in kinds {
        let error = LlmError::from_provider(Some(status), body, &Secrets::default());
        assert_eq!(format!("{:?}", error.failure), kind, "{body}");
    }
    let unreadable = LlmError::from_provider(Some(400), others[5].1, &Secrets::default());
    assert!(unreadable.is_retryable() && unreadable.message.contains("<function=f"), "{unreadable}");
}
