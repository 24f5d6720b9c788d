//! The cached text of messages that were sent before gives the same requests as writing all messages anew.

use crate::captured::{cases, with_request};
use std::rc::Rc;
use threadkeep::llm::{
    LlmOptions,
    anthropic::AnthropicMessages,
    chat_completions::ChatCompletions,
    message::{Content, Message, Role},
    request_text::RequestText,
    responses::Responses,
    text_tools::TextTools,
    wire_api::{LlmRequest, WireApi},
};

/// Successive requests of a history that grows and then shrinks, and whose last message is a new copy each time.
#[test]
fn requests_of_a_growing_history_equal_those_without_a_cache() {
    let apis: [(&str, &dyn WireApi); 4] = [
        ("chat_requests", &ChatCompletions),
        ("text_tools_requests", &TextTools),
        ("responses_requests", &Responses),
        ("anthropic_requests", &AnthropicMessages),
    ];
    for (folder, api) in apis {
        for (name, case) in cases(folder) {
            with_request(&case, |request| {
                let all = request.messages;
                for length in (1..=all.len()).chain((1..all.len()).rev()) {
                    let mut messages = all[..length].to_vec();
                    if let Some(last) = messages.last_mut() {
                        *last = Rc::new(Message::clone(last));
                    }
                    let request = LlmRequest { messages: &messages, ..*request };
                    let fresh = LlmOptions {
                        request_text: Rc::new(RequestText::default()),
                        ..request.options.clone()
                    };
                    let expected = api.begin(&LlmRequest { options: &fresh, ..request }).unwrap().0;
                    let sent = api.begin(&request).unwrap().0;
                    assert_eq!(sent, expected, "{folder}/{name}, {length}");
                }
            });
        }
    }
}

/// The same with images in results, cache marks, and a change of the model's features.
#[test]
fn cached_requests_with_images_and_changed_features_equal_those_without_a_cache() {
    let image = || Content::Image { image_urls: vec!["data:image/png;base64,".into()], cache_prompt: false };
    let mut history = vec![Message::new(Role::System, vec![Content::text("Be kind.")])];
    for turn in 0..4 {
        history.push(Message::new(Role::User, vec![Content::text(format!("Turn {turn}"))]));
        for call in 0..2 {
            let mut result = Message::new(Role::Tool, vec![Content::text("See"), image()]);
            result.tool_call_id = Some(format!("call_{turn}_{call}"));
            history.push(result);
        }
    }
    let history: Vec<_> = history.into_iter().map(Rc::new).collect();
    for (name, case) in cases("chat_requests") {
        with_request(&case, |request| {
            for supports_vision in [true, false, true] {
                let features = threadkeep::llm::model_features::ModelFeatures {
                    supports_vision,
                    ..request.features.clone()
                };
                for length in 1..=history.len() {
                    let request =
                        LlmRequest { messages: &history[..length], features: &features, ..*request };
                    let fresh = LlmOptions {
                        request_text: Rc::new(RequestText::default()),
                        ..request.options.clone()
                    };
                    let expected =
                        ChatCompletions.begin(&LlmRequest { options: &fresh, ..request }).unwrap().0;
                    assert_eq!(ChatCompletions.begin(&request).unwrap().0, expected, "{name}, {length}");
                }
            }
        });
    }
}
