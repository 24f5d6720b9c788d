//! Live events: what listeners hear of a commit beside its events, and the id under which they hear pieces of an answer.

use crate::support::{Answer, World, calls, echo, say, text};
use futures_executor::block_on;
use serde_json::{Value, json};
use std::rc::Rc;
use threadkeep::{
    cancel::CancelToken, conversation::RunLimits, json::EditableObject, security::ConfirmationPolicy,
    store::MemoryStore,
};

/// The live events since the last call, of all commits together.
fn heard(world: &World) -> Vec<Value> {
    let commits = world.live.take();
    commits.iter().flat_map(|events| serde_json::from_str::<Vec<Value>>(events).unwrap()).collect()
}

/// The values of one kind of live events; of updates, those with this key.
fn values(heard: &[Value], key: &str) -> Vec<Value> {
    heard.iter().filter(|event| event["key"] == key).map(|event| event["value"].clone()).collect()
}

fn pending(heard: &[Value]) -> Vec<(usize, usize)> {
    let count = |ids: &Value| ids.as_array().unwrap().len();
    let events = heard.iter().filter(|event| event["kind"] == "PendingActionsEvent");
    events.map(|event| (count(&event["action_ids"]), count(&event["waiting_ids"]))).collect()
}

fn world(answers: impl IntoIterator<Item = Answer>) -> World {
    World::new(Rc::new(MemoryStore::default()), vec![echo()], answers)
}

