//! Conversations of sub-agents: which files their calls change, and that their policy stays.

use crate::{
    crash::dying,
    support::{ID, TestTool, World, calls, say, text, yield_once},
};
use futures_executor::block_on;
use futures_util::FutureExt;
use std::{cell::Cell, rc::Rc};
use threadkeep::{
    cancel::CancelToken,
    conversation::{Access, Conversation},
    error::ErrorCode,
    format::base_state::ExecutionStatus,
    id::{ConversationId, StorePath},
    security::ConfirmationPolicy,
    store::{MemoryStore, Store},
    tool::{FileChange, Replay, Tool, ToolOutput},
};

const CHILD: &str = "1f8fad5b-d9cb-469f-a165-70867728950e";

fn path() -> StorePath {
    "workspace/notes.txt".parse().unwrap()
}

async fn notes(store: &MemoryStore) -> String {
    let content = store.read_file(ID.parse().unwrap(), &path()).await.unwrap();
    String::from_utf8(content.unwrap_or_default()).unwrap()
}

/// A tool that adds its text as a line to a file of the conversation above. If it `yields`, others run between its reading and
/// its result.
fn add_line(store: &MemoryStore, yields: bool) -> Rc<dyn Tool> {
    let store = Rc::new(store.another());
    TestTool::shared("write", Replay::Safe, move |call| {
        let store = store.clone();
        async move {
            let arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
            let before = notes(&store).await;
            if yields {
                yield_once().await;
            }
            let after = format!("{before}{}\n", arguments["text"].as_str().unwrap());
            let change = FileChange { is_owners: true, ..FileChange::new(path(), Some(after.into_bytes())) };
            Ok(ToolOutput { files: vec![change], ..ToolOutput::text("Written.") })
        }
    })
}

