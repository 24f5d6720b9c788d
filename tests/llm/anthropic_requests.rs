//! Every request equals the one that LiteLLM makes of the SDK's for the same messages, tools and options, but for what
//! is listed in [`accepted`].

use crate::captured::{Case, assert_bodies_are_the_sdks, assert_bodies_of_cases, cases, request_over};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};
use threadkeep::llm::anthropic::AnthropicMessages;

const FOLDER: &str = "anthropic_requests";

#[test]
fn bodies_are_litellms() {
    assert_bodies_are_the_sdks(&AnthropicMessages, FOLDER, accepted);
}

/// Each conversation of the SDK's, as it stands in its log.
#[test]
fn bodies_for_conversations_are_litellms() {
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
fn headers_are_litellms_and_what_a_page_needs() {
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

/// LiteLLM's request, but for what the provider refuses in it. LiteLLM
///
/// * begins a history with the assistant, if a log does;
/// * leaves what a user says where it stands between results;
/// * sends texts without words in results, and arguments that are no object;
/// * gives an id to two calls of one conversation;
/// * asks for a thinking budget that is too small, or leaves no room for the answer;
/// * asks for one in the middle of calls that were made without thinking, and sends thoughts there if nothing is asked.
fn accepted(case: &Case) -> Value {
    let mut body = case.body.clone();
    let limit = body["max_tokens"].as_u64().unwrap();
    let is_thinking = body["thinking"].is_object();
    let turns = body["messages"].as_array_mut().unwrap();
    if turns[0]["role"] == "assistant" {
        turns.insert(0, json!({"role": "user", "content": [{"type": "text", "text": "Go on."}]}));
    }
    in_order(turns);
    // Where the calls begin that are answered last.
    let said = |turn: &Value| turn["role"] == "user" && turn["content"][0]["type"] != "tool_result";
    let open = turns.iter().rposition(said).unwrap() + 1;
    let is_thought = |block: &Value| block["type"].as_str().unwrap().ends_with("thinking");
    let content = |turn: &Value| turn["content"].as_array().unwrap().clone();
    let has_thoughts = turns[open..].iter().any(|turn| content(turn).iter().any(is_thought));
    let lacks_thoughts = turns.len() > open + 1 && !has_thoughts;
    for turn in turns[open..].iter_mut().filter(|_| !is_thinking) {
        turn["content"].as_array_mut().unwrap().retain(|block| !is_thought(block));
    }
    if let Some(budget) = body["thinking"]["budget_tokens"].as_u64() {
        body["thinking"]["budget_tokens"] = budget.min(limit - 1).into();
        if limit <= 1024 || lacks_thoughts {
            body.as_object_mut().unwrap().remove("thinking");
        }
    }
    body
}

/// Results first and with words, arguments in objects, ids once.
fn in_order(turns: &mut [Value]) {
    let mut taken = BTreeSet::new();
    let mut renamed = BTreeMap::new();
    for turn in turns {
        let is_users = turn["role"] == "user";
        let blocks = turn["content"].as_array_mut().unwrap();
        blocks.sort_by_key(|block| is_users && block["type"] != "tool_result");
        for block in blocks {
            match block["type"].as_str().unwrap() {
                "tool_use" => {
                    let id = block["id"].as_str().unwrap().to_owned();
                    let sent = if taken.insert(id.clone()) { id.clone() } else { format!("{id}_2") };
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
