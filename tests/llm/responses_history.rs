//! Histories that began with another model, or are incomplete, in the form that the Responses API accepts.

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

/// Sends these messages as the history. The scripted server checks that calls and results are in pairs.
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
    let (http, failure) = sent(options, messages, vec![Reply::complete(200, ANSWER)]);
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
fn a_repeated_call_id_is_replaced_by_a_unique_one() {
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
fn ids_of_other_providers_are_adapted_or_omitted() {
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
fn each_call_gets_one_result_item_and_results_without_a_call_are_omitted() {
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
    let image_part =
        json!({"type": "input_image", "image_url": "data:image/png;base64,AA==", "detail": "auto"});
    let text_part = json!({"type": "input_text", "text": "See:"});
    assert_eq!(outputs(over_responses()), [json!([text_part, image_part]), json!([image_part]), json!("")]);
    let without_vision = LlmOptions { disable_vision: Some(true), ..over_responses() };
    assert_eq!(outputs(without_vision), [json!("See:"), json!(""), json!("")]);
}

#[test]
fn reasoning_is_sent_only_to_a_server_that_can_read_it() {
    let message = |item: Value, content: Value| json!({"role": "assistant", "content": content, "responses_reasoning_item": item});
    let encrypted = json!({"id": "rs_1", "summary": ["a"], "encrypted_content": "e"});
    let open = json!({"id": "rs_2", "summary": [], "content": ["b"]});
    let other_id = json!({"id": "thought_3", "summary": [], "encrypted_content": "e"});
    let summary_only = json!({"id": "rs_4", "summary": ["c"]});
    let messages = json!([
        message(encrypted.clone(), texts(&["1"])),
        message(encrypted.clone(), texts(&["twice"])),
        message(open, texts(&["2"])),
        message(other_id, texts(&["3"])),
        message(summary_only, texts(&["4"])),
        message(json!({"id": "rs_5", "summary": [], "encrypted_content": "nothing follows"}), json!([])),
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
fn a_call_is_sent_without_its_item_id_if_its_reasoning_is_omitted() {
    let item = json!({"id": "rs_1", "summary": []});
    let mut turn = calling(call("a", Some("fc_1")));
    turn["responses_reasoning_item"] = item;
    let items = input(over_responses(), &json!([turn, result("a", texts(&["ok"]))]));
    assert_eq!((items[0]["type"].as_str(), items[0].get("id")), (Some("function_call"), None));
}

#[test]
fn reasoning_that_the_provider_cannot_decrypt_is_omitted_in_an_immediate_retry() {
    let item = json!({"id": "rs_1", "summary": [], "encrypted_content": "of another"});
    let messages = json!([{"role": "assistant", "content": texts(&["a"]), "responses_reasoning_item": item}]);
    let refused = r#"{"error":{"message":"The encrypted content of another... could not be verified.","type":"invalid_request_error","code":"invalid_encrypted_content"}}"#;
    let refusal = || Reply::complete(400, refused);
    let (http, failure) = sent(over_responses(), &messages, vec![refusal(), Reply::complete(200, ANSWER)]);
    let has_reasoning = |at| http.body(at)["input"].to_string().contains("reasoning");
    assert_eq!((failure, has_reasoning(0), has_reasoning(1)), (None, true, false));
    let (http, failure) = sent(over_responses(), &messages, vec![refusal(), refusal()]);
    assert_eq!((failure, http.count()), (Some(LlmFailure::BadRequest), 2));
}
