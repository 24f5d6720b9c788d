//! How many tokens a view has: what the provider has counted, and estimates where it has not.

use crate::{
    condensing::condenser,
    support::{Answer, ScriptedModel, World, completion, echo, say, text},
};
use futures_executor::block_on;
use serde_json::{Value, json};
use std::rc::Rc;
use threadkeep::{
    cancel::CancelToken, conversation::Conversation, error::Result, format::base_state::ExecutionStatus,
    store::MemoryStore,
};

/// A world whose model always answers with this text, and counts nothing, with a condenser of these fields.
pub fn talk(answer: &'static str, fields: &Value, summary: &'static str) -> (World, Rc<ScriptedModel>) {
    let mut world = World::new(Rc::new(MemoryStore::new()), vec![echo()], []);
    *world.model.next.borrow_mut() = Some(Box::new(move || counted(&said(answer), &Value::Null)));
    let summaries = limit(&mut world, fields, summary);
    (world, summaries)
}

/// Gives the world a condenser of these fields.
pub fn limit(world: &mut World, fields: &Value, summary: &'static str) -> Rc<ScriptedModel> {
    let (condenser, summaries) = condenser(fields, []);
    *summaries.next.borrow_mut() = Some(Box::new(move || text(summary)));
    world.condenser = Some(Some(Rc::new(condenser)));
    summaries
}

pub async fn run(conversation: &Conversation) -> Result<ExecutionStatus> {
    conversation.run(CancelToken::default()).await.map(|outcome| outcome.status)
}

/// An answer with this usage, or without one.
pub fn counted(message: &Value, usage: &Value) -> Answer {
    let mut body = completion(message.clone());
    body.as_object_mut().unwrap().remove("usage");
    if !usage.is_null() {
        body["usage"] = usage.clone();
    }
    Answer::Status(200, body)
}

pub fn said(text: &str) -> Value {
    json!({ "role": "assistant", "content": text })
}

/// What servers report that count nothing.
fn uncounted() -> [Value; 4] {
    let zeros = json!({ "prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0 });
    [Value::Null, json!({}), zeros, json!({ "prompt_tokens": 0, "completion_tokens": 7 })]
}

#[test]
fn the_use_of_the_context_window_is_estimated_if_the_server_counts_nothing() {
    block_on(async {
        for usage in uncounted() {
            let mut world = World::new(Rc::new(MemoryStore::new()), vec![echo()], []);
            let answer = usage.clone();
            *world.model.next.borrow_mut() = Some(Box::new(move || counted(&said("Read."), &answer)));
            let summaries = limit(&mut world, &json!({ "max_tokens": 4000 }), "A text of words.");
            let conversation = world.open().await.unwrap();
            let mut sent = 0;
            for _ in 1..=8 {
                say(&conversation, &"word ".repeat(1400)).await;
                run(&conversation).await.unwrap();
                let bytes = world.model.requests.borrow().last().unwrap().to_string().len() as u64;
                let used = conversation.context_usage().await.unwrap().used;
                assert!(used > bytes / 8 && used < bytes, "{used} tokens for {bytes} bytes: {usage}");
                sent = sent.max(bytes);
            }
            assert!(!summaries.requests.borrow().is_empty(), "{usage}");
            assert!(sent < 4 * 5 * 4000, "{sent} bytes were sent: {usage}");
        }
    });
}

#[test]
fn the_last_count_applies_until_the_server_counts_again() {
    block_on(async {
        for usage in uncounted() {
            let exact = json!({ "prompt_tokens": 5000, "completion_tokens": 5 });
            let answers = [counted(&said("One."), &exact), counted(&said("Two."), &usage)];
            let world = World::new(Rc::new(MemoryStore::new()), vec![echo()], answers);
            let conversation = world.open().await.unwrap();
            say(&conversation, "Go").await;
            run(&conversation).await.unwrap();
            let first = conversation.context_usage().await.unwrap().used;
            say(&conversation, "On").await;
            run(&conversation).await.unwrap();
            let second = conversation.context_usage().await.unwrap().used;
            assert!(first > 5000 && second > first && second < 5100, "{first} {second}: {usage}");
            conversation.close().await;
            let conversation = world.open().await.unwrap();
            assert_eq!(conversation.context_usage().await.unwrap().used, second, "{usage}");
        }
    });
}

#[test]
fn what_a_condensation_leaves_is_measured_as_the_provider_counts() {
    block_on(async {
        // A provider that counts a third of what is estimated, and one that counts three times as much.
        for (times, share) in [(1, 3), (3, 1)] {
            let (mut world, _) = talk("Never.", &json!({}), "Never.");
            let conversation = world.open().await.unwrap();
            say(&conversation, &"word ".repeat(200)).await;
            let estimated = conversation.context_usage().await.unwrap().used;
            let usage = json!({ "prompt_tokens": estimated * times / share, "completion_tokens": 5 });
            world.model.answers.borrow_mut().push_back(counted(&said("Yes."), &usage));
            run(&conversation).await.unwrap();
            conversation.close().await;
            let summaries = limit(&mut world, &json!({ "max_tokens": 90_000, "keep_first": 1 }), "Words.");
            let conversation = world.open().await.unwrap();
            let before = conversation.context_usage().await.unwrap();
            conversation.condense().await.unwrap();
            let after = conversation.context_usage().await.unwrap();
            assert_eq!(summaries.requests.borrow().len(), 1);
            // What could be reclaimed is gone; what can be reclaimed is the summary.
            let kept = before.used - before.reclaimable;
            assert!(kept.abs_diff(after.used - after.reclaimable) <= 2, "{before:?} {after:?}");
            assert!(after.used < before.used, "{before:?} {after:?}");
            conversation.close().await;
            let conversation = world.open().await.unwrap();
            assert_eq!(conversation.context_usage().await.unwrap(), after, "after a reload");
        }
    });
}
