//! What a server sent beside its text goes back to it as it was sent, and to nobody else; a refusal that names what is missing
//! or too much is answered by one more request.

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

#[test]
fn what_a_gateway_adds_to_a_message_or_a_call_goes_back_with_it() {
    let server = at("openai/gemini-3-flash-preview", Some("https://g.example/v1beta/openai"));
    let signature = json!({"google": {"thought_signature": "s".repeat(600)}});
    let sent = echoed(
        &server,
        chunks(&[json!({"tool_calls": [call(json!({"extra_content": signature}))]})]),
        &server,
    );
    assert_eq!(
        (&sent["tool_calls"][0]["extra_content"], &sent["tool_calls"][0]["id"]),
        (&signature, &json!("call_abc"))
    );
    let copilot = at("openai/claude-sonnet-4", Some("https://c.example"));
    let answer = chunks(&[json!({"content": "Hm", "reasoning_text": "So.", "reasoning_opaque": "b3BhcXVl"})]);
    let sent = echoed(&copilot, answer, &copilot);
    assert_eq!((&sent["reasoning_opaque"], &sent["reasoning_text"]), (&json!("b3BhcXVl"), &json!("So.")));
    let litellm = chunks(&[
        json!({"tool_calls": [call(json!({"provider_specific_fields": {"thought_signature": "abc"}}))]}),
    ]);
    let sent = echoed(&copilot, litellm, &copilot);
    assert_eq!(sent["tool_calls"][0]["provider_specific_fields"], json!({"thought_signature": "abc"}));
    // What says nothing of thoughts is not sent.
    let sent = echoed(
        &copilot,
        chunks(&[json!({"content": "Hm", "annotations": [{"url": "u"}], "padding": "xx"})]),
        &copilot,
    );
    assert_eq!(sent.as_object().unwrap().keys().collect::<Vec<_>>(), ["content", "role"]);
}

#[test]
fn open_reasoning_goes_back_in_the_field_in_which_it_came() {
    for field in ["reasoning_content", "reasoning", "thinking"] {
        let server = at("openai/qwen3", Some("http://h/v1"));
        let sent = echoed(
            &server,
            chunks(&[json!({field: "I see."}), json!({"tool_calls": [call(json!({}))]})]),
            &server,
        );
        assert_eq!(sent[field], "I see.");
        let other = at("openai/qwen3", Some("http://other/v1"));
        let sent = echoed(&server, chunks(&[json!({field: "I see."}), json!({"content": "x"})]), &other);
        assert_eq!(sent.get(field), None, "that server has not sent any");
    }
    let deepseek = at("deepseek/deepseek-chat", None);
    let answer = chunks(&[json!({"reasoning_content": "I see."}), json!({"tool_calls": [call(json!({}))]})]);
    assert_eq!(echoed(&deepseek, answer, &at("deepseek/deepseek-chat", None))["reasoning_content"], "I see.");
    let off = LlmOptions { reasoning_effort: Some("none".into()), ..at("deepseek/deepseek-chat", None) };
    let answer = chunks(&[json!({"reasoning_content": "I see."}), json!({"content": "x"})]);
    assert_eq!(echoed(&deepseek, answer, &off).get("reasoning_content"), None);
}

#[test]
fn thoughts_that_came_as_a_part_of_the_content_go_back_as_one() {
    let thought = json!({"type": "thinking", "thinking": [{"type": "text", "text": "I see."}]});
    let mistral = at("mistral/magistral-medium-latest", None);
    for (said, sent_as) in [
        (json!("5"), json!([thought, {"type": "text", "text": "5"}])),
        (json!([{"type": "text", "text": "5"}]), json!([thought, {"type": "text", "text": "5"}])),
    ] {
        let sent =
            echoed(&mistral, chunks(&[json!({"content": [thought]}), json!({"content": said})]), &mistral);
        assert_eq!((&sent["content"], sent.get("reasoning_content")), (&sent_as, None));
    }
    let called = chunks(&[json!({"content": [thought]}), json!({"tool_calls": [call(json!({}))]})]);
    let sent = echoed(&mistral, called, &mistral);
    assert_eq!(
        (&sent["content"], &sent["tool_calls"][0]["function"]["name"]),
        (&json!([thought]), &json!("f"))
    );
    let elsewhere = at("openai/qwen3", Some("http://h/v1"));
    let sent =
        echoed(&mistral, chunks(&[json!({"content": [thought]}), json!({"content": "5"})]), &elsewhere);
    assert_eq!(sent["content"], json!([{"type": "text", "text": "5"}]));
}

