//! What a server sent beside its text goes back to it as it was sent, and to nobody else.

use crate::{
    calls::{Outcome, call_with, hello, options},
    scripted_http::{Piece, Reply},
};
use serde_json::{Value, json};
use threadkeep::{
    json::{FromJson as _, ToJson as _},
    llm::{
        LlmOptions,
        message::{Content, Message, Role},
        options::ApiMode,
    },
};

fn at(model: &str, base_url: Option<&str>) -> LlmOptions {
    LlmOptions {
        base_url: base_url.map(str::to_owned),
        num_retries: Some(1),
        model: model.into(),
        ..options()
    }
}

fn question() -> Message {
    Message::new(Role::User, vec![Content::text("W?")])
}

/// The message of an answer as the log gives it back, and the results of its calls.
fn stored(outcome: Outcome) -> Vec<Message> {
    let message = outcome.result.unwrap().message;
    let mut history = vec![question(), Message::from_json(&message.to_json_text()).unwrap()];
    for call in message.tool_calls.into_iter().flatten() {
        let mut result = Message::new(Role::Tool, vec![Content::text("found")]);
        result.tool_call_id = Some(call.id);
        result.name = Some(call.name);
        history.push(result);
    }
    history
}

/// The answer of a server, and what the next request to `next` has of it.
fn echoed(first: &LlmOptions, answer: Reply, next: &LlmOptions) -> Value {
    let history = stored(call_with(first.clone(), &[question()], vec![answer]));
    let outcome = call_with(next.clone(), &history, vec![hello()]);
    let body = outcome.http.body(0);
    body["messages"].as_array().unwrap()[1].clone()
}

fn chunks(deltas: &[Value]) -> Reply {
    let mut events: Vec<String> = deltas
        .iter()
        .map(|delta| {
            json!({"id": "gen-0123456789abcdefghij", "choices": [{"index": 0, "delta": delta}]}).to_string()
        })
        .collect();
    events.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}).to_string());
    Reply::events(&events.iter().map(String::as_str).collect::<Vec<_>>())
}

fn call(extra: Value) -> Value {
    let mut call = json!({"index": 0, "id": "call_abc", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    call.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    call
}

#[test]
fn reasoning_details_go_back_to_the_server_and_family_that_sent_them() {
    let details = json!([{"type": "reasoning.encrypted", "data": "c2ln", "id": "call_abc", "format": "google-gemini-v1", "index": 0}]);
    let gemini = at("openrouter/google/gemini-3-pro-preview", None);
    let answer = || {
        chunks(&[
            json!({"reasoning": "A ", "reasoning_details": [{"type": "reasoning.text", "text": "A ", "index": 0}]}),
            json!({"reasoning": "city.", "reasoning_details": [{"type": "reasoning.text", "text": "city.", "index": 0}]}),
            json!({"tool_calls": [call(json!({}))], "reasoning_details": details}),
        ])
    };
    let sent = echoed(&gemini, answer(), &gemini);
    assert_eq!(
        sent["reasoning_details"],
        json!([{"type": "reasoning.text", "text": "A city.", "index": 0}, details[0]])
    );
    assert_eq!(sent.get("reasoning"), None, "the details say the same");
    for other in [
        at("openrouter/anthropic/claude-sonnet-4.5", None),
        at("google/gemini-3-pro", Some("http://relay/v1")),
    ] {
        assert_eq!(echoed(&gemini, answer(), &other).get("reasoning_details"), None);
    }
}

fn anthropic(model: &str, base_url: &str) -> LlmOptions {
    LlmOptions { api_mode: Some(ApiMode::Anthropic), ..at(model, Some(base_url)) }
}

fn thinking(signature: Option<&str>) -> Reply {
    let mut block = json!({"type": "thinking", "thinking": "I need it."});
    if let Some(signature) = signature {
        block["signature"] = signature.into();
    }
    let call = json!({"type": "tool_use", "id": "call_00_Ab", "name": "f", "input": {}});
    let answer = json!({"id": "msg_0123456789abcdefghij", "type": "message", "role": "assistant", "content": [block, call], "stop_reason": "tool_use"});
    Reply::complete(200, &answer.to_string())
}

fn said() -> Reply {
    let answer = json!({"id": "msg_0123456789abcdefghik", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn"});
    Reply::complete(200, &answer.to_string())
}

#[test]
fn thoughts_go_back_to_a_server_that_speaks_anthropics_api_however_they_are_signed() {
    let server = anthropic("anthropic/deepseek-v4-pro", "https://d.example/anthropic");
    for signature in [None, Some(""), Some("91cfbb94-554b-4136-8e21-fa02280d56ee")] {
        let history = stored(call_with(server.clone(), &[question()], vec![thinking(signature)]));
        let outcome = call_with(server.clone(), &history, vec![said()]);
        let block = outcome.http.body(0)["messages"][1]["content"][0].clone();
        let mut expected = json!({"type": "thinking", "thinking": "I need it."});
        if let Some(signature) = signature {
            expected["signature"] = signature.into();
        }
        assert_eq!(block, expected);
        // Anthropic refuses thoughts that it has not signed.
        if signature != Some("91cfbb94-554b-4136-8e21-fa02280d56ee") {
            let outcome = call_with(at("anthropic/claude-sonnet-4-5", None), &history, vec![said()]);
            assert_eq!(outcome.http.body(0)["messages"][1]["content"][0]["type"], "tool_use");
        }
    }
}

fn over_responses(model: &str) -> LlmOptions {
    LlmOptions { api_mode: Some(ApiMode::Responses), ..at(model, None) }
}

fn output(items: &Value) -> Reply {
    let answer = json!({"id": "resp_0123456789abcdefghij", "object": "response", "status": "completed", "output": items});
    Reply::complete(200, &answer.to_string())
}

fn input_after(items: &Value, next: &LlmOptions) -> Vec<Value> {
    let history = stored(call_with(over_responses("openai/gpt-5"), &[question()], vec![output(items)]));
    let outcome = call_with(next.clone(), &history, vec![output(&json!([]))]);
    outcome.http.body(0)["input"].as_array().unwrap().clone()
}

#[test]
fn an_answer_that_a_relay_begins_again_is_the_second_one() {
    let attempt = |id: &str, pieces: &[&str]| {
        let start = json!({"type": "message_start", "message": {"id": id, "content": [], "usage": {"input_tokens": 7, "output_tokens": 1}}});
        let block =
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
        let pieces = pieces.iter().map(|text| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}));
        [start, block].into_iter().chain(pieces).map(|event| event.to_string()).collect::<Vec<_>>()
    };
    let mut events = attempt("msg_0123456789abcdefghij1", &["It i"]);
    events.extend(attempt("msg_0123456789abcdefghij2", &["It is ", "5."]));
    events.push(
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}})
            .to_string(),
    );
    events.push(json!({"type": "message_stop"}).to_string());
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let options = anthropic("anthropic/claude-sonnet-4-5", "https://relay.example");
    let completion = call_with(options, &[question()], vec![Reply::events(&events)]).result.unwrap();
    assert_eq!(
        (completion.message.text().as_str(), completion.response_id.as_str()),
        ("It is 5.", "msg_0123456789abcdefghij2")
    );
}

