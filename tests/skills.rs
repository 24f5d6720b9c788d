//! Compares skills with those of the SDK: `tests/fixtures/skills.json` has what the SDK makes of the same texts, paths and
//! contexts (`tests/interop/skill_cases.py`).
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "a test may fail")]

use futures_executor::block_on;
use serde_json::{Value, json};
use std::rc::Rc;
use threadkeep::{
    cancel::CancelToken,
    event::{Body, Event, MessageEvent, Observation, ObservationEvent},
    format::base_state::BaseState,
    json::{FromJson as _, RawJson, ToJson as _},
    llm::message::{Content, Message, Role},
    skills::{AgentContext, GivenContext, given_context, stored_context},
    tool::{ToolCall, record_of_output, record_of_tool},
};

const ID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

fn fixture() -> Value {
    serde_json::from_str(include_str!("fixtures/skills.json")).unwrap()
}

fn context(json: &Value) -> Rc<dyn AgentContext> {
    given(GivenContext { stored: RawJson::parse(&json.to_string()).unwrap(), memory: None })
}

fn given(context: GivenContext) -> Rc<dyn AgentContext> {
    block_on(given_context(&context)).unwrap()
}

fn stored(json: &str) -> Rc<dyn AgentContext> {
    block_on(stored_context(json)).unwrap()
}

fn state(workspace: &str) -> BaseState {
    let workspace = json!({ "working_dir": workspace, "kind": "LocalWorkspace" });
    let state = json!({ "id": ID, "agent": {}, "workspace": workspace });
    BaseState::parse(&state.to_string()).unwrap()
}

fn message(parts: &[&str]) -> MessageEvent {
    MessageEvent::new(Message::new(Role::User, parts.iter().map(|part| Content::text(*part)).collect()))
}

/// The text that was added to a message or a result.
fn added(extended_content: &[Content]) -> Option<&str> {
    assert!(extended_content.len() <= 1);
    extended_content.first().and_then(Content::as_text)
}

fn action(path: &str, is_mcp: bool) -> Event {
    let action = match is_mcp {
        true => json!({ "data": { "path": path }, "kind": "MCPToolAction" }),
        false => json!({ "path": path, "kind": "FileEditorAction" }),
    };
    let event = json!({
        "id": "0a0a0a0a-0000-4000-8000-000000000000", "timestamp": "2026-01-31T09:15:02.123456", "source": "agent",
        "thought": [], "action": action, "tool_name": "t", "tool_call_id": "c",
        "tool_call": { "id": "c", "name": "t", "arguments": "{}", "origin": "completion" },
        "llm_response_id": "r", "kind": "ActionEvent",
    });
    let event =
        Event::decode("0a0a0a0a-0000-4000-8000-000000000000".parse().unwrap(), event.to_string().into());
    assert!(matches!(event.body(), Body::ActionEvent(_)));
    event
}

fn observation(observation: Observation) -> ObservationEvent {
    ObservationEvent {
        tool_name: "t".into(),
        tool_call_id: "c".into(),
        observation,
        action_id: "0a0a0a0a-0000-4000-8000-000000000000".into(),
        extended_content: Vec::new(),
    }
}

fn result() -> ObservationEvent {
    observation(Observation::mcp_tool("t", &[Content::text("done")], false))
}

fn names(state: &BaseState, list: &str) -> Value {
    state.field(list).map_or_else(|| json!([]), |names| serde_json::from_str(names.as_str()).unwrap())
}

