//! Skills in a conversation: which commit stores them, and the request that the model gets.

use crate::support::{Answer, ID, TestTool, World, calls, echo, say, text};
use futures_executor::block_on;
use serde_json::{Value, json};
use std::rc::Rc;
use threadkeep::{
    cancel::CancelToken,
    conversation::{Access, WarningCode},
    error::{Error, ErrorCode},
    id::ConversationId,
    store::{Commit, MemoryStore},
    tool::{Replay, ToolOutput},
};

fn skills() -> Value {
    json!({
        "skills": [
            { "name": "weather", "content": "It rains.", "trigger": { "type": "keyword", "keywords": ["weather"] } },
            { "name": "sailing", "content": "Mind the tide.", "description": "How to sail", "is_agentskills_format": true },
            { "name": "notes", "content": "Notes are short.", "trigger": { "type": "path", "paths": ["*.txt"] } },
            { "name": "house", "content": "Be kind." },
        ],
        "system_message_suffix": "Answer in English.",
        "user_message_suffix": "Please.",
        "current_datetime": "2026-01-01T12:00:00",
    })
}

fn world(answers: impl IntoIterator<Item = Answer>) -> World {
    let touch = TestTool::shared("touch", Replay::Safe, |_| async { Ok(ToolOutput::text("done")) });
    World {
        context: Some(skills()),
        ..World::new(Rc::new(MemoryStore::default()), vec![echo(), touch], answers)
    }
}

async fn stored(world: &World) -> Value {
    let id: ConversationId = ID.parse().unwrap();
    let listing = world.store.load(id).await.unwrap().unwrap();
    serde_json::from_str(&listing.base_state).unwrap()
}

