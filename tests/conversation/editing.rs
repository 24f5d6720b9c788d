//! Calls whose arguments the user changes before approving them.

use crate::{
    scripted_store::{Outcome, ScriptedStore},
    support::{ID, TestTool, World, calls, echo, say, text},
};
use futures_executor::block_on;
use futures_util::{FutureExt, future::join};
use serde_json::json;
use std::{cell::Cell, rc::Rc};
use threadkeep::{
    cancel::CancelToken,
    conversation::Conversation,
    error::ErrorCode,
    format::base_state::ExecutionStatus,
    id::{ConversationId, EventId},
    security::ConfirmationPolicy,
    store::{Commit, MemoryStore},
    tool::{Replay, ToolFailure, ToolOutput},
};

fn world() -> World {
    let batch = calls(&[
        ("a", "echo", r#"{"text":"one","summary":"say one"}"#),
        ("b", "echo", r#"{"text":"two","summary":"say two"}"#),
        ("c", "echo", r#"{"text":"three","summary":"say three"}"#),
    ]);
    let mut world = World::new(Rc::new(MemoryStore::new()), vec![echo()], [batch, text("Done.")]);
    world.confirmation_policy = Some(ConfirmationPolicy::AlwaysConfirm);
    world
}

async fn waiting(world: &World) -> (Conversation, Vec<EventId>) {
    let conversation = world.open().await.unwrap();
    say(&conversation, "Go").await;
    conversation.run(CancelToken::default()).await.unwrap();
    assert_eq!(conversation.execution_status(), ExecutionStatus::WaitingForConfirmation);
    let ids = pending(&conversation).await;
    (conversation, ids)
}

async fn pending(conversation: &Conversation) -> Vec<EventId> {
    conversation.pending_actions().await.unwrap().iter().map(|event| event.id().clone()).collect()
}

#[test]
fn after_editing_one_call_of_three_the_model_and_the_log_show_the_arguments_that_were_run() {
    block_on(async {
        let world = world();
        let (conversation, ids) = waiting(&world).await;
        let edited = conversation.edit_action(&ids[1], r#"{"text":"zwei"}"#).await.unwrap();
        let left = pending(&conversation).await;
        assert_eq!(left.len(), 3);
        assert_eq!(left[1], *edited.id());
        assert!(ids.iter().all(|id| !left.contains(id)), "the old calls stay behind");
        assert_eq!(conversation.execution_status(), ExecutionStatus::WaitingForConfirmation);

        // The edited call survives a reload.
        let conversation = world.open().await.unwrap();
        assert_eq!(pending(&conversation).await, left);
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.final_response.as_deref(), Some("Done."));

        let events = world.events().await;
        assert_eq!(
            world.kinds().await[2..],
            [
                "Action",
                "Action",
                "Action",
                "UserRejectObservation",
                "UserRejectObservation",
                "UserRejectObservation",
                "Action",
                "Action",
                "Action",
                "Observation",
                "Observation",
                "Observation",
                "Message"
            ]
        );
        assert_eq!(events[8]["parent_id"], events[1]["id"], "the new branch starts where the batch did");
        assert_eq!(events[9]["action"]["data"], json!({ "text": "zwei" }));
        assert_eq!(events[9]["tool_call"]["arguments"], r#"{"text": "zwei"}"#);
        assert_eq!(events[9]["summary"], r#"echo: {"text": "zwei"}"#);
        assert_eq!(events[8]["summary"], "say one");
        assert_eq!(events[9]["llm_response_id"], events[3]["llm_response_id"]);
        assert_eq!(events[9]["tool_call_id"], "b");
        assert_eq!(events[12]["action_id"], events[9]["id"]);
        assert_eq!(events[12]["observation"]["content"][0]["text"], "zwei");
        let note = events[12]["extended_content"][0]["text"].as_str().unwrap();
        assert!(note.contains("changed the arguments"), "{note}");
        assert_eq!(events[11]["extended_content"], json!([]));
        let sent = world.model.last_messages();
        assert_eq!(sent[2]["tool_calls"][1]["function"]["arguments"], r#"{"text": "zwei"}"#);
        assert_eq!(sent.len(), 6, "calls of the abandoned branch are not sent");
        assert_eq!(conversation.state().agent_state().unwrap().as_str(), "{}");
    });
}

#[test]
fn a_call_can_be_edited_again_and_after_another_of_its_batch_has_run() {
    block_on(async {
        let world = world();
        let (conversation, ids) = waiting(&world).await;
        conversation.run_approved(&[ids[0].clone()], CancelToken::default()).await.unwrap();
        conversation.reject_pending_actions(None, Some(&[ids[2].clone()])).await.unwrap();
        let once = conversation.edit_action(&ids[1], r#"{"text":"zwei"}"#).await.unwrap();
        assert_eq!(pending(&conversation).await, [once.id().clone()]);
        let error = conversation.edit_action(&ids[1], r#"{"text":"x"}"#).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::NotFound);
        let twice = conversation.edit_action(once.id(), r#"{"text":"deux"}"#).await.unwrap();
        let outcome = conversation.run_approved(&[twice.id().clone()], CancelToken::default()).await.unwrap();
        assert_eq!(outcome.status, ExecutionStatus::Finished);
        let sent = world.model.last_messages();
        let results: Vec<&str> =
            sent[3..].iter().map(|message| message["content"][0]["text"].as_str().unwrap()).collect();
        assert_eq!(results[0], "one");
        assert!(results[1].starts_with("Action rejected"));
        assert_eq!(results[2], "deux");
    });
}

/// Since 1.58.0 the SDK writes the ratings of its analyzer after the calls, before the user decides.
#[test]
fn editing_a_call_does_not_copy_the_rating_of_an_sdk_analyzer() {
    block_on(async {
        let world = world();
        let (conversation, ids) = waiting(&world).await;
        conversation.close().await;
        rate_calls(&world, &ids).await;
        let conversation = world.open().await.unwrap();
        assert_eq!(pending(&conversation).await, ids);
        let edited = conversation.edit_action(&ids[1], r#"{"text":"zwei"}"#).await.unwrap();
        assert_eq!(pending(&conversation).await[1], *edited.id());
        conversation.run(CancelToken::default()).await.unwrap();
        let kinds = world.kinds().await;
        let sent = world.model.last_messages();
        assert_eq!(kinds[5], "SecurityAnalysis");
        assert!(!kinds[6..].contains(&kinds[5]), "{kinds:?}");
        assert_eq!(sent[4]["content"][0]["text"], "zwei");
    });
}

async fn rate_calls(world: &World, ids: &[EventId]) {
    let id: ConversationId = ID.parse().unwrap();
    let listing = world.store.load(id).await.unwrap().unwrap();
    let event = json!({
        "id": "5ec0ffee-0000-4000-8000-000000000001",
        "timestamp": "2026-01-31T09:15:02.123456",
        "source": "environment",
        "parent_id": ids[2].as_str(),
        "analyzer": "PatternSecurityAnalyzer",
        "policy": "AlwaysConfirm",
        "risks": { ids[0].as_str(): "LOW", ids[1].as_str(): "HIGH", ids[2].as_str(): "LOW" },
        "details": {},
        "kind": "SecurityAnalysisEvent",
    });
    let head = format!("\"leaf_event_id\":\"{}\"", ids[2]);
    assert!(listing.base_state.contains(&head));
    let moved = head.replace(ids[2].as_str(), "5ec0ffee-0000-4000-8000-000000000001");
    let mut commit = Commit::new(listing.length, 0.0);
    commit.events = vec![("5ec0ffee-0000-4000-8000-000000000001".parse().unwrap(), event.to_string().into())];
    commit.base_state = Some(listing.base_state.replacen(&head, &moved, 1).into());
    world.store.commit(id, commit).await.unwrap();
}

#[test]
fn editing_with_invalid_arguments_changes_nothing() {
    block_on(async {
        let world = world();
        let (conversation, ids) = waiting(&world).await;
        for arguments in [r#"{"text":1}"#, "{}", "not JSON"] {
            let error = conversation.edit_action(&ids[0], arguments).await.unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidOptions, "{arguments}");
        }
        assert_eq!(pending(&conversation).await, ids);
        conversation.reject_pending_actions(None, None).await.unwrap();
        let error = conversation.edit_action(&ids[0], r#"{"text":"x"}"#).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::NotFound);
    });
}

#[test]
fn a_call_cannot_be_edited_during_a_run() {
    block_on(async {
        let mut world = world();
        let batch = calls(&[("a", "endless", r#"{"text":"one"}"#), ("b", "echo", r#"{"text":"two"}"#)]);
        world.model.answers.borrow_mut().push_front(batch);
        world.tools.push(TestTool::shared("endless", Replay::Never, |_| std::future::pending()));
        let (conversation, ids) = waiting(&world).await;
        let approved = [ids[0].clone()];
        let mut run = Box::pin(conversation.run_approved(&approved, CancelToken::default()));
        assert!(run.as_mut().now_or_never().is_none());
        let error = conversation.edit_action(&ids[1], r#"{"text":"x"}"#).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidState);
    });
}

#[test]
fn an_edited_call_that_fails_is_answered_with_an_error() {
    block_on(async {
        let mut world = world();
        world.model.answers.borrow_mut().push_front(calls(&[("a", "broken", r#"{"text":"one"}"#)]));
        world.model.answers.borrow_mut().truncate(1);
        world.model.answers.borrow_mut().push_back(text("Oh."));
        world
            .tools
            .push(TestTool::shared("broken", Replay::Never, |_| async { Err(ToolFailure("no".into())) }));
        let (conversation, ids) = waiting(&world).await;
        conversation.edit_action(&ids[0], r#"{"text":"x"}"#).await.unwrap();
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.final_response.as_deref(), Some("Oh."));
        assert_eq!(conversation.state().agent_state().unwrap().as_str(), "{}");
    });
}

#[test]
fn editing_a_call_does_not_reopen_one_whose_result_a_full_store_refused() {
    block_on(async {
        let is_full = Rc::new(Cell::new(false));
        let (asked, set) = (is_full.clone(), is_full.clone());
        let store = ScriptedStore {
            outcome: Box::new(move |_| if asked.get() { Outcome::Full } else { Outcome::DONE }),
            ..ScriptedStore::over(MemoryStore::new())
        };
        let filling = TestTool::shared("filling", Replay::Never, move |_| {
            set.set(true);
            async { Ok(ToolOutput::text("filled")) }
        });
        let batch = calls(&[("a", "filling", r#"{"text":"one"}"#), ("b", "echo", r#"{"text":"two"}"#)]);
        let mut world = World::new(Rc::new(store), vec![echo(), filling], [batch, text("Done.")]);
        world.confirmation_policy = Some(ConfirmationPolicy::AlwaysConfirm);
        let (conversation, ids) = waiting(&world).await;
        let error = conversation.run_approved(&[ids[0].clone()], CancelToken::default()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::StoreQuota);
        is_full.set(false);
        let edited = conversation.edit_action(&ids[1], r#"{"text":"zwei"}"#).await.unwrap();
        assert_eq!(pending(&conversation).await, [edited.id().clone()]);
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.status, ExecutionStatus::Finished);
        let sent = world.model.last_messages();
        assert_eq!(sent[3]["content"][0]["text"], "filled");
        assert_eq!(sent[4]["content"][0]["text"], "zwei");
        assert!(!is_full.get(), "it has run once");
    });
}

#[test]
fn a_rejection_that_is_being_stored_when_another_call_is_edited_is_not_undone() {
    block_on(async {
        let is_slow = Rc::new(Cell::new(false));
        let asked = is_slow.clone();
        let slowly = Outcome::Applied { after: 3, reported_after: 3 };
        let store = ScriptedStore {
            outcome: Box::new(move |_| if asked.get() { slowly } else { Outcome::DONE }),
            ..ScriptedStore::over(MemoryStore::new())
        };
        let mut world = world();
        world.store = Rc::new(store);
        let (conversation, ids) = waiting(&world).await;
        is_slow.set(true);
        let rejected = [ids[1].clone()];
        let (rejection, edited) = join(
            conversation.reject_pending_actions(None, Some(&rejected)),
            conversation.edit_action(&ids[0], r#"{"text":"eins"}"#),
        )
        .await;
        rejection.unwrap();
        let left = pending(&conversation).await;
        assert_eq!(
            (left.len(), &left[0]),
            (2, edited.unwrap().id()),
            "the rejected call does not wait again"
        );
        conversation.run(CancelToken::default()).await.unwrap();
        let sent = world.model.last_messages();
        // In the order of the commands.
        assert!(sent[3]["content"][0]["text"].as_str().unwrap().contains("rejected"));
        assert_eq!(sent[4]["content"][0]["text"], "eins");
    });
}