#[test]
fn a_run_reports_its_status_its_head_and_its_calls() {
    block_on(async {
        let answer = calls(&[("c1", "echo", r#"{"text":"a"}"#), ("c2", "echo", r#"{"text":"b"}"#)]);
        let world = world([answer, text("Done.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let sent = heard(&world);
        assert_eq!(values(&sent, "execution_status"), [] as [Value; 0]);
        let last = world.events().await.last().unwrap()["id"].clone();
        assert_eq!(values(&sent, "leaf_event_id"), [last]);
        conversation.run(CancelToken::default()).await.unwrap();
        let ran = heard(&world);
        assert_eq!(values(&ran, "execution_status"), [json!("running"), json!("finished")]);
        assert_eq!(pending(&ran), [(2, 0), (1, 0), (0, 0)]);
        let events = world.events().await;
        let after_the_message: Vec<&Value> = events.iter().skip(2).map(|event| &event["id"]).collect();
        let leaves = values(&ran, "leaf_event_id");
        // The two actions are stored by one commit.
        assert_eq!(leaves.iter().collect::<Vec<_>>(), after_the_message[1..]);
    });
}

#[test]
fn calls_that_wait_are_reported_until_they_are_decided() {
    block_on(async {
        let answer = calls(&[("c1", "echo", r#"{"text":"a"}"#), ("c2", "echo", r#"{"text":"b"}"#)]);
        let mut world = world([answer]);
        world.confirmation_policy = Some(ConfirmationPolicy::AlwaysConfirm);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        let ran = heard(&world);
        assert_eq!(values(&ran, "execution_status"), [json!("running"), json!("waiting_for_confirmation")]);
        assert_eq!(pending(&ran), [(2, 2)]);
        let action = conversation.pending_actions().await.unwrap()[0].id().clone();
        conversation.edit_action(&action, r#"{"text":"c"}"#).await.unwrap();
        let edited = heard(&world);
        let now: Vec<String> = conversation
            .pending_actions()
            .await
            .unwrap()
            .iter()
            .map(|event| event.id().to_string())
            .collect();
        let event = edited.iter().find(|event| event["kind"] == "PendingActionsEvent").unwrap();
        assert_eq!((&event["action_ids"], &event["waiting_ids"]), (&json!(now), &json!(now)));
        assert!(!now.contains(&action.to_string()), "edited calls have new ids");
        conversation.reject_pending_actions(None, None).await.unwrap();
        let rejected = heard(&world);
        assert_eq!(values(&rejected, "execution_status"), [json!("idle")]);
        assert_eq!(pending(&rejected), [(0, 0)]);
    });
}

#[test]
fn tags_and_moves_of_head_are_reported_and_nothing_is_reported_twice() {
    block_on(async {
        let world = world([text("Done.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        heard(&world);
        conversation.set_tags(&[("title".into(), "A".into())]).await.unwrap();
        conversation.set_tags(&[("title".into(), "A".into())]).await.unwrap();
        assert_eq!(
            heard(&world),
            [json!({
                "kind": "ConversationStateUpdateEvent", "key": "tags", "value": { "title": "A" },
            })]
        );
        conversation.navigate_to(None).await.unwrap();
        let moved = heard(&world);
        assert_eq!(values(&moved, "leaf_event_id"), [Value::Null]);
        assert_eq!(values(&moved, "execution_status"), [json!("idle")]);
    });
}

#[test]
fn a_conversation_that_is_opened_again_reports_only_what_changes() {
    block_on(async {
        let mut world = world([calls(&[("c1", "echo", r#"{"text":"a"}"#)])]);
        world.confirmation_policy = Some(ConfirmationPolicy::AlwaysConfirm);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        conversation.close().await;
        heard(&world);
        world.confirmation_policy = None;
        let conversation = world.open().await.unwrap();
        assert_eq!(heard(&world), [] as [Value; 0]);
        // Nobody has read the branch yet, so the calls are reported as soon as they change.
        conversation.reject_pending_actions(None, None).await.unwrap();
        assert_eq!(pending(&heard(&world)), [(0, 0)]);
    });
}

#[test]
fn pieces_of_an_answer_name_the_event_that_they_become() {
    block_on(async {
        let world = world([calls(&[("c1", "echo", r#"{"text":"a"}"#)]), text("Done.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        let events = world.events().await;
        let of_kind = |kind: &str| {
            let is_answer = |event: &&Value| event["kind"] == kind && event["source"] == "agent";
            events.iter().find(is_answer).unwrap()["id"].as_str().unwrap().to_owned()
        };
        assert_eq!(*world.pieces.borrow(), [of_kind("ActionEvent"), of_kind("MessageEvent")]);
    });
}

#[test]
fn every_field_of_the_state_that_changes_is_reported_once_after_its_commit() {
    block_on(async {
        let world = world([text("Done.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let sent = heard(&world);
        let message = world.events().await[1]["id"].clone();
        assert_eq!(values(&sent, "last_user_message_id"), [message]);
        conversation.run(CancelToken::default()).await.unwrap();
        let stats = values(&heard(&world), "stats");
        assert_eq!(stats.len(), 1, "one answer");
        let metrics = &stats[0]["usage_to_metrics"]["default"];
        assert_eq!(metrics["accumulated_token_usage"]["prompt_tokens"], 10);
        assert_eq!(metrics["token_usages"], Value::Null, "lists grow with every answer");

        conversation.set_confirmation_policy(ConfirmationPolicy::AlwaysConfirm).await.unwrap();
        let policy = heard(&world);
        assert_eq!(values(&policy, "confirmation_policy"), [json!({ "kind": "AlwaysConfirm" })]);
        assert_eq!(policy.len(), 1);
        let values_of = |json: &str| EditableObject::parse(json).unwrap();
        conversation.set_agent_state(&values_of(r#"{"a":1}"#)).await.unwrap();
        conversation.set_agent_state(&values_of(r#"{"a":1}"#)).await.unwrap();
        assert_eq!(values(&heard(&world), "agent_state").iter().filter(|state| state["a"] == 1).count(), 1);
        conversation.switch_llm(world.llm("openai/gpt-5")).await.unwrap();
        assert_eq!(values(&heard(&world), "agent")[0]["llm"]["model"], "openai/gpt-5");
        let limits = RunLimits { max_iterations: 7, ..conversation.limits() };
        conversation.set_limits(limits).await.unwrap();
        assert_eq!(values(&heard(&world), "max_iterations"), [json!(7)]);
    });
}

#[test]
fn no_live_event_has_an_encrypted_secret() {
    block_on(async {
        let world = world([]);
        let conversation = world.open().await.unwrap();
        let sources = r#"{"TOKEN":{"kind":"StaticSecret","value":"gAAAAABpMEP-_w=="},"PLAIN":{"value":null,"description":"of gAAAA"}}"#;
        conversation.store_secrets(&EditableObject::parse(sources).unwrap()).await.unwrap();
        let registry = values(&heard(&world), "secret_registry");
        assert_eq!(
            registry,
            [json!({ "secret_sources": {
                "TOKEN": { "kind": "StaticSecret", "value": "**********" },
                "PLAIN": { "value": null, "description": "of gAAAA" },
            } })]
        );
        assert!(conversation.state().json().contains("gAAAAABpMEP-_w=="), "it is stored");
    });
}
