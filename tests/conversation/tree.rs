//! Moves of HEAD to other branches.

use crate::{
    scripted_store::{Outcome, ScriptedStore},
    support::{Answer, ID, World, back_to_question, calls, echo, say, text},
};
use futures_executor::block_on;
use futures_util::{FutureExt, future::join};
use serde_json::Value;
use std::{cell::Cell, rc::Rc};
use threadkeep::{
    cancel::CancelToken,
    conversation::{Access, Conversation},
    error::ErrorCode,
    event::{Body, Event},
    format::base_state::ExecutionStatus,
    id::EventId,
    llm::message::Content,
    security::ConfirmationPolicy,
    store::{Commit, MemoryStore, Store as _},
};

fn world(answers: impl IntoIterator<Item = Answer>) -> World {
    World::new(Rc::new(MemoryStore::new()), vec![echo()], answers)
}

async fn ask(conversation: &Conversation, question: &str) {
    say(conversation, question).await;
    conversation.run(CancelToken::default()).await.unwrap();
}

async fn id_of(conversation: &Conversation, index: u64) -> Option<EventId> {
    Some(conversation.id_of(index).await.unwrap())
}

/// The texts of the messages that the model was sent last, without the instructions.
fn sent(world: &World) -> Vec<String> {
    let text = |message: &Value| match &message["content"] {
        Value::String(text) => text.clone(),
        parts => parts[0]["text"].as_str().unwrap().to_owned(),
    };
    world.model.last_messages()[1..].iter().map(text).collect()
}

async fn kinds(conversation: &Conversation, limit: Option<usize>) -> Vec<String> {
    let branch = conversation.active_branch(limit.unwrap_or(usize::MAX)).await.unwrap();
    branch.iter().map(|event| event.kind().replace("Event", "")).collect()
}

#[test]
fn the_model_sees_only_the_branch_that_was_navigated_to_also_after_a_reload() {
    block_on(async {
        let world = world([text("One."), text("Two."), text("Other two.")]);
        let conversation = world.open().await.unwrap();
        ask(&conversation, "First").await;
        ask(&conversation, "Second").await;
        let before = world.events().await;
        conversation.navigate_to(id_of(&conversation, 2).await).await.unwrap();
        assert_eq!(world.events().await, before, "a move writes no event");
        assert_eq!(kinds(&conversation, None).await, ["SystemPrompt", "Message", "Message"]);
        assert_eq!(conversation.final_response().await.unwrap().as_deref(), Some("One."));

        let conversation = world.open().await.unwrap();
        assert_eq!(conversation.warnings(), []);
        assert_eq!(kinds(&conversation, Some(2)).await, ["Message", "Message"]);
        ask(&conversation, "Another second").await;
        assert_eq!(sent(&world), ["First", "One.", "Another second"]);
        let events = world.events().await;
        assert_eq!(events[5]["parent_id"], events[2]["id"]);
        assert_eq!(events.len(), 7);

        // The first branch can be continued as well.
        conversation.navigate_to(id_of(&conversation, 4).await).await.unwrap();
        assert_eq!(conversation.final_response().await.unwrap().as_deref(), Some("Two."));
    });
}

#[test]
fn a_branch_before_the_first_event_begins_with_a_system_prompt() {
    block_on(async {
        let world = world([text("One."), text("Two.")]);
        let conversation = world.open().await.unwrap();
        ask(&conversation, "First").await;
        conversation.navigate_to(None).await.unwrap();
        let state: Value = serde_json::from_str(&conversation.state().json()).unwrap();
        assert_eq!((&state["leaf_event_id"], &state["head_is_empty"]), (&Value::Null, &Value::Bool(true)));
        assert!(kinds(&conversation, None).await.is_empty());

        let conversation = world.open().await.unwrap();
        ask(&conversation, "Again").await;
        assert_eq!(sent(&world), ["Again"]);
        assert_eq!(kinds(&conversation, None).await, ["SystemPrompt", "Message", "Message"]);
        let events = world.events().await;
        assert_eq!(events[3]["parent_id"], "__root__");
        assert_eq!(events[3]["system_prompt"], events[0]["system_prompt"]);
        let state: Value = serde_json::from_str(&conversation.state().json()).unwrap();
        assert_eq!(state["head_is_empty"], false);
    });
}

