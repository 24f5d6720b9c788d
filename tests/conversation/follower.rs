//! Followers: what a handle takes in of what another one has stored.

use crate::support::{Answer, ID, World, calls, echo, say, text};
use futures_executor::block_on;
use serde_json::{Value, json};
use std::rc::Rc;
use threadkeep::{
    cancel::CancelToken,
    conversation::{Access, Conversation},
    error::ErrorCode,
    security::ConfirmationPolicy,
    store::{Commit, MemoryStore, Store},
};

/// The worlds of a writer and of a follower on the same store.
fn worlds(answers: impl IntoIterator<Item = Answer>) -> (World, World) {
    let store: Rc<dyn Store> = Rc::new(MemoryStore::default());
    (World::new(store.clone(), vec![echo()], answers), World::new(store, vec![echo()], []))
}

/// Everything that the two handles derive from the log and the state.
async fn seen(conversation: &Conversation) -> Value {
    let pending = conversation.pending_actions().await.unwrap();
    let branch = conversation.active_branch(usize::MAX).await.unwrap();
    json!({
        "length": conversation.length(),
        "state": conversation.state().json().to_string(),
        "status": conversation.execution_status().as_str(),
        "pending": pending.iter().map(|event| event.id().to_string()).collect::<Vec<_>>(),
        "branch": branch.iter().map(|event| event.id().to_string()).collect::<Vec<_>>(),
        "answer": conversation.final_response().await.unwrap(),
    })
}

/// The live events since the last call.
fn heard(world: &World) -> Vec<Value> {
    let commits = world.live.take();
    commits.iter().flat_map(|events| serde_json::from_str::<Vec<Value>>(events).unwrap()).collect()
}

fn updates(heard: &[Value], key: &str) -> Vec<Value> {
    heard.iter().filter(|event| event["key"] == key).map(|event| event["value"].clone()).collect()
}

