//! Messages that no model has read: taken back and edited.

use crate::{
    scripted_store::{Outcome, ScriptedStore},
    support::{Answer, TestHost, World, calls, echo, say, text},
};
use futures_channel::oneshot;
use futures_executor::block_on;
use futures_util::{
    FutureExt,
    future::{LocalBoxFuture, join},
};
use std::{cell::RefCell, rc::Rc};
use threadkeep::{
    cancel::CancelToken,
    conversation::{Access, Conversation, RunOutcome, WaitingCalls},
    error::{ErrorCode, Result},
    event::{Event, HookEventType},
    format::base_state::ExecutionStatus,
    hooks::{HookDecision, Hooks},
    id::EventId,
    llm::message::Content,
    security::ConfirmationPolicy,
    store::{MemoryStore, Store},
};

fn words(words: &str) -> Vec<Content> {
    vec![Content::text(words)]
}

fn world(answers: impl IntoIterator<Item = Answer>) -> World {
    World::new(Rc::new(MemoryStore::new()), vec![echo()], answers)
}

/// A conversation whose model answers when the sender sends, the run that asks it, and a message that waits.
async fn asked<'a>(
    conversation: &'a Conversation,
    message: &str,
) -> (LocalBoxFuture<'a, Result<RunOutcome>>, Event) {
    say(conversation, "Hello").await;
    let mut run: LocalBoxFuture<'a, _> = Box::pin(conversation.run(CancelToken::default()));
    assert!(run.as_mut().now_or_never().is_none(), "the model has been asked");
    (run, conversation.send_message(words(message), None).await.unwrap())
}

async fn inbox(world: &World, conversation: &Conversation) -> usize {
    world.store.files(conversation.id(), Some(&"inbox".parse().unwrap())).await.unwrap().len()
}

async fn messages(world: &World) -> Vec<String> {
    let events = world.events().await;
    let of_user = events.iter().filter(|event| event["kind"] == "MessageEvent" && event["source"] == "user");
    of_user.map(|event| event["llm_message"]["content"][0]["text"].as_str().unwrap().to_owned()).collect()
}

fn code<T>(result: Result<T>) -> ErrorCode {
    result.err().expect("it is refused").code()
}

#[test]
fn a_message_that_is_taken_back_reaches_nobody() {
    block_on(async {
        let (answer, arrived) = oneshot::channel();
        let world =
            world([Answer::When(arrived, serde_json::json!({ "role": "assistant", "content": "Yes." }))]);
        let conversation = world.open().await.unwrap();
        let (run, sent) = asked(&conversation, "Wrong window").await;
        assert_eq!(conversation.queued_messages(), std::slice::from_ref(&sent));
        assert_eq!(inbox(&world, &conversation).await, 1);

        conversation.remove_queued_message(sent.id()).await.unwrap();
        assert_eq!(conversation.queued_messages(), []);
        assert_eq!(inbox(&world, &conversation).await, 0);
        answer.send(()).unwrap();
        assert_eq!(run.await.unwrap().status, ExecutionStatus::Finished);
        assert_eq!(messages(&world).await, ["Hello"]);
        assert_eq!(world.model.requests.borrow().len(), 1);
        assert_eq!(code(conversation.remove_queued_message(sent.id()).await), ErrorCode::NotFound);
    });
}

/// The run went on because of the message, so the model would be asked to answer its own answer.
#[test]
fn a_message_taken_back_after_the_answer_that_did_not_read_it_ends_the_run() {
    block_on(async {
        let (answer, arrived) = oneshot::channel();
        let mut store = ScriptedStore::over(MemoryStore::new());
        store.outcome =
            Box::new(|commit| match commit.events.iter().any(|(_, json)| json.contains("Yes.")) {
                true => Outcome::Applied { after: 0, reported_after: 3 },
                false => Outcome::DONE,
            });
        let reply = serde_json::json!({ "role": "assistant", "content": "Yes." });
        let world = World::new(Rc::new(store), Vec::new(), [Answer::When(arrived, reply)]);
        let conversation = world.open().await.unwrap();
        let (mut run, sent) = asked(&conversation, "Wrong window").await;
        answer.send(()).unwrap();
        assert!(run.as_mut().now_or_never().is_none(), "the answer is being stored");
        let (outcome, removed) = join(run, conversation.remove_queued_message(sent.id())).await;
        removed.unwrap();
        assert_eq!(outcome.unwrap().status, ExecutionStatus::Finished);
        assert_eq!(world.model.requests.borrow().len(), 1);
        assert_eq!(messages(&world).await, ["Hello"]);
    });
}

#[test]
fn the_other_messages_that_wait_are_still_read() {
    block_on(async {
        let (answer, arrived) = oneshot::channel();
        let reply = serde_json::json!({ "role": "assistant", "content": "Yes." });
        let world = world([Answer::When(arrived, reply), text("Two it is.")]);
        let conversation = world.open().await.unwrap();
        let (run, one) = asked(&conversation, "One").await;
        conversation.send_message(words("Two"), None).await.unwrap();
        conversation.remove_queued_message(one.id()).await.unwrap();
        answer.send(()).unwrap();
        run.await.unwrap();
        assert_eq!(messages(&world).await, ["Hello", "Two"]);
        assert_eq!(world.model.requests.borrow().len(), 2);
    });
}

