//! Calls over Anthropic Messages: their URL, their key, and how a history with other models' calls and results is sent.

use crate::{
    calls::{call, call_with, options},
    captured::with_parts,
    scripted_http::Reply,
};
use serde_json::{Value, json};
use threadkeep::llm::{
    ApiMode, LlmOptions, ToolSchema,
    anthropic::AnthropicMessages,
    message::{Content, Message, MessageToolCall, Role, ThinkingBlock},
    wire_api::WireApi as _,
};

const ANSWER: &str = r#"{"id":"msg_01Fixture0000000000000001","type":"message","content":[{"type":"text","text":"Hi"}],
    "stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}"#;

#[test]
fn every_server_of_the_api_gets_the_same_key_and_version_headers() {
    for (model, base_url, url, is_anthropics) in [
        ("anthropic/claude-x", None, "https://api.anthropic.com/v1/messages", true),
        ("anthropic/claude-x", Some("https://relay/v1"), "https://relay/v1/messages", true),
        ("openrouter/a/b", None, "https://openrouter.ai/api/v1/messages", false),
        ("litellm_proxy/alias", Some("http://h:4000"), "http://h:4000/v1/messages", false),
        ("glm-4.6", Some("https://h/api/anthropic"), "https://h/api/anthropic/v1/messages", false),
        ("local", Some("/claude"), "/claude/v1/messages", false),
    ] {
        let asked = LlmOptions {
            model: model.into(),
            base_url: base_url.map(Into::into),
            api_mode: (!is_anthropics).then_some(ApiMode::Anthropic),
            ..options()
        };
        let outcome = call(asked, vec![Reply::complete(200, ANSWER)]);
        assert_eq!(outcome.result.unwrap().message.text(), "Hi", "{model}");
        let http = outcome.http;
        assert_eq!(http.requests.borrow()[0].url, url);
        assert_eq!(http.header(0, "x-api-key").as_deref(), Some("sk-test-1234567890"), "{model}");
        assert_eq!(http.header(0, "authorization"), None, "{model}");
        assert_eq!(http.header(0, "anthropic-version").as_deref(), Some("2023-06-01"), "{model}");
        let direct = http.header(0, "anthropic-dangerous-direct-browser-access");
        assert_eq!(direct.is_some(), is_anthropics, "{model}");
        assert_eq!(http.body(0)["thinking"], Value::Null, "{model}");
    }
}

