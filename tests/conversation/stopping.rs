//! Pauses and interrupts.

use crate::support::{Answer, TestTool, World, calls, echo, say, text, yield_once};
use futures_channel::oneshot;
use futures_executor::block_on;
use futures_util::future::{join, pending};
use serde_json::json;
use std::{cell::Cell, rc::Rc};
use threadkeep::{
    cancel::CancelToken,
    error::ErrorCode,
    format::base_state::ExecutionStatus,
    store::MemoryStore,
    tool::{Replay, ToolOutput},
};

#[test]
fn an_interrupt_stops_a_tool_that_never_ends_and_the_next_message_works() {
    block_on(async {
        let has_begun = Rc::new(Cell::new(false));
        let begin = has_begun.clone();
        let endless = TestTool::shared("endless", Replay::Never, move |_| {
            begin.set(true);
            async { pending().await }
        });
        let answers =
            [calls(&[("a", "endless", r#"{"text":"x"}"#), ("b", "echo", r#"{"text":"y"}"#)]), text("Fine.")];
        let world = World::new(Rc::new(MemoryStore::new()), vec![endless, echo()], answers);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let stop = async {
            while !has_begun.get() {
                yield_once().await;
            }
            conversation.interrupt().await.unwrap();
        };
        let (outcome, ()) = join(conversation.run(CancelToken::default()), stop).await;
        assert_eq!(outcome.unwrap().status, ExecutionStatus::Paused);
        assert_eq!(
            world.kinds().await,
            ["SystemPrompt", "Message", "Action", "Action", "AgentError", "AgentError", "Interrupt"]
        );
        say(&conversation, "Never mind").await;
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.final_response.as_deref(), Some("Fine."));
    });
}

#[test]
fn an_interrupt_stops_a_model_that_never_answers() {
    block_on(async {
        let world = World::new(Rc::new(MemoryStore::new()), vec![], [Answer::Never, text("Here.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let stop = async {
            while world.model.requests.borrow().is_empty() {
                yield_once().await;
            }
            conversation.interrupt().await.unwrap();
        };
        join(conversation.run(CancelToken::default()), stop).await.0.unwrap();
        assert_eq!(conversation.execution_status(), ExecutionStatus::Paused);
        assert_eq!(
            conversation.run(CancelToken::default()).await.unwrap().final_response.as_deref(),
            Some("Here.")
        );
    });
}

#[test]
fn a_paused_run_does_not_fail_with_a_retryable_error_of_the_model() {
    block_on(async {
        let (go, wait) = oneshot::channel();
        let busy = || Answer::Status(503, json!({ "error": { "message": "busy" } }));
        let answers = [Answer::FailsWhen(wait, 503), busy(), busy(), busy(), busy(), text("Here.")];
        let world = World::new(Rc::new(MemoryStore::new()), vec![], answers);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let pause = async {
            while world.model.requests.borrow().is_empty() {
                yield_once().await;
            }
            conversation.pause().await.unwrap();
            go.send(()).unwrap();
        };
        let (outcome, ()) = join(conversation.run(CancelToken::default()), pause).await;
        assert_eq!(outcome.unwrap().status, ExecutionStatus::Paused);
        assert_eq!(world.kinds().await, ["SystemPrompt", "Message", "Pause"]);
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.final_response.as_deref(), Some("Here."));
    });
}

#[test]
fn a_pause_lets_the_current_part_end_and_survives_a_reload() {
    block_on(async {
        let has_begun = Rc::new(Cell::new(false));
        let begin = has_begun.clone();
        let slow = TestTool::shared("slow", Replay::Never, move |_| {
            begin.set(true);
            async {
                for _ in 0..5 {
                    yield_once().await;
                }
                Ok(ToolOutput::text("done"))
            }
        });
        let world = World::new(
            Rc::new(MemoryStore::new()),
            vec![slow],
            [calls(&[("a", "slow", r#"{"text":"x"}"#)]), text("Ok.")],
        );
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let pause = async {
            while !has_begun.get() {
                yield_once().await;
            }
            conversation.pause().await.unwrap();
        };
        let (outcome, ()) = join(conversation.run(CancelToken::default()), pause).await;
        assert_eq!(outcome.unwrap().status, ExecutionStatus::Paused);
        assert_eq!(world.kinds().await, ["SystemPrompt", "Message", "Action", "Pause", "Observation"]);
        conversation.close().await;
        let again = world.open().await.unwrap();
        assert_eq!(again.execution_status(), ExecutionStatus::Paused);
        assert_eq!(again.run(CancelToken::default()).await.unwrap().final_response.as_deref(), Some("Ok."));
    });
}

#[test]
fn no_tool_begins_after_a_pause_until_the_next_run() {
    block_on(async {
        let ran = Rc::new(Cell::new(0));
        let count = ran.clone();
        let once = TestTool::shared("once", Replay::Never, move |_| {
            count.set(count.get() + 1);
            async { Ok(ToolOutput::text("done")) }
        });
        let (go, wait) = oneshot::channel();
        let call = json!({ "role": "assistant", "content": null, "tool_calls": [
            { "id": "a", "type": "function", "function": { "name": "once", "arguments": r#"{"text":"x"}"# } }
        ] });
        let answers = [Answer::When(wait, call), text("Ok.")];
        let world = World::new(Rc::new(MemoryStore::new()), vec![once], answers);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let pause = async {
            while world.model.requests.borrow().is_empty() {
                yield_once().await;
            }
            conversation.pause().await.unwrap();
            go.send(()).unwrap();
        };
        let (outcome, ()) = join(conversation.run(CancelToken::default()), pause).await;
        assert_eq!(outcome.unwrap().status, ExecutionStatus::Paused);
        assert_eq!(ran.get(), 0);
        assert_eq!(world.kinds().await, ["SystemPrompt", "Message", "Pause", "Action"]);
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.final_response.as_deref(), Some("Ok."));
        assert_eq!(ran.get(), 1);
    });
}

#[test]
fn nothing_is_written_after_closing_during_a_run() {
    block_on(async {
        let world = World::new(Rc::new(MemoryStore::new()), vec![], [Answer::Never]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let close = async {
            while world.model.requests.borrow().is_empty() {
                yield_once().await;
            }
            conversation.close().await;
            world.kinds().await
        };
        let (outcome, kinds) = join(conversation.run(CancelToken::default()), close).await;
        assert_eq!(outcome.unwrap().status, ExecutionStatus::Paused);
        assert_eq!(kinds, ["SystemPrompt", "Message", "Interrupt"]);
        assert_eq!(world.kinds().await, kinds);
    });
}

#[test]
fn what_is_under_way_when_it_is_let_go_stores_nothing_any_more() {
    block_on(async {
        let (go, wait) = oneshot::channel();
        let late = Answer::When(wait, json!({ "role": "assistant", "content": "Late." }));
        let world = World::new(Rc::new(MemoryStore::new()), vec![], [late, text("Here.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let leave = async {
            while world.model.requests.borrow().is_empty() {
                yield_once().await;
            }
            conversation.let_go();
            // Nobody waits for its run, and the answer comes all the same.
            go.send(()).unwrap();
        };
        let (outcome, ()) = join(conversation.run(CancelToken::default()), leave).await;
        assert_eq!(outcome.unwrap_err().code(), ErrorCode::InvalidState);
        assert_ne!(conversation.execution_status(), ExecutionStatus::Error);
        assert_eq!(world.kinds().await, ["SystemPrompt", "Message"]);
        let next = world.open().await.unwrap();
        let outcome = next.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.final_response.as_deref(), Some("Here."));
    });
}
