//! The transition table: the behaviour of a conversation in every cell.

use crate::support::{Answer, ID, TestTool, World, calls, echo, say, text, yield_once};
use futures_channel::oneshot;
use futures_executor::block_on;
use futures_util::future::join;
use serde_json::{Value, json};
use std::rc::Rc;
use threadkeep::{
    cancel::CancelToken,
    conversation::{
        Conversation, ForkOptions, WaitingCalls,
        status::{StatusChange, Transition},
    },
    error::{Error as Failure, ErrorCode},
    format::base_state::ExecutionStatus::{
        self, Deleting, Error, Finished, Idle, Paused, Running, Stuck, WaitingForConfirmation,
    },
    id::{ConversationId, EventId},
    json::EditableObject,
    llm::message::Content,
    security::ConfirmationPolicy,
    store::{Commit, MemoryStore},
    tool::{Replay, ToolOutput},
};

const STATUSES: [ExecutionStatus; 8] =
    [Idle, Running, Paused, WaitingForConfirmation, Finished, Error, Stuck, Deleting];

/// The rows of the callers, and those of the run.
fn verbs_and_runs() -> (&'static [Transition], &'static [Transition]) {
    let first = Transition::ALL.iter().position(|transition| *transition == Transition::Answered);
    Transition::ALL.split_at(first.unwrap())
}

