//! Pausing and interrupting.

use crate::support::{Answer, TestTool, World, a_while, calls, echo, say, text};
use futures_executor::block_on;
use futures_util::future::{join, pending};
use std::{cell::Cell, rc::Rc};
use threadkeep::{
    cancel::CancelToken,
    conversation::base_state::ExecutionStatus,
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
                a_while().await;
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
                a_while().await;
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
fn a_pause_lets_the_step_end_and_lasts_over_a_reload() {
    block_on(async {
        let has_begun = Rc::new(Cell::new(false));
        let begin = has_begun.clone();
        let slow = TestTool::shared("slow", Replay::Never, move |_| {
            begin.set(true);
            async {
                for _ in 0..5 {
                    a_while().await;
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
                a_while().await;
            }
            conversation.pause().await.unwrap();
        };
        let (outcome, ()) = join(conversation.run(CancelToken::default()), pause).await;
        assert_eq!(outcome.unwrap().status, ExecutionStatus::Paused);
        assert_eq!(world.kinds().await, ["SystemPrompt", "Message", "Action", "Observation", "Pause"]);
        conversation.close().await;
        let again = world.open().await.unwrap();
        assert_eq!(again.execution_status(), ExecutionStatus::Paused);
        assert_eq!(again.run(CancelToken::default()).await.unwrap().final_response.as_deref(), Some("Ok."));
    });
}
