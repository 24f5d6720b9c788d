//! The page dies at any point while the user decides about calls; only approved calls run.

use crate::{
    crash::dying,
    support::{TestTool, World, calls, say, text},
};
use futures_executor::block_on;
use futures_util::FutureExt;
use serde_json::Value;
use std::{cell::RefCell, rc::Rc};
use threadkeep::{
    cancel::CancelToken,
    conversation::{Conversation, WaitingCalls},
    event::Event,
    format::base_state::ExecutionStatus,
    llm::message::Content,
    security::ConfirmationPolicy,
    store::MemoryStore,
    tool::{Replay, Tool, ToolOutput},
};

/// A tool that records the texts with which it was called.
fn noting(ran: &Rc<RefCell<Vec<String>>>, replay: Replay) -> Rc<dyn Tool> {
    let ran = ran.clone();
    TestTool::shared("note", replay, move |call| {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
        ran.borrow_mut().push(arguments["text"].as_str().unwrap().to_owned());
        async { Ok(ToolOutput::text("noted")) }
    })
}

fn batch() -> crate::support::Answer {
    calls(&[
        ("a", "note", r#"{"text":"approved"}"#),
        ("b", "note", r#"{"text":"rejected"}"#),
        ("c", "note", r#"{"text":"as the model had it"}"#),
    ])
}

/// The first call that waits with this text.
async fn waiting(conversation: &Conversation, text: &str) -> Event {
    let pending = conversation.pending_actions().await.unwrap();
    pending.into_iter().find(|event| event.json().contains(text)).unwrap()
}

/// Approves one call, rejects one, edits and approves one, while a message waits in the inbox.
async fn decide(conversation: &Conversation) {
    say(conversation, "Go").await;
    conversation.run(CancelToken::default()).await.unwrap();
    let keep = Some(WaitingCalls::Keep);
    conversation.send_message_while_waiting(vec![Content::text("Later")], None, keep).await.unwrap();
    let first = waiting(conversation, "approved").await;
    conversation.run_approved(&[first.id().clone()], CancelToken::default()).await.unwrap();
    let second = waiting(conversation, "rejected").await;
    conversation.reject_pending_actions(None, Some(&[second.id().clone()])).await.unwrap();
    let third = waiting(conversation, "as the model had it").await;
    conversation.edit_action(third.id(), r#"{"text":"as the user had it"}"#).await.unwrap();
    conversation.run(CancelToken::default()).await.unwrap();
}

#[test]
fn a_page_that_dies_at_any_commit_has_run_only_approved_calls_and_none_twice() {
    for (applies_last, replay) in [(false, Replay::Never), (true, Replay::Never), (true, Replay::Ask)] {
        for commits in 0.. {
            let inner = MemoryStore::new();
            let store = dying(inner.another(), commits, applies_last);
            let ran = Rc::new(RefCell::new(Vec::new()));
            let tools = || vec![noting(&ran, replay)];
            let mut world = World::new(Rc::new(store), tools(), [batch(), text("Done.")]);
            world.confirmation_policy = Some(ConfirmationPolicy::AlwaysConfirm);
            let has_ended = async { decide(&world.open().await.unwrap()).await }.now_or_never().is_some();

            let mut next = World::new(Rc::new(inner), tools(), [text("Hello again.")]);
            next.host = world.host;
            block_on(async {
                let conversation = next.open().await.unwrap();
                assert_ne!(conversation.execution_status(), ExecutionStatus::Running);
                let before = ran.borrow().clone();
                let reject = Some(WaitingCalls::Reject);
                let content = vec![Content::text("Are you there?")];
                conversation.send_message_while_waiting(content, None, reject).await.unwrap();
                let outcome = conversation.run(CancelToken::default()).await.unwrap();
                assert_eq!(outcome.final_response.as_deref(), Some("Hello again."), "{commits}");
                assert_eq!(*ran.borrow(), before, "a message allows nothing");
                let allowed = ["approved", "as the user had it"];
                assert!(ran.borrow().iter().all(|text| allowed.contains(&text.as_str())), "{ran:?}");
                let mut once = ran.borrow().clone();
                once.dedup();
                assert_eq!(once, *ran.borrow(), "nothing ran twice");
                assert_eq!(conversation.state().agent_state().unwrap().as_str(), "{}");
                assert!(next.store.files(conversation.id(), None).await.unwrap().is_empty());
            });
            if has_ended {
                assert_eq!(*ran.borrow(), ["approved", "as the user had it"]);
                break;
            }
            assert!(commits < 50, "the user never finishes");
        }
    }
}