/// A conversation with this status. Its model does not answer.
async fn standing(status: ExecutionStatus) -> (World, Conversation) {
    let answers = match status {
        WaitingForConfirmation => vec![calls(&[("a", "echo", r#"{"text":"x"}"#)])],
        _ => Vec::new(),
    };
    let world = World::new(Rc::new(MemoryStore::new()), vec![echo()], answers);
    let conversation = world.open().await.unwrap();
    say(&conversation, "Go").await;
    match status {
        Running => {}
        WaitingForConfirmation => {
            conversation.set_confirmation_policy(ConfirmationPolicy::AlwaysConfirm).await.unwrap();
            conversation.run(CancelToken::default()).await.unwrap();
        }
        other => {
            conversation.close().await;
            store_status(&world, other).await;
            let conversation = world.open().await.unwrap();
            return (world, conversation);
        }
    }
    (world, conversation)
}

/// Stores a status, as another program might have done.
async fn store_status(world: &World, status: ExecutionStatus) {
    let id: ConversationId = ID.parse().unwrap();
    let listing = world.store.load(id).await.unwrap().unwrap();
    let mut state: Value = serde_json::from_str(&listing.base_state).unwrap();
    state["execution_status"] = json!(status.as_str());
    let commit = Commit { base_state: Some(state.to_string().into()), ..Commit::new(listing.length, 0.0) };
    world.store.commit(id, commit).await.unwrap();
}

/// Executes a transition. A run that it begins continues until the end of the test.
async fn perform(verb: Transition, world: &World, conversation: &Conversation) -> Result<(), Failure> {
    let send = |waiting| conversation.send_message_while_waiting(vec![Content::text("And?")], None, waiting);
    let pending: Vec<EventId> =
        conversation.pending_actions().await?.iter().map(|event| event.id().clone()).collect();
    let some: EventId = "00000000-0000-4000-8000-000000000000".parse()?;
    let action = pending.first().unwrap_or(&some);
    match verb {
        Transition::SendMessage => send(None).await.map(drop),
        Transition::SendMessageRejecting => send(Some(WaitingCalls::Reject)).await.map(drop),
        Transition::SendMessageKeeping => send(Some(WaitingCalls::Keep)).await.map(drop),
        Transition::Run => begun(conversation.run(CancelToken::default())).await,
        Transition::Pause => conversation.pause().await,
        Transition::Interrupt => conversation.interrupt().await,
        Transition::RejectPendingActions => conversation.reject_pending_actions(None, None).await,
        Transition::Fork => {
            let id = "1f8fad5b-d9cb-469f-a165-70867728950e".parse()?;
            conversation.fork(ForkOptions { id, from: None, tags: Vec::new(), resets_stats: true }).await
        }
        Transition::Regenerate => begun(conversation.regenerate(CancelToken::default())).await,
        Transition::EditMessage => {
            let message = conversation.id_of(1).await?;
            conversation.edit_message(&message, vec![Content::text("Else")]).await.map(drop)
        }
        Transition::NavigateTo => conversation.navigate_to(Some(conversation.id_of(0).await?)).await,
        Transition::EditAction => conversation.edit_action(action, r#"{"text":"y"}"#).await.map(drop),
        Transition::ChangeSettings => {
            conversation.set_confirmation_policy(ConfirmationPolicy::AlwaysConfirm).await?;
            conversation.set_security_analyzer(None).await?;
            conversation.set_allowed_tools(&["echo".into()]).await?;
            conversation.store_secrets(&EditableObject::default()).await?;
            conversation.allow_secrets().await?;
            conversation.set_tags(&[("title".into(), "x".into())]).await?;
            conversation.set_agent_state(&EditableObject::default()).await
        }
        Transition::PageDies => world.open().await.map(drop),
        other => panic!("nobody does {other:?}"),
    }
}

/// Polls a run until it waits for an answer.
async fn begun<T>(run: impl Future<Output = Result<T, Failure>>) -> Result<(), Failure> {
    let mut run = Box::pin(run);
    for _ in 0..20 {
        if let Some(ended) = futures_util::FutureExt::now_or_never(run.as_mut()) {
            return ended.map(drop);
        }
        yield_once().await;
    }
    // The run stays under way, because dropping it would simulate the death of the page.
    std::mem::forget(run);
    Ok(())
}

async fn stored(world: &World) -> ExecutionStatus {
    let listing = world.store.load(ID.parse().unwrap()).await.unwrap().unwrap();
    let state: Value = serde_json::from_str(&listing.base_state).unwrap();
    STATUSES.into_iter().find(|status| state["execution_status"] == status.as_str()).unwrap()
}

#[test]
fn every_verb_follows_the_transition_table_in_every_status() {
    for status in STATUSES {
        for verb in verbs_and_runs().0.iter().copied() {
            if matches!(
                verb,
                Transition::PageDiesInCall
                    | Transition::NavigateToAnswer
                    | Transition::NavigateToCalls
                    | Transition::RunAfterCut
            ) {
                // Tested below, in `tree.rs` and in `cut_answers.rs`.
                continue;
            }
            block_on(async {
                let (world, conversation) = standing(status).await;
                *world.model.next.borrow_mut() = Some(Box::new(|| Answer::Never));
                let act = async {
                    while status == Running && world.model.requests.borrow().is_empty() {
                        yield_once().await;
                    }
                    assert_eq!(conversation.execution_status(), status);
                    perform(verb, &world, &conversation).await
                };
                let result = match status {
                    Running => {
                        let run = begun(conversation.run(CancelToken::default()));
                        join(run, act).await.1
                    }
                    _ => act.await,
                };
                let cell = match verb {
                    // Refused in any status, because a run is under way.
                    Transition::Run if status == Running => StatusChange::Refused,
                    // Refused because no calls wait.
                    Transition::EditAction if status != WaitingForConfirmation => StatusChange::Refused,
                    // The run that answers again follows at once.
                    Transition::Regenerate if verb.change(status) != StatusChange::Refused => {
                        StatusChange::Becomes(Running)
                    }
                    _ => verb.change(status),
                };
                let what = format!("{verb:?} in {status:?}: {cell:?}, but {result:?}");
                assert_eq!(result.is_err(), cell == StatusChange::Refused, "{what}");
                if let Err(error) = &result {
                    let code = error.code();
                    assert!(matches!(code, ErrorCode::InvalidState | ErrorCode::NotFound), "{what}");
                }
                let expected = match cell {
                    StatusChange::Becomes(status) => status,
                    _ => status,
                };
                assert_eq!(stored(&world).await, expected, "{what}");
            });
        }
    }
}

#[test]
fn a_page_that_dies_in_a_call_to_be_asked_about_leaves_the_status_of_the_table() {
    for is_paused in [false, true] {
        block_on(async {
            let endless = TestTool::shared("ask", Replay::Ask, |_| async {
                std::future::pending::<()>().await;
                Ok(ToolOutput::text("never"))
            });
            let script = [calls(&[("a", "ask", r#"{"text":"x"}"#)])];
            let world = World::new(Rc::new(MemoryStore::new()), vec![endless], script);
            let conversation = world.open().await.unwrap();
            say(&conversation, "Go").await;
            begun(conversation.run(CancelToken::default())).await.unwrap();
            if is_paused {
                conversation.pause().await.unwrap();
            }
            let before = stored(&world).await;
            assert_eq!(before, if is_paused { Paused } else { Running });
            world.open().await.unwrap();
            assert_eq!(
                StatusChange::Becomes(stored(&world).await),
                Transition::PageDiesInCall.change(before)
            );
        });
    }
}

/// The transitions of a run, while it is running and after a pause.
#[test]
fn a_run_changes_the_status_as_the_transition_table_defines() {
    let call = |tool: &str, arguments: &str| calls(&[("a", tool, arguments)]);
    let failure = || Answer::Status(401, json!({ "error": { "message": "no" } }));
    for is_paused in [false, true] {
        for transition in [
            Transition::Answered,
            Transition::TaskFinished,
            Transition::CallsWait,
            Transition::Failed,
            Transition::LimitReached,
        ] {
            if is_paused && transition == Transition::TaskFinished {
                // The call of an answer after a pause waits for the next run.
                continue;
            }
            block_on(async {
                let (release, released) = oneshot::channel();
                let answer = match transition {
                    Transition::Answered => text("Done."),
                    Transition::TaskFinished => call("finish", r#"{"message":"Done."}"#),
                    Transition::Failed => failure(),
                    _ => call("echo", r#"{"text":"x"}"#),
                };
                let answer = match answer {
                    Answer::Message(message) => Answer::When(released, message),
                    other => other,
                };
                let mut world = World::new(Rc::new(MemoryStore::new()), vec![echo()], [answer]);
                world.max_iterations = 1;
                let conversation = world.open().await.unwrap();
                if transition == Transition::CallsWait {
                    conversation.set_confirmation_policy(ConfirmationPolicy::AlwaysConfirm).await.unwrap();
                }
                say(&conversation, "Go").await;
                let act = async {
                    while world.model.requests.borrow().is_empty() {
                        yield_once().await;
                    }
                    if is_paused && transition != Transition::Failed {
                        conversation.pause().await.unwrap();
                    }
                    let before = conversation.execution_status();
                    let _ = release.send(());
                    before
                };
                let (_, before) = join(conversation.run(CancelToken::default()), act).await;
                let expected = match transition.change(before) {
                    StatusChange::Becomes(status) => status,
                    _ => before,
                };
                assert_eq!(stored(&world).await, expected, "{transition:?} in {before:?}");
            });
        }
    }
}
