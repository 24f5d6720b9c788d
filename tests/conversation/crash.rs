//! The page dies at any point, and the conversation can continue.

use crate::scripted_store::{Outcome, ScriptedStore};
use crate::support::{Answer, ID, TestTool, World, calls, echo, say, text};
use futures_executor::block_on;
use futures_util::FutureExt;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use threadkeep::{
    cancel::CancelToken,
    format::base_state::ExecutionStatus,
    id::ConversationId,
    llm::message::Content,
    store::{Commit, MemoryStore, Store},
    tool::{Replay, ToolOutput},
};

/// A store for a page that dies at a given commit.
pub fn dying(inner: MemoryStore, commits: usize, is_applied: bool) -> ScriptedStore {
    let left = Cell::new(commits);
    let outcome = move |_: &Commit| match left.replace(left.get().saturating_sub(1)) {
        0 => Outcome::Dead { is_applied },
        _ => Outcome::DONE,
    };
    ScriptedStore { outcome: Box::new(outcome), ..ScriptedStore::over(inner) }
}

#[test]
fn a_conversation_can_continue_after_its_page_died_at_any_commit() {
    for applies_last in [false, true] {
        for commits in 0.. {
            let inner = MemoryStore::new();
            let dying = dying(inner.another(), commits, applies_last);
            let ran = Rc::new(RefCell::new(Vec::new()));
            let note = ran.clone();
            let once = TestTool::shared("once", Replay::Never, move |call| {
                note.borrow_mut().push(call.idempotency_key.clone());
                async { Ok(ToolOutput::text("did it")) }
            });
            let script = || {
                [
                    calls(&[("a", "once", r#"{"text":"1"}"#), ("b", "echo", r#"{"text":"2"}"#)]),
                    calls(&[("c", "once", r#"{"text":"3"}"#)]),
                    text("Done."),
                ]
            };
            let world = World::new(Rc::new(dying), vec![once.clone(), echo()], script());
            let received = world.received.clone();
            let has_ended = async {
                let conversation = world.open().await.unwrap();
                say(&conversation, "Go").await;
                conversation.run(CancelToken::default()).await.unwrap();
            }
            .now_or_never()
            .is_some();

            let mut world =
                World::new(Rc::new(inner), vec![once, echo()], [text("Hello again."), text("And again.")]);
            world.host = Rc::default();
            // Ids continue after those of the dead page.
            for _ in 0..1000 {
                threadkeep::host::Host::random_uuid(&*world.host);
            }
            block_on(async {
                let durable = world.kinds().await;
                let received: Vec<String> =
                    received.borrow().iter().map(|kind| kind.replace("Event", "")).collect();
                assert_eq!(durable[..received.len()], received, "every received event is durable");
                let conversation = world.open().await.unwrap();
                assert_ne!(
                    conversation.execution_status(),
                    ExecutionStatus::Running,
                    "nothing runs by itself"
                );
                say(&conversation, "Are you there?").await;
                let outcome = conversation.run(CancelToken::default()).await.unwrap();
                assert_eq!(
                    outcome.final_response.as_deref(),
                    Some("Hello again."),
                    "after {commits} commits"
                );
                let mut keys = ran.borrow().clone();
                keys.sort();
                keys.dedup();
                assert_eq!(keys.len(), ran.borrow().len(), "nothing ran twice");
            });
            if has_ended {
                break;
            }
            assert!(commits < 50, "the conversation never ends");
        }
    }
}

/// Runs until the tool is under way, then drops everything, as a page that dies.
fn die_inside_tool(store: &MemoryStore, replay: Replay) {
    let endless = TestTool::shared("work", replay, |_| async { std::future::pending().await });
    let script = [calls(&[("a", "work", r#"{"text":"x"}"#), ("b", "echo", r#"{"text":"y"}"#)])];
    let world = World::new(Rc::new(store.another()), vec![endless, echo()], script);
    let ended = async {
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
    }
    .now_or_never();
    assert!(ended.is_none());
}

fn reopened(
    store: &MemoryStore,
    replay: Replay,
    ran: &Rc<Cell<u32>>,
    answers: Vec<crate::support::Answer>,
) -> World {
    let ran = ran.clone();
    let work = TestTool::shared("work", replay, move |_| {
        ran.set(ran.get() + 1);
        async { Ok(ToolOutput::text("worked")) }
    });
    let world = World::new(Rc::new(store.another()), vec![work, echo()], answers);
    for _ in 0..1000 {
        threadkeep::host::Host::random_uuid(&*world.host);
    }
    world
}

#[test]
fn a_repeatable_call_is_run_again_with_the_same_idempotency_key() {
    let store = MemoryStore::new();
    die_inside_tool(&store, Replay::Safe);
    let ran = Rc::new(Cell::new(0));
    let world = reopened(&store, Replay::Safe, &ran, vec![text("All done.")]);
    block_on(async {
        let conversation = world.open().await.unwrap();
        assert_eq!(conversation.execution_status(), ExecutionStatus::Paused);
        assert_eq!(conversation.pending_actions().await.unwrap().len(), 2);
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.final_response.as_deref(), Some("All done."));
        assert_eq!(ran.get(), 1);
    });
}

#[test]
fn recovery_uses_the_concurrency_of_the_dead_page() {
    let store = MemoryStore::new();
    let endless = TestTool::shared("work", Replay::Never, |_| async { std::future::pending().await });
    let script = [calls(&[
        ("a", "work", r#"{"text":"x"}"#),
        ("b", "work", r#"{"text":"y"}"#),
        ("c", "work", r#"{"text":"z"}"#),
    ])];
    let mut world = World::new(Rc::new(store.another()), vec![endless], script);
    let opened = async { say(&world.open().await.unwrap(), "Go").await }.now_or_never();
    assert!(opened.is_some());
    world.tool_concurrency_limit = 2;
    let ended =
        async { world.open().await.unwrap().run(CancelToken::default()).await.unwrap() }.now_or_never();
    assert!(ended.is_none());
    let ran = Rc::new(Cell::new(0));
    let world = reopened(&store, Replay::Never, &ran, vec![text("I will look.")]);
    block_on(async {
        let conversation = world.open().await.unwrap();
        assert_eq!(conversation.pending_actions().await.unwrap().len(), 1);
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(ran.get(), 1, "only the third call had not begun");
        assert_eq!(conversation.state().agent_state().unwrap().as_str(), "{}");
    });
}

#[test]
fn a_call_that_must_not_be_repeated_is_answered_and_those_that_had_not_begun_run() {
    let store = MemoryStore::new();
    die_inside_tool(&store, Replay::Never);
    let ran = Rc::new(Cell::new(0));
    let world = reopened(&store, Replay::Never, &ran, vec![text("I will look.")]);
    block_on(async {
        let conversation = world.open().await.unwrap();
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(ran.get(), 0);
        let kinds = world.kinds().await;
        assert_eq!(kinds[4..], ["AgentError", "Observation", "Message"]);
        let received = world.model.last_messages();
        assert!(
            received
                .iter()
                .any(|message| message.to_string().contains("nobody knows whether it took effect"))
        );
    });
}

#[test]
fn a_call_to_be_asked_about_waits_across_reloads_until_it_is_approved_or_rejected() {
    for approves in [true, false] {
        let store = MemoryStore::new();
        die_inside_tool(&store, Replay::Ask);
        let ran = Rc::new(Cell::new(0));
        let world = reopened(&store, Replay::Ask, &ran, vec![text("Good.")]);
        block_on(async {
            for _ in 0..2 {
                let conversation = world.open().await.unwrap();
                assert_eq!(conversation.execution_status(), ExecutionStatus::WaitingForConfirmation);
                assert_eq!(conversation.pending_actions().await.unwrap().len(), 2);
            }
            let conversation = world.open().await.unwrap();
            if !approves {
                conversation.reject_pending_actions(Some("not now".into()), None).await.unwrap();
            }
            conversation.run(CancelToken::default()).await.unwrap();
            assert_eq!(ran.get(), u32::from(approves));
            assert_eq!(
                conversation.state().agent_state().unwrap().as_str(),
                "{}",
                "nothing is left to remember"
            );
        });
    }
}

#[test]
fn a_message_instead_of_an_approval_answers_an_interrupted_call_as_unknown() {
    let store = MemoryStore::new();
    die_inside_tool(&store, Replay::Ask);
    let ran = Rc::new(Cell::new(0));
    let world = reopened(&store, Replay::Ask, &ran, vec![text("Good.")]);
    block_on(async {
        let conversation = world.open().await.unwrap();
        say(&conversation, "What happened?").await;
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(ran.get(), 0);
        assert_eq!(world.kinds().await[4..], ["AgentError", "UserRejectObservation", "Message", "Message"]);
    });
}

#[test]
fn unreadable_events_at_the_end_are_quarantined() {
    let store = MemoryStore::new();
    let world = World::new(Rc::new(store.another()), vec![], [text("Hello."), text("Back.")]);
    block_on(async {
        let conversation = world.open().await.unwrap();
        say(&conversation, "Hi").await;
        conversation.run(CancelToken::default()).await.unwrap();
        let id: ConversationId = ID.parse().unwrap();
        let torn = |json: &str, n: u32| {
            (format!("{n:08}-0000-4000-8000-000000000000").parse().unwrap(), Rc::from(json))
        };
        store
            .commit(
                id,
                Commit {
                    expected_length: 3,
                    created_at: None,
                    writer: None,
                    truncate_to: None,
                    events: vec![torn("{\"id\":\"0000", 1), torn("", 2)],
                    base_state: None,
                    files: Vec::new(),
                    files_of: None,
                    at: 0.0,
                    durability: threadkeep::store::Durability::Relaxed,
                },
            )
            .await
            .unwrap();
        let again = world.open().await.unwrap();
        assert_eq!(again.length(), 3);
        assert_eq!(again.warnings().len(), 1);
        let files = store.files(id, None).await.unwrap();
        assert_eq!(files.len(), 2);
        assert_eq!(store.read_file(id, &files[0]).await.unwrap().unwrap(), b"{\"id\":\"0000");
        say(&again, "Again").await;
        again.run(CancelToken::default()).await.unwrap();
    });
}

#[test]
fn a_message_in_the_inbox_while_the_model_answered_is_in_the_log_after_a_crash() {
    let store = MemoryStore::new();
    let world = World::new(Rc::new(store.another()), Vec::new(), [Answer::Never]);
    let mut sent = None;
    block_on(async {
        let conversation = world.open().await.unwrap();
        say(&conversation, "Hello").await;
        let mut run = Box::pin(conversation.run(CancelToken::default()));
        assert!(run.as_mut().now_or_never().is_none());
        sent = Some(conversation.send_message(vec![Content::text("Kept")], None).await.unwrap());
        assert_eq!(conversation.length(), 2, "not in the log yet");
    });
    let world = World::new(Rc::new(store.another()), Vec::new(), [text("Yes?")]);
    block_on(async {
        let conversation = world.open().await.unwrap();
        let events = world.events().await;
        assert_eq!(events.last().unwrap()["id"], sent.unwrap().id().as_str());
        assert_eq!(conversation.execution_status(), ExecutionStatus::Paused);
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(world.kinds().await, ["SystemPrompt", "Message", "Message", "Message"]);
    });
}

#[test]
fn a_message_in_the_inbox_while_tools_ran_is_in_the_log_after_a_crash() {
    let store = MemoryStore::new();
    let endless = TestTool::shared("work", Replay::Safe, |_| async { std::future::pending().await });
    let script = [calls(&[("a", "work", r#"{"text":"x"}"#)])];
    let world = World::new(Rc::new(store.another()), vec![endless], script);
    let mut sent = None;
    block_on(async {
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let mut run = Box::pin(conversation.run(CancelToken::default()));
        assert!(run.as_mut().now_or_never().is_none());
        sent = Some(conversation.send_message(vec![Content::text("Kept")], None).await.unwrap());
        assert_eq!(conversation.length(), 3, "not in the log yet");
    });
    let ran = Rc::new(Cell::new(0));
    let world = reopened(&store, Replay::Safe, &ran, vec![text("Yes?")]);
    block_on(async {
        let conversation = world.open().await.unwrap();
        let events = world.events().await;
        assert_eq!(events.last().unwrap()["id"], sent.unwrap().id().as_str());
        assert_eq!(conversation.execution_status(), ExecutionStatus::Paused);
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(world.kinds().await[3..], ["AgentError", "Message", "Message"]);
    });
}