#[test]
fn each_reasoning_item_goes_back_in_its_place() {
    // Long ids, and one of them twice, as xAI sends them.
    let reasoning = |n: u8| json!({"type": "reasoning", "id": format!("rs_{}{}", n % 2, "x".repeat(70)), "summary": [{"type": "summary_text", "text": format!("Thought {n}.")}], "encrypted_content": format!("gAAA{n}")});
    let call = |n: u8| json!({"type": "function_call", "id": format!("fc_{n}"), "call_id": format!("call_{n}"), "name": "f", "arguments": "{}"});
    let search = json!({"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}});
    let items = json!([reasoning(1), search, reasoning(2), call(1), reasoning(3), call(2)]);
    let sent = input_after(&items, &over_responses("openai/gpt-5"));
    assert_eq!(Value::Array(sent.get(1..7).unwrap().to_vec()), items);
    // Elsewhere without reasoning, which only its server can read.
    let other = input_after(
        &items,
        &LlmOptions { base_url: Some("http://h/v1".into()), ..over_responses("openai/gpt-5") },
    );
    let kinds: Vec<&str> = other.iter().map(|item| item["type"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        ["message", "function_call", "function_call", "function_call_output", "function_call_output"]
    );
}

#[test]
fn a_message_goes_back_with_its_id_its_status_and_its_annotations() {
    let annotation = json!({"type": "url_citation", "url": "https://a.example", "title": "A", "start_index": 0, "end_index": 2});
    let message = |n: u8, text: &str| json!({"type": "message", "id": format!("msg_{n}"), "role": "assistant", "status": "completed", "phase": "final_answer", "content": [{"type": "output_text", "text": text, "annotations": [annotation]}]});
    for items in [json!([message(1, "It is 5.")]), json!([message(1, "First."), message(2, "Second.")])] {
        let sent = input_after(&items, &over_responses("openai/gpt-5"));
        assert_eq!(Value::Array(sent.get(1..).unwrap().to_vec()), items);
    }
}

#[test]
fn an_answer_that_was_changed_since_goes_back_as_it_is_now() {
    let item = json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "a", "annotations": []}]});
    let two = json!([item, {"type": "message", "id": "msg_2", "role": "assistant", "content": [{"type": "output_text", "text": "b"}]}]);
    let mut history = stored(call_with(over_responses("openai/gpt-5"), &[question()], vec![output(&two)]));
    history[1].content = vec![Content::text("edited")];
    let outcome = call_with(over_responses("openai/gpt-5"), &history, vec![output(&json!([]))]);
    assert_eq!(
        outcome.http.body(0)["input"][1],
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "edited"}]})
    );
}

