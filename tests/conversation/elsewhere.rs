//! Conversations that were written elsewhere, or are to be read there: what is stored has to suit the SDK too.

use crate::support::{Answer, ID, World, calls, echo, say, text};
use futures_executor::block_on;
use serde_json::{Value, json};
use std::rc::Rc;
use threadkeep::{
    cancel::CancelToken,
    conversation::WarningCode,
    id::ConversationId,
    store::{Commit, MemoryStore, Store},
};

fn id() -> ConversationId {
    ID.parse().unwrap()
}

/// The stored state, with one text in the place of another.
async fn edit_state(store: &MemoryStore, from: &str, to: &str) {
    let listing = store.load(id()).await.unwrap().unwrap();
    assert!(listing.base_state.contains(from), "{from}");
    let mut commit = Commit::new(listing.length, 0.0);
    commit.base_state = Some(listing.base_state.replacen(from, to, 1).into());
    store.commit(id(), commit).await.unwrap();
}

async fn state(store: &MemoryStore) -> Value {
    serde_json::from_str(&store.load(id()).await.unwrap().unwrap().base_state).unwrap()
}

async fn run(world: &World, words: &str) {
    let conversation = world.open().await.unwrap();
    say(&conversation, words).await;
    conversation.run(CancelToken::default()).await.unwrap();
}

#[test]
fn a_head_that_was_mended_is_stored_before_anything_is_said() {
    let store = MemoryStore::new();
    let world = World::new(Rc::new(store.another()), vec![], [text("Hello.")]);
    block_on(async {
        run(&world, "Hi").await;
        let head = state(&store).await["leaf_event_id"].as_str().unwrap().to_owned();
        edit_state(&store, &head, "00000000-0000-4000-8000-00000000dead").await;
        let conversation = world.open().await.unwrap();
        assert!(conversation.warnings().iter().any(|warning| warning.code == WarningCode::HeadMoved));
        assert_eq!(state(&store).await["leaf_event_id"], head.as_str());
        assert_eq!(world.open().await.unwrap().warnings(), []);
    });
}

/// The SDK cannot write such a history for a model whose calls are text.
#[test]
fn calls_made_together_are_noted_as_native_and_single_ones_leave_the_setting_alone() {
    let call = |name| (name, "echo", r#"{"text":"x"}"#);
    for (answer, is_native) in [(calls(&[call("a")]), false), (calls(&[call("a"), call("b")]), true)] {
        let store = MemoryStore::new();
        let world =
            World::new(Rc::new(store.another()), vec![echo()], [text("Hello."), answer, text("Done.")]);
        block_on(async {
            run(&world, "Hi").await;
            edit_state(&store, r#""native_tool_calling":true"#, r#""native_tool_calling":false"#).await;
            run(&world, "Echo").await;
            assert_eq!(state(&store).await["agent"]["llm"]["native_tool_calling"], is_native);
        });
    }
}

/// Some providers refuse a history for a message without content.
#[test]
fn what_was_empty_is_left_out_or_said_to_be_empty() {
    let empty = || Answer::Message(json!({ "role": "assistant", "content": "" }));
    let echoes_nothing = calls(&[("a", "echo", r#"{"text":""}"#)]);
    let script = [empty(), echoes_nothing, text("Done.")];
    let world = World::new(Rc::new(MemoryStore::new()), vec![echo()], script);
    block_on(async {
        run(&world, "Go").await;
        let told = world.model.last_messages();
        let roles: Vec<_> = told.iter().map(|message| message["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["system", "user", "user", "assistant", "tool"]);
        assert_eq!(told[4]["content"][0]["text"], "The call gave no output.");
        assert_eq!(world.kinds().await[2..], ["Message", "Message", "Action", "Observation", "Message"]);
        assert_eq!(world.events().await[5]["observation"]["content"][0]["text"], "");
    });
}

/// Python gives the stored instructions with the first message, also if that is said here.
#[test]
fn instructions_that_were_never_given_are_given() {
    let store = MemoryStore::new();
    let world = World::new(Rc::new(store.another()), vec![], [text("Hello.")]);
    block_on(async {
        drop(world.open().await.unwrap());
        edit_state(&store, "Be brief.", "Be long.").await;
        run(&world, "Hi").await;
        assert_eq!(world.model.last_messages()[0]["content"][0]["text"], "Be long.");
    });
}

#[test]
fn what_has_no_effect_here_is_said() {
    let store = MemoryStore::new();
    let world = World::new(Rc::new(store.another()), vec![], []);
    block_on(async {
        drop(world.open().await.unwrap());
        edit_state(&store, r#""ThinkTool""#, r#""SwitchLLMTool","UnheardOfTool""#).await;
        edit_state(
            &store,
            r#"{"kind":"NeverConfirm"}"#,
            r#"{"kind":"AlwaysConfirm"},"security_analyzer":{"kind":"GraySwanAnalyzer"}"#,
        )
        .await;
        edit_state(&store, r#""mcp_config":{}"#, r#""mcp_config":{"search":{"url":"https://example.org"}}"#)
            .await;
        let conversation = world.open().await.unwrap();
        let warnings = conversation.warnings();
        let said: Vec<&str> = warnings.iter().map(|warning| warning.message.as_str()).collect();
        assert!(said[0].contains("switch_llm, UnheardOfTool;"), "{said:?}");
        assert!(said[1].ends_with("MCP servers"), "{said:?}");
        assert!(said[2].contains("GraySwanAnalyzer"), "{said:?}");
        assert_eq!(said.len(), 3, "the policy has effect: {said:?}");
    });
}

#[test]
fn an_agent_that_is_another_program_keeps_its_settings() {
    let store = MemoryStore::new();
    let world = World::new(Rc::new(store.another()), vec![], [text("Hello.")]);
    block_on(async {
        drop(world.open().await.unwrap());
        edit_state(&store, r#""model":"openai/gpt-4o""#, r#""model":"acp-managed""#).await;
        edit_state(&store, r#""kind":"Agent"}"#, r#""acp_command":["x"],"kind":"ACPAgent"}"#).await;
        let before = state(&store).await;
        run(&world, "Hi").await;
        assert_eq!(state(&store).await["agent"], before["agent"]);
    });
}
