//! Every request equals the one that LiteLLM makes of the SDK's for the same messages, tools and options, except for the
//! corrections in [`accepted`].

use crate::captured::{Case, assert_bodies_equal_the_sdks, assert_bodies_of_cases, cases, request_over};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};
use threadkeep::llm::anthropic::AnthropicMessages;

const FOLDER: &str = "anthropic_requests";

#[test]
fn bodies_equal_those_of_litellm() {
    assert_bodies_equal_the_sdks(&AnthropicMessages, FOLDER, accepted);
}

/// The same for every conversation among the SDK's fixtures.
#[test]
fn bodies_for_stored_conversations_equal_those_of_litellm() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let read = |file: &str| serde_json::from_slice::<Value>(&fs::read(fixtures.join(file)).unwrap()).unwrap();
    let bodies = read("anthropic_conversations.json");
    let mut cases = Vec::new();
    for (directory, body) in bodies.as_object().unwrap() {
        let case = json!({
            "llm": {"model": "anthropic/claude-sonnet-4-5"},
            "conversation_id": "c",
            "messages": read(&format!("{directory}.expected.json"))["messages"],
            "tools": [],
            "headers": {},
            "body": body,
        });
        cases.push((directory.clone(), serde_json::from_value(case).unwrap()));
    }
    assert!(cases.len() > 70, "the fixtures are missing");
    assert_bodies_of_cases(&AnthropicMessages, &cases, accepted);
}

#[test]
fn headers_equal_those_of_litellm_plus_the_one_for_browsers() {
    for (name, case) in cases(FOLDER) {
        let (_, mut headers) = request_over(&AnthropicMessages, &case);
        let direct = headers.remove("anthropic-dangerous-direct-browser-access");
        assert_eq!(direct.as_deref(), Some("true"), "{name}");
        let mut theirs = case.headers.clone();
        // The client adds the key.
        assert_eq!(theirs.remove("x-api-key").as_deref(), Some("sk-fixture"), "{name}");
        assert_eq!(headers, theirs, "{name}");
    }
}

/// LiteLLM's request with corrections where the provider would refuse it. LiteLLM
///
/// * begins a history with the assistant, if the log does;
/// * leaves user messages between the results of calls;
/// * sends empty texts in results, and arguments that are not an object;
/// * sends the same id for two calls of one conversation;
/// * requests a thinking budget that is too small, or that leaves no tokens for the answer;
/// * requests thinking while calls that were made without it are being answered, and sends thinking blocks there although
///   thinking is off.
fn accepted(case: &Case) -> Value {
    let mut body = case.body.clone();
    let limit = body["max_tokens"].as_u64().unwrap();
    let is_thinking = body["thinking"].is_object();
    let turns = body["messages"].as_array_mut().unwrap();
    if turns[0]["role"] == "assistant" {
        turns.insert(0, json!({"role": "user", "content": [{"type": "text", "text": "Go on."}]}));
    }
    correct_turns(turns);
    // The first turn of the calls that are answered last.
    let is_user_message =
        |turn: &Value| turn["role"] == "user" && turn["content"][0]["type"] != "tool_result";
    let open = turns.iter().rposition(is_user_message).unwrap() + 1;
    let is_thinking_block = |block: &Value| block["type"].as_str().unwrap().ends_with("thinking");
    let content = |turn: &Value| turn["content"].as_array().unwrap().clone();
    let has_thinking = turns[open..].iter().any(|turn| content(turn).iter().any(is_thinking_block));
    let lacks_thinking = turns.len() > open + 1 && !has_thinking;
    for turn in turns[open..].iter_mut().filter(|_| !is_thinking) {
        turn["content"].as_array_mut().unwrap().retain(|block| !is_thinking_block(block));
    }
    if let Some(budget) = body["thinking"]["budget_tokens"].as_u64() {
        body["thinking"]["budget_tokens"] = budget.min(limit - 1).into();
        if limit <= 1024 || lacks_thinking {
            body.as_object_mut().unwrap().remove("thinking");
        }
    }
    body
}

/// Puts results first in their turn, removes empty texts from them, and makes arguments objects and ids unique.
fn correct_turns(turns: &mut [Value]) {
    let mut used = BTreeSet::new();
    let mut renamed = BTreeMap::new();
    for turn in turns {
        let is_users = turn["role"] == "user";
        let blocks = turn["content"].as_array_mut().unwrap();
        blocks.sort_by_key(|block| is_users && block["type"] != "tool_result");
        for block in blocks {
            match block["type"].as_str().unwrap() {
                "tool_use" => {
                    let id = block["id"].as_str().unwrap().to_owned();
                    let sent = if used.insert(id.clone()) { id.clone() } else { format!("{id}_2") };
                    block["id"] = sent.clone().into();
                    renamed.insert(id, sent);
                    if block["input"].is_array() {
                        block["input"] = json!({});
                    }
                }
                "tool_result" => {
                    block["tool_use_id"] = renamed[block["tool_use_id"].as_str().unwrap()].clone().into();
                    if let Some(parts) = block["content"].as_array_mut() {
                        parts.retain(|part| part["text"] != "");
                    }
                }
                _ => {}
            }
        }
    }
}
