//! Switching to another model during a conversation.

use crate::{
    scripted_store::{Outcome, ScriptedStore},
    support::{World, calls, echo, say, text},
};
use futures_executor::block_on;
use serde_json::Value;
use std::{cell::Cell, rc::Rc};
use threadkeep::{cancel::CancelToken, conversation::Conversation, error::ErrorCode, store::MemoryStore};

fn world() -> World {
    let answers = [calls(&[("c1", "echo", r#"{"text":"1"}"#)]), text("First."), text("Second.")];
    World::new(Rc::new(MemoryStore::new()), vec![echo()], answers)
}

fn stored_model(conversation: &Conversation) -> String {
    let state: Value = serde_json::from_str(&conversation.state().json()).unwrap();
    state["agent"]["llm"]["model"].as_str().unwrap().to_owned()
}

#[test]
fn after_a_switch_the_next_request_uses_the_new_model_and_is_counted_for_it() {
    block_on(async {
        let world = world();
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        let mut other = world.llm("openai/gpt-4.1");
        other.options.usage_id = Some("second".into());
        conversation.switch_llm(other).await.unwrap();
        assert_eq!(stored_model(&conversation), "openai/gpt-4.1");
        say(&conversation, "Again").await;
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.final_response.as_deref(), Some("Second."));
        let asked: Vec<String> = world
            .model
            .requests
            .borrow()
            .iter()
            .map(|request| request["model"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(asked, ["gpt-4o", "gpt-4o", "gpt-4.1"]);
        let state: Value = serde_json::from_str(&conversation.state().json()).unwrap();
        let metrics = &state["stats"]["usage_to_metrics"];
        assert_eq!(metrics["default"]["token_usages"].as_array().unwrap().len(), 2);
        assert_eq!(metrics["second"]["token_usages"][0]["model"], "openai/gpt-4.1");
    });
}

#[test]
fn reopening_uses_the_model_of_the_new_agent() {
    block_on(async {
        let world = world();
        let conversation = world.open().await.unwrap();
        conversation.switch_llm(world.llm("openai/gpt-4.1")).await.unwrap();
        conversation.close().await;
        let conversation = world.open().await.unwrap();
        assert_eq!(stored_model(&conversation), "openai/gpt-4.1");
        say(&conversation, "Go").await;
        assert_eq!(stored_model(&conversation), "openai/gpt-4o");
    });
}

#[test]
fn a_switch_that_cannot_be_stored_does_not_change_the_model() {
    block_on(async {
        let is_full = Rc::new(Cell::new(false));
        let full = is_full.clone();
        let store = ScriptedStore {
            outcome: Box::new(move |_| if full.get() { Outcome::Full } else { Outcome::DONE }),
            ..ScriptedStore::over(MemoryStore::new())
        };
        let world = World::new(Rc::new(store), Vec::new(), [text("First.")]);
        let conversation = world.open().await.unwrap();
        is_full.set(true);
        let error = conversation.switch_llm(world.llm("openai/gpt-4.1")).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::StoreQuota);
        is_full.set(false);
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(world.model.requests.borrow()[0]["model"], "gpt-4o");
        assert_eq!(stored_model(&conversation), "openai/gpt-4o");
        conversation.close().await;
        let error = conversation.switch_llm(world.llm("openai/gpt-4.1")).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidState);
    });
}
