//! Histories that began with another model, or were cut short, as the Responses API takes them.

use crate::{
    calls::options,
    captured::shared,
    scripted_http::{Reply, ScriptedHost, ScriptedHttp},
};
use futures_executor::block_on;
use serde_json::{Value, json};
use std::rc::Rc;
use threadkeep::{
    json::FromJson as _,
    llm::{ApiMode, CallContext, Llm, LlmFailure, LlmOptions, message::Message},
};

const ANSWER: &str = r#"{"id":"resp_0123456789abcdef","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi"}]}]}"#;

fn over_responses() -> LlmOptions {
    LlmOptions { api_mode: Some(ApiMode::Responses), model: "openai/gpt-5".into(), ..options() }
}

/// What is sent when these messages are the history. The server checks that calls and results are in pairs.
fn sent(
    options: LlmOptions,
    messages: &Value,
    replies: Vec<Reply>,
) -> (Rc<ScriptedHttp>, Option<LlmFailure>) {
    let http = ScriptedHttp::new(replies);
    let llm = Llm::new(options, http.clone(), Rc::new(ScriptedHost::default())).unwrap();
    let messages = Vec::<Message>::from_json(&messages.to_string()).unwrap();
    let result = block_on(llm.complete(&shared(&messages), &[], &CallContext::default(), &|_| ()));
    (http, result.err().map(|error| error.failure))
}

fn input(options: LlmOptions, messages: &Value) -> Value {
    let (http, failure) = sent(options, messages, vec![Reply::whole(200, ANSWER)]);
    assert_eq!(failure, None);
    http.body(0)["input"].clone()
}

fn call(id: &str, item: Option<&str>) -> Value {
    let mut call = json!({"id": id, "name": "f", "arguments": "{}", "origin": "responses"});
    if let Some(item) = item {
        call["responses_item_id"] = item.into();
    }
    call
}

fn calling(call: Value) -> Value {
    json!({"role": "assistant", "content": [], "tool_calls": [call]})
}

fn result(id: &str, content: Value) -> Value {
    json!({"role": "tool", "content": content, "tool_call_id": id, "name": "f"})
}

fn texts(texts: &[&str]) -> Value {
    texts.iter().map(|text| json!({"type": "text", "text": text})).collect()
}

#[test]
fn an_id_that_comes_again_is_sent_as_another() {
    let turn = || [calling(call("call_0", Some("fc_0"))), result("call_0", texts(&["ok"]))];
    let items = input(over_responses(), &turn().into_iter().chain(turn()).collect());
    let ids: Vec<(&str, Option<&str>)> = items
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["call_id"].as_str().unwrap(), item["id"].as_str()))
        .collect();
    let expected = [("call_0", Some("fc_0")), ("call_0", None), ("call_0_2", None), ("call_0_2", None)];
    assert_eq!(ids, expected);
}

#[test]
fn ids_of_other_providers_are_made_to_fit() {
    let long = format!("{}|{}", "c".repeat(60), "d".repeat(400));
    let messages = json!([
        calling(call("toolu_01", None)),
        result("toolu_01", texts(&["ok"])),
        calling(call("x", Some("ft_1"))),
        result("x", texts(&["ok"])),
        calling(call(&long, None)),
        result(&long, texts(&["ok"])),
    ]);
    let items = input(over_responses(), &messages);
    assert_eq!((&items[0]["id"], &items[0]["call_id"]), (&json!("fc_toolu_01"), &json!("toolu_01")));
    assert_eq!(items[2].get("id"), None);
    let shortened = items[4]["call_id"].as_str().unwrap();
    assert!(shortened.len() == 64 && shortened.starts_with("ccc"), "{shortened}");
    assert_eq!((items[5]["call_id"].as_str(), items[4].get("id")), (Some(shortened), None));
}

