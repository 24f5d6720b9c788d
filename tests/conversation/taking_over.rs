//! A handle that takes the place of a writer, one that has to give way, and commands that another handle has asked for.

use crate::{
    partial::{self, chat},
    scripted_store::{Outcome, ScriptedStore},
    support::{ID, World, calls, echo, say, text},
};
use futures_executor::block_on;
use futures_util::{FutureExt as _, future::join};
use std::{cell::Cell, rc::Rc};
use threadkeep::{
    cancel::CancelToken,
    conversation::{Access, Asked, Conversation, Resume, WarningCode},
    error::ErrorCode,
    format::base_state::ExecutionStatus,
    llm::{ApiMode, message::Content},
    security::ConfirmationPolicy,
    store::{MemoryStore, Store},
};

fn asked(number: u64, settled: u64) -> Asked {
    Asked { client: "0f8fad5b-d9cb".into(), number, settled }
}

async fn tags(conversation: &Conversation, value: &str) -> threadkeep::error::Result<()> {
    conversation.set_tags(&[("a".into(), value.into())]).await
}

#[test]
fn a_follower_goes_on_in_the_place_of_the_writer() {
    block_on(async {
        let store: Rc<dyn Store> = Rc::new(MemoryStore::new());
        let mut old = World::new(store.clone(), vec![echo()], [calls(&[("c", "echo", r#"{"text":"a"}"#)])]);
        old.confirmation_policy = Some(ConfirmationPolicy::AlwaysConfirm);
        let writer = old.open().await.unwrap();
        let new = World::new(store.clone(), vec![echo()], [text("Done.")]);
        let follower = new.open_as(Access::Follower).await.unwrap();
        say(&writer, "Go").await;
        writer.run(CancelToken::default()).await.unwrap();
        writer.close().await;
        follower.become_writer().await.unwrap();
        assert_eq!(follower.access(), Access::Writer);
        assert_eq!(follower.execution_status(), ExecutionStatus::WaitingForConfirmation);
        assert_eq!(follower.length(), 3, "it has taken in what it had not read before");
        // The policy of the last writer still holds.
        assert_eq!(follower.confirmation_policy(), ConfirmationPolicy::AlwaysConfirm);
        let ended = follower.run(CancelToken::default()).await.unwrap();
        assert_eq!(ended.final_response.as_deref(), Some("Done."));
        let reopened = new.open_as(Access::Follower).await.unwrap();
        assert_eq!(reopened.state().json(), follower.state().json());
        assert_eq!(reopened.length(), follower.length());
    });
}

#[test]
fn what_a_dead_writer_has_left_of_a_run_is_repaired_and_its_draft_is_kept() {
    for resume in [Resume::Again, Resume::Keep] {
        let store = MemoryStore::new();
        let (old, server) = partial::world(Rc::new(store.another()), ApiMode::Chat);
        let mut new = World::new(Rc::new(store.another()), Vec::new(), []);
        (new.host, new.resume) = (old.host.clone(), resume);
        let writer = block_on(old.open()).unwrap();
        let follower = block_on(new.open_as(Access::Follower)).unwrap();
        block_on(say(&writer, "Go"));
        let mut run = Box::pin(writer.run(CancelToken::default()));
        for second in [1, 2] {
            server.sent.borrow_mut().extend(chat(&["a piece "], false));
            old.host.clock.0.set(Some(f64::from(second) * 1500.0));
            assert!(run.as_mut().now_or_never().is_none());
        }
        // The writer is frozen, so it still is one as far as it knows.
        block_on(follower.become_writer()).unwrap();
        assert_eq!(follower.execution_status(), ExecutionStatus::Paused);
        assert!(follower.warnings().iter().any(|warning| warning.code == WarningCode::Interrupted));
        let shown = follower.draft().map(|(_, text)| text);
        match resume {
            Resume::Again => assert!(shown.unwrap().starts_with("a piece")),
            Resume::Keep => assert_eq!(follower.length(), 3),
        }
        let known = block_on(store.load(ID.parse().unwrap())).unwrap();
        server.sent.borrow_mut().extend(chat(&["the end"], true));
        assert_eq!(block_on(run).unwrap_err().code(), ErrorCode::LockedElsewhere);
        assert!(old.displaced.get() > 0);
        assert_eq!(block_on(store.load(ID.parse().unwrap())).unwrap(), known);
        block_on(writer.step_down());
        block_on(writer.catch_up()).unwrap();
        assert_eq!(writer.state().json(), follower.state().json());
        assert_eq!(block_on(tags(&writer, "late")).unwrap_err().code(), ErrorCode::LockedElsewhere);
    }
}

#[test]
fn a_writer_that_steps_down_ends_its_run_stores_nothing_and_can_write_again_later() {
    block_on(async {
        let store = MemoryStore::new();
        let (world, server) = partial::world(Rc::new(store.another()), ApiMode::Chat);
        let writer = world.open().await.unwrap();
        say(&writer, "Go").await;
        let mut run = Box::pin(writer.run(CancelToken::default()));
        server.sent.borrow_mut().extend(chat(&["some "], false));
        assert!(run.as_mut().now_or_never().is_none());
        let known = store.load(ID.parse().unwrap()).await.unwrap();
        let (ended, ()) = join(run, writer.step_down()).await;
        assert_eq!(ended.unwrap_err().code(), ErrorCode::LockedElsewhere);
        assert_eq!(store.load(ID.parse().unwrap()).await.unwrap(), known);
        assert_eq!(writer.access(), Access::Follower);
        writer.become_writer().await.unwrap();
        tags(&writer, "again").await.unwrap();
    });
}

#[test]
fn a_command_of_another_handle_is_stored_with_its_number_or_neither_is() {
    block_on(async {
        for fails_at in 0..4 {
            let memory = MemoryStore::new();
            let commits = Rc::new(Cell::new(0));
            let mut scripted = ScriptedStore::over(memory.another());
            let counted = commits.clone();
            scripted.outcome = Box::new(move |_| match counted.replace(counted.get() + 1) {
                commit if commit == fails_at + 1 => Outcome::Full,
                _ => Outcome::DONE,
            });
            let world = World::new(Rc::new(scripted), Vec::new(), []);
            let writer = world.open().await.unwrap();
            say(&writer, "Hello").await;
            let first = writer.asked(asked(1, 0)).send_message(vec![Content::text("One")], None).await;
            let second = tags(&writer.asked(asked(2, 0)), "x").await;
            assert_eq!([first.is_err(), second.is_err()], [fails_at == 0, fails_at == 1]);
            let new = World::new(Rc::new(memory.another()), Vec::new(), []);
            let next = new.open_as(Access::Follower).await.unwrap();
            next.become_writer().await.unwrap();
            let record = async |number| next.carried_out(&asked(0, 0).client, number).await.unwrap();
            assert_eq!(
                record(1).await,
                first.as_ref().ok().map(|event| Some(event.id().clone())),
                "{fails_at}"
            );
            assert_eq!(record(2).await, second.as_ref().ok().map(|()| None), "{fails_at}");
            assert_eq!(record(3).await, None);
        }
    });
}

#[test]
fn a_writer_that_is_asked_for_something_else_first_knows_what_was_carried_out_before_it() {
    block_on(async {
        let store: Rc<dyn Store> = Rc::new(MemoryStore::new());
        let world = World::new(store.clone(), Vec::new(), []);
        let first = world.open().await.unwrap();
        say(&first, "Hello").await;
        tags(&first.asked(asked(1, 0)), "first").await.unwrap();
        let second = world.open_as(Access::Follower).await.unwrap();
        let record = async |writer: &Conversation, number| {
            writer.carried_out(&asked(0, 0).client, number).await.unwrap().is_some()
        };
        assert!(!record(&second, 2).await, "read before the other one has carried it out");
        tags(&first.asked(asked(2, 0)), "second").await.unwrap();
        second.become_writer().await.unwrap();
        tags(&second.asked(asked(3, 0)), "third").await.unwrap();
        let third = world.open_as(Access::Follower).await.unwrap();
        third.become_writer().await.unwrap();
        third.asked(asked(4, 0)).begin_asked().await.unwrap();
        for number in 1..=4 {
            assert!(record(&third, number).await, "{number}");
        }
        assert!(!record(&third, 5).await);
    });
}

#[test]
fn answers_that_have_arrived_are_forgotten_and_other_handles_have_their_own_numbers() {
    block_on(async {
        let store: Rc<dyn Store> = Rc::new(MemoryStore::new());
        let world = World::new(store.clone(), Vec::new(), []);
        let writer = world.open().await.unwrap();
        say(&writer, "Hello").await;
        for number in 1..=5 {
            tags(&writer.asked(asked(number, number.saturating_sub(2))), &number.to_string()).await.unwrap();
        }
        let other = Asked { client: "11111111-2222".into(), number: 5, settled: 0 };
        tags(&writer.asked(other.clone()), "other").await.unwrap();
        let next = world.open_as(Access::Follower).await.unwrap();
        let record =
            async |client: String, number| next.carried_out(&client, number).await.unwrap().is_some();
        let mut known = Vec::new();
        for number in 1..=6 {
            known.push(record(asked(0, 0).client, number).await);
        }
        assert_eq!(known, [false, false, false, true, true, false]);
        assert!(record(other.client, 5).await);
        // What a handle itself asks leaves no trace, and neither does a command that is refused.
        assert_eq!(
            tags(&writer.asked(asked(7, 0)), &"x".repeat(300)).await.unwrap_err().code(),
            ErrorCode::InvalidOptions
        );
        assert_eq!(writer.carried_out(&asked(0, 0).client, 7).await.unwrap(), None);
        assert_eq!(writer.carried_out("../base", 1).await.unwrap_err().code(), ErrorCode::InvalidOptions);
    });
}

#[test]
fn the_commands_of_a_handle_that_has_ended_are_removed_and_those_of_a_killed_page_after_a_day() {
    block_on(async {
        let store: Rc<dyn Store> = Rc::new(MemoryStore::new());
        let world = World::new(store.clone(), Vec::new(), []);
        let writer = world.open().await.unwrap();
        say(&writer, "Hello").await;
        let clients = ["0f8fad5b-d9cb", "11111111-2222", "33333333-4444"];
        for client in clients {
            tags(&writer.asked(Asked { client: client.into(), number: 1, settled: 0 }), client)
                .await
                .unwrap();
        }
        let stored = async || {
            let paths = store.files(ID.parse().unwrap(), Some(&"commands".parse().unwrap())).await.unwrap();
            paths.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(stored().await.len(), 3);
        writer.forget_commands(Some(clients[0])).await.unwrap();
        writer.forget_commands(Some("99999999-0000")).await.unwrap();
        writer.forget_commands(None).await.unwrap();
        assert_eq!(stored().await, ["commands/11111111-2222.json", "commands/33333333-4444.json"]);
        world.host.passed.set(86_400_001.0);
        tags(&writer.asked(Asked { client: clients[2].into(), number: 2, settled: 1 }), "late")
            .await
            .unwrap();
        writer.forget_commands(None).await.unwrap();
        assert_eq!(stored().await, ["commands/33333333-4444.json"]);
    });
}

#[test]
fn what_the_other_one_stores_while_its_place_is_taken_is_taken_in_once() {
    block_on(async {
        let memory = MemoryStore::new();
        let mut old = World::new(Rc::new(memory.another()), Vec::new(), []);
        let writer = old.open().await.unwrap();
        say(&writer, "First").await;
        let meanwhile = Rc::new(Cell::new(false));
        let mut scripted = ScriptedStore::over(memory.another());
        let (begins, late) = (meanwhile.clone(), writer.clone());
        scripted.reading = Box::new(move || {
            if begins.replace(false) {
                let sent = late.send_message(vec![Content::text("Meanwhile")], None).now_or_never();
                sent.expect("a store in memory answers at once").unwrap();
            }
        });
        let mut new = World::new(Rc::new(scripted), Vec::new(), []);
        new.host = std::mem::take(&mut old.host);
        let follower = new.open_as(Access::Follower).await.unwrap();
        follower.catch_up().await.unwrap();
        meanwhile.set(true);
        follower.become_writer().await.unwrap();
        say(&follower, "Last").await;
        let log = new.events().await;
        assert_eq!(log.len(), 4);
        assert_eq!(follower.length(), 4);
        assert_eq!(new.received.borrow().len(), 2, "those behind what it was opened with, each once");
    });
}

#[test]
fn a_command_that_was_not_carried_out_before_another_writer_came_is_not_carried_out_later() {
    block_on(async {
        let memory = MemoryStore::new();
        let late = ScriptedStore { reads_after: 50, ..ScriptedStore::over(memory.another()) };
        let first = World::new(Rc::new(late), Vec::new(), []).open().await.unwrap();
        say(&first, "Hello").await;
        let hello = first.id_of(1).await.unwrap();
        // It waits for a method that reads, and that was called before.
        let mut editing = Box::pin(first.edit_message(&hello, vec![Content::text("Hi")]));
        assert!(editing.as_mut().now_or_never().is_none());
        let message = async |writer: &Conversation| {
            writer.asked(asked(1, 0)).send_message(vec![Content::text("Once")], None).await
        };
        let mut waiting = Box::pin(message(&first));
        assert!(waiting.as_mut().now_or_never().is_none());

        let second =
            World::new(Rc::new(memory.another()), Vec::new(), []).open_as(Access::Follower).await.unwrap();
        second.become_writer().await.unwrap();
        message(&second).await.unwrap();
        first.step_down().await;
        first.become_writer().await.unwrap();
        let (_, refused) = join(editing, waiting).await;
        assert_eq!(refused.unwrap_err().code(), ErrorCode::LockedElsewhere);
        let stored = memory.events(ID.parse().unwrap(), 0..u64::MAX).await.unwrap();
        assert_eq!(stored.iter().filter(|event| event.json.contains("Once")).count(), 1);
    });
}
