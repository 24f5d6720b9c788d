//! Streams as raw bytes, in the wire format of each server with its quirks. Each is decoded in one piece, byte by byte and
//! cut at random positions, always with the same result. `tests/fixtures/sse` has a folder for each wire API.

use crate::{
    calls::{Outcome, call, options},
    models,
    scripted_http::{Piece, Reply},
};
use futures_executor::block_on;
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};
use std::{fs, path::Path};
use threadkeep::{
    json::ToJson as _,
    llm::{
        ApiMode, LlmOptions,
        endpoint::Endpoint,
        message::{Message, ReasoningItem, Role},
        model_features::ModelFeatures,
        sse::SseParser,
        wire_api::{Api, Decoder, LlmRequest, load},
    },
};

/// The folders of the wire APIs, and a model that uses each of them.
const APIS: &[(&str, GiveOptions)] = &[
    ("anthropic", anthropic_options),
    ("chat", options),
    ("responses", responses_options),
    ("text_tools", text_tools),
];

type GiveOptions = fn() -> LlmOptions;

fn anthropic_options() -> LlmOptions {
    LlmOptions { model: "anthropic/claude-sonnet-4-5".into(), ..options() }
}

fn responses_options() -> LlmOptions {
    LlmOptions { api_mode: Some(ApiMode::Responses), model: "openai/gpt-5".into(), ..options() }
}

fn text_tools() -> LlmOptions {
    LlmOptions { native_tool_calling: Some(false), ..options() }
}

pub fn fixtures(api: &str) -> Vec<(String, Vec<u8>, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sse").join(api);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "sse") {
            let expected = serde_json::from_slice(&fs::read(path.with_extension("json")).unwrap()).unwrap();
            let name = path.file_stem().unwrap().to_string_lossy();
            found.push((format!("{api}/{name}"), fs::read(&path).unwrap(), expected));
        }
    }
    assert!(found.len() > 10, "the fixtures of {api} are missing");
    found
}

/// Every stream of every wire API, with the options of the model that sends it.
fn streams() -> impl Iterator<Item = (String, Vec<u8>, Value, LlmOptions)> {
    APIS.iter().flat_map(|(api, options)| {
        fixtures(api).into_iter().map(|(name, bytes, expected)| (name, bytes, expected, options()))
    })
}

fn play(options: &LlmOptions, pieces: &[&[u8]]) -> Outcome {
    let pieces = pieces.iter().map(|piece| Piece::Bytes(piece.to_vec())).collect();
    let options = LlmOptions { num_retries: Some(1), ..options.clone() };
    call(options, vec![Reply::Response(200, Vec::new(), pieces)])
}

/// The message with the reasoning item and the ids that the SDK reads of an answer, where more is kept of it in their place
/// (tests/llm/sent_back.rs).
fn as_the_sdk_reads(message: &Message) -> Message {
    let mut message = message.clone();
    let kept = message.responses_reasoning_item.clone().filter(|item| item.id.is_none());
    let kept = kept.and_then(|item| serde_json::from_str::<Value>(&item.encrypted_content?).ok());
    // Sources, and the blocks of Anthropic's own tools: tests/llm/beside.rs.
    if kept.as_ref().is_some_and(|kept| kept["api"].is_null() || kept["blocks"].is_array()) {
        message.responses_reasoning_item = None;
    }
    let Some(items) = kept.and_then(|kept| kept["items"].as_array().cloned()) else { return message };
    let text = |item: &Value, name: &str| item[name].as_str().map(str::to_owned);
    let of = |kind: &str| items.iter().filter(|item| item["type"] == kind).collect::<Vec<_>>();
    message.responses_reasoning_item = of("reasoning").last().map(|last| ReasoningItem {
        id: text(last, "id"),
        encrypted_content: text(last, "encrypted_content"),
        status: text(last, "status"),
        ..message.responses_reasoning_item.clone().unwrap()
    });
    for (call, item) in message.tool_calls.iter_mut().flatten().zip(of("function_call")) {
        call.responses_item_id = text(item, "id");
    }
    message
}

