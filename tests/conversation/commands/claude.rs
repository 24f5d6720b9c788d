//! Claude: answers with thinking if the request enables it, and refuses what Anthropic refuses.

use serde_json::{Value, json};

/// The name of the model and of its server.
pub const CLAUDE: &str = "claude-sonnet-4-5";

/// Checks a request against the rules of the API: turns alternate, each call has its result at the start of the next turn,
/// and with a thinking budget the turn of the assistant that goes on begins with thinking, and so does each answer in it.
pub fn check_request(body: &Value) {
    let turns = body["messages"].as_array().unwrap();
    let mut open: Vec<&str> = Vec::new();
    for (place, turn) in turns.iter().enumerate() {
        let role = if place % 2 == 0 { "user" } else { "assistant" };
        assert_eq!(turn["role"], role, "turns do not alternate: {body}");
        let blocks = turn["content"].as_array().unwrap();
        assert!(!blocks.is_empty(), "an empty turn: {body}");
        let results = blocks.iter().take_while(|block| block["type"] == "tool_result");
        let mut answered: Vec<&str> = results.map(|block| block["tool_use_id"].as_str().unwrap()).collect();
        let in_turn = blocks.iter().filter(|block| block["type"] == "tool_result").count();
        assert_eq!(in_turn, answered.len(), "results are not first in their turn: {turn}");
        answered.sort_unstable();
        open.sort_unstable();
        assert_eq!(open, answered, "each call has one result: {body}");
        let calls = blocks.iter().filter(|block| block["type"] == "tool_use");
        open = calls.map(|block| block["id"].as_str().unwrap()).collect();
    }
    assert_eq!(turns.len() % 2, 1, "the last turn is the assistant's: {body}");
    check_thinking(body, turns);
}

fn check_thinking(body: &Value, turns: &[Value]) {
    let is_thinking = body["thinking"].is_object();
    // A turn of the user with a result goes on with the assistant's turn, whatever else the user says in it.
    let is_result = |turn: &&Value| turn["content"][0]["type"] == "tool_result";
    let open = turns.iter().rev().step_by(2).take_while(is_result).count();
    for turn in turns.iter().rev().skip(1).step_by(2).take(open) {
        let blocks = turn["content"].as_array().unwrap();
        let thinks = blocks[0]["type"].as_str().unwrap().ends_with("thinking");
        if is_thinking {
            assert!(thinks, "expected thinking, but found {}: {body}", blocks[0]["type"]);
        } else {
            assert!(!thinks, "thinking is off and sent: {body}");
        }
    }
}

/// An answer with this message of Chat Completions. `place` makes its id unique, and decides whether tokens are counted.
pub fn answer(message: &Value, body: &Value, place: usize) -> Value {
    let mut blocks = Vec::new();
    if body["thinking"].is_object() {
        blocks.push(json!({ "type": "thinking", "thinking": "Hm.", "signature": format!("sig{place}") }));
    }
    if message["content"] != "" {
        blocks.push(json!({ "type": "text", "text": message["content"] }));
    }
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let function = &call["function"];
        let input: Value = serde_json::from_str(function["arguments"].as_str().unwrap()).unwrap();
        let id = format!("toolu_{}", call["id"].as_str().unwrap());
        blocks.push(json!({ "type": "tool_use", "id": id, "name": function["name"], "input": input }));
    }
    let mut answer = json!({
        "id": format!("msg_{place:020}"), "type": "message", "role": "assistant", "model": CLAUDE,
        "content": blocks, "stop_reason": if message["tool_calls"].is_array() { "tool_use" } else { "end_turn" },
    });
    if is_counted(place) {
        answer["usage"] = json!({ "input_tokens": tokens_of(body), "output_tokens": 5 });
    }
    answer
}

/// Whether the server counts the tokens of this answer.
pub fn is_counted(place: usize) -> bool {
    !place.is_multiple_of(3)
}

/// The tokens of a request.
pub fn tokens_of(body: &Value) -> usize {
    body.to_string().len() / 6
}