/// The messages of the second request, after this refusal of the first.
fn after(server: &LlmOptions, history: &[Message], refusal: &str) -> Vec<Value> {
    let refused = Reply::complete(400, &json!({"error": {"message": refusal}}).to_string());
    let outcome = call_with(server.clone(), history, vec![refused, hello()]);
    assert!(outcome.result.is_ok(), "{:?}", outcome.result);
    let first = outcome.http.body(0);
    let second = outcome.http.body(1);
    assert_ne!(first, second);
    second["messages"].as_array().unwrap().clone()
}

fn called(reasoning: Option<&str>) -> Vec<Message> {
    let calls = json!([{"id": "call_abc", "name": "f", "arguments": "{}", "origin": "completion"}]);
    let message =
        json!({"role": "assistant", "content": [], "tool_calls": calls, "reasoning_content": reasoning});
    let result = json!({"role": "tool", "content": "found", "tool_call_id": "call_abc", "name": "f"});
    let read = |json: &Value| Message::from_json(&json.to_string()).unwrap();
    vec![question(), read(&message), read(&result)]
}

#[test]
fn reasoning_that_a_refusal_misses_is_sent_and_what_it_finds_too_much_is_not() {
    let server = at("openai/thinker", Some("http://relay/v1"));
    let missing = "Missing `reasoning_content` field in the assistant message at message index 2.";
    assert_eq!(after(&server, &called(Some("I see.")), missing)[1]["reasoning_content"], "I see.");
    // It is known from then on.
    let outcome = call_with(server.clone(), &called(None), vec![hello()]);
    assert_eq!(outcome.http.body(0)["messages"][1]["reasoning_content"], " ");
    let strict = at("openai/strict", Some("http://strict/v1"));
    let answer = chunks(&[json!({"reasoning": "I see."}), json!({"tool_calls": [call(json!({}))]})]);
    let history = stored(call_with(strict.clone(), &[question()], vec![answer]));
    let sent = after(&strict, &history, "messages.1: property 'reasoning' is unsupported");
    assert_eq!(sent[1].get("reasoning"), None);
}

