//! The result of a run: its end, its steps, and what it has used. An answer of the scripted model has 10 tokens of input and
//! 5 of output, and costs two cents.

use crate::support::{Answer, TestHost, TestTool, World, calls, echo, say, text};
use futures_executor::block_on;
use std::{cell::RefCell, rc::Rc};
use threadkeep::{
    cancel::CancelToken,
    conversation::{Conversation, RunLimits, RunOutcome},
    error::ErrorCode,
    format::base_state::ExecutionStatus,
    json::RawJson,
    store::MemoryStore,
    tool::{Replay, Tool, ToolOutput},
};

fn call(name: &str, n: usize) -> Answer {
    calls(&[(&format!("call{n}"), name, &format!(r#"{{"text":"{n}"}}"#))])
}

fn world(tools: Vec<Rc<dyn Tool>>, answers: impl IntoIterator<Item = Answer>) -> World {
    World::new(Rc::new(MemoryStore::new()), tools, answers)
}

/// Steps, input tokens, output tokens, and cents.
fn used(outcome: &RunOutcome) -> (u32, u64, u64, u64) {
    let tokens = outcome.usage.tokens;
    let cents = (outcome.usage.cost * 100.0).round() as u64;
    (outcome.steps, tokens.prompt_tokens, tokens.completion_tokens, cents)
}

#[test]
fn each_run_has_its_own_steps_tokens_cost_and_time() {
    block_on(async {
        let world = world(vec![echo()], [call("echo", 1), call("echo", 2), text("Done."), text("Again.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(used(&outcome), (3, 30, 15, 6));
        assert_eq!(outcome.duration, 0.0);
        say(&conversation, "Once more").await;
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!((outcome.status, used(&outcome)), (ExecutionStatus::Finished, (1, 10, 5, 2)));
        // Nothing is left to do.
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!((outcome.status, used(&outcome)), (ExecutionStatus::Finished, (0, 0, 0, 0)));
    });
}

#[test]
fn a_run_that_is_interrupted_or_ends_at_a_limit_says_what_it_has_used() {
    block_on(async {
        let cancel = CancelToken::default();
        let stop = cancel.clone();
        let stopping = TestTool::shared("stopping", Replay::Safe, move |_| {
            stop.cancel();
            async { Ok(ToolOutput::text("late")) }
        });
        let answers =
            [call("echo", 1), call("stopping", 2), call("echo", 3), call("echo", 4), call("echo", 5)];
        let mut world = world(vec![echo(), stopping], answers);
        world.max_iterations = 3;
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let outcome = conversation.run(cancel).await.unwrap();
        assert_eq!((outcome.status, used(&outcome)), (ExecutionStatus::Paused, (2, 20, 10, 4)));
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!((outcome.status, used(&outcome)), (ExecutionStatus::Error, (3, 30, 15, 6)));
    });
}

#[test]
fn the_time_and_the_share_of_sub_agents_are_counted() {
    block_on(async {
        let open: Rc<RefCell<Option<Conversation>>> = Rc::default();
        let host: Rc<RefCell<Option<Rc<TestHost>>>> = Rc::default();
        let (parent, clock) = (open.clone(), host.clone());
        let task = TestTool::shared("delegate", Replay::Safe, move |_| {
            let conversation = parent.borrow().clone().unwrap();
            clock.borrow().as_ref().unwrap().passed.set(1500.0);
            async move {
                let metrics = r#"{"model_name":"m","accumulated_cost":0.5,
                    "accumulated_token_usage":{"prompt_tokens":100,"completion_tokens":7,"reasoning_tokens":3}}"#;
                conversation.note("task:task_00000001", &RawJson::parse(metrics).unwrap()).await.unwrap();
                Ok(ToolOutput::text("counted"))
            }
        });
        let world = world(vec![task], [call("delegate", 1), text("Done."), text("More.")]);
        *host.borrow_mut() = Some(world.host.clone());
        let conversation = world.open().await.unwrap();
        *open.borrow_mut() = Some(conversation.clone());
        say(&conversation, "Go").await;
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(used(&outcome), (2, 120, 17, 54));
        assert_eq!(outcome.usage.tokens.reasoning_tokens, 3);
        assert_eq!(outcome.duration, 1500.0);
        say(&conversation, "More").await;
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(used(&outcome), (1, 10, 5, 2));
        assert_eq!(outcome.usage.tokens.reasoning_tokens, 0);
        open.borrow_mut().take();
    });
}

#[test]
fn limits_change_under_way_and_are_refused_by_name() {
    block_on(async {
        let open: Rc<RefCell<Option<Conversation>>> = Rc::default();
        let own = open.clone();
        let raising = TestTool::shared("raise", Replay::Safe, move |_| {
            let conversation = own.borrow().clone().unwrap();
            async move {
                let limits = RunLimits { max_iterations: 3, ..conversation.limits() };
                conversation.set_limits(limits).await.unwrap();
                Ok(ToolOutput::text("raised"))
            }
        });
        let mut world = world(vec![echo(), raising], [call("raise", 1), call("echo", 2), call("echo", 3)]);
        world.max_iterations = 1;
        let conversation = world.open().await.unwrap();
        *open.borrow_mut() = Some(conversation.clone());
        say(&conversation, "Go").await;
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!((outcome.status, outcome.steps), (ExecutionStatus::Error, 3));
        assert_eq!(conversation.state().max_iterations(), 3);

        let before = conversation.limits();
        let refused = [
            (
                RunLimits { max_iterations: 0, ..before },
                "maxIterationPerRun must be a whole number of at least 1",
            ),
            (
                RunLimits { max_budget_per_run: Some(f64::NAN), ..before },
                "maxBudgetPerRun must be a number of dollars above 0",
            ),
            (
                RunLimits { max_budget_per_run: Some(0.0), ..before },
                "maxBudgetPerRun must be a number of dollars above 0",
            ),
        ];
        for (limits, message) in refused {
            let error = conversation.set_limits(limits).await.unwrap_err();
            assert_eq!((error.code(), error.message()), (ErrorCode::InvalidOptions, message));
        }
        assert_eq!(conversation.limits(), before);
        conversation.close().await;
        let error = conversation.set_limits(before).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidState);
        open.borrow_mut().take();
    });
}