fn script() -> [crate::support::Answer; 3] {
    [
        calls(&[("a", "write", r#"{"text":"one"}"#)]),
        calls(&[("b", "write", r#"{"text":"two"}"#)]),
        text("Done."),
    ]
}

/// A world whose conversation is that of a sub-agent of `owner`.
fn below(owner: &Conversation, mut world: World) -> World {
    world.ancestors = vec![owner.id()];
    world.owner = Some(owner.clone());
    world
}

async fn open_child(world: &World) -> Conversation {
    world.open_other(CHILD.parse().unwrap(), Access::Writer).await.unwrap()
}

#[test]
fn a_sub_agent_that_dies_at_any_commit_has_changed_the_files_above_it_once() {
    for is_applied in [false, true] {
        for commits in 0.. {
            let inner = MemoryStore::new();
            let parent = World::new(Rc::new(inner.another()), Vec::new(), []);
            let owner = block_on(parent.open_stored()).unwrap();
            let dying = dying(inner.another(), commits, is_applied);
            let world = below(&owner, World::new(Rc::new(dying), vec![add_line(&inner, false)], script()));
            let has_ended = async {
                let child = open_child(&world).await;
                say(&child, "Go").await;
                child.run(CancelToken::default()).await.unwrap();
            }
            .now_or_never()
            .is_some();

            let left = [text("I go on."), text("And on.")].into_iter();
            let rest = script().into_iter().skip(world.model.requests.borrow().len().min(2)).chain(left);
            let mut world =
                below(&owner, World::new(Rc::new(inner.another()), vec![add_line(&inner, false)], rest));
            world.host = Rc::default();
            for _ in 0..1000 {
                threadkeep::host::Host::random_uuid(&*world.host);
            }
            block_on(async {
                let child = open_child(&world).await;
                assert_ne!(child.execution_status(), ExecutionStatus::WaitingForConfirmation);
                if child.length() == 0 {
                    say(&child, "Go").await;
                }
                child.run(CancelToken::default()).await.unwrap();
                let written = notes(&inner).await;
                let results = inner.events(CHILD.parse().unwrap(), 0..u64::MAX).await.unwrap();
                let results = results.iter().filter(|event| event.json.contains("Written.")).count();
                assert_eq!(written.lines().count(), results, "after {commits} commits: {written:?}");
                assert!(["", "one\n", "two\n", "one\ntwo\n"].contains(&&*written), "{written:?}");
            });
            if has_ended {
                assert_eq!(block_on(notes(&inner)), "one\ntwo\n");
                break;
            }
            assert!(commits < 50, "the conversation never ends");
        }
    }
}

#[test]
fn calls_of_several_sub_agents_that_change_the_same_files_run_one_after_the_other() {
    block_on(async {
        let inner = MemoryStore::new();
        let owner = World::new(Rc::new(inner.another()), Vec::new(), []).open_stored().await.unwrap();
        let mut children = Vec::new();
        for digit in ['a', 'b', 'c'] {
            let world = World::new(Rc::new(inner.another()), vec![add_line(&inner, true)], script());
            let world = below(&owner, world);
            let id: ConversationId = digit.to_string().repeat(32).parse().unwrap();
            let child = world.open_other(id, Access::Writer).await.unwrap();
            say(&child, "Go").await;
            children.push((child, world));
        }
        let runs = children.iter().map(|(child, _)| child.run(CancelToken::default()));
        for outcome in futures_util::future::join_all(runs).await {
            outcome.unwrap();
        }
        let written = notes(&inner).await;
        let count = |line: &str| written.lines().filter(|written| *written == line).count();
        assert_eq!((count("one"), count("two")), (3, 3), "{written}");
    });
}

#[test]
fn a_sub_agent_keeps_its_result_and_its_files_for_the_next_commit_if_one_fails() {
    use crate::scripted_store::{Outcome, ScriptedStore};
    block_on(async {
        let inner = MemoryStore::new();
        let owner = World::new(Rc::new(inner.another()), Vec::new(), []).open_stored().await.unwrap();
        let fails = Cell::new(true);
        let store = ScriptedStore {
            outcome: Box::new(move |commit| match commit.files_of.is_some() && fails.take() {
                true => Outcome::Full,
                false => Outcome::DONE,
            }),
            ..ScriptedStore::over(inner.another())
        };
        let world = below(&owner, World::new(Rc::new(store), vec![add_line(&inner, false)], script()));
        let child = open_child(&world).await;
        say(&child, "Go").await;
        assert!(child.run(CancelToken::default()).await.is_err());
        child.run(CancelToken::default()).await.unwrap();
        assert_eq!(notes(&inner).await, "one\ntwo\n");
    });
}

#[test]
fn a_sub_agent_below_a_handle_that_was_replaced_changes_no_files_above_it() {
    block_on(async {
        let inner = MemoryStore::new();
        let parent = World::new(Rc::new(inner.another()), Vec::new(), []);
        let world_below = |owner: &Conversation, answers: Vec<crate::support::Answer>| {
            let store = Rc::new(inner.another());
            let mut world = below(owner, World::new(store, vec![add_line(&inner, false)], answers));
            world.host = parent.host.clone();
            world
        };
        let owner = parent.open_stored().await.unwrap();
        let child = open_child(&world_below(&owner, script().into())).await;
        say(&child, "Go").await;
        let other = parent.open().await.unwrap();
        other.step_down().await;
        other.become_writer().await.unwrap();
        let error = child.run(CancelToken::default()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::LockedElsewhere);
        assert_eq!(notes(&inner).await, "");
        // The handle that took its place gives the files to its own sub-agents.
        let child = open_child(&world_below(&other, script().into_iter().skip(1).collect())).await;
        child.run(CancelToken::default()).await.unwrap();
        assert_eq!(notes(&inner).await, "one\ntwo\n");
    });
}

#[test]
fn the_policy_of_a_sub_agent_becomes_stricter_and_never_looser() {
    use ConfirmationPolicy::{AlwaysConfirm, NeverConfirm};
    block_on(async {
        let inner = MemoryStore::new();
        let owner = World::new(Rc::new(inner.another()), Vec::new(), []).open_stored().await.unwrap();
        for (given, expected) in
            [(NeverConfirm, NeverConfirm), (AlwaysConfirm, AlwaysConfirm), (NeverConfirm, AlwaysConfirm)]
        {
            let mut world = below(&owner, World::new(Rc::new(inner.another()), Vec::new(), []));
            world.confirmation_policy = Some(given);
            let child = world.open_other_stored(CHILD.parse().unwrap()).await.unwrap();
            assert_eq!(child.confirmation_policy(), expected);
        }
        // The user's own conversations get the policy that is given.
        let mut world = World::new(Rc::new(inner.another()), Vec::new(), []);
        for given in [AlwaysConfirm, NeverConfirm] {
            world.confirmation_policy = Some(given);
            assert_eq!(world.open().await.unwrap().confirmation_policy(), given);
        }
    });
}

#[test]
fn a_call_that_a_pause_has_stopped_goes_on_with_the_next_run_and_nobody_is_asked() {
    block_on(async {
        let (runs, gate) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(false)));
        let (count, open) = (runs.clone(), gate.clone());
        let task = TestTool::shared("work", Replay::Safe, move |_| {
            count.set(count.get() + 1);
            let (is_first, open) = (count.get() == 1, open.clone());
            async move {
                while is_first && !open.get() {
                    yield_once().await;
                }
                Ok(ToolOutput { waits: is_first, ..ToolOutput::text("worked") })
            }
        });
        let script =
            [calls(&[("a", "work", r#"{"text":"x"}"#), ("b", "work", r#"{"text":"y"}"#)]), text("All done.")];
        let world = World::new(Rc::new(MemoryStore::new()), vec![task], script);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let run = conversation.run(CancelToken::default());
        let pause = async {
            while runs.get() == 0 {
                yield_once().await;
            }
            conversation.pause().await.unwrap();
            gate.set(true);
        };
        let (outcome, ()) = futures_util::future::join(run, pause).await;
        assert_eq!(outcome.unwrap().status, ExecutionStatus::Paused);
        assert_eq!(runs.get(), 1, "the second call has not begun");
        let again = world.open().await.unwrap();
        assert_eq!(again.execution_status(), ExecutionStatus::Paused);
        assert_eq!(again.pending_actions().await.unwrap().len(), 2);
        let outcome = again.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.final_response.as_deref(), Some("All done."));
        assert_eq!(runs.get(), 3);
    });
}