#[test]
fn a_signature_that_a_refusal_misses_is_replaced() {
    let server = at("openai/gemini-3-flash", Some("http://relay/v1"));
    let sent =
        after(&server, &called(None), "Function call is missing a thought_signature in functionCall parts.");
    assert_eq!(
        sent[1]["tool_calls"][0]["extra_content"]["google"]["thought_signature"],
        "skip_thought_signature_validator"
    );
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

#[test]
fn thoughts_that_an_anthropic_server_misses_are_sent_from_what_is_known() {
    let server = anthropic("anthropic/kimi-k2", "https://k.example/anthropic");
    let refusal = "The `content[].thinking` in the thinking mode must be passed back to the API.";
    let refused = Reply::complete(
        400,
        &json!({"error": {"message": refusal, "type": "invalid_request_error"}}).to_string(),
    );
    let outcome = call_with(server, &called(Some("I see.")), vec![refused, said()]);
    assert!(outcome.result.is_ok());
    assert_eq!(
        outcome.http.body(1)["messages"][1]["content"][0],
        json!({"type": "thinking", "thinking": "I see."})
    );
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
fn what_anthropics_own_tools_did_goes_back_where_it_was() {
    let claude = anthropic("anthropic/claude-sonnet-4-5", "https://api.anthropic.com");
    let found = json!({"type": "web_search_result", "url": "https://a.example", "title": "A", "encrypted_content": "Eo"});
    let blocks = json!([
        {"type": "thinking", "thinking": "Search.", "signature": "c2ln"},
        {"type": "text", "text": "I look."},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [found]},
        {"type": "text", "text": "It is 5.", "citations": [{"type": "web_search_result_location", "url": "https://a.example", "encrypted_index": "Ei"}]},
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}},
    ]);
    // A blank text would be refused.
    let mut content = blocks.clone();
    content.as_array_mut().unwrap().insert(2, json!({"type": "text", "text": "\n"}));
    let answer = json!({"id": "msg_0123456789abcdefghij1", "type": "message", "role": "assistant", "content": content, "stop_reason": "tool_use"});
    let answer = || Reply::complete(200, &answer.to_string());
    assert_eq!(echoed(&claude, answer(), &claude)["content"], blocks);
    let plain = json!([{"type": "text", "text": "I look.\nIt is 5."}, blocks[5]]);
    let elsewhere = anthropic("anthropic/claude-sonnet-4-5", "https://relay.example");
    let sent = echoed(&claude, answer(), &elsewhere)["content"].clone();
    assert_eq!(sent.as_array().unwrap()[1..], plain.as_array().unwrap()[..]);
    let history = stored(call_with(claude.clone(), &[question()], vec![answer()]));
    let refused = Reply::complete(
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.2: server_tool_use is not available"}}"#,
    );
    let outcome = call_with(claude, &history, vec![refused, said()]);
    let sent = outcome.http.body(1)["messages"][1]["content"].clone();
    assert_eq!(sent.as_array().unwrap()[1..], plain.as_array().unwrap()[..]);
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
fn an_answer_that_was_made_in_the_background_goes_back_whole() {
    let items = json!([
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "It is 5.", "annotations": []}]},
    ]);
    let in_background = LlmOptions { background: Some(true), ..over_responses("openai/gpt-5") };
    let history = stored(call_with(in_background.clone(), &[question()], vec![output(&items)]));
    for next in [in_background, over_responses("openai/gpt-5")] {
        let outcome = call_with(next, &history, vec![output(&json!([]))]);
        let sent = outcome.http.body(0)["input"].as_array().unwrap().clone();
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
fn items_that_a_refusal_finds_without_their_pair_are_sent_without_ids() {
    let items = json!([{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}, {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{}"}]);
    let history = stored(call_with(over_responses("openai/gpt-5"), &[question()], vec![output(&items)]));
    let refusal =
        "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.";
    let refused = Reply::complete(400, &json!({"error": {"message": refusal}}).to_string());
    let outcome = call_with(over_responses("openai/gpt-5"), &history, vec![refused, output(&json!([]))]);
    let sent = outcome.http.body(1)["input"].clone();
    assert_eq!((&sent[1]["type"], &sent[1]["call_id"]), (&json!("function_call"), &json!("call_1")));
    assert_ne!(sent[1]["id"], "fc_1");
}

#[test]
fn open_reasoning_of_the_responses_api_is_kept_as_text() {
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "I add."}]});
    let message = json!({"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "5"}]});
    let outcome =
        call_with(over_responses("openai/gpt-5"), &[question()], vec![output(&json!([reasoning, message]))]);
    assert_eq!(outcome.result.unwrap().message.reasoning_content.as_deref(), Some("I add."));
}

/// Roles that do not alternate are refused by the templates of Mistral and Gemma, whatever the status.
#[test]
fn roles_alternate_for_a_server_that_demands_it() {
    let read = |json: Value| Message::from_json(&json.to_string()).unwrap();
    let server = at("openai/devstral-small", Some("http://h/v1"));
    for refusal in [
        "Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.",
        "Conversation roles must alternate user/assistant/user/assistant/...",
        "Unexpected role 'user' after role 'tool'",
    ] {
        let mut history = called(None);
        history.push(read(json!({"role": "user", "content": "Go on."})));
        history.push(read(json!({"role": "user", "content": "Please."})));
        let refused = Reply::complete(500, &json!({"error": {"message": refusal}}).to_string());
        let options = LlmOptions { learned: std::rc::Rc::default(), ..server.clone() };
        let outcome = call_with(options, &history, vec![refused, hello()]);
        assert!(outcome.result.is_ok(), "{refusal}: {:?}", outcome.result);
        let body = outcome.http.body(1);
        let roles: Vec<&str> = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|message| message["role"].as_str().unwrap())
            .collect();
        assert_eq!(roles, ["user", "assistant", "tool", "assistant", "user"], "{refusal}");
    }
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
