//! Histories over Chat Completions that a provider would refuse because they began with another model or provider: requests
//! are corrected, and the log does not change.

use crate::{
    anthropic_calls::{calls, result},
    calls::options,
    captured::with_parts,
};
use serde_json::{Value, json};
use threadkeep::llm::{
    LlmOptions,
    chat_completions::ChatCompletions,
    message::{Content, Message, Role},
    wire_api::WireApi as _,
};

const SIGNED: &str = "function-call-1__thought__AY89a18I+Q/8in==";
const OF_VLLM: &str = "chatcmpl-tool-0123456789abcdef0123456789abcdef";

fn sent(model: &str, messages: &[Message]) -> Vec<Value> {
    let asked = LlmOptions { model: model.into(), ..options() };
    let body = with_parts(&asked, messages, &[], |request| ChatCompletions.begin(request).unwrap().0.body);
    serde_json::from_str::<Value>(&body).unwrap()["messages"].as_array().unwrap().clone()
}

fn user(text: &str) -> Message {
    Message::new(Role::User, vec![Content::text(text)])
}

/// The ids of calls and of their results, in order.
fn ids(messages: &[Value]) -> Vec<String> {
    let calls = messages.iter().flat_map(|message| message["tool_calls"].as_array().into_iter().flatten());
    let results = messages.iter().filter_map(|message| message.get("tool_call_id"));
    calls.map(|call| &call["id"]).chain(results).map(|id| id.as_str().unwrap().to_owned()).collect()
}

#[test]
fn call_ids_that_a_provider_refuses_are_replaced_by_stable_ones() {
    let history = [
        user("Hi"),
        calls(&[(OF_VLLM, "f", "{}"), (SIGNED, "f", "{}"), ("D681PevKs", "f", "{}")]),
        result(OF_VLLM, "a"),
        result(SIGNED, "b"),
        result("D681PevKs", "c"),
    ];
    for (model, is_accepted) in [
        ("openai/gpt-4o", (|id| id.len() <= 40) as fn(&str) -> bool),
        ("mistral/mistral-large-latest", |id| {
            id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
        }),
    ] {
        let ids = ids(&sent(model, &history));
        assert!(ids.iter().all(|id| is_accepted(id)), "{model}: {ids:?}");
        assert_eq!(ids[..3], ids[3..], "{model}");
        assert!(ids[0] != ids[1] && ids[2] == "D681PevKs", "{model}: {ids:?}");
        assert_eq!(ids, self::ids(&sent(model, &history)));
    }
    assert_eq!(ids(&sent("ollama/qwen3", &history))[..2], [OF_VLLM, SIGNED]);
}

#[test]
fn a_message_with_only_images_gets_a_placeholder_for_a_model_without_vision() {
    let image =
        || Content::Image { image_urls: vec!["data:image/png;base64,AA==".into()], cache_prompt: false };
    let history = [
        Message::new(Role::User, vec![image()]),
        calls(&[("D681PevKs", "f", "{}")]),
        Message { tool_call_id: Some("D681PevKs".into()), ..Message::new(Role::Tool, vec![image()]) },
    ];
    let messages = sent("openai/gpt-3.5-turbo", &history);
    for message in [&messages[0], &messages[2]] {
        assert_eq!(message["content"], "[An image, which this model cannot see.]");
    }
}

#[test]
fn for_mistral_an_assistant_message_is_inserted_between_a_result_and_the_user() {
    let image = Content::Image { image_urls: vec!["data:image/png;base64,AA==".into()], cache_prompt: false };
    let result_with_image =
        Message { tool_call_id: Some("D681PevKs".into()), ..Message::new(Role::Tool, vec![image]) };
    let history = [
        user("Hi"),
        calls(&[("D681PevKs", "f", "{}")]),
        result("D681PevKs", "a"),
        user("And?"),
        calls(&[("D681PevKt", "f", "{}")]),
        result_with_image,
    ];
    let roles = |model: &str| -> Vec<String> {
        sent(model, &history).iter().map(|message| message["role"].as_str().unwrap().to_owned()).collect()
    };
    let expected =
        ["user", "assistant", "tool", "assistant", "user", "assistant", "tool", "assistant", "user"];
    assert_eq!(roles("mistral/mistral-large-latest"), expected);
    assert_eq!(roles("openai/gpt-4o"), ["user", "assistant", "tool", "user", "assistant", "tool", "user"]);
}

#[test]
fn gemini_gets_its_signatures_back_and_a_placeholder_for_missing_ones() {
    let history = [
        user("Hi"),
        calls(&[(SIGNED, "f", "{}"), ("function-call-2", "f", "{}")]),
        result(SIGNED, "a"),
        result("function-call-2", "b"),
        calls(&[("toolu_1", "f", "{}")]),
        result("toolu_1", "c"),
    ];
    let signatures = |model: &str| -> Vec<Value> {
        let messages = sent(model, &history);
        assert_eq!(ids(&messages)[..4], ["function-call-1", "function-call-2", "toolu_1", "function-call-1"]);
        let calls =
            messages.iter().flat_map(|message| message["tool_calls"].as_array().into_iter().flatten());
        calls.map(|call| call["extra_content"]["google"]["thought_signature"].clone()).collect()
    };
    let own = json!("AY89a18I+Q/8in==");
    let placeholder = json!("skip_thought_signature_validator");
    assert_eq!(signatures("gemini/gemini-3-pro-preview"), [own.clone(), Value::Null, placeholder]);
    assert_eq!(signatures("gemini/gemini-2.5-pro"), [own, Value::Null, Value::Null]);
}

/// LiteLLM stores the signature in the same way, so that Python can read it.
#[test]
fn the_signature_of_a_call_is_stored_in_its_id() {
    let asked = LlmOptions { model: "gemini/gemini-3-pro-preview".into(), ..options() };
    let mut decoder = with_parts(&asked, &[], &[], |request| ChatCompletions.begin(request).unwrap().1);
    for piece in [
        r#"{"choices":[{"delta":{"tool_calls":[{"extra_content":{"google":{"thought_signature":"AY89a18I+Q/8in=="}},"function":{"arguments":"{}","name":"f"},"id":"function-call-1","type":"function","index":0}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{}","name":"f"},"id":"function-call-2","type":"function","index":1}]},"finish_reason":"tool_calls"}]}"#,
    ] {
        decoder.push("", piece).unwrap();
    }
    let made = decoder.finish(&mut || "id".into()).unwrap().message.tool_calls.unwrap();
    assert_eq!([made[0].id.as_str(), made[1].id.as_str()], [SIGNED, "function-call-2"]);
}
