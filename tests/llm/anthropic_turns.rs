//! When Claude is asked to think: never in a turn that another model, or Claude without thinking, has begun, because the
//! API refuses it: "expected thinking, but found tool_use".

use crate::{
    anthropic_calls::{calls, result},
    calls::options,
    captured::with_parts,
};
use serde_json::Value;
use threadkeep::llm::{
    LlmOptions,
    anthropic::AnthropicMessages,
    message::{Content, Message, Role, ThinkingBlock},
    wire_api::WireApi as _,
};

fn user(text: &str) -> Message {
    Message::new(Role::User, vec![Content::text(text)])
}

fn says(text: &str) -> Message {
    Message::new(Role::Assistant, vec![Content::text(text)])
}

/// The same message with a thought of Claude.
fn thought(message: Message) -> Message {
    let block = ThinkingBlock::Thinking { thinking: "Hm.".into(), signature: Some("c2ln".into()) };
    Message { thinking_blocks: vec![block], ..message }
}

fn asks(id: &str) -> Message {
    calls(&[(id, "f", "{}")])
}

/// Whether thinking is requested, and how many thinking blocks are sent.
fn sent(history: &[Message]) -> (bool, usize) {
    let asked = LlmOptions { model: "anthropic/claude-sonnet-4-5".into(), ..options() };
    let body: Value = with_parts(&asked, history, &[], |request| {
        serde_json::from_str(&AnthropicMessages.begin(request).unwrap().0.body).unwrap()
    });
    let blocks = body["messages"].as_array().unwrap().iter();
    let blocks = blocks.flat_map(|turn| turn["content"].as_array().unwrap());
    (body["thinking"].is_object(), blocks.filter(|block| block["type"] == "thinking").count())
}

/// Claude has thought before, and another model makes a call.
fn foreign_call() -> Vec<Message> {
    vec![user("Hi"), thought(says("Hello.")), user("Do it"), asks("call_1"), result("call_1", "rejected")]
}

#[test]
fn a_result_and_what_is_said_after_it_go_on_with_the_turn_of_another_model() {
    assert_eq!(sent(&foreign_call()), (false, 1));
    for said in [
        vec![user("Do something else")],
        // Messages that were queued, of several people, or of a hook or a critic.
        vec![user("Do something else"), user("Now"), Message { name: Some("ann".into()), ..user("Please") }],
        vec![Message::new(Role::System, vec![Content::text("A note.")])],
        vec![user("Again"), result("call_1", "a second result"), user("And again")],
    ] {
        let history = [foreign_call(), said].concat();
        assert_eq!(sent(&history), (false, 1), "{history:?}");
    }
}

#[test]
fn a_call_without_a_result_goes_on_with_the_turn_as_well() {
    let history = [user("Hi"), thought(says("Hello.")), user("Do it"), asks("call_1"), user("Wait")];
    assert_eq!(sent(&history), (false, 1));
}

#[test]
fn an_answer_without_calls_ends_the_turn_and_claude_thinks_again() {
    let answered = [foreign_call(), vec![user("Stop"), says("I have stopped.")]].concat();
    assert_eq!(sent(&[answered.clone(), vec![user("Go on")]].concat()), (true, 1));
    let calls = vec![user("Go on"), thought(asks("toolu_2")), result("toolu_2", "ok")];
    assert_eq!(sent(&[answered, calls].concat()), (true, 2));
}

#[test]
fn a_turn_that_claude_has_begun_with_a_thought_goes_on_with_thinking() {
    let mut history = vec![user("Hi"), thought(asks("toolu_1")), result("toolu_1", "ok")];
    assert_eq!(sent(&history), (true, 1));
    // Between its calls Claude may leave thinking out.
    history.extend([asks("toolu_2"), result("toolu_2", "ok")]);
    assert_eq!(sent(&history), (true, 1));
    history.push(user("And?"));
    assert_eq!(sent(&history), (true, 1));
}

#[test]
fn the_call_of_another_model_in_claudes_turn_turns_thinking_off_and_withholds_the_turns_thoughts() {
    let history = [
        user("Hi"),
        thought(says("Hello.")),
        user("Do it"),
        thought(asks("toolu_1")),
        result("toolu_1", "ok"),
        asks("call_2"),
        result("call_2", "rejected"),
        user("Something else"),
    ];
    assert_eq!(sent(&history), (false, 1));
}