#[test]
fn the_status_after_navigating_says_whether_the_agent_has_answered() {
    block_on(async {
        let world = world([text("One.")]);
        let conversation = world.open().await.unwrap();
        ask(&conversation, "First").await;
        for (index, status) in [(1, ExecutionStatus::Idle), (2, ExecutionStatus::Finished)] {
            conversation.navigate_to(id_of(&conversation, index).await).await.unwrap();
            assert_eq!(conversation.execution_status(), status);
        }
    });
}

#[test]
fn navigating_between_a_call_and_its_result_is_refused() {
    block_on(async {
        let batch = calls(&[("a", "echo", r#"{"text":"one"}"#), ("b", "echo", r#"{"text":"two"}"#)]);
        let world = world([batch, text("Done.")]);
        let conversation = world.open().await.unwrap();
        ask(&conversation, "Go").await;
        let expected =
            ["SystemPrompt", "Message", "Action", "Action", "Observation", "Observation", "Message"];
        assert_eq!(world.kinds().await, expected);
        for index in 2..5 {
            let error = conversation.navigate_to(id_of(&conversation, index).await).await.unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidOptions, "{index}");
        }
        for index in [5, 1, 0, 6] {
            conversation.navigate_to(id_of(&conversation, index).await).await.unwrap();
        }
    });
}

#[test]
fn navigating_is_refused_during_a_run_and_while_calls_wait_and_in_a_follower() {
    block_on(async {
        let mut world = world([calls(&[("a", "echo", r#"{"text":"one"}"#)]), Answer::Never]);
        world.confirmation_policy = Some(ConfirmationPolicy::AlwaysConfirm);
        let conversation = world.open().await.unwrap();
        ask(&conversation, "Go").await;
        let start = id_of(&conversation, 0).await;
        let error = conversation.navigate_to(start.clone()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidState);
        assert!(error.message().contains("echo"), "{}", error.message());

        let mut run = Box::pin(conversation.run(CancelToken::default()));
        assert!(run.as_mut().now_or_never().is_none());
        let error = conversation.navigate_to(start.clone()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidState);
        drop(run);

        let follower = world.open_as(Access::Follower).await.unwrap();
        let error = follower.navigate_to(start).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::LockedElsewhere);
    });
}

#[test]
fn an_event_that_does_not_exist_cannot_be_navigated_to() {
    block_on(async {
        let world = world([text("One.")]);
        let conversation = world.open().await.unwrap();
        ask(&conversation, "First").await;
        let error = conversation.navigate_to(Some(ID.parse().unwrap())).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::NotFound);
    });
}

#[test]
fn calls_that_were_not_run_are_answered_on_the_branch_that_is_left() {
    block_on(async {
        let (release, released) = futures_channel::oneshot::channel();
        let Answer::Message(batch) = calls(&[("a", "echo", r#"{"text":"one"}"#)]) else { return };
        let world = world([Answer::When(released, batch)]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let mut run = Box::pin(conversation.run(CancelToken::default()));
        assert!(run.as_mut().now_or_never().is_none());
        conversation.pause().await.unwrap();
        release.send(()).unwrap();
        run.await.unwrap();
        assert_eq!(conversation.execution_status(), ExecutionStatus::Paused);
        assert_eq!(conversation.pending_actions().await.unwrap().len(), 1);

        conversation.navigate_to(id_of(&conversation, 0).await).await.unwrap();
        let events = world.events().await;
        let rejection = events.last().unwrap();
        assert_eq!(rejection["kind"], "UserRejectObservation");
        assert!(rejection["rejection_reason"].as_str().unwrap().contains("another place"));
        assert!(conversation.pending_actions().await.unwrap().is_empty());
        assert!(!conversation.state().agent_state().unwrap().as_str().contains("actions"));
    });
}

#[test]
fn regenerating_answers_the_last_message_again_and_keeps_the_old_answer_as_a_branch() {
    block_on(async {
        let batch = calls(&[("a", "echo", r#"{"text":"one"}"#)]);
        let world = world([text("One."), batch, text("Two."), text("Other two.")]);
        let conversation = world.open().await.unwrap();
        ask(&conversation, "First").await;
        ask(&conversation, "Second").await;
        let outcome = conversation.regenerate(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.final_response.as_deref(), Some("Other two."));
        assert_eq!(sent(&world), ["First", "One.", "Second"]);
        let events = world.events().await;
        assert_eq!(events.last().unwrap()["parent_id"], events[3]["id"]);
        assert_eq!(events[6]["llm_message"]["content"][0]["text"], "Two.");
    });
}

#[test]
fn there_is_nothing_to_regenerate_before_the_first_message() {
    block_on(async {
        let world = world([]);
        let conversation = world.open().await.unwrap();
        let error = conversation.regenerate(CancelToken::default()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidState);
        assert_eq!(conversation.length(), 0);
    });
}

#[test]
fn an_edited_message_begins_a_branch_where_the_earlier_one_was() {
    block_on(async {
        let world = world([text("One."), text("Two."), text("Other.")]);
        let conversation = world.open().await.unwrap();
        ask(&conversation, "First").await;
        ask(&conversation, "Second").await;
        let first = id_of(&conversation, 1).await.unwrap();
        let edited = conversation.edit_message(&first, vec![Content::text("Else")]).await.unwrap();
        assert_eq!(conversation.execution_status(), ExecutionStatus::Idle);
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(sent(&world), ["Else"]);
        let events = world.events().await;
        assert_eq!(
            (&events[5]["id"], &events[5]["parent_id"]),
            (&edited.id().as_str().into(), &events[0]["id"])
        );
        assert_eq!(events.len(), 7);

        for index in [0, 2] {
            let other = id_of(&conversation, index).await.unwrap();
            let error = conversation.edit_message(&other, vec![Content::text("x")]).await.unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidOptions);
        }
        let error = conversation.edit_message(&first, vec![Content::text(" ")]).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidOptions);
        assert_eq!(conversation.length(), 7);
    });
}

#[test]
fn a_page_that_dies_in_a_run_after_navigating_does_not_return_to_the_end_of_the_log() {
    block_on(async {
        let world = world([text("One."), text("Two."), Answer::Never, text("Other.")]);
        let conversation = world.open().await.unwrap();
        ask(&conversation, "First").await;
        ask(&conversation, "Second").await;
        let mut run = Box::pin(conversation.regenerate(CancelToken::default()));
        assert!(run.as_mut().now_or_never().is_none());
        drop(run);
        let conversation = world.open().await.unwrap();
        assert_eq!(kinds(&conversation, Some(1)).await, ["Message"]);
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(sent(&world), ["First", "One.", "Second"]);
        assert_eq!(conversation.state().agent_state().unwrap().as_str(), "{}");
    });
}

#[test]
fn branches_are_listed_with_the_event_where_they_part_and_their_first_message() {
    block_on(async {
        let world = world([text("One."), text("Other one."), text("Else one.")]);
        let conversation = world.open().await.unwrap();
        assert!(conversation.branches().await.unwrap().is_empty());
        ask(&conversation, "First").await;
        assert!(conversation.branches().await.unwrap().is_empty());
        conversation.regenerate(CancelToken::default()).await.unwrap();
        let first = id_of(&conversation, 1).await.unwrap();
        conversation.edit_message(&first, vec![Content::text("Else")]).await.unwrap();
        conversation.run(CancelToken::default()).await.unwrap();
        let events = world.events().await;
        let found: Vec<Vec<Value>> = conversation
            .branches()
            .await
            .unwrap()
            .iter()
            .map(|branch| {
                let fork = branch.fork.as_ref().unwrap();
                [&branch.leaf, fork, branch.first_message.id()].map(|id| id.as_str().into()).into()
            })
            .collect();
        let ids = |places: [usize; 3]| places.map(|place| events[place]["id"].clone()).to_vec();
        assert_eq!(found, [ids([2, 0, 1]), ids([3, 0, 1])]);

        conversation.navigate_to(id_of(&conversation, 2).await).await.unwrap();
        let branches = conversation.branches().await.unwrap();
        let forks: Vec<&str> = branches.iter().map(|branch| branch.fork.as_ref().unwrap().as_str()).collect();
        assert_eq!(forks, [events[1]["id"].as_str().unwrap(), events[0]["id"].as_str().unwrap()]);
    });
}

/// A conversation of a thousand messages, and the number of events that are read of it.
async fn long_conversation() -> (World, Conversation, Rc<Cell<u64>>) {
    let read: Rc<Cell<u64>> = Rc::default();
    let store = ScriptedStore { events_read: read.clone(), ..ScriptedStore::over(MemoryStore::new()) };
    let world = World::new(Rc::new(store), vec![echo()], [text("One."), text("Two."), text("Three.")]);
    let conversation = world.open().await.unwrap();
    for place in 0..1000 {
        say(&conversation, &format!("Message {place}.")).await;
    }
    (world, conversation, read)
}

#[test]
fn a_move_to_a_near_event_does_not_read_the_branch() {
    block_on(async {
        let (world, conversation, read) = long_conversation().await;
        ask(&conversation, "First").await;
        ask(&conversation, "Second").await;
        let length = conversation.length();
        let [question, answer] = [length - 4, length - 3].map(|place| id_of(&conversation, place));
        let (question, answer) = (question.await.unwrap(), answer.await);

        // In a page that has read nothing.
        let conversation = world.open().await.unwrap();
        read.set(0);
        conversation.navigate_to(answer.clone()).await.unwrap();
        assert_eq!(conversation.active_branch(20).await.unwrap().len(), 20);
        let edited = conversation.edit_message(&question, vec![Content::text("Else")]).await.unwrap();
        conversation.navigate_to(Some(edited.id().clone())).await.unwrap();
        assert!(read.get() < 500, "{} events were read", read.get());

        // In a page that has read the branch once, requests need no more events.
        conversation.run(CancelToken::default()).await.unwrap();
        read.set(0);
        for _ in 0..2 {
            conversation.navigate_to(answer.clone()).await.unwrap();
            assert_eq!(conversation.final_response().await.unwrap().as_deref(), Some("One."));
            conversation.navigate_to(id_of(&conversation, length - 1).await).await.unwrap();
            assert_eq!(conversation.final_response().await.unwrap().as_deref(), Some("Two."));
        }
        assert!(read.get() < 500, "{} events were read", read.get());
    });
}

#[test]
fn versions_are_found_without_the_log_before_them_and_follow_a_new_branch() {
    block_on(async {
        let (_world, conversation, read) = long_conversation().await;
        let before = id_of(&conversation, conversation.length() - 1).await.unwrap();
        ask(&conversation, "First").await;
        back_to_question(&conversation).await.unwrap();
        let start = read.get();
        let versions = async || {
            let found = conversation.versions(Some(&before)).await.unwrap();
            found
                .into_iter()
                .map(|found| (found.message.is_some(), found.active, found.versions.len()))
                .collect::<Vec<_>>()
        };
        assert_eq!(versions().await, [(false, None, 1)]);
        assert!(read.get() - start < 10, "{} events were read", read.get() - start);
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(versions().await, [(true, Some(1), 2)]);
        // The list of branches needs the complete log, and versions from then on the same.
        assert_eq!(conversation.branches().await.unwrap().len(), 1);
        assert_eq!(versions().await, [(true, Some(1), 2)]);
        let first = conversation.versions(Some(&before)).await.unwrap().remove(0).versions.remove(0);
        conversation.navigate_to(Some(first.1)).await.unwrap();
        assert_eq!(versions().await, [(true, Some(0), 2)]);
        let missing: EventId = "00000000-0000-4000-8000-000000000007".parse().unwrap();
        assert_eq!(conversation.versions(Some(&missing)).await.unwrap_err().code(), ErrorCode::NotFound);
    });
}

/// A conversation that was just opened, so that the first method reads, with a store that answers late.
async fn cold(world: &mut World, reads_after: u8) -> Conversation {
    let store = MemoryStore::new();
    world.store = Rc::new(store.another());
    let conversation = world.open().await.unwrap();
    say(&conversation, "Zero").await;
    conversation.close().await;
    let outcome = Outcome::Applied { after: reads_after, reported_after: reads_after };
    let scripted = ScriptedStore::over(store);
    world.store = Rc::new(ScriptedStore { reads_after, outcome: Box::new(move |_| outcome), ..scripted });
    world.open().await.unwrap()
}

async fn texts(conversation: &Conversation) -> Vec<String> {
    let text = |event: Event| match event.body() {
        Body::MessageEvent(message) => Some(message.llm_message.text()),
        _ => None,
    };
    conversation.active_branch(usize::MAX).await.unwrap().into_iter().filter_map(text).collect()
}

#[test]
fn methods_that_are_not_awaited_keep_their_order() {
    for reads_after in 0..6 {
        block_on(async {
            let mut world = world([text("Again.")]);
            let conversation = cold(&mut world, reads_after).await;
            let (_, moved) = join(say(&conversation, "One"), conversation.navigate_to(None)).await;
            moved.unwrap();
            assert_eq!(texts(&conversation).await, [""; 0], "{reads_after}");

            let conversation = cold(&mut world, reads_after).await;
            let zero = id_of(&conversation, 1).await;
            say(&conversation, "One").await;
            let (moved, ()) = join(conversation.navigate_to(zero.clone()), say(&conversation, "Two")).await;
            moved.unwrap();
            assert_eq!(texts(&conversation).await, ["Zero", "Two"], "{reads_after}");

            let zero = zero.unwrap();
            let edit = conversation.edit_message(&zero, vec![Content::text("Other")]);
            let (edited, ()) = join(edit, say(&conversation, "Three")).await;
            edited.unwrap();
            assert_eq!(texts(&conversation).await, ["Other", "Three"], "{reads_after}");

            let again = conversation.regenerate(CancelToken::default());
            let (moved, again) = join(conversation.navigate_to(Some(zero)), again).await;
            moved.and(again.map(drop)).unwrap();
            assert_eq!(texts(&conversation).await, ["Zero", "Again."], "{reads_after}");
        });
    }
}

#[test]
fn a_stop_right_after_regenerate_stops_the_run_that_it_begins() {
    for reads_after in 1..6 {
        for interrupts in [false, true] {
            block_on(async {
                let mut world = world([text("One."), text("Other one.")]);
                let conversation = cold(&mut world, reads_after).await;
                conversation.run(CancelToken::default()).await.unwrap();
                let stop = async {
                    match interrupts {
                        true => conversation.interrupt().await,
                        false => conversation.pause().await,
                    }
                    .unwrap();
                    assert_eq!(conversation.execution_status(), ExecutionStatus::Paused, "{reads_after}");
                };
                let (outcome, ()) = join(conversation.regenerate(CancelToken::default()), stop).await;
                assert_eq!(outcome.unwrap().status, ExecutionStatus::Paused, "{reads_after}");
                assert_eq!(conversation.execution_status(), ExecutionStatus::Paused, "{reads_after}");
                assert_eq!(texts(&conversation).await, ["Zero"], "{reads_after}");
                assert_eq!(world.model.requests.borrow().len(), 1, "{reads_after}");

                conversation.run(CancelToken::default()).await.unwrap();
                assert_eq!(texts(&conversation).await, ["Zero", "Other one."], "{reads_after}");
            });
        }
    }
}

#[test]
fn a_stop_right_after_run_stops_it_in_a_page_that_has_read_nothing() {
    for reads_after in 1..6 {
        for interrupts in [false, true] {
            block_on(async {
                let mut world = world([text("One.")]);
                let conversation = cold(&mut world, reads_after).await;
                let stop = async {
                    match interrupts {
                        true => conversation.interrupt().await.unwrap(),
                        false => conversation.pause().await.unwrap(),
                    }
                };
                let (outcome, ()) = join(conversation.run(CancelToken::default()), stop).await;
                assert_eq!(outcome.unwrap().status, ExecutionStatus::Paused, "{reads_after}");
                assert_eq!(conversation.execution_status(), ExecutionStatus::Paused, "{reads_after}");
                assert_eq!(world.model.requests.borrow().len(), 0, "{reads_after}");
            });
        }
    }
}

#[test]
fn a_message_right_after_regenerate_follows_the_new_answer() {
    for reads_after in 1..6 {
        block_on(async {
            let mut world = world([text("One."), text("Other one."), text("Two.")]);
            let conversation = cold(&mut world, reads_after).await;
            conversation.run(CancelToken::default()).await.unwrap();
            let again = conversation.regenerate(CancelToken::default());
            let (outcome, ()) = join(again, say(&conversation, "And?")).await;
            outcome.unwrap();
            assert_eq!(texts(&conversation).await, ["Zero", "Other one.", "And?", "Two."], "{reads_after}");
        });
    }
}

#[test]
fn a_store_that_has_lost_events_does_not_give_a_shorter_tree() {
    block_on(async {
        let (_world, conversation, _) = long_conversation().await;
        let store = MemoryStore::new();
        let id = ID.parse().unwrap();
        let events = conversation.events(0..u64::MAX).await.unwrap();
        let events = events.into_iter().enumerate();
        let event = |(number, json)| (format!("{number:08x}").parse().unwrap(), json);
        let base_state = Some(conversation.state().json());
        let events = events.map(event).collect();
        store.commit(id, Commit { events, base_state, ..Commit::new(0, 1.0) }).await.unwrap();
        let lost = World::new(Rc::new(ScriptedStore { lost: 600, ..ScriptedStore::over(store) }), vec![], []);
        let conversation = lost.open_stored().await.unwrap();
        assert_eq!(conversation.branches().await.unwrap_err().code(), ErrorCode::StoreLost);
        assert_eq!(conversation.versions(None).await.unwrap_err().code(), ErrorCode::StoreLost);
    });
}