#[test]
fn an_edited_message_takes_the_place_of_the_old_one() {
    block_on(async {
        let (answer, arrived) = oneshot::channel();
        let reply = serde_json::json!({ "role": "assistant", "content": "Yes." });
        let world = world([Answer::When(arrived, reply), text("Good.")]);
        let conversation = world.open().await.unwrap();
        let (run, one) = asked(&conversation, "Onw").await;
        let two = conversation.send_message(words("Two"), Some("Ann".into())).await.unwrap();
        let mut edited = Vec::new();
        for (id, text) in [(one.id(), "One"), (two.id(), "Two, please")] {
            edited.push(conversation.edit_queued_message(id, words(text)).await.unwrap());
        }
        assert_eq!(conversation.queued_messages(), edited);
        assert_eq!(inbox(&world, &conversation).await, 2);
        let empty = conversation.edit_queued_message(edited[0].id(), words(" ")).await;
        assert_eq!(code(empty), ErrorCode::InvalidOptions);
        assert_eq!(code(conversation.edit_queued_message(one.id(), words("A")).await), ErrorCode::NotFound);
        answer.send(()).unwrap();
        run.await.unwrap();
        assert_eq!(messages(&world).await, ["Hello", "One", "Two, please"]);
        let events = world.events().await;
        let last = events.iter().find(|event| event["id"] == edited[1].id().as_str()).unwrap();
        assert_eq!(last["sender"], "Ann");
        assert_eq!(inbox(&world, &conversation).await, 0);
    });
}

#[test]
fn what_the_agent_may_have_read_is_refused() {
    block_on(async {
        let world = world([text("Yes.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Hello").await;
        let sent: EventId = world.events().await.last().unwrap()["id"].as_str().unwrap().parse().unwrap();
        let edited = conversation.edit_queued_message(&sent, words("Bye")).await;
        assert_eq!(code(edited), ErrorCode::InvalidState);
        assert_eq!(code(conversation.remove_queued_message(&sent).await), ErrorCode::InvalidState);
        let unknown: EventId = "00000000-0000-4000-8000-000000000000".parse().unwrap();
        assert_eq!(code(conversation.remove_queued_message(&unknown).await), ErrorCode::NotFound);
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(messages(&world).await, ["Hello"]);
    });
}

/// The page that edits and takes back is not the one that sent.
#[test]
fn a_message_that_waits_for_a_decision_is_edited_and_taken_back_after_a_reload() {
    block_on(async {
        let store: Rc<dyn Store> = Rc::new(MemoryStore::new());
        let host: Rc<TestHost> = Rc::default();
        let page = |answers: Vec<Answer>| World {
            host: host.clone(),
            confirmation_policy: Some(ConfirmationPolicy::AlwaysConfirm),
            ..World::new(store.clone(), vec![echo()], answers)
        };
        let first = page(vec![calls(&[("a", "echo", r#"{"text":"one"}"#)])]);
        let conversation = first.open().await.unwrap();
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        let mut sent = Vec::new();
        for text in ["One", "Two", "Three"] {
            let keep = Some(WaitingCalls::Keep);
            sent.push(conversation.send_message_while_waiting(words(text), None, keep).await.unwrap());
        }
        let other = page(Vec::new());
        let follower = other.open_as(Access::Follower).await.unwrap();
        assert_eq!(follower.queued_messages(), []);
        assert_eq!(code(follower.remove_queued_message(sent[0].id()).await), ErrorCode::LockedElsewhere);
        assert_eq!(
            code(follower.edit_queued_message(sent[0].id(), words("No")).await),
            ErrorCode::LockedElsewhere
        );

        let second = page(Vec::new());
        let conversation = second.open().await.unwrap();
        assert_eq!(conversation.queued_messages(), sent);
        let three = conversation.edit_queued_message(sent[2].id(), words("Three, please")).await.unwrap();
        conversation.remove_queued_message(sent[1].id()).await.unwrap();
        assert_eq!(conversation.execution_status(), ExecutionStatus::WaitingForConfirmation);

        let third = page(vec![text("Done.")]);
        let conversation = third.open().await.unwrap();
        let waiting: Vec<EventId> =
            conversation.queued_messages().iter().map(|message| message.id().clone()).collect();
        assert_eq!(waiting, [sent[0].id().clone(), three.id().clone()]);
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(messages(&third).await, ["Go", "One", "Three, please"]);
        assert_eq!(inbox(&third, &conversation).await, 0);
    });
}

/// Denies each message that says so.
#[derive(Default)]
struct Censor(RefCell<usize>);

impl Hooks for Censor {
    fn has(&self, event_type: HookEventType) -> bool {
        event_type == HookEventType::UserPromptSubmit
    }

    fn ask(
        &self,
        _event_type: HookEventType,
        input: String,
    ) -> LocalBoxFuture<'static, std::result::Result<HookDecision, String>> {
        *self.0.borrow_mut() += 1;
        let denies = input.contains("rude");
        Box::pin(async move { Ok(HookDecision { denies, ..HookDecision::default() }) })
    }
}

#[test]
fn the_hook_is_asked_about_the_edited_message_and_its_last_word_counts() {
    for (written, edited, is_answered) in [("rude", "polite", true), ("polite", "rude", false)] {
        block_on(async {
            let (answer, arrived) = oneshot::channel();
            let reply = serde_json::json!({ "role": "assistant", "content": "Yes." });
            let mut world = world([Answer::When(arrived, reply), text("Thank you.")]);
            let censor = Rc::new(Censor::default());
            world.hooks = Some(censor.clone());
            let conversation = world.open().await.unwrap();
            let (run, sent) = asked(&conversation, written).await;
            conversation.edit_queued_message(sent.id(), words(edited)).await.unwrap();
            assert_eq!(*censor.0.borrow(), 3);
            answer.send(()).unwrap();
            run.await.unwrap();
            assert_eq!(world.model.requests.borrow().len(), if is_answered { 2 } else { 1 });
            assert_eq!(messages(&world).await, ["Hello", edited]);
        });
    }
}