#[test]
fn open_reasoning_of_the_responses_api_is_kept_as_text() {
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "I add."}]});
    let message = json!({"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "5"}]});
    let outcome =
        call_with(over_responses("openai/gpt-5"), &[question()], vec![output(&json!([reasoning, message]))]);
    assert_eq!(outcome.result.unwrap().message.reasoning_content.as_deref(), Some("I add."));
}

/// An error after a part of the answer, in forms that are no events of the standard.
#[test]
fn an_error_in_place_of_an_event_ends_the_answer() {
    let half = r#"data: {"choices":[{"delta":{"content":"Half a sent"}}]}"#;
    for error in [
        r#"error: {"code":500,"message":"Compute error.","type":"server_error"}"#,
        r#"{"error":{"code":500,"message":"Compute error."}}"#,
        r#"data: {"code":500,"msg":"Compute error."}"#,
        r#"data: {"base_resp":{"status_code":1000,"status_msg":"Compute error."}}"#,
    ] {
        let body = format!("{half}\n\n{error}\n\ndata: [DONE]\n\n");
        let reply = Reply::Response(200, Vec::new(), vec![Piece::Bytes(body.into_bytes())]);
        let failed =
            call_with(at("openai/x", Some("http://h/v1")), &[question()], vec![reply]).result.unwrap_err();
        assert!(failed.message.contains("Compute error"), "{error}: {failed}");
    }
}

#[test]
fn an_error_with_a_status_of_success_is_quoted_and_not_tried_again() {
    for (body, words, code) in [
        (
            r#"{"status":"434","msg":"Invalid apiKey, get your apiKey: https://i.example/","body":null}"#,
            "Invalid apiKey",
            "llm_auth",
        ),
        (
            r#"{"error":"Unexpected endpoint or method. (POST /chat/completions)"}"#,
            "Unexpected endpoint",
            "llm_bad_request",
        ),
        (
            r#"{"base_resp":{"status_code":1004,"status_msg":"login fail: carry the API secret key"}}"#,
            "login fail",
            "llm_bad_request",
        ),
        (r#"{"detail":"Not Found"}"#, "Not Found", "llm_bad_request"),
        (
            r#"{"success":false,"errors":[{"code":7003,"message":"No route for that URI"}]}"#,
            "No route",
            "llm_bad_request",
        ),
        ("No such model is served here.", "No such model", "llm_bad_request"),
    ] {
        let server = LlmOptions { num_retries: Some(3), ..at("openai/x", Some("http://h/v1")) };
        let outcome = call_with(server, &[question()], vec![Reply::complete(200, body)]);
        let error = outcome.result.unwrap_err();
        assert!(error.message.contains(words) && !error.message.contains("CORS"), "{body}: {error}");
        assert_eq!((error.code().as_str(), outcome.http.count()), (code, 1), "{body}: {error}");
    }
}

#[test]
fn choices_and_documents_of_odd_forms_are_one_answer() {
    let of = |body: Value| {
        call_with(
            at("openai/x", Some("http://h/v1")),
            &[question()],
            vec![Reply::complete(200, &body.to_string())],
        )
        .result
        .unwrap()
    };
    let perplexity = json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": "Paris.[1]"}, "delta": {"role": "assistant", "content": ""}, "finish_reason": "stop"}]});
    assert_eq!(of(perplexity).message.text(), "Paris.[1]");
    let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let copilot = json!({"choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"content": "Let me see."}}, {"index": 1, "finish_reason": "tool_calls", "message": {"tool_calls": [call]}}]});
    let answer = of(copilot).message;
    assert_eq!((answer.text().as_str(), answer.tool_calls.unwrap().len()), ("Let me see.", 1));
    let moonshot = json!({"choices": [{"index": 0, "message": {"content": "a"}, "finish_reason": "stop", "usage": {"prompt_tokens": 7, "completion_tokens": 2}}]});
    assert_eq!(of(moonshot).usage.unwrap().prompt_tokens, 7);
}

#[test]
fn a_finish_reason_that_more_follows_was_not_the_end() {
    let chunk = |delta: Value, reason: Option<&str>| {
        json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}).to_string()
    };
    let events = [
        chunk(json!({"content": "One "}), None),
        chunk(json!({}), Some("stop")),
        chunk(json!({"content": "two "}), None),
        chunk(json!({}), Some("stop")),
        chunk(json!({"content": "three."}), None),
        chunk(json!({}), Some("stop")),
    ];
    let reply = Reply::events(&events.iter().map(String::as_str).collect::<Vec<_>>());
    let answer = call_with(at("openai/x", Some("http://h/v1")), &[question()], vec![reply]).result.unwrap();
    assert_eq!(answer.message.text(), "One two three.");
}
