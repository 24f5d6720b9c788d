//! Anthropic pauses a long turn in which it uses tools of its own, and goes on when it is sent what it has said.

use crate::{
    calls::{call_with, options},
    scripted_http::Reply,
};
use serde_json::{Value, json};
use threadkeep::llm::{
    LlmOptions,
    message::{Content, Message, Role},
};

fn claude() -> LlmOptions {
    LlmOptions { model: "anthropic/claude-sonnet-4-5".into(), num_retries: Some(1), ..options() }
}

fn question() -> Message {
    Message::new(Role::User, vec![Content::text("Which language?")])
}

/// A part of a turn that searches.
fn paused(tokens: u64) -> Vec<Value> {
    let block = |index: u64, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let delta =
        |index: u64, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    vec![
        json!({"type": "message_start", "message": {"id": "msg_01Paused00000000000001", "model": "claude", "content": [], "usage": {"input_tokens": tokens, "output_tokens": 1}}}),
        block(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "Hm."})),
        delta(0, json!({"type": "signature_delta", "signature": "c2ln"})),
        block(1, json!({"type": "text", "text": ""})),
        delta(1, json!({"type": "text_delta", "text": "I look. "})),
        delta(
            1,
            json!({"type": "citations_delta", "citation": {"type": "web_search_result_location", "url": "https://a.example/", "title": "A"}}),
        ),
        block(2, json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}})),
        delta(2, json!({"type": "input_json_delta", "partial_json": "{\"query\":"})),
        delta(2, json!({"type": "input_json_delta", "partial_json": "\"Rust\"}"})),
        block(
            3,
            json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"type": "web_search_result", "url": "https://a.example/", "encrypted_content": "xyz"}]}),
        ),
        block(4, json!({"type": "text", "text": ""})),
        json!({"type": "message_delta", "delta": {"stop_reason": "pause_turn"}, "usage": {"output_tokens": 20}}),
        json!({"type": "message_stop"}),
    ]
}

fn stream(events: &[Value]) -> Reply {
    let events: Vec<String> = events.iter().map(Value::to_string).collect();
    Reply::events(&events.iter().map(String::as_str).collect::<Vec<_>>())
}

fn said(text: &str) -> Reply {
    stream(&[
        json!({"type": "message_start", "message": {"id": "msg_01Paused00000000000002", "model": "claude", "content": [], "usage": {"input_tokens": 30, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}}),
        json!({"type": "message_stop"}),
    ])
}

#[test]
fn a_turn_that_is_paused_goes_on_with_what_it_has_said_as_it_was_sent() {
    let outcome = call_with(claude(), &[question()], vec![stream(&paused(10)), said("It is Rust.")]);
    let completion = outcome.result.unwrap();
    assert_eq!(completion.message.text(), "I look. It is Rust.");
    assert_eq!(completion.finish_reason.as_deref(), Some("stop"));
    assert_eq!(completion.message.reasoning_content.as_deref(), Some("Hm."));
    let (first, second) = (outcome.http.body(0), outcome.http.body(1));
    let sent = second["messages"].as_array().unwrap();
    assert_eq!(sent[..sent.len() - 1], first["messages"].as_array().unwrap()[..]);
    assert_eq!(
        sent[sent.len() - 1],
        json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
            {"type": "text", "text": "I look. ", "citations": [{"type": "web_search_result_location", "url": "https://a.example/", "title": "A"}]},
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "Rust"}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"type": "web_search_result", "url": "https://a.example/", "encrypted_content": "xyz"}]},
        ]})
    );
    // All that was asked for is counted.
    let usage = completion.usage.unwrap();
    assert!(usage.prompt_tokens > 10 && usage.completion_tokens > 20, "{usage:?}");
}

#[test]
fn a_complete_answer_that_is_paused_twice_goes_on_with_all_of_it() {
    let part = |text: &str, reason: &str| {
        let answer = json!({"type": "message", "id": "msg_01Paused00000000000001", "model": "claude", "stop_reason": reason, "content": [{"type": "text", "text": text}], "usage": {"input_tokens": 10, "output_tokens": 5}});
        Reply::complete(200, &answer.to_string())
    };
    let outcome = call_with(
        LlmOptions { stream: Some(false), ..claude() },
        &[question()],
        vec![part("One, ", "pause_turn"), part("two, ", "pause_turn"), part("three.", "end_turn")],
    );
    let completion = outcome.result.unwrap();
    assert_eq!(completion.message.text(), "One, two, three.");
    let usage = completion.usage.unwrap();
    assert_eq!((usage.prompt_tokens, usage.completion_tokens), (30, 15));
    let last = outcome.http.body(2)["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        last["content"],
        json!([{"type": "text", "text": "One, "}, {"type": "text", "text": "two, "}])
    );
}

#[test]
fn an_answer_that_is_paused_without_end_is_not_asked_for_without_end() {
    let replies = (0..40).map(|_| stream(&paused(10))).collect();
    let outcome = call_with(claude(), &[question()], replies);
    let completion = outcome.result.unwrap();
    assert_eq!(completion.finish_reason.as_deref(), Some("pause_turn"));
    assert_eq!(outcome.http.requests.borrow().len(), 21);
    assert_eq!(completion.message.text(), "I look. ".repeat(21));
}