#[test]
fn a_follower_takes_in_events_and_state_and_hears_of_them_once() {
    block_on(async {
        let call = || calls(&[("c", "echo", r#"{"text":"a"}"#)]);
        let (writing, following) = worlds([call(), text("One."), text("Two.")]);
        let writer = writing.open().await.unwrap();
        let follower = following.open_as(Access::Follower).await.unwrap();
        for message in ["Go", "Again"] {
            say(&writer, message).await;
            follower.catch_up().await.unwrap();
            writer.run(CancelToken::default()).await.unwrap();
            follower.catch_up().await.unwrap();
            assert_eq!(seen(&follower).await, seen(&writer).await);
        }
        assert_eq!(*following.received.borrow(), *writing.received.borrow());
        assert_eq!(
            updates(&heard(&following), "execution_status"),
            [json!("finished"), json!("idle"), json!("finished")]
        );
        // A change without an event, and none at all.
        writer.set_tags(&[("title".into(), "A".into())]).await.unwrap();
        follower.catch_up().await.unwrap();
        follower.catch_up().await.unwrap();
        assert_eq!(updates(&heard(&following), "tags"), [json!({ "title": "A" })]);
        assert_eq!(*following.received.borrow(), *writing.received.borrow());
    });
}

#[test]
fn a_follower_hears_of_calls_that_wait_and_of_decisions() {
    block_on(async {
        let two = calls(&[("c1", "echo", r#"{"text":"a"}"#), ("c2", "echo", r#"{"text":"b"}"#)]);
        let (mut writing, following) = worlds([two]);
        writing.confirmation_policy = Some(ConfirmationPolicy::AlwaysConfirm);
        let writer = writing.open().await.unwrap();
        let follower = following.open_as(Access::Follower).await.unwrap();
        say(&writer, "Go").await;
        writer.run(CancelToken::default()).await.unwrap();
        follower.catch_up().await.unwrap();
        let ids: Vec<String> =
            writer.pending_actions().await.unwrap().iter().map(|event| event.id().to_string()).collect();
        let pending = |heard: Vec<Value>| -> Vec<Value> {
            heard.into_iter().filter(|event| event["kind"] == "PendingActionsEvent").collect()
        };
        let event =
            |ids: &[String]| json!({ "kind": "PendingActionsEvent", "action_ids": ids, "waiting_ids": ids });
        assert_eq!(pending(heard(&following)), [event(&ids)]);
        writer.reject_pending_actions(None, None).await.unwrap();
        follower.catch_up().await.unwrap();
        assert_eq!(pending(heard(&following)), [event(&[])]);
        assert_eq!(seen(&follower).await, seen(&writer).await);
    });
}

#[test]
fn a_follower_is_on_the_branch_that_the_writer_has_entered() {
    block_on(async {
        let (writing, following) = worlds([text("One."), text("Two."), text("Three.")]);
        let writer = writing.open().await.unwrap();
        let follower = following.open_as(Access::Follower).await.unwrap();
        for message in ["First", "Second"] {
            say(&writer, message).await;
            writer.run(CancelToken::default()).await.unwrap();
        }
        follower.catch_up().await.unwrap();
        assert_eq!(seen(&follower).await, seen(&writer).await);
        let answer = writer.active_branch(usize::MAX).await.unwrap()[2].id().clone();
        writer.navigate_to(Some(answer.clone())).await.unwrap();
        follower.catch_up().await.unwrap();
        assert_eq!(updates(&heard(&following), "leaf_event_id").last(), Some(&json!(answer.as_str())));
        assert_eq!(seen(&follower).await, seen(&writer).await);
        // The move and what follows it are taken in together.
        writer.navigate_to(None).await.unwrap();
        say(&writer, "Third").await;
        writer.run(CancelToken::default()).await.unwrap();
        follower.catch_up().await.unwrap();
        assert_eq!(seen(&follower).await, seen(&writer).await);
    });
}

#[test]
fn a_follower_of_a_deleted_conversation_is_closed_and_says_why() {
    block_on(async {
        let (writing, following) = worlds([]);
        let writer = writing.open().await.unwrap();
        say(&writer, "Go").await;
        let follower = following.open_as(Access::Follower).await.unwrap();
        writer.close().await;
        writing.store.delete(writer.id()).await.unwrap();
        assert_eq!(follower.catch_up().await.unwrap_err().code(), ErrorCode::StoreLost);
        assert_eq!(follower.catch_up().await.unwrap_err().code(), ErrorCode::StoreLost);
        let run = follower.run(CancelToken::default()).await;
        assert_eq!(run.unwrap_err().code(), ErrorCode::StoreLost);
    });
}

#[test]
fn an_unreadable_end_is_no_part_of_a_followers_log_before_and_after_it_is_moved_away() {
    block_on(async {
        let (writing, following) = worlds([]);
        let writer = writing.open().await.unwrap();
        say(&writer, "Go").await;
        writer.close().await;
        let id = ID.parse().unwrap();
        let torn = ("00000000-0000-4000-8000-00000000dead".parse().unwrap(), "{".into());
        let commit = Commit { events: vec![torn], ..Commit::new(writer.length(), 1.0) };
        writing.store.commit(id, commit).await.unwrap();
        let follower = following.open_as(Access::Follower).await.unwrap();
        assert_eq!(follower.length(), writer.length());
        let writer = writing.open().await.unwrap();
        say(&writer, "Again").await;
        follower.catch_up().await.unwrap();
        assert_eq!(seen(&follower).await, seen(&writer).await);
        assert_eq!(following.received.borrow().len(), 1, "only the event that replaced it");
    });
}

#[test]
fn a_writer_has_nothing_to_take_in() {
    block_on(async {
        let (writing, _) = worlds([]);
        let writer = writing.open().await.unwrap();
        say(&writer, "Go").await;
        let received = writing.received.borrow().len();
        writer.catch_up().await.unwrap();
        assert_eq!(writing.received.borrow().len(), received);
        writer.close().await;
        assert_eq!(writer.catch_up().await.unwrap_err().code(), ErrorCode::InvalidState);
    });
}

#[test]
fn a_follower_of_a_conversation_that_is_not_stored_sees_its_first_message() {
    block_on(async {
        let (writing, following) = worlds([text("One.")]);
        let writer = writing.open().await.unwrap();
        let follower = following.open_as(Access::Follower).await.unwrap();
        follower.catch_up().await.unwrap();
        assert_eq!(follower.length(), 0);
        assert_eq!(
            follower.set_tags(&[("a".into(), "b".into())]).await.unwrap_err().code(),
            ErrorCode::LockedElsewhere
        );
        say(&writer, "Hello?").await;
        follower.catch_up().await.unwrap();
        assert_eq!(seen(&follower).await, seen(&writer).await);
        assert_eq!(*following.received.borrow(), *writing.received.borrow());
        writer.run(CancelToken::default()).await.unwrap();
        follower.catch_up().await.unwrap();
        assert_eq!(seen(&follower).await, seen(&writer).await);
        writing.store.delete(ID.parse().unwrap()).await.unwrap();
        assert_eq!(follower.catch_up().await.unwrap_err().code(), ErrorCode::StoreLost);
    });
}
