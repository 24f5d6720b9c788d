//! Copies of conversations and of their branches.

use crate::{
    crash::dying,
    support::{Answer, World, calls, echo, say, text},
};
use futures_executor::block_on;
use futures_util::FutureExt;
use serde_json::{Value, json};
use std::rc::Rc;
use threadkeep::{
    cancel::CancelToken,
    conversation::{Access, Conversation, ForkOptions},
    error::ErrorCode,
    format::base_state::ExecutionStatus,
    id::{ConversationId, EventId},
    security::ConfirmationPolicy,
    store::{MemoryStore, Store},
    tool::FileChange,
};

const OTHER: &str = "1f8fad5b-d9cb-469f-a165-70867728950e";

fn other() -> ConversationId {
    OTHER.parse().unwrap()
}

fn options(from: Option<EventId>) -> ForkOptions {
    ForkOptions { id: other(), from, tags: vec![("title".into(), "A copy".into())], resets_stats: true }
}

fn world(answers: impl IntoIterator<Item = Answer>) -> World {
    World::new(Rc::new(MemoryStore::new()), vec![echo()], answers)
}

async fn ask(conversation: &Conversation, question: &str) {
    say(conversation, question).await;
    conversation.run(CancelToken::default()).await.unwrap();
}

/// The base state of the copy, and the texts of its events.
async fn copy_in(world: &World) -> (Value, Vec<Rc<str>>) {
    let listing = world.store.load(other()).await.unwrap().unwrap();
    let events = world.store.events(other(), 0..u64::MAX).await.unwrap();
    (serde_json::from_str(&listing.base_state).unwrap(), events.into_iter().map(|event| event.json).collect())
}

#[test]
fn a_copy_has_the_same_events_on_all_branches_and_continues_by_itself() {
    block_on(async {
        let world = world([text("One."), text("Other one."), text("Two.")]);
        let conversation = world.open().await.unwrap();
        conversation.set_tags(&[("project".into(), "x".into())]).await.unwrap();
        ask(&conversation, "First").await;
        conversation.regenerate(CancelToken::default()).await.unwrap();
        let before = conversation.state().json();
        conversation.fork(options(None)).await.unwrap();
        assert_eq!(conversation.state().json(), before, "the original does not change");

        let (state, events) = copy_in(&world).await;
        assert_eq!(events, conversation.events(0..u64::MAX).await.unwrap());
        let original: Value = serde_json::from_str(&before).unwrap();
        assert_eq!(state["id"], OTHER);
        assert_eq!(state["leaf_event_id"], original["leaf_event_id"]);
        assert_eq!(state["agent"], original["agent"]);
        assert_eq!(state["execution_status"], "finished");
        assert_eq!(state["tags"], json!({ "title": "A copy" }));
        assert_eq!(state["stats"], json!({ "usage_to_metrics": {} }));

        let copy = world.open_other(other(), Access::Writer).await.unwrap();
        assert_eq!(copy.warnings(), []);
        ask(&copy, "Second").await;
        assert_eq!(world.model.last_messages().len(), 4);
        assert_eq!(conversation.length(), 4);
    });
}

#[test]
fn a_copy_has_the_files_of_the_agents_work_and_no_others() {
    block_on(async {
        let world = world([text("One.")]);
        let conversation = world.open().await.unwrap();
        ask(&conversation, "First").await;
        let content = |path: &str| path.as_bytes().repeat(1 << 20);
        let copied = ["TASKS.json", "workspace/a.txt", "workspace/b/c.txt"];
        let left = ["inbox/1-aaaaaaaa.json", "quarantine/x", "subagents/aa/base_state.json"];
        for path in copied.into_iter().chain(left) {
            conversation
                .write_files(vec![FileChange::new(path.parse().unwrap(), Some(content(path)))])
                .await
                .unwrap();
        }
        conversation.fork(options(None)).await.unwrap();
        let files = world.store.files(other(), None).await.unwrap();
        let (versions, files): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|path| path.as_str().starts_with("file_versions/"));
        assert_eq!(versions.len(), 3, "{versions:?}");
        assert_eq!(files.iter().map(|path| path.as_str()).collect::<Vec<_>>(), copied);
        for path in files {
            let stored = world.store.read_file(other(), &path).await.unwrap();
            assert!(stored.unwrap() == content(path.as_str()), "{path}");
        }
    });
}

