//! MCP servers: their settings in the base state, and tools that are replaced while a conversation is open.

use crate::support::{TestTool, World, calls, echo, say, text};
use futures_executor::block_on;
use serde_json::Value;
use std::rc::Rc;
use threadkeep::{
    cancel::CancelToken,
    conversation::Conversation,
    json::EditableObject,
    store::MemoryStore,
    tool::{Replay, Tool, ToolOutput},
};

/// A tool of a server, which answers with its own name.
fn remote(name: &'static str) -> Rc<dyn Tool> {
    TestTool::shared(name, Replay::Never, move |_| async move { Ok(ToolOutput::text(name)) })
}

fn sent_tools(world: &World) -> Vec<Vec<String>> {
    let names = |request: &Value| {
        let tools = request["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
    };
    world.model.requests.borrow().iter().map(names).collect()
}

fn stored(conversation: &Conversation) -> Value {
    let state: Value = serde_json::from_str(&conversation.state().json()).unwrap();
    state["agent"]["mcp_config"].clone()
}

#[test]
fn replaced_tools_of_servers_are_in_the_next_request_and_can_be_called() {
    block_on(async {
        let answers = [text("One."), calls(&[("c1", "find", r#"{"text":"x"}"#)]), text("Two.")];
        let world = World::new(Rc::new(MemoryStore::new()), vec![echo()], answers);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        conversation.set_remote_tools(vec![remote("find")]);
        say(&conversation, "Again").await;
        conversation.run(CancelToken::default()).await.unwrap();
        let sent = sent_tools(&world);
        assert_eq!(sent[0], ["echo", "finish", "think"]);
        assert_eq!(sent[1], ["echo", "finish", "think", "find"]);
        let events = world.events().await;
        let found =
            events.iter().find(|event| event["tool_name"] == "find" && event["kind"] == "ObservationEvent");
        assert_eq!(found.unwrap()["observation"]["content"][0]["text"], "find");
    });
}

#[test]
fn tools_of_servers_cannot_replace_other_tools_and_invalid_names_are_left_out() {
    block_on(async {
        let world = World::new(Rc::new(MemoryStore::new()), vec![echo()], [text("One.")]);
        let conversation = world.open().await.unwrap();
        let names = ["finish", "echo", "not a name", "find", "find"];
        conversation.set_remote_tools(names.map(remote).to_vec());
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(sent_tools(&world)[0], ["echo", "finish", "think", "find"]);
    });
}

#[test]
fn servers_are_stored_with_the_agent_and_a_stored_one_with_the_same_url_stays() {
    block_on(async {
        let store = Rc::new(MemoryStore::new());
        let mut world = World::new(store, vec![], []);
        let server = |json: &str| EditableObject::compact(json).unwrap();
        world.mcp_config = server(r#"{"a":{"url":"https://a.test","headers":{"X":"gAAAAAtoken"}}}"#);
        world.open_stored().await.unwrap().close().await;
        world.mcp_config = server(
            r#"{"a":{"url":"https://a.test","headers":{"X":"**********"}},"b":{"url":"https://b.test"}}"#,
        );
        let conversation = world.open().await.unwrap();
        assert_eq!(stored(&conversation)["a"]["headers"]["X"], "gAAAAAtoken");
        assert_eq!(stored(&conversation)["b"]["url"], "https://b.test");
        conversation.close().await;
        world.mcp_config = server(r#"{"a":{"url":"https://other.test"}}"#);
        let conversation = world.open().await.unwrap();
        assert_eq!(stored(&conversation)["a"], serde_json::json!({ "url": "https://other.test" }));
        assert_eq!(stored(&conversation)["b"]["url"], "https://b.test");
        let warnings = conversation.warnings();
        assert!(warnings[0].message.ends_with(r#"MCP servers ("b")"#), "{warnings:?}");
    });
}
