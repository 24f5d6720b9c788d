//! Streams as servers send them, quirks included: raw bytes, written after each server's wire format. Each is played
//! whole, byte by byte and cut at random, and always comes to the same.

use crate::{
    calls::{Outcome, call, options},
    scripted_http::{Piece, Reply},
};
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};
use std::{fs, path::Path};
use threadkeep::{
    json::ToJson as _,
    llm::{LlmOptions, chat_completions::ChatDecoder, sse::SseParser, wire_api::Decoder as _},
};

pub fn fixtures() -> Vec<(String, Vec<u8>, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sse");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "sse") {
            let expected = serde_json::from_slice(&fs::read(path.with_extension("json")).unwrap()).unwrap();
            found.push((
                path.file_stem().unwrap().to_string_lossy().into_owned(),
                fs::read(&path).unwrap(),
                expected,
            ));
        }
    }
    assert!(found.len() > 20, "the fixtures are missing");
    found
}

fn play(pieces: &[&[u8]]) -> Outcome {
    let pieces = pieces.iter().map(|piece| Piece::Bytes(piece.to_vec())).collect();
    call(LlmOptions { num_retries: Some(1), ..options() }, vec![Reply::Response(200, Vec::new(), pieces)])
}

/// What a call came to, in the fixtures' words.
fn summary(outcome: &Outcome) -> Value {
    let completion = match &outcome.result {
        Ok(completion) => completion,
        Err(error) => return json!({"failure": format!("{:?}", error.failure), "status": error.status}),
    };
    let message = &completion.message;
    let calls: Vec<Value> =
        message.tool_calls.iter().flatten().map(|call| json!([call.id, call.name, call.arguments])).collect();
    let thinking_blocks: Value = serde_json::from_str(&message.thinking_blocks.to_json_text()).unwrap();
    json!({
        "response_id": completion.response_id,
        "message": {
            "content": message.content.first().and_then(|content| content.as_text()),
            "reasoning_content": message.reasoning_content,
            "tool_calls": calls,
            "thinking_blocks": thinking_blocks,
        },
        "finish_reason": completion.finish_reason,
        "usage": completion.usage.map(|usage| json!({
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "cache_read_tokens": usage.cache_read_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
            "reasoning_tokens": usage.reasoning_tokens,
        })),
    })
}

#[test]
fn every_stream_comes_to_the_same_however_it_is_cut() {
    for (name, bytes, expected) in fixtures() {
        let whole = play(&[&bytes]);
        assert_eq!(summary(&whole), expected, "{name}");
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        let by_byte = play(&single);
        assert_eq!(
            (summary(&by_byte), &by_byte.deltas),
            (expected.clone(), &whole.deltas),
            "{name}, byte by byte"
        );
        let mut runner = TestRunner::new(Config { cases: 20, ..Config::default() });
        runner
            .run(&prop::collection::vec(0..=bytes.len(), 0..20), |mut cuts| {
                cuts.extend([0, bytes.len()]);
                cuts.sort_unstable();
                let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
                prop_assert_eq!(summary(&play(&pieces)), expected.clone(), "{}", name);
                Ok(())
            })
            .unwrap();
    }
}

#[test]
fn what_is_shown_is_what_the_message_says() {
    for (name, bytes, _) in fixtures() {
        let outcome = play(&[&bytes]);
        let Ok(completion) = &outcome.result else { continue };
        let shown: String = outcome.deltas.iter().filter_map(|delta| delta.content.as_deref()).collect();
        assert_eq!(shown, completion.message.text(), "{name}");
        let thought: String =
            outcome.deltas.iter().filter_map(|delta| delta.reasoning_content.as_deref()).collect();
        assert_eq!(thought, completion.message.reasoning_content.clone().unwrap_or_default(), "{name}");
    }
}

/// A stream that stops anywhere is an answer, an error, but never a trap and never half an answer for a whole one.
#[test]
fn a_stream_cut_off_anywhere_is_no_whole_answer() {
    for (name, bytes, expected) in fixtures() {
        for end in 0..bytes.len() {
            let outcome = play(&[&bytes[..end]]);
            if let Ok(completion) = &outcome.result {
                let content = completion.message.text();
                assert_eq!(
                    json!(content),
                    expected["message"]["content"].as_str().unwrap_or_default(),
                    "{name} at {end}"
                );
            }
        }
    }
}

proptest! {
    #[test]
    fn garbage_never_traps_a_decoder(
        pieces in prop::collection::vec(
            prop_oneof![
                Just(r#"{"choices":[{"delta":{"content":"a"}}]}"#.to_owned()),
                Just(r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":1,"arguments":[]}}]}}]}"#.to_owned()),
                Just(r#"{"choices":{"a":1},"usage":[],"id":7}"#.to_owned()),
                Just(r#"{"choices":[{"message":{"content":{},"tool_calls":{}}}]}"#.to_owned()),
                Just(r#"{"choices":[{"delta":{"content":"\ud83d"},"finish_reason":3}]}"#.to_owned()),
                Just("[DONE]".to_owned()),
                ".*",
            ],
            0..10,
        ),
    ) {
        let mut decoder = Box::new(ChatDecoder::default());
        for piece in &pieces {
            let _ = decoder.push("", piece);
        }
        let _ = decoder.finish(&mut || "id".into());
        let mut parser = SseParser::new(64);
        let mut messages = Vec::new();
        for piece in &pieces {
            let _ = parser.push(piece.as_bytes(), &mut messages);
        }
        prop_assert!(messages.iter().all(|message| message.data.len() <= 64));
    }
}