/// The result of a call in the form of the fixtures.
fn summary(outcome: &Outcome) -> Value {
    let completion = match &outcome.result {
        Ok(completion) => completion,
        Err(error) => return json!({"failure": format!("{:?}", error.failure), "status": error.status}),
    };
    let message = as_the_sdk_reads(&completion.message);
    let calls: Vec<Value> = message
        .tool_calls
        .iter()
        .flatten()
        .map(|call| match &call.responses_item_id {
            None => json!([call.id, call.name, call.arguments]),
            Some(item) => json!([call.id, call.name, call.arguments, item]),
        })
        .collect();
    let parsed = |text: String| -> Value { serde_json::from_str(&text).unwrap() };
    let mut message_json = json!({
        "content": message.content.first().and_then(|content| content.as_text()),
        "reasoning_content": message.reasoning_content,
        "tool_calls": calls,
        "thinking_blocks": parsed(message.thinking_blocks.to_json_text()),
    });
    if let Some(item) = &message.responses_reasoning_item {
        message_json["responses_reasoning_item"] = parsed(item.to_json_text());
    }
    json!({
        "response_id": completion.response_id,
        "message": message_json,
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

/// What was shown, in order, however it was divided: the kind of each text, and the text.
fn shown(outcome: &Outcome) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut push = |kind: String, text: &str| match all.last_mut() {
        Some((last, shown)) if *last == kind => shown.push_str(text),
        _ => all.push((kind, text.to_owned())),
    };
    for delta in &outcome.deltas {
        delta.content.iter().for_each(|text| push("content".into(), text));
        delta.reasoning_content.iter().for_each(|text| push("reasoning".into(), text));
        for call in &delta.tool_calls {
            if let Some(name) = &call.name {
                push(format!("the begin of call {}", call.index), &format!("{name} {:?}", call.id));
            }
            push(format!("call {}", call.index), &call.arguments);
        }
    }
    all
}

#[test]
fn what_arrives_together_is_shown_together() {
    let chunk = |delta: &str| format!("data: {{\"choices\":[{{\"delta\":{{{delta}}}}}]}}\n\n");
    let texts = |name: &str| (0..500).map(|at| chunk(&format!("\"{name}\":\"{at} \""))).collect::<String>();
    let begin = |at: usize| {
        chunk(&format!(
            r#""tool_calls":[{{"index":{at},"id":"c{at}","function":{{"name":"f","arguments":""}}}}]"#
        ))
    };
    let arguments = |at: usize, text: &str| {
        chunk(&format!(r#""tool_calls":[{{"index":{at},"function":{{"arguments":"{text}"}}}}]"#))
    };
    let many = (0..500).map(|_| arguments(0, "[7,")).collect::<String>();
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    // The numbers of pieces, together and apart.
    let cases = [
        (texts("content"), [1, 500]),
        (texts("reasoning_content"), [1, 500]),
        (format!("{}{many}", begin(0)), [1, 501]),
        // Texts of another kind and calls beside each other keep their order.
        (format!("{}{}{}", texts("reasoning"), texts("content"), texts("reasoning")), [3, 1500]),
        (format!("{}{}{many}{}{}", texts("content"), begin(0), begin(1), arguments(1, "{}")), [3, 1003]),
        (format!("{}{}{}{}", begin(0), begin(1), arguments(0, "[]"), arguments(1, "[]")), [4, 4]),
    ];
    for (events, counts) in cases {
        let stream = [&events, end].concat();
        let together = play(&options(), &[stream.as_bytes()]);
        let apart: Vec<&[u8]> = stream.split_inclusive("\n\n").map(str::as_bytes).collect();
        let apart = play(&options(), &apart);
        assert_eq!([together.deltas.len(), apart.deltas.len()], counts, "{events}");
        assert_eq!(shown(&together), shown(&apart), "{events}");
    }
}

#[test]
fn what_arrives_together_with_a_failure_is_shown_before_it() {
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n\
        data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\nevent: error\ndata: {\"error\":{}}\n\n";
    let outcome = play(&options(), &[stream.as_bytes()]);
    assert!(outcome.result.is_err());
    assert_eq!(shown(&outcome), [("content".into(), "ab".into())]);
}

#[test]
fn a_stream_gives_the_same_result_however_it_is_cut() {
    for (name, bytes, expected, options) in streams() {
        let in_one_piece = play(&options, &[&bytes]);
        assert_eq!(summary(&in_one_piece), expected, "{name}");
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        let by_byte = play(&options, &single);
        assert_eq!(
            (summary(&by_byte), shown(&by_byte)),
            (expected.clone(), shown(&in_one_piece)),
            "{name}, byte by byte"
        );
        let mut runner = TestRunner::new(Config { cases: 20, ..Config::default() });
        runner
            .run(&prop::collection::vec(0..=bytes.len(), 0..20), |mut cuts| {
                cuts.extend([0, bytes.len()]);
                cuts.sort_unstable();
                let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
                let outcome = play(&options, &pieces);
                prop_assert_eq!(summary(&outcome), expected.clone(), "{}", name);
                prop_assert_eq!(shown(&outcome), shown(&in_one_piece), "{}", name);
                Ok(())
            })
            .unwrap();
    }
}

#[test]
fn streamed_text_equals_the_text_of_the_message() {
    for (name, bytes, _, options) in streams() {
        let outcome = play(&options, &[&bytes]);
        let Ok(completion) = &outcome.result else { continue };
        // An invalid call in text becomes a user message for the model, which differs from the streamed text.
        if completion.message.role == Role::User {
            continue;
        }
        let shown: String = outcome.deltas.iter().filter_map(|delta| delta.content.as_deref()).collect();
        assert_eq!(shown, completion.message.text(), "{name}");
        let reasoning_shown: String =
            outcome.deltas.iter().filter_map(|delta| delta.reasoning_content.as_deref()).collect();
        assert!(reasoning_shown.ends_with(&reasoning(&completion.message)), "{name}: {reasoning_shown}");
    }
}

/// Id, name and arguments of the calls that were shown while they were written.
fn shown_calls(outcome: &Outcome) -> Vec<(String, String, String)> {
    let mut calls: Vec<(String, String, String)> = Vec::new();
    for delta in outcome.deltas.iter().flat_map(|delta| &delta.tool_calls) {
        if let Some(name) = &delta.name {
            assert_eq!(delta.index, calls.len(), "calls are numbered as they begin");
            calls.push((delta.id.clone().unwrap_or_default(), name.clone(), String::new()));
        } else {
            assert!(delta.id.is_none() && !delta.arguments.is_empty());
        }
        calls[delta.index].2.push_str(&delta.arguments);
    }
    calls
}

#[test]
fn calls_that_are_shown_while_they_are_written_equal_those_of_the_message() {
    let mut shown_whole = Vec::new();
    for (name, bytes, _, options) in streams() {
        let outcome = play(&options, &[&bytes]);
        let mut shown = shown_calls(&outcome);
        let Ok(completion) = &outcome.result else { continue };
        if completion.message.role == Role::User {
            continue;
        }
        let calls = completion.message.tool_calls.clone().unwrap_or_default();
        if shown.is_empty() && !calls.is_empty() {
            shown_whole.push(name);
            continue;
        }
        assert_eq!(shown.len(), calls.len(), "{name}");
        for call in calls {
            // Servers may number calls in another order than that in which they send them.
            let (id, tool, arguments) =
                shown.remove(shown.iter().position(|(id, ..)| *id == call.id).unwrap_or_default());
            let is_made = call.id.contains("00000000000000000000000000");
            assert!(id == call.id || is_made, "{name}: {id} {}", call.id);
            assert_eq!(tool, call.name, "{name}");
            let parsed = |text: &str| serde_json::from_str::<Value>(text).map_err(|_| text.to_owned());
            let shown = if arguments.is_empty() { "{}" } else { &arguments };
            assert_eq!(parsed(shown), parsed(&call.arguments), "{name}");
        }
    }
    // Answers that come in one piece.
    shown_whole.sort();
    let expected =
        ["anthropic/whole-answer", "responses/arguments-as-an-object-and-an-id-twice", "responses/whole"];
    assert_eq!(shown_whole, expected);
}

/// The readable reasoning of a message. Of several reasoning items a message has only the last.
fn reasoning(message: &Message) -> String {
    match &message.responses_reasoning_item {
        Some(item) => {
            let open = item.content.as_deref().unwrap_or_default();
            [&item.summary, open].concat().join("\n\n").trim().to_owned()
        }
        None => message.reasoning_content.clone().unwrap_or_default(),
    }
}

/// A stream that is cut off gives the complete answer or an error; it never panics and never gives a part of the answer.
#[test]
fn a_stream_that_is_cut_off_anywhere_gives_no_partial_answer() {
    for (name, bytes, expected, options) in streams() {
        // At the ends of lines, where a cut makes a difference, and at some positions between them.
        let is_near_an_end =
            |end: usize| bytes[end.saturating_sub(2)..bytes.len().min(end + 2)].contains(&b'\n');
        for end in (0..bytes.len()).filter(|end| end % 13 == 0 || is_near_an_end(*end)) {
            let outcome = play(&options, &[&bytes[..end]]);
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

/// The decoder for the answers of this model.
fn decoder_of(options: &LlmOptions) -> Box<dyn Decoder> {
    let endpoint = Endpoint::resolve(&options.model, options.base_url.as_deref()).unwrap();
    let features = ModelFeatures::of(options, &endpoint, &models::row(&options.model));
    let request = LlmRequest {
        options,
        endpoint: &endpoint,
        features: &features,
        messages: &[],
        tools: &[],
        conversation_id: None,
        is_streaming: true,
    };
    block_on(load(Api::of(options, &endpoint, &features))).unwrap().begin(&request).unwrap().1
}

proptest! {
    #[test]
    fn a_decoder_never_panics_on_invalid_data(
        pieces in prop::collection::vec(
            prop_oneof![
                Just(r#"{"choices":[{"delta":{"content":"a"}}]}"#.to_owned()),
                Just(r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":1,"arguments":[]}}]}}]}"#.to_owned()),
                Just(r#"{"choices":{"a":1},"usage":[],"id":7}"#.to_owned()),
                Just(r#"{"choices":[{"message":{"content":{},"tool_calls":{}}}]}"#.to_owned()),
                Just(r#"{"choices":[{"delta":{"content":"\ud83d"},"finish_reason":3}]}"#.to_owned()),
                Just(r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","arguments":{}}}"#.to_owned()),
                Just(r#"{"type":"response.output_item.done","item":{"type":"reasoning","summary":{},"content":"a"}}"#.to_owned()),
                Just(r#"{"type":"response.output_text.delta","delta":" \ud83d"}"#.to_owned()),
                Just(r#"{"type":"response.content_part.added","output_index":-1}"#.to_owned()),
                Just(r#"{"type":"response.function_call_arguments.delta","delta":"{","output_index":7}"#.to_owned()),
                Just(r#"{"type":"response.completed","response":{"output":{},"usage":3,"incomplete_details":[]}}"#.to_owned()),
                Just(r#"{"type":"message_start","message":{"id":7,"usage":{"input_tokens":-1}}}"#.to_owned()),
                Just(r#"{"type":"content_block_start","index":1.5,"content_block":{"type":"tool_use","input":[]}}"#.to_owned()),
                Just(r#"{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"\ud83d"}}"#.to_owned()),
                Just(r#"{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":{}}}"#.to_owned()),
                Just(r#"{"type":"message","content":{"type":"text"},"stop_reason":[]}"#.to_owned()),
                Just(r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":7}"#.to_owned()),
                Just("[DONE]".to_owned()),
                ".*",
            ],
            0..10,
        ),
    ) {
        for (_, options) in APIS {
            let mut decoder = decoder_of(&options());
            for piece in &pieces {
                let _ = decoder.push("", piece);
            }
            let _ = decoder.finish(&mut || "id".into());
        }
        let mut parser = SseParser::new(64);
        let mut messages = Vec::new();
        for piece in &pieces {
            let _ = parser.push(piece.as_bytes(), &mut messages);
        }
        prop_assert!(messages.iter().all(|message| message.data.len() <= 64));
    }
}
