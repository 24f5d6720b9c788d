//! Each stream gives the message and the usage that the SDK stores after LiteLLM has decoded it, except in [`DIFFERENT`].

use crate::streams::fixtures;
use serde_json::{Map, Value};
use std::{collections::BTreeSet, fs, path::Path};

/// The streams that the SDK decodes differently, and how it does.
const DIFFERENT: &[(&str, &str)] = &[
    ("blocks-at-the-same-time", "adds arguments to the call that began last"),
    ("cut-off-in-the-middle", "accepts an incomplete answer as complete"),
    ("error-without-a-type", "ignores the error"),
    ("ids-that-stand-twice", "keeps duplicate ids, and loses a call without an id"),
    ("litellm-proxy-parallel-calls-thrown-together", "keeps no thoughts whose signature is empty"),
    ("no-block-starts", "keeps no thoughts without a signature"),
    ("rate-limit-without-an-event-name", "reports every error in a stream as an overloaded server"),
    ("refusal-at-once", "reports an empty answer"),
    ("server-tools-and-citations", "takes calls of the provider's own tools for calls of the agent's tools"),
    ("surrogates-torn-apart", "fails on lone surrogates"),
    ("tool-input-at-the-start", "loses the input"),
    ("types-in-event-names-only", "ignores event names"),
];

#[test]
fn decoded_answers_equal_those_of_the_sdk() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/anthropic_answers.json");
    let theirs: Map<String, Value> = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let mut different = BTreeSet::new();
    for (name, _, ours) in fixtures("anthropic") {
        let name = name.strip_prefix("anthropic/").unwrap().to_owned();
        let theirs = &theirs[&name];
        let mut usage = theirs["usage"].clone();
        // If the provider reports no reasoning tokens, LiteLLM estimates them with OpenAI's tokenizer.
        if usage.is_object() && ours["usage"]["reasoning_tokens"] == 0 {
            usage["reasoning_tokens"] = 0.into();
        }
        let failed = theirs["error"].as_str().map(|class| match class {
            "LLMServiceUnavailableError" => "Unavailable",
            other => other,
        });
        let is_same = match failed {
            Some(failure) => ours["failure"] == failure,
            None => theirs["message"] == ours["message"] && usage == ours["usage"],
        };
        if !is_same {
            different.insert(name);
        }
    }
    assert_eq!(different, DIFFERENT.iter().map(|(name, _)| (*name).to_owned()).collect());
}
