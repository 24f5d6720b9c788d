//! What comes of each stream is what the SDK stores when LiteLLM has read it, but for what is listed here.

use crate::streams::fixtures;
use serde_json::{Map, Value};
use std::{collections::BTreeSet, fs, path::Path};

/// The streams of which the SDK makes something else than we do, and what it does there.
const DIFFERENT: &[(&str, &str)] = &[
    ("blocks-at-the-same-time", "adds arguments to the call that began last"),
    ("cut-off-in-the-middle", "takes half an answer for a whole one"),
    ("error-without-a-type", "overlooks it"),
    ("ids-that-stand-twice", "keeps them, and loses a call without an id"),
    ("rate-limit-without-an-event-name", "takes every error in a stream for an overloaded server"),
    ("refusal-at-once", "takes it for an empty answer"),
    ("server-tools-and-citations", "takes what the provider's own tools do for calls to itself"),
    ("surrogates-torn-apart", "fails on halves of characters"),
    ("tool-input-at-the-start", "loses the input"),
    ("types-in-event-names-only", "does not look at them"),
];

#[test]
fn answers_are_the_sdks() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/anthropic_answers.json");
    let theirs: Map<String, Value> = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let mut different = BTreeSet::new();
    for (name, _, ours) in fixtures("anthropic") {
        let name = name.strip_prefix("anthropic/").unwrap().to_owned();
        let theirs = &theirs[&name];
        let mut usage = theirs["usage"].clone();
        // Where the provider does not say how much of an answer was thought, LiteLLM guesses it with OpenAI's tokenizer.
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