#[test]
fn over_chat_completions_anthropics_server_gets_a_bearer_key() {
    let asked = LlmOptions { model: "claude-x".into(), api_mode: Some(ApiMode::Chat), ..options() };
    let outcome = call(asked, vec![Reply::complete(200, r#"{"choices":[{"message":{"content":"Hi"}}]}"#)]);
    assert_eq!(outcome.result.unwrap().message.text(), "Hi");
    assert_eq!(outcome.http.requests.borrow()[0].url, "https://api.anthropic.com/v1/chat/completions");
    assert_eq!(outcome.http.header(0, "authorization").as_deref(), Some("Bearer sk-test-1234567890"));
    assert_eq!(outcome.http.header(0, "x-api-key"), None);
}

fn body_for(messages: &[Message], tools: &[ToolSchema]) -> Value {
    let asked = LlmOptions { model: "anthropic/claude-sonnet-4-5".into(), ..options() };
    with_parts(&asked, messages, tools, |request| {
        serde_json::from_str(&AnthropicMessages.begin(request).unwrap().0.body).unwrap()
    })
}

fn tool(name: &str, parameters: &str) -> ToolSchema {
    ToolSchema { name: name.into(), description: "d".into(), parameters: parameters.into() }
}

pub fn calls(given: &[(&str, &str, &str)]) -> Message {
    let calls = given.iter().map(|(id, name, arguments)| MessageToolCall {
        id: (*id).into(),
        responses_item_id: None,
        name: (*name).into(),
        arguments: (*arguments).into(),
        origin: "completion".into(),
    });
    Message { tool_calls: Some(calls.collect()), ..Message::new(Role::Assistant, Vec::new()) }
}

pub fn result(id: &str, text: &str) -> Message {
    Message { tool_call_id: Some(id.into()), ..Message::new(Role::Tool, vec![Content::text(text)]) }
}

/// Tool names with characters that Anthropic does not accept are replaced in requests and restored in answers.
#[test]
fn tool_names_that_are_not_accepted_are_renamed_and_restored() {
    let tools = [tool("files/read", "{}"), tool("files_read", "{}")];
    let history = [
        Message::new(Role::User, vec![Content::text("Hi")]),
        calls(&[("a", "gone.tool", "{}")]),
        result("a", "ok"),
    ];
    let body = body_for(&history, &tools);
    assert_eq!([&body["tools"][0]["name"], &body["tools"][1]["name"]], ["files_read_2", "files_read"]);
    assert_eq!(body["messages"][1]["content"][0]["name"], "gone_tool");

    let asked = LlmOptions { model: "anthropic/claude-sonnet-4-5".into(), ..options() };
    let mut decoder =
        with_parts(&asked, &history, &tools, |request| AnthropicMessages.begin(request).unwrap().1);
    let answer = r#"{"type":"message","content":[{"type":"tool_use","id":"t1","name":"files_read_2","input":{}},
        {"type":"tool_use","id":"t2","name":"files_read","input":{}}],"stop_reason":"tool_use"}"#;
    decoder.push("", answer).unwrap();
    let made = decoder.finish(&mut || "id".into()).unwrap().message.tool_calls.unwrap();
    assert_eq!([made[0].name.as_str(), made[1].name.as_str()], ["files/read", "files_read"]);
}

#[test]
fn only_accepted_fields_are_sent_at_the_top_level_of_a_schema() {
    let body = body_for(
        &[],
        &[
            tool(
                "a",
                r##"{"$schema":"x","title":"A","anyOf":[],"properties":{"p":{"anyOf":[]}},"$defs":{}}"##,
            ),
            tool("b", "{}"),
        ],
    );
    let schema = json!({"type": "object", "properties": {"p": {"anyOf": []}}, "$defs": {}});
    assert_eq!(body["tools"][0]["input_schema"], schema);
    assert_eq!(body["tools"][1]["input_schema"], json!({"type": "object", "properties": {}}));
}

#[test]
fn parameters_that_are_not_an_object_are_refused() {
    let asked = LlmOptions { model: "anthropic/claude-sonnet-4-5".into(), ..options() };
    let begun = with_parts(&asked, &[], &[tool("b", "true")], |request| {
        AnthropicMessages.begin(request).map(drop).map_err(|error| error.message)
    });
    assert_eq!(begun, Err("the parameters of tool b must be a JSON object".to_owned()));
}

#[test]
fn arguments_that_are_not_a_json_object_are_sent_as_an_empty_object() {
    let written = [
        " {\"a\": 1.50}\n",
        "{\"cut\": \"o",
        "",
        "7",
        "{\"half\":\"\\ud83d\"}",
        "{\"n\":NaN}",
        "{\"a\":1}{\"a\":2}",
    ];
    let ids = ["0", "1", "2", "3", "4", "5", "6"];
    let given: Vec<(&str, &str, &str)> = ids.iter().zip(written).map(|(id, text)| (*id, "f", text)).collect();
    let mut history = vec![Message::new(Role::User, vec![Content::text("Hi")]), calls(&given)];
    history.extend(ids.map(|id| result(id, "ok")));
    let body = body_for(&history, &[tool("f", "{}")]);
    let sent: Vec<&Value> =
        body["messages"][1]["content"].as_array().unwrap().iter().map(|block| &block["input"]).collect();
    let empty = json!({});
    let half = json!({"half": "\u{fffd}"});
    assert_eq!(sent, [&json!({"a": 1.5}), &empty, &empty, &empty, &half, &empty, &empty]);
}

#[test]
fn a_result_is_sent_directly_after_its_call_and_before_other_messages() {
    let text = |role, text: &str| Message::new(role, vec![Content::text(text)]);
    let history = [
        result("nobodys", "x"),
        text(Role::Assistant, "Welcome."),
        text(Role::User, "Hi"),
        calls(&[("a", "f", "{}"), ("b", "f", "{}"), ("a", "f", "{}")]),
        text(Role::User, "Hurry."),
        result("b", "B"),
        result("b", "B again"),
        text(Role::Assistant, "Late:"),
        result("a", "too late"),
        text(Role::User, "So?"),
    ];
    let body = body_for(&history, &[tool("f", "{}")]);
    let turns = body["messages"].as_array().unwrap();
    let texts_and_ids = |turn: &Value| -> Vec<String> {
        let blocks = turn["content"].as_array().unwrap().iter();
        let text_or_id = |block: &Value| -> String {
            let content = &block["content"];
            let candidates = [&block["text"], &block["id"], &content[0]["text"], content];
            candidates.iter().find_map(|value| value.as_str()).unwrap().into()
        };
        blocks.map(text_or_id).collect()
    };
    let missing = "[Of this call of f no result was recorded.]";
    let expected: [&[&str]; 7] = [
        &["Go on."],
        &["Welcome."],
        &["Hi"],
        &["a", "b"],
        &["B again", missing, "Hurry."],
        &["Late:"],
        &["So?"],
    ];
    assert_eq!(turns.iter().map(texts_and_ids).collect::<Vec<_>>(), expected);
}

/// After a change of the model, the provider refuses the previous model's thinking blocks; the retry omits them.
#[test]
fn refused_thinking_blocks_of_another_model_are_omitted_in_the_retry() {
    let thought = ThinkingBlock::Thinking { thinking: "t".into(), signature: Some("c2ln".into()) };
    let history = [
        Message::new(Role::User, vec![Content::text("Hi")]),
        Message { thinking_blocks: vec![thought], ..calls(&[("a", "f", "{}")]) },
        result("a", "ok"),
    ];
    let refused = |message: &str| {
        let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": message}});
        Reply::complete(400, &error.to_string())
    };
    for message in [
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
    ] {
        let asked =
            LlmOptions { model: "anthropic/claude-sonnet-4-5".into(), num_retries: Some(1), ..options() };
        let outcome =
            call_with(asked.clone(), &history, vec![refused(message), Reply::complete(200, ANSWER)]);
        assert_eq!(outcome.result.unwrap().message.text(), "Hi");
        let [first, second] = [0, 1].map(|at| outcome.http.body(at));
        assert_eq!(first["messages"][1]["content"][0]["type"], "thinking");
        assert!(first["thinking"].is_object());
        assert_eq!(second["messages"][1]["content"][0]["type"], "tool_use");
        // Thinking is off, because the calls that are being answered have no thinking block any more.
        assert!(second["thinking"].is_null());

        let outcome = call_with(asked, &history, vec![refused(message), refused(message)]);
        assert_eq!((outcome.result.unwrap_err().status, outcome.http.count()), (Some(400), 2));
    }
}
