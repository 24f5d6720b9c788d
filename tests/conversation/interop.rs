//! Conversations that other programs have written or will read: the stored data has to be valid for the SDK.

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

/// Replaces a text in the stored state.
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

async fn run(world: &World, text: &str) {
    let conversation = world.open().await.unwrap();
    say(&conversation, text).await;
    conversation.run(CancelToken::default()).await.unwrap();
}

#[test]
fn a_repaired_head_is_stored_before_the_first_message() {
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

/// The SDK cannot convert such a history for a model that makes calls in text.
#[test]
fn parallel_calls_enable_the_native_calls_setting_and_single_ones_do_not() {
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

/// Some providers refuse a history with an empty message.
#[test]
fn empty_messages_are_omitted_and_empty_results_replaced_by_a_text() {
    let empty = || Answer::Message(json!({ "role": "assistant", "content": "" }));
    let echoes_nothing = calls(&[("a", "echo", r#"{"text":""}"#)]);
    let script = [empty(), echoes_nothing, text("Done.")];
    let world = World::new(Rc::new(MemoryStore::new()), vec![echo()], script);
    block_on(async {
        run(&world, "Go").await;
        let sent = world.model.last_messages();
        let roles: Vec<_> = sent.iter().map(|message| message["role"].as_str().unwrap()).collect();
        // What an empty answer parted is one message.
        assert_eq!(roles, ["system", "user", "assistant", "tool"]);
        assert_eq!(sent[3]["content"][0]["text"], "The call gave no output.");
        assert_eq!(world.kinds().await[2..], ["Message", "Message", "Action", "Observation", "Message"]);
        assert_eq!(world.events().await[5]["observation"]["content"][0]["text"], "");
    });
}

/// Python adds the stored prompt with the first message, so this library has to do so as well.
#[test]
fn a_stored_prompt_without_an_event_is_added_before_the_first_message() {
    let store = MemoryStore::new();
    let world = World::new(Rc::new(store.another()), vec![], [text("Hello.")]);
    block_on(async {
        drop(world.open_stored().await.unwrap());
        edit_state(&store, "Be brief.", "Be long.").await;
        run(&world, "Hi").await;
        assert_eq!(world.model.last_messages()[0]["content"][0]["text"], "Be long.");
    });
}

#[test]
fn settings_without_effect_are_reported_as_warnings() {
    let store = MemoryStore::new();
    let world = World::new(Rc::new(store.another()), vec![], []);
    block_on(async {
        drop(world.open_stored().await.unwrap());
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
        let texts: Vec<&str> = warnings.iter().map(|warning| warning.message.as_str()).collect();
        assert!(texts[0].contains("switch_llm, UnheardOfTool;"), "{texts:?}");
        assert!(texts[1].ends_with(r#"MCP servers ("search")"#), "{texts:?}");
        assert!(texts[2].contains("GraySwanAnalyzer"), "{texts:?}");
        assert_eq!(texts.len(), 3, "the policy has effect: {texts:?}");
    });
}

#[test]
fn the_settings_of_an_agent_that_is_an_external_program_are_not_changed() {
    let store = MemoryStore::new();
    let world = World::new(Rc::new(store.another()), vec![], [text("Hello.")]);
    block_on(async {
        drop(world.open_stored().await.unwrap());
        edit_state(&store, r#""model":"openai/gpt-4o""#, r#""model":"acp-managed""#).await;
        edit_state(&store, r#""kind":"Agent"}"#, r#""acp_command":["x"],"kind":"ACPAgent"}"#).await;
        let before = state(&store).await;
        run(&world, "Hi").await;
        assert_eq!(state(&store).await["agent"], before["agent"]);
    });
}
