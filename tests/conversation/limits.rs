//! Limits of a run: steps and dollars. An answer of the scripted model costs two cents.

use crate::support::{ID, World, calls, echo, say, text};
use futures_executor::block_on;
use serde_json::Value;
use std::rc::Rc;
use threadkeep::{
    cancel::CancelToken,
    format::base_state::ExecutionStatus,
    id::ConversationId,
    store::{Commit, Durability, MemoryStore},
};

fn world(answers: usize) -> World {
    let call = |n: usize| calls(&[(&format!("call{n}"), "echo", &format!(r#"{{"text":"{n}"}}"#))]);
    World::new(Rc::new(MemoryStore::new()), vec![echo()], (0..answers).map(call).chain([text("Done.")]))
}

fn last(events: &[Value]) -> (&str, &str) {
    let last = events.last().unwrap();
    (last["code"].as_str().unwrap(), last["detail"].as_str().unwrap())
}

#[test]
fn a_run_over_its_budget_ends_as_in_the_sdk_and_the_next_one_has_a_new_budget() {
    block_on(async {
        let mut world = world(4);
        world.max_budget_per_run = Some(0.03);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        for asked in [2, 4] {
            let outcome = conversation.run(CancelToken::default()).await.unwrap();
            assert_eq!(outcome.status, ExecutionStatus::Error);
            assert_eq!(world.model.requests.borrow().len(), asked);
            assert_eq!(
                last(&world.events().await),
                ("MaxBudgetReached", "The budget of $0.0300 is used up: $0.0400 were spent.")
            );
        }
        assert_eq!(world.events().await.last().unwrap()["classification"]["kind"], "quota");
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.final_response.as_deref(), Some("Done."));
    });
}

#[test]
fn the_budget_of_the_stored_metrics_stops_every_run_before_it_costs_more() {
    block_on(async {
        let world = world(3);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        conversation.close().await;
        let id: ConversationId = ID.parse().unwrap();
        let state: Value =
            serde_json::from_str(&world.store.load(id).await.unwrap().unwrap().base_state).unwrap();
        let metrics = r#"{"usage_to_metrics":{"default":{"model_name":"gpt","max_budget_per_task":0.03}}}"#;
        let mut state = state.as_object().unwrap().clone();
        state.insert("stats".into(), serde_json::from_str(metrics).unwrap());
        let commit = Commit {
            expected_length: 2,
            created_at: None,
            writer: None,
            truncate_to: None,
            events: Vec::new(),
            base_state: Some(Value::Object(state).to_string().into()),
            files: Vec::new(),
            files_of: None,
            at: 0.0,
            durability: Durability::Relaxed,
        };
        world.store.commit(id, commit).await.unwrap();

        let conversation = world.open().await.unwrap();
        for _ in 0..2 {
            let outcome = conversation.run(CancelToken::default()).await.unwrap();
            assert_eq!(outcome.status, ExecutionStatus::Error);
            assert_eq!(last(&world.events().await).0, "MaxBudgetReached");
            assert_eq!(world.model.requests.borrow().len(), 2);
        }
    });
}

#[test]
fn a_task_that_finishes_with_its_last_step_or_cent_is_not_an_error() {
    block_on(async {
        let mut world = world(1);
        world.max_budget_per_run = Some(0.04);
        world.max_iterations = 2;
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.status, ExecutionStatus::Finished);
    });
}