#[test]
fn a_result_is_one_item_and_answers_a_call() {
    let image = json!({"type": "image", "image_urls": ["data:image/png;base64,AA=="]});
    let messages = json!([
        result("nobody", texts(&["lost"])),
        calling(call("a", None)),
        result("a", json!([{"type": "text", "text": "See:"}, image])),
        calling(call("b", None)),
        result("b", json!([image])),
        calling(call("c", None)),
        result("c", json!([])),
    ]);
    let outputs = |options| -> Vec<Value> {
        let items = input(options, &messages);
        items.as_array().unwrap().iter().filter_map(|item| item.get("output").cloned()).collect()
    };
    let shown = json!({"type": "input_image", "image_url": "data:image/png;base64,AA==", "detail": "auto"});
    let said = json!({"type": "input_text", "text": "See:"});
    assert_eq!(outputs(over_responses()), [json!([said, shown]), json!([shown]), json!("")]);
    let blind = LlmOptions { disable_vision: Some(true), ..over_responses() };
    assert_eq!(outputs(blind), [json!("See:"), json!(""), json!("")]);
}

#[test]
fn reasoning_goes_back_only_to_who_can_read_it() {
    let said = |item: Value, content: Value| json!({"role": "assistant", "content": content, "responses_reasoning_item": item});
    let hidden = json!({"id": "rs_1", "summary": ["a"], "encrypted_content": "e"});
    let open = json!({"id": "rs_2", "summary": [], "content": ["b"]});
    let foreign = json!({"id": "thought_3", "summary": [], "encrypted_content": "e"});
    let bare = json!({"id": "rs_4", "summary": ["c"]});
    let messages = json!([
        said(hidden.clone(), texts(&["1"])),
        said(hidden.clone(), texts(&["twice"])),
        said(open, texts(&["2"])),
        said(foreign, texts(&["3"])),
        said(bare, texts(&["4"])),
        said(json!({"id": "rs_5", "summary": [], "encrypted_content": "nothing follows"}), json!([])),
    ]);
    let ids = |options| -> Vec<Value> {
        let items = input(options, &messages);
        let reasoning = items.as_array().unwrap().iter().filter(|item| item["type"] == "reasoning");
        reasoning.map(|item| item["id"].clone()).collect()
    };
    assert_eq!(ids(over_responses()), ["rs_1"]);
    let relay = LlmOptions { base_url: Some("http://relay/v1".into()), ..over_responses() };
    assert_eq!(ids(relay), ["rs_1", "rs_2", "thought_3"]);
}

#[test]
fn a_call_is_not_known_without_the_reasoning_before_it() {
    let item = json!({"id": "rs_1", "summary": []});
    let mut turn = calling(call("a", Some("fc_1")));
    turn["responses_reasoning_item"] = item;
    let items = input(over_responses(), &json!([turn, result("a", texts(&["ok"]))]));
    assert_eq!((items[0]["type"].as_str(), items[0].get("id")), (Some("function_call"), None));
}

#[test]
fn reasoning_that_the_provider_cannot_read_is_left_out_at_once() {
    let item = json!({"id": "rs_1", "summary": [], "encrypted_content": "of another"});
    let messages = json!([{"role": "assistant", "content": texts(&["a"]), "responses_reasoning_item": item}]);
    let refused = r#"{"error":{"message":"The encrypted content of another... could not be verified.","type":"invalid_request_error","code":"invalid_encrypted_content"}}"#;
    let refusal = || Reply::whole(400, refused);
    let (http, failure) = sent(over_responses(), &messages, vec![refusal(), Reply::whole(200, ANSWER)]);
    let has_reasoning = |at| http.body(at)["input"].to_string().contains("reasoning");
    assert_eq!((failure, has_reasoning(0), has_reasoning(1)), (None, true, false));
    let (http, failure) = sent(over_responses(), &messages, vec![refusal(), refusal()]);
    assert_eq!((failure, http.count()), (Some(LlmFailure::BadRequest), 2));
}