#[test]
fn a_copy_from_an_event_has_only_its_branch() {
    block_on(async {
        let world = world([text("One."), text("Two."), text("Other two.")]);
        let conversation = world.open().await.unwrap();
        ask(&conversation, "First").await;
        ask(&conversation, "Second").await;
        conversation.regenerate(CancelToken::default()).await.unwrap();
        let last = conversation.id_of(5).await.unwrap();
        let fork = ForkOptions { resets_stats: false, ..options(Some(last.clone())) };
        conversation.fork(fork).await.unwrap();
        let (state, events) = copy_in(&world).await;
        let all = conversation.events(0..u64::MAX).await.unwrap();
        assert_eq!(events, [&all[..4], &all[5..]].concat(), "the fifth event is on another branch");
        assert_eq!(state["leaf_event_id"], last.as_str());
        let original: Value = serde_json::from_str(&conversation.state().json()).unwrap();
        assert_eq!(state["stats"], original["stats"]);

        let question = conversation.id_of(1).await.unwrap();
        let copy = "2f8fad5b-d9cb-469f-a165-70867728950e".parse().unwrap();
        conversation.fork(ForkOptions { id: copy, ..options(Some(question)) }).await.unwrap();
        let copy = world.open_other(copy, Access::Writer).await.unwrap();
        assert_eq!((copy.length(), copy.execution_status()), (2, ExecutionStatus::Idle));
    });
}

#[test]
fn calls_without_a_result_are_not_copied_but_events_before_them_are() {
    block_on(async {
        let mut world = world([calls(&[("a", "echo", r#"{"text":"one"}"#)]), Answer::Never]);
        world.confirmation_policy = Some(ConfirmationPolicy::AlwaysConfirm);
        let conversation = world.open().await.unwrap();
        ask(&conversation, "Go").await;
        let error = conversation.fork(options(None)).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidState);
        let action = conversation.id_of(2).await.unwrap();
        let error = conversation.fork(options(Some(action))).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidOptions);
        let question = conversation.id_of(1).await.unwrap();
        conversation.fork(options(Some(question.clone()))).await.unwrap();
        let (state, events) = copy_in(&world).await;
        assert_eq!((events.len(), &state["execution_status"]), (2, &json!("idle")));
        assert_eq!(state["confirmation_policy"]["kind"], "AlwaysConfirm", "the copy asks as well");

        // The id is taken now.
        let error = conversation.fork(options(Some(question.clone()))).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidState);

        let mut run = Box::pin(conversation.run(CancelToken::default()));
        assert!(run.as_mut().now_or_never().is_none());
        let id = "2f8fad5b-d9cb-469f-a165-70867728950e".parse().unwrap();
        let error = conversation.fork(ForkOptions { id, ..options(Some(question)) }).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidState);
    });
}

#[test]
fn a_page_that_dies_while_it_copies_leaves_no_part_of_a_conversation() {
    for is_applied in [false, true] {
        for commits in 0..3 {
            block_on(async {
                let inner = MemoryStore::new();
                let world = World::new(Rc::new(inner.another()), Vec::new(), []);
                let conversation = world.open().await.unwrap();
                for place in 0..600 {
                    say(&conversation, &format!("Message {place}.")).await;
                }
                conversation.close().await;
                // The events are copied by two commits, and the base state by the third.
                let world = World::new(Rc::new(dying(inner.another(), commits, is_applied)), Vec::new(), []);
                let conversation = world.open().await.unwrap();
                assert!(conversation.fork(options(None)).now_or_never().is_none());
                let copy = inner.load(other()).await.unwrap();
                assert_eq!(copy.is_some(), commits == 2 && is_applied);
                assert_eq!(inner.list().await.unwrap().len(), 1 + usize::from(copy.is_some()));
                if let Some(copy) = copy {
                    assert_eq!(copy.length, 601);
                }
            });
        }
    }
}