#[test]
fn keywords_are_found_where_the_sdk_finds_them() {
    let fixture = fixture();
    let texts: Vec<&str> =
        fixture["texts"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    let state = state("/ws");
    let mut differing = Vec::new();
    for (keyword, found) in fixture["words"].as_object().unwrap() {
        let trigger = json!({ "type": "keyword", "keywords": [keyword] });
        let context = context(&json!({ "skills": [{ "name": "s", "content": "c", "trigger": trigger }] }));
        for (text, found) in texts.iter().zip(found.as_str().unwrap().chars()) {
            // The SDK removes white space at the ends of a message before it looks for keywords.
            if *text != text.trim() && keyword.trim().is_empty() {
                continue;
            }
            let mut message = message(&[text]);
            context.extend_message(&mut message, &mut state.clone());
            if (found == '1') == message.activated_skills.is_empty() {
                differing.push(format!("{keyword:?} in {text:?}: {found} there"));
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn globs_match_where_those_of_the_sdk_do() {
    let fixture = fixture();
    let state = state("workspace/project");
    let mut differing = Vec::new();
    for (glob, matches) in fixture["globs"].as_object().unwrap() {
        let trigger = json!({ "type": "path", "paths": [glob] });
        let context = context(&json!({ "skills": [{ "name": "s", "content": "c", "trigger": trigger }] }));
        let files = fixture["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap());
        for (file, matches) in files.zip(matches.as_str().unwrap().chars()) {
            let mut result = result();
            context.extend_observation(&mut result, Some(&action(file, false)), &mut state.clone());
            if (matches == '1') == result.extended_content.is_empty() {
                differing.push(format!("{glob:?} for {file:?}: {matches} there"));
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn paths_are_relative_to_the_workspace_as_in_the_sdk() {
    for case in fixture()["paths"].as_array().unwrap() {
        let [workspace, path, relative] = case.as_array().unwrap().as_slice() else { panic!("{case}") };
        let glob = relative.as_str().unwrap_or("**");
        let trigger = json!({ "type": "path", "paths": [glob] });
        let context = context(&json!({ "skills": [{ "name": "s", "content": "c", "trigger": trigger }] }));
        for is_mcp in [false, true] {
            let mut result = result();
            let action = action(path.as_str().unwrap(), is_mcp);
            context.extend_observation(&mut result, Some(&action), &mut state(workspace.as_str().unwrap()));
            assert_eq!(relative.is_null(), result.extended_content.is_empty(), "{case}");
        }
    }
}

#[test]
fn the_paths_of_a_page_begin_at_the_root() {
    let trigger = json!({ "type": "path", "paths": ["docs/*.md"] });
    let context = context(&json!({ "skills": [{ "name": "s", "content": "c", "trigger": trigger }] }));
    for path in ["docs/a.md", "/docs/a.md", "./docs/a.md"] {
        let mut result = result();
        context.extend_observation(&mut result, Some(&action(path, true)), &mut state("workspace/project"));
        assert_eq!(result.extended_content.len(), 1, "{path}");
    }
}

#[test]
fn a_stored_date_is_shown_as_the_sdk_shows_it() {
    for (date, shown) in fixture()["dates"].as_object().unwrap() {
        let context = context(&json!({ "current_datetime": date }));
        let text = context.dynamic_context("m", &state("/ws"), "2026-01-31T09:15:02.123456").unwrap();
        assert!(text.contains(&format!("It is {}.", shown.as_str().unwrap())), "{date}: {text}");
    }
}

#[test]
fn contexts_add_the_texts_that_the_sdk_adds() {
    let fixture = fixture();
    let now = "2026-01-31T09:15:02.123456";
    // `json!` would sort the names.
    let sources: Vec<String> = fixture["secrets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|secret| format!("{}:{}", secret["name"], json!({ "description": secret["description"] })))
        .collect();
    let registry = format!("{{\"secret_sources\":{{{}}}}}", sources.join(","));
    let registry = RawJson::parse(&registry).unwrap();
    for case in fixture["contexts"].as_array().unwrap() {
        let context = context(&case["context"]);
        let mut state = state("/ws");
        for (model, text) in case["system"].as_object().unwrap() {
            assert_eq!(context.dynamic_context(model, &state, now).as_deref(), text.as_str(), "{model}");
        }
        let mut known = state.clone();
        known.set_field("secret_registry", Some(&registry));
        let text = context.dynamic_context("scripted", &known, now);
        assert_eq!(text.as_deref(), case["with_secrets"].as_str());
        for expected in case["messages"].as_array().unwrap() {
            let parts: Vec<&str> =
                expected["parts"].as_array().unwrap().iter().map(|part| part.as_str().unwrap()).collect();
            let mut message = message(&parts);
            context.extend_message(&mut message, &mut state);
            assert_eq!(json!(message.activated_skills), expected["activated"], "{parts:?}");
            assert_eq!(added(&message.extended_content), expected["text"].as_str(), "{parts:?}");
        }
        assert_eq!(names(&state, "activated_knowledge_skills"), case["activated"]);
        for expected in case["results"].as_array().unwrap() {
            let mut result = result();
            let action = action(expected["path"].as_str().unwrap(), false);
            context.extend_observation(&mut result, Some(&action), &mut state);
            assert_eq!(added(&result.extended_content), expected["text"].as_str());
        }
        assert_eq!(names(&state, "activated_path_rules"), case["rules"]);
        assert_eq!(context.tool().is_some(), case["has_tool"].as_bool().unwrap());
        let Some(tool) = context.tool() else { continue };
        for expected in case["opened"].as_array().unwrap() {
            let arguments: Rc<str> = json!({ "name": expected["name"] }).to_string().into();
            assert_eq!(tool.check(&arguments), Ok(()));
            let output = futures_executor::block_on(tool.call(ToolCall {
                arguments: arguments.clone(),
                tool_call_id: "c".into(),
                conversation: ID.parse().unwrap(),
                idempotency_key: "0a0a0a0a-0000-4000-8000-000000000000".parse().unwrap(),
                cancel: CancelToken::default(),
            }));
            let stored = record_of_output(&*tool, &arguments, &output.unwrap());
            let written: Value = serde_json::from_str(stored.as_json().as_str()).unwrap();
            assert_eq!(written["content"][0]["text"], expected["text"]);
            assert_eq!(written["is_error"], expected["is_error"]);
            assert_eq!(written["skill_name"], expected["skill_name"]);
            context.extend_observation(&mut observation(stored), None, &mut state);
        }
        assert_eq!(names(&state, "invoked_skills"), case["invoked"]);
    }
}

#[test]
fn the_tool_is_recorded_with_the_classes_of_the_sdk() {
    let context =
        context(&json!({ "skills": [{ "name": "s", "content": "c", "is_agentskills_format": true }] }));
    let record = record_of_tool(&*context.tool().unwrap()).to_json_text();
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["action_type"], "InvokeSkillAction");
    assert_eq!(record["observation_type"], "InvokeSkillObservation");
    assert_eq!(record["annotations"]["title"], "invoke_skill");
    assert_eq!((&record["kind"], &record["title"]), (&json!("InvokeSkillTool"), &json!("invoke_skill")));
}

#[test]
fn skills_of_an_import_that_need_files_are_not_used() {
    let resources =
        json!({ "skill_root": "/skills/a", "scripts": ["run.sh"], "references": [], "assets": [] });
    let json = json!({ "skills": [
        { "name": "with-files", "content": "c", "is_agentskills_format": true, "resources": resources },
        { "name": "plain", "content": "c", "is_agentskills_format": true },
        { "name": "broken", "content": 7 },
    ] });
    let imported = stored(&json.to_string());
    let text = imported.dynamic_context("m", &state("/ws"), "2026-01-31T09:15:02.123456").unwrap();
    assert!(text.contains("<name>plain</name>") && !text.contains("with-files"), "{text}");
    let complaint = imported.complaint().unwrap();
    assert!(complaint.ends_with(": with-files, broken"), "{complaint}");
    let own = context(&json);
    let text = own.dynamic_context("m", &state("/ws"), "2026-01-31T09:15:02.123456").unwrap();
    assert!(text.contains("<name>with-files</name>"), "{text}");
}

#[test]
fn damaged_contexts_add_nothing() {
    for text in [
        "{}",
        "[]",
        "null",
        "{\"skills\":7}",
        "{\"skills\":[7]}",
        "{\"skills\":[{\"name\":\"a\",\"content\":\"b\",\"trigger\":7}]}",
    ] {
        assert!(RawJson::from_json(text).is_some());
        let context = stored(text);
        let mut message = message(&["a b"]);
        context.extend_message(&mut message, &mut state("/ws"));
        assert_eq!((message.extended_content.len(), context.tool().is_none()), (0, true), "{text}");
    }
}

#[test]
fn the_memory_of_the_agent_is_in_the_system_prompt_and_not_in_the_stored_context() {
    let memory = Some("The user sails.".into());
    let context = given(GivenContext { stored: RawJson::parse("{}").unwrap(), memory });
    let text = context.dynamic_context("m", &state("/ws"), "2026-01-31T09:15:02.123456").unwrap();
    let at = |part| text.find(part).unwrap_or_else(|| panic!("{part} is not in {text}"));
    assert!(
        at("UNTRUSTED_CONTENT") < at("The user sails.") && at("</MEMORY_CONTEXT>") < at("<CURRENT_DATETIME>")
    );
}
