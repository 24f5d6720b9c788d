//! The run loop: messages, calls, results, and what is stored of them.

use crate::support::{Answer, TestTool, World, calls, echo, say, text, yield_once};
use futures_channel::oneshot;
use futures_executor::block_on;
use futures_util::{FutureExt, future::join};
use serde_json::{Value, json};
use std::rc::Rc;
use threadkeep::{
    cancel::CancelToken,
    error::ErrorCode,
    format::base_state::ExecutionStatus,
    llm::message::Content,
    store::{MemoryStore, Store},
    tool::{Replay, ToolFailure},
};

fn world(answers: impl IntoIterator<Item = Answer>) -> World {
    World::new(Rc::new(MemoryStore::new()), vec![echo()], answers)
}

#[test]
fn a_text_answer_ends_the_run_and_is_the_final_response() {
    block_on(async {
        let world = world([text("Hello!"), text("Still here.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Hi").await;
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.status, ExecutionStatus::Finished);
        assert_eq!(outcome.final_response.as_deref(), Some("Hello!"));
        say(&conversation, "There?").await;
        assert_eq!(conversation.execution_status(), ExecutionStatus::Idle);
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(world.kinds().await, ["SystemPrompt", "Message", "Message", "Message", "Message"]);
        assert_eq!(
            *world.received.borrow(),
            vec!["SystemPromptEvent", "MessageEvent", "MessageEvent", "MessageEvent", "MessageEvent"]
        );
        let events = world.events().await;
        for (before, after) in events.iter().zip(&events[1..]) {
            assert_eq!(after["parent_id"], before["id"]);
        }
        assert_eq!(
            conversation.state().field("leaf_event_id").unwrap().read::<String>().as_deref(),
            events.last().unwrap()["id"].as_str()
        );
    });
}

#[test]
fn parallel_calls_form_one_message_with_results_in_order_and_finish_ends_the_task() {
    block_on(async {
        let world = world([
            calls(&[
                ("a", "echo", r#"{"text":"one","summary":"say one"}"#),
                ("b", "echo", r#"{"text":"two"}"#),
            ]),
            calls(&[("c", "think", r#"{"thought":"hm"}"#), ("d", "finish", r#"{"message":"Done."}"#)]),
        ]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.final_response.as_deref(), Some("Done."));
        assert_eq!(
            world.kinds().await,
            [
                "SystemPrompt",
                "Message",
                "Action",
                "Action",
                "Observation",
                "Observation",
                "Action",
                "Action",
                "Observation",
                "Observation"
            ]
        );
        let events = world.events().await;
        assert_eq!(events[2]["thought"][0]["text"], "Let me see.");
        assert_eq!(events[3]["thought"], json!([]));
        assert_eq!(events[2]["summary"], "say one");
        assert_eq!(events[2]["action"], json!({ "data": { "text": "one" }, "kind": "MCPToolAction" }));
        assert_eq!(events[2]["llm_response_id"], events[3]["llm_response_id"]);
        assert_ne!(
            events[2]["llm_response_id"], events[6]["llm_response_id"],
            "the model repeats its response ids"
        );
        assert_eq!(events[5]["observation"]["content"][0]["text"], "two");
        assert_eq!(events[8]["observation"]["kind"], "ThinkObservation");
    });
}

#[test]
fn invalid_calls_among_valid_ones_are_answered_and_the_others_run() {
    block_on(async {
        let world = world([
            calls(&[
                ("a", "echo", r#"{"text":"one"}"#),
                ("b", "nothing", "{}"),
                ("c", "echo", r#"{"text":1}"#),
                ("d", "echo", r#"{"text":"#),
                ("a", "echo", r#"{"text":"the same id again"}"#),
            ]),
            text("I see."),
        ]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        let messages = world.model.last_messages();
        let answers: Vec<&str> = messages
            .iter()
            .filter(|message| message["role"] == "tool")
            .map(|message| message["content"][0]["text"].as_str().unwrap())
            .collect();
        assert_eq!(answers.len(), 5);
        assert!(answers.contains(&"one") && answers.contains(&"the same id again"), "{answers:?}");
        assert!(answers.iter().any(|text| text.contains("no tool named 'nothing'")), "{answers:?}");
        assert!(answers.iter().any(|text| text.contains("text: must be a string")), "{answers:?}");
        assert!(answers.iter().any(|text| text.contains("not valid JSON")), "{answers:?}");
    });
}

#[test]
fn calls_after_finish_are_answered_and_never_run() {
    block_on(async {
        let never = TestTool::shared("never", Replay::Safe, |_| async { panic!("it was run") });
        let answers = [
            calls(&[("a", "finish", r#"{"message":"Done."}"#), ("b", "never", r#"{"text":"x"}"#)]),
            text("Yes."),
        ];
        let world = World::new(Rc::new(MemoryStore::new()), vec![never], answers);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        assert!(conversation.pending_actions().await.unwrap().is_empty());
        say(&conversation, "Really?").await;
        conversation.run(CancelToken::default()).await.unwrap();
    });
}

#[test]
fn a_tool_that_throws_is_an_error_that_the_model_reads() {
    block_on(async {
        let broken =
            TestTool::shared("broken", Replay::Safe, |_| async { Err(ToolFailure("no disk".into())) });
        let answers = [calls(&[("a", "broken", r#"{"text":"x"}"#)]), text("Too bad.")];
        let world = World::new(Rc::new(MemoryStore::new()), vec![broken], answers);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(world.events().await[3]["error"], "Error executing tool 'broken': no disk");
    });
}

#[test]
fn a_message_that_arrives_while_the_model_answers_follows_the_answer_and_is_read_by_the_same_run() {
    block_on(async {
        let (go, wait) = oneshot::channel();
        let first = Answer::When(wait, json!({ "role": "assistant", "content": "First." }));
        let world = world([first, text("Second.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "One").await;
        let run = conversation.run(CancelToken::default());
        let speak = async {
            while world.model.requests.borrow().is_empty() {
                yield_once().await;
            }
            say(&conversation, "Two").await;
            let files = world.store.files(conversation.id(), None).await.unwrap();
            assert_eq!((conversation.length(), files.len()), (2, 1), "on the disk, and not in the log yet");
            say(&conversation, "Three").await;
            go.send(()).unwrap();
        };
        let (outcome, ()) = join(run, speak).await;
        let outcome = outcome.unwrap();
        assert_eq!(outcome.status, ExecutionStatus::Finished);
        assert_eq!(outcome.final_response.as_deref(), Some("Second."));
        let texts: Vec<String> = world.events().await[1..].iter().map(text_of).collect();
        assert_eq!(texts, ["One", "First.", "Two", "Three", "Second."]);
        let messages = world.model.last_messages();
        let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["system", "user", "assistant", "user"], "and no note of anybody else's");
        assert!(world.store.files(conversation.id(), None).await.unwrap().is_empty());
    });
}

/// The text of a message.
fn text_of(event: &Value) -> String {
    event["llm_message"]["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_message_during_an_answer_with_calls_follows_their_results() {
    block_on(async {
        let (go, wait) = oneshot::channel();
        let call = json!({ "name": "echo", "arguments": r#"{"text":"x"}"# });
        let calls = json!([{ "id": "a", "type": "function", "function": call }]);
        let first = json!({ "role": "assistant", "content": "Let me see.", "tool_calls": calls });
        let world = world([Answer::When(wait, first), text("Both.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "One").await;
        let speak = async {
            while world.model.requests.borrow().is_empty() {
                yield_once().await;
            }
            say(&conversation, "Two").await;
            go.send(()).unwrap();
        };
        let (outcome, ()) = join(conversation.run(CancelToken::default()), speak).await;
        assert_eq!(outcome.unwrap().final_response.as_deref(), Some("Both."));
        assert_eq!(world.kinds().await[2..], ["Action", "Observation", "Message", "Message"]);
    });
}

#[test]
fn a_message_during_an_answer_that_is_interrupted_follows_the_interrupt_event() {
    block_on(async {
        let world = world([Answer::Never, text("Both.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "One").await;
        let speak = async {
            while world.model.requests.borrow().is_empty() {
                yield_once().await;
            }
            say(&conversation, "Two").await;
            conversation.interrupt().await.unwrap();
        };
        let (outcome, ()) = join(conversation.run(CancelToken::default()), speak).await;
        assert_eq!(outcome.unwrap().status, ExecutionStatus::Paused);
        assert_eq!(world.kinds().await[2..], ["Interrupt", "Message"]);
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.final_response.as_deref(), Some("Both."));
    });
}

#[test]
fn too_many_steps_end_the_run_with_the_sdks_error() {
    block_on(async {
        let mut world = world((0..3).map(|_| calls(&[("a", "echo", r#"{"text":"x"}"#)])));
        world.max_iterations = 3;
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.status, ExecutionStatus::Error);
        assert_eq!(world.events().await.last().unwrap()["code"], "MaxIterationsReached");
    });
}

#[test]
fn three_empty_answers_in_a_row_are_stuck() {
    block_on(async {
        let world = world((0..3).map(|_| text(" ")));
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.status, ExecutionStatus::Stuck);
    });
}

#[test]
fn a_failure_of_the_model_is_logged_and_the_next_run_continues() {
    block_on(async {
        let refusal = || {
            Answer::Status(
                401,
                json!({ "error": { "message": "Incorrect API key", "code": "invalid_api_key" } }),
            )
        };
        let world = world([refusal(), text("Now.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let error = conversation.run(CancelToken::default()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::LlmAuth);
        assert_eq!(error.status(), Some(401));
        assert_eq!(conversation.execution_status(), ExecutionStatus::Error);
        assert_eq!(world.events().await.last().unwrap()["code"], "LLMAuthenticationError");
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.final_response.as_deref(), Some("Now."));
    });
}

#[test]
fn the_cost_of_failed_attempts_is_counted_with_and_without_an_answer() {
    let empty = || {
        let usage = json!({ "prompt_tokens": 10, "completion_tokens": 1 });
        Answer::Status(200, json!({ "id": "x", "choices": [], "usage": usage }))
    };
    block_on(async {
        let world = world([empty(), text("Now."), empty(), empty(), empty(), empty(), empty()]);
        let conversation = world.open().await.unwrap();
        let counted = || {
            let stats: serde_json::Value =
                serde_json::from_str(conversation.state().field("stats").unwrap().as_str()).unwrap();
            let metrics = &stats["usage_to_metrics"]["default"];
            let cost = metrics["accumulated_cost"].as_f64().unwrap();
            (metrics["token_usages"].as_array().unwrap().len(), (cost * 1000.0).round() as u64)
        };
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(counted(), (2, 12 + 20));
        say(&conversation, "And on").await;
        let error = conversation.run(CancelToken::default()).await.unwrap_err();
        assert!(error.code().is_retryable());
        assert_eq!(counted(), (7, 6 * 12 + 20));
    });
}

#[test]
fn a_message_without_content_is_refused_before_anything_is_stored() {
    block_on(async {
        let world = world([]);
        let conversation = world.open().await.unwrap();
        for content in [
            vec![],
            vec![Content::text(" \n")],
            vec![Content::Image { image_urls: vec![], cache_prompt: false }],
        ] {
            let error = conversation.send_message(content, None).await.unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidOptions);
        }
        assert_eq!(conversation.length(), 0);
    });
}

#[test]
fn a_second_run_at_the_same_time_is_refused_without_effect_on_the_first() {
    block_on(async {
        let world = world([Answer::Never]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let mut run = Box::pin(conversation.run(CancelToken::default()));
        assert!(run.as_mut().now_or_never().is_none());
        let error = conversation.run(CancelToken::default()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidState);
    });
}

#[test]
fn two_writers_of_one_store_never_mix_their_events() {
    block_on(async {
        let store: Rc<dyn Store> = Rc::new(MemoryStore::new());
        let world = World::new(store, vec![echo()], [text("Mine.")]);
        let one = world.open().await.unwrap();
        let two = world.open().await.unwrap();
        say(&one, "First").await;
        let error = two.send_message(vec![Content::text("Second")], None).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::LockedElsewhere);
        one.run(CancelToken::default()).await.unwrap();
        assert_eq!(world.kinds().await, ["SystemPrompt", "Message", "Message"]);
    });
}

#[test]
fn a_message_that_arrives_while_tools_run_is_durable_at_once_and_follows_their_results() {
    block_on(async {
        let slot: Rc<std::cell::RefCell<Option<threadkeep::conversation::Conversation>>> = Rc::default();
        let inner = slot.clone();
        let speaker = TestTool::shared("speaker", Replay::Never, move |_| {
            let conversation = inner.borrow().clone();
            async move {
                // A tool that waited for its own message to be appended would wait for itself.
                conversation.unwrap().send_message(vec![Content::text("From the tool")], None).await.unwrap();
                Ok(threadkeep::tool::ToolOutput::text("said"))
            }
        });
        let answers = [
            calls(&[("a", "speaker", r#"{"text":"x"}"#), ("b", "finish", r#"{"message":"Done."}"#)]),
            text("I heard the tool."),
        ];
        let world = World::new(Rc::new(MemoryStore::new()), vec![speaker], answers);
        let conversation = world.open().await.unwrap();
        *slot.borrow_mut() = Some(conversation.clone());
        say(&conversation, "Go").await;
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.final_response.as_deref(), Some("I heard the tool."));
        assert_eq!(
            world.kinds().await[2..],
            ["Action", "Action", "Observation", "Observation", "Message", "Message"]
        );
        assert!(
            world.store.files(conversation.id(), None).await.unwrap().is_empty(),
            "nothing is left beside the log"
        );
    });
}