#[test]
fn the_first_message_stores_the_context_in_the_system_prompt_and_its_own_skills() {
    block_on(async {
        let world = world([text("Yes.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "What is the weather?").await;
        conversation.run(CancelToken::default()).await.unwrap();
        let events = world.events().await;
        let context = events[0]["dynamic_context"]["text"].as_str().unwrap();
        let places: Vec<usize> =
            ["Be kind.", "<name>sailing</name>", "Answer in English.", "2026-01-01T12:00."]
                .iter()
                .map(|part| context.find(part).unwrap_or_else(|| panic!("{part} is not in {context}")))
                .collect();
        assert!(places.is_sorted(), "{context}");
        assert!(!context.contains("<name>notes</name>"), "{context}");
        let tools: Vec<&str> = events[0]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["title"].as_str().unwrap())
            .collect();
        assert_eq!(tools, ["echo", "touch", "finish", "think", "invoke_skill"]);
        assert_eq!(events[1]["activated_skills"], json!(["weather"]));
        let added = events[1]["extended_content"][0]["text"].as_str().unwrap();
        assert!(added.contains("It rains.") && added.ends_with("</EXTRA_INFO>\nPlease."), "{added}");
        let messages = world.model.last_messages();
        assert_eq!(messages[0]["content"].as_array().unwrap().len(), 2);
        assert_eq!(messages[1]["content"][1]["text"], added);
        let state = stored(&world).await;
        assert_eq!(state["activated_knowledge_skills"], json!(["weather"]));
        assert_eq!(state["agent"]["agent_context"], skills());
    });
}

#[test]
fn a_skill_is_added_once_also_after_a_reload() {
    block_on(async {
        let world = world([]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "The weather").await;
        say(&conversation, "and the weather").await;
        conversation.close().await;
        let conversation = world.open().await.unwrap();
        say(&conversation, "once more the weather").await;
        let events = world.events().await;
        let activated: Vec<&Value> = events[1..].iter().map(|event| &event["activated_skills"]).collect();
        assert_eq!(activated, [&json!(["weather"]), &json!([]), &json!([])]);
        assert_eq!(events[3]["extended_content"][0]["text"], "Please.");
    });
}

#[test]
fn a_message_that_is_not_stored_activates_nothing() {
    block_on(async {
        let world = world([]);
        let conversation = world.open_stored().await.unwrap();
        // Another page has written, so this commit fails.
        let id: ConversationId = ID.parse().unwrap();
        let event = r#"{"id":"0a0a0a0a-0000-4000-8000-000000000000","kind":"PauseEvent","source":"user","timestamp":"t"}"#;
        let event = ("0a0a0a0a-0000-4000-8000-000000000000".parse().unwrap(), event.into());
        world.store.commit(id, Commit { events: vec![event], ..Commit::new(0, 0.0) }).await.unwrap();
        let sent =
            conversation.send_message(vec![threadkeep::llm::message::Content::text("weather")], None).await;
        assert!(sent.is_err());
        assert_eq!(stored(&world).await["activated_knowledge_skills"], json!([]));
        assert_eq!(conversation.state().field("activated_knowledge_skills").unwrap().as_str(), "[]");
    });
}

#[test]
fn an_opened_skill_and_the_rules_of_a_path_are_stored_with_the_result() {
    block_on(async {
        let answers = [
            calls(&[("c1", "invoke_skill", r#"{"name":" sailing "}"#)]),
            calls(&[
                ("c2", "touch", r#"{"text":"x","path":"a.txt"}"#),
                ("c3", "touch", r#"{"text":"x","path":"b/c.txt"}"#),
            ]),
            calls(&[("c4", "invoke_skill", r#"{"name":"notes"}"#)]),
            text("Done."),
        ];
        let world = world(answers);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Sail").await;
        conversation.run(CancelToken::default()).await.unwrap();
        let events = world.events().await;
        let results: Vec<&Value> =
            events.iter().filter(|event| event["kind"] == "ObservationEvent").collect();
        let opened = json!({
            "content": [{ "cache_prompt": false, "type": "text", "text": "Mind the tide." }],
            "is_error": false, "skill_name": "sailing", "kind": "InvokeSkillObservation",
        });
        assert_eq!(results[0]["observation"], opened);
        let action = events.iter().find(|event| event["kind"] == "ActionEvent").unwrap();
        assert_eq!(action["action"], json!({ "name": " sailing ", "kind": "InvokeSkillAction" }));
        let rule = results[1]["extended_content"][0]["text"].as_str().unwrap();
        assert!(rule.contains("Notes are short.") && rule.contains("\"*.txt\""), "{rule}");
        assert_eq!(results[2]["extended_content"], json!([]));
        assert_eq!(results[3]["observation"]["is_error"], true);
        let state = stored(&world).await;
        assert_eq!(state["invoked_skills"], json!(["sailing"]));
        assert_eq!(state["activated_path_rules"], json!(["notes"]));
    });
}

#[test]
fn a_message_of_the_inbox_activates_skills_when_it_is_placed_in_the_log() {
    block_on(async {
        let (go, wait) = futures_channel::oneshot::channel();
        let answer = json!({ "role": "assistant", "content": "First." });
        let world = world([Answer::When(wait, answer), text("Second.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Hello").await;
        let run = conversation.run(CancelToken::default());
        let speak = async {
            while world.model.requests.borrow().is_empty() {
                crate::support::yield_once().await;
            }
            say(&conversation, "The weather").await;
            say(&conversation, "The weather again").await;
            assert_eq!(stored(&world).await["activated_knowledge_skills"], json!([]));
            go.send(()).unwrap();
        };
        futures_util::future::join(run, speak).await.0.unwrap();
        let events = world.events().await;
        let activated: Vec<&Value> = events
            .iter()
            .filter(|event| event["source"] == "user")
            .map(|event| &event["activated_skills"])
            .collect();
        assert_eq!(activated, [&json!([]), &json!(["weather"]), &json!([])]);
    });
}

#[test]
fn the_stored_context_is_used_where_the_host_gives_none_and_keeps_its_bytes() {
    block_on(async {
        let mut world = world([]);
        world.open_stored().await.unwrap().close().await;
        world.context = None;
        let before = stored(&world).await["agent"]["agent_context"].clone();
        let conversation = world.open().await.unwrap();
        assert!(conversation.warnings().is_empty(), "{:?}", conversation.warnings());
        say(&conversation, "The weather").await;
        assert_eq!(world.events().await[1]["activated_skills"], json!(["weather"]));
        conversation.close().await;
        // A context of the host applies, and does not replace the stored one.
        world.context = Some(json!({ "skills": [], "user_message_suffix": "Thanks." }));
        let conversation = world.open().await.unwrap();
        say(&conversation, "Hm").await;
        assert_eq!(world.events().await[2]["extended_content"][0]["text"], "Thanks.");
        assert_eq!(stored(&world).await["agent"]["agent_context"], before);
    });
}

#[test]
fn a_follower_opens_without_the_code_for_skills_and_says_that_it_has_none_to_write_with() {
    block_on(async {
        let mut world = world([]);
        world.open_stored().await.unwrap();
        world.skills_fail = true;
        let follower = world.open_as(Access::Follower).await.unwrap();
        let [warning] = &follower.warnings()[..] else { panic!("{:?}", follower.warnings()) };
        assert!(warning.message.contains("skills of this conversation are not used"), "{}", warning.message);
    });
}

#[test]
fn without_its_code_a_stored_context_is_a_warning_and_one_of_the_host_an_error() {
    block_on(async {
        let mut world = world([]);
        world.open_stored().await.unwrap().close().await;
        world.skills_fail = true;
        let error: Error = world.open().await.err().unwrap();
        assert_eq!(error.code(), ErrorCode::Network);
        world.context = None;
        let conversation = world.open().await.unwrap();
        let warnings = conversation.warnings();
        assert_eq!(warnings.len(), 1);
        assert_eq!(warnings[0].code, WarningCode::SettingsUnavailable);
        assert!(warnings[0].message.contains("open the conversation again"), "{}", warnings[0].message);
    });
}

#[test]
fn a_tool_of_the_host_cannot_replace_the_one_that_opens_skills() {
    block_on(async {
        let mut world = world([]);
        world
            .tools
            .push(TestTool::shared("invoke_skill", Replay::Safe, |_| async { Ok(ToolOutput::text("")) }));
        let error: Error = world.open().await.err().unwrap();
        assert_eq!(error.code(), ErrorCode::InvalidOptions);
    });
}

#[test]
fn a_conversation_without_a_context_gets_the_first_one_that_the_host_gives() {
    block_on(async {
        let mut world = world([]);
        world.context = None;
        world.open_stored().await.unwrap().close().await;
        assert_eq!(stored(&world).await["agent"].get("agent_context"), None);
        world.context = Some(skills());
        world.open_stored().await.unwrap().close().await;
        let text = stored(&world).await["agent"].to_string();
        assert_eq!(stored(&world).await["agent"]["agent_context"], skills(), "{text}");
    });
}
