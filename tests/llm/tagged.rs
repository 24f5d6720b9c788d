//! Thoughts and calls that a server left in the text of an answer, over every wire API.

use crate::{
    calls::{call_with, options},
    scripted_http::Reply,
};
use serde_json::{Value, json};
use threadkeep::llm::{
    LlmOptions,
    message::{Content, Message, Role},
    options::ApiMode,
};

const TEXT: &str = "<think>\nHm.\n</think>\n\nI look.\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>";

fn read(api_mode: ApiMode, native: Option<bool>, answer: &Value) -> (Option<String>, String, Vec<String>) {
    let options = LlmOptions {
        model: "openai/some-model".into(),
        base_url: Some("http://h/v1".into()),
        api_mode: Some(api_mode),
        native_tool_calling: native,
        num_retries: Some(1),
        ..options()
    };
    let question = Message::new(Role::User, vec![Content::text("W?")]);
    let message = call_with(options, &[question], vec![Reply::complete(200, &answer.to_string())])
        .result
        .unwrap()
        .message;
    let calls = message.tool_calls.iter().flatten().map(|call| format!("{}{}", call.name, call.arguments));
    let calls = calls.collect();
    (message.reasoning_content.clone(), message.text(), calls)
}

#[test]
fn thoughts_and_calls_in_a_text_are_found_over_every_api() {
    let chat = json!({"id": "chatcmpl-0123456789abcdefghij", "choices": [{"message": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"}]});
    let responses = json!({"id": "resp_0123456789abcdefghij", "status": "completed", "output": [{"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": TEXT}]}]});
    let anthropic = json!({"id": "msg_0123456789abcdefghij", "type": "message", "content": [{"type": "text", "text": TEXT}], "stop_reason": "end_turn"});
    for (api, answer) in
        [(ApiMode::Chat, &chat), (ApiMode::Responses, &responses), (ApiMode::Anthropic, &anthropic)]
    {
        assert_eq!(
            read(api, None, answer),
            (Some("Hm.".into()), "I look.".into(), vec!["f{\"a\": 1}".into()]),
            "{api:?}"
        );
    }
    // A model that calls tools in text has a syntax of its own for that.
    assert_eq!(read(ApiMode::Chat, Some(false), &chat).2, Vec::<String>::new());
}
