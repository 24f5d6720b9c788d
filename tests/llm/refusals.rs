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
