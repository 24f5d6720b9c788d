//! Changes of the tags of a stored conversation that is not open.

use crate::support::{World, say};
use futures_executor::block_on;
use serde_json::{Value, json};
use std::rc::Rc;
use threadkeep::{
    conversation::change_tags,
    error::ErrorCode,
    id::ConversationId,
    json::EditableObject,
    store::{Commit, MemoryStore, Store},
};

fn changes(json: &Value) -> EditableObject {
    EditableObject::parse(&json.to_string()).unwrap()
}

#[test]
fn tags_change_without_opening_and_the_place_in_lists_stays() {
    block_on(async {
        let store = Rc::new(MemoryStore::default());
        let world = World::new(store.clone(), Vec::new(), []);
        let conversation = world.open().await.unwrap();
        let id = conversation.id();
        say(&conversation, "Hello").await;
        conversation.set_tags(&[("title".into(), "A".into())]).await.unwrap();
        conversation.close().await;
        let before = store.load(id).await.unwrap().unwrap();
        let pinned = changes(&json!({ "pinned": "now", "title": null }));
        change_tags(&*store, id, &pinned, before.updated_at + 5e6).await.unwrap();
        let after = store.load(id).await.unwrap().unwrap();
        assert_eq!((after.updated_at, after.length), (before.updated_at, before.length));
        let state: Value = serde_json::from_str(&after.base_state).unwrap();
        assert_eq!(state["tags"], json!({ "pinned": "now" }));
        let mut others: Value = serde_json::from_str(&before.base_state).unwrap();
        others["tags"] = state["tags"].clone();
        others["agent_state"]["tag_times"] = state["agent_state"]["tag_times"].clone();
        assert_eq!(state, others, "nothing else changes");
        let reopened = world.open().await.unwrap();
        say(&reopened, "It goes on.").await;
    });
}

#[test]
fn tags_of_what_is_not_there_or_on_a_server_are_refused() {
    block_on(async {
        let store = MemoryStore::default();
        let id: ConversationId = "0f8fad5b-d9cb-469f-a165-70867728950e".parse().unwrap();
        let pinned = changes(&json!({ "pinned": "now" }));
        assert_eq!(change_tags(&store, id, &pinned, 1.0).await.unwrap_err().code(), ErrorCode::NotFound);
        let text = format!(r#"{{"id":"{id}","threadkeep_server":{{"host":"http://a"}}}}"#);
        let commit = Commit { base_state: Some(text.as_str().into()), ..Commit::new(0, 1.0) };
        store.commit(id, commit).await.unwrap();
        assert_eq!(change_tags(&store, id, &pinned, 1.0).await.unwrap_err().code(), ErrorCode::Unsupported);
        assert_eq!(&*store.load(id).await.unwrap().unwrap().base_state, text);
    });
}
