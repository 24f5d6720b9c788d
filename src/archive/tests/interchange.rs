//! Files of other programs: their import as conversations, and files that are refused.

use super::*;
use crate::{
    archive::{
        history::Part,
        interchange::{Form, import_interchange, written},
    },
    event::Event,
    host::Host,
};
use serde_json::{Value, json};
use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use uuid::Uuid;

/// A host with unique ids and a constant time.
struct Counting;

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

impl Host for Counting {
    fn now(&self) -> f64 {
        1000.0
    }

    fn local_time(&self) -> String {
        "2026-02-03T04:05:06.000007".into()
    }

    fn random_uuid(&self) -> Uuid {
        Uuid::from_u128(NEXT_ID.fetch_add(1, Ordering::Relaxed).into())
    }

    fn sleep(&self, _: Duration) -> LocalBoxFuture<'static, ()> {
        Box::pin(ready(()))
    }
}

pub fn import_text(text: &str, store: &dyn Store) -> Result<Imported, Error> {
    let options = ImportOptions { host: &Counting, now: 1000.0, on_progress: &|_| {}, claim: &anybody };
    block_on(import_interchange(text, store, &Counting, &options))
}

/// Imports a text, and returns the events, their messages and the warnings.
fn imported_events(text: &str) -> (Vec<Value>, Value, Vec<String>) {
    let store = MemoryStore::new();
    let imported = import_text(text, &store).unwrap_or_else(|error| panic!("{error}: {text}"));
    let events = block_on(store.events(imported.conversation, 0..999)).unwrap();
    for event in &events {
        let event = Event::decode(event.id.clone(), Rc::clone(&event.json));
        assert!(event.is_valid(), "{event:?}");
    }
    let events = events.iter().map(|event| serde_json::from_str(&event.json).unwrap()).collect();
    (events, form(&store, imported.conversation, Form::Chat), imported.warnings)
}

pub fn form(store: &dyn Store, id: ConversationId, form: Form) -> Value {
    serde_json::from_str(&block_on(written(store, id, form, &Part::default(), &str::to_owned)).unwrap())
        .unwrap()
}

/// The kinds of the events, in one line.
fn kinds(events: &[Value]) -> String {
    let kinds: Vec<&str> = events.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    kinds.join(" ")
}

pub fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

fn text_part(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

#[test]
fn a_list_of_chat_messages_becomes_typed_events() {
    let messages = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [
            {"type": "text", "text": "What is this?"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
        ]},
        {"role": "assistant", "content": "Let me look.", "reasoning_content": "Hm.", "tool_calls": [
            call("a", "look", "{\"at\": 1.50}"), call("b", "look", "not json"),
        ]},
        {"role": "tool", "tool_call_id": "b", "content": "wrong"},
        {"role": "tool", "tool_call_id": "a", "name": "look", "content": "A cat."},
        {"role": "assistant", "content": null, "tool_calls": [call("c", "finish", "{\"message\":\"A cat.\"}")]},
    ]);
    let (events, chat, warnings) = imported_events(&messages.to_string());
    assert_eq!(warnings, Vec::<String>::new());
    assert_eq!(
        kinds(&events),
        "SystemPromptEvent MessageEvent ActionEvent ActionEvent ObservationEvent ObservationEvent ActionEvent ObservationEvent"
    );
    assert_eq!(events[2]["action"], json!({"data": {"at": 1.5}, "kind": "MCPToolAction"}));
    assert_eq!(
        (&events[3]["action"], &events[2]["llm_response_id"]),
        (&Value::Null, &events[3]["llm_response_id"])
    );
    assert_eq!((&events[4]["tool_call_id"], &events[4]["action_id"]), (&json!("a"), &events[2]["id"]));
    assert_eq!(events[6]["action"], json!({"message": "A cat.", "kind": "FinishAction"}));
    assert_eq!(events[7]["observation"]["kind"], "FinishObservation");
    for (index, event) in events.iter().enumerate().skip(1) {
        assert_eq!(event["parent_id"], events[index - 1]["id"]);
        assert_eq!(event["timestamp"], "2026-02-03T04:05:06.000007");
    }
    assert_eq!(chat[1], messages[1]);
    assert_eq!(
        chat[2],
        json!({
            "role": "assistant", "content": text_part("Let me look."), "reasoning_content": "Hm.",
            "tool_calls": messages[2]["tool_calls"],
        })
    );
    assert_eq!(
        chat[3],
        json!({"role": "tool", "tool_call_id": "a", "name": "look", "content": text_part("A cat.")})
    );
}

#[test]
fn an_imported_session_is_exported_unchanged() {
    let session = json!({"id": "mine", "created_at": "2024-05-06T07:08:09", "title": "Cats", "messages": [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "", "tool_calls": [call("a", "look", "{}")]},
        {"role": "tool", "content": "A cat.", "tool_call_id": "a", "name": "look"},
        {"role": "assistant", "content": "A cat.", "thinking_blocks": [{"type": "thinking", "thinking": "So.", "signature": "s"}]},
        {"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "https://cats.test/1.png"}}]},
    ]});
    let store = MemoryStore::new();
    let imported = import_text(&session.to_string(), &store).unwrap();
    assert_eq!(imported.warnings, Vec::<String>::new());
    let id = imported.conversation;
    let mut expected = session.clone();
    expected["id"] = id.to_string().into();
    let out = form(&store, id, Form::Session);
    assert_eq!(out, expected);
    let again = import_text(&out.to_string(), &MemoryStore::new()).unwrap();
    assert_eq!(again.warnings, Vec::<String>::new());
    let base_state: Value =
        serde_json::from_str(&block_on(store.load(id)).unwrap().unwrap().base_state).unwrap();
    assert_eq!(base_state["execution_status"], "idle");
    assert_eq!(base_state["tags"], json!({"title": "Cats"}));
}

#[test]
fn a_date_may_be_a_number() {
    for (date, expected) in [
        (json!(1_767_268_800), "2026-01-01T12:00:00.000Z"),
        (json!(1_767_268_800_123_u64), "2026-01-01T12:00:00.123Z"),
        (json!("yesterday"), "2026-02-03T04:05:06.000007"),
        (Value::Null, "2026-02-03T04:05:06.000007"),
    ] {
        let session = json!({"created_at": date, "messages": [{"role": "user", "content": "x"}]});
        assert_eq!(imported_events(&session.to_string()).0[1]["timestamp"], expected);
    }
}

#[test]
fn every_call_gets_one_result_directly_after_its_answer() {
    let messages = json!([
        {"role": "tool", "tool_call_id": "lost", "content": "orphan"},
        {"role": "assistant", "tool_calls": [call("0", "a", "{}"), call("1", "b", "{}")]},
        {"role": "user", "content": "hurry"},
        {"role": "tool", "tool_call_id": "0", "content": "late"},
        {"role": "assistant", "tool_calls": [call("0", "a", "{}")]},
        {"role": "tool", "tool_call_id": "0", "content": "second"},
        {"role": "tool", "tool_call_id": "0", "content": "twice"},
    ]);
    let (events, chat, warnings) = imported_events(&messages.to_string());
    assert_eq!(
        kinds(&events),
        "SystemPromptEvent MessageEvent ActionEvent ActionEvent ObservationEvent AgentErrorEvent MessageEvent ActionEvent ObservationEvent MessageEvent"
    );
    assert_eq!(events[4]["observation"]["content"][0]["text"], "late");
    assert_ne!(events[7]["tool_call_id"], events[2]["tool_call_id"]);
    assert_eq!(events[8]["tool_call_id"], events[7]["tool_call_id"]);
    assert_eq!(chat[1]["role"], "user");
    assert!(warnings[0].contains("messages[0], messages[6]"), "{warnings:?}");
    assert!(warnings[1].contains("b in messages[1]"), "{warnings:?}");
}

#[test]
fn content_that_is_not_imported_is_named_in_warnings() {
    let session = json!({"messages": [
        {"role": "user", "content": [{"type": "input_audio"}, {"type": "image_url", "image_url": "javascript:x"}], "mood": 1},
        {"role": "user", "content": "\u{0}x", "mood": 2},
    ], "api_key": "sk-secret-1", "llm": {"api_key": "sk-secret-2"}});
    let text = session.to_string().replace("\\u0000", "\\ud83d");
    let store = MemoryStore::new();
    let imported = import_text(&text, &store).unwrap();
    let warnings = imported.warnings.join("\n");
    for text in [
        "halves of characters",
        "input_audio",
        "javascript:x",
        "mood of messages (2 times)",
        "api_key",
        "llm",
    ] {
        assert!(warnings.contains(text), "{text}: {warnings}");
    }
    let stored = format!("{:?}", snapshot(&store));
    assert!(!stored.contains("sk-secret") && !warnings.contains("sk-secret"));
}

fn v0(id: u64, rest: Value) -> Value {
    let mut event = json!({
        "id": id, "timestamp": format!("2025-01-20T20:29:{id:02}.519638"), "source": "agent", "message": "",
    });
    event.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    event
}

fn metadata(response: &str, calls: &Value, place: usize) -> Value {
    let call = &calls[place];
    json!({
        "function_name": call["function"]["name"], "tool_call_id": call["id"], "total_calls_in_response": 1,
        "model_response": {"id": response, "model": "claude-x", "choices": [
            {"message": {"role": "assistant", "content": "I will.", "tool_calls": calls}},
        ]},
    })
}

pub fn trajectory() -> Value {
    let two = json!([
        call("t1", "execute_bash", "{\"command\": \"ls\", \"security_risk\": \"LOW\"}"),
        call("t2", "str_replace_editor", "{\"command\":\"view\",\"path\":\"/a\"}"),
    ]);
    let end = json!([call("t3", "finish", "{\"message\":\"All done.\"}")]);
    json!([
        v0(
            0,
            json!({"source": "environment", "observation": "agent_state_changed", "content": "", "extras": {"agent_state": "loading"}})
        ),
        v0(
            1,
            json!({"source": "user", "action": "message", "args": {"content": "Do it", "image_urls": null, "wait_for_response": false}})
        ),
        v0(
            2,
            json!({"action": "system", "args": {"content": "You are V0.", "tools": [
                {"type": "function", "function": {"name": "execute_bash", "description": "Runs.", "parameters": {"type": "object"}}},
            ]}})
        ),
        v0(
            3,
            json!({"source": "user", "action": "recall", "args": {"recall_type": "workspace_context", "query": "Do it"}})
        ),
        v0(
            4,
            json!({"source": "environment", "cause": 3, "observation": "recall", "content": "Added", "extras": {"recall_type": "workspace_context", "repo_instructions": "Use tabs."}})
        ),
        v0(
            5,
            json!({"action": "run", "tool_call_metadata": metadata("r1", &two, 0), "args": {"command": "ls", "thought": "I will.", "security_risk": 0}})
        ),
        v0(
            6,
            json!({"cause": 5, "observation": "run", "tool_call_metadata": metadata("r1", &two, 0), "content": "a\nb", "extras": {
            "command": "ls", "hidden": false, "metadata": {"exit_code": 0, "pid": -1, "working_dir": "/w", "suffix": "!"}}, "success": true})
        ),
        v0(
            7,
            json!({"action": "read", "tool_call_metadata": metadata("r1", &two, 1), "args": {"path": "/a"}})
        ),
        v0(
            8,
            json!({"cause": 7, "observation": "error", "content": "no such file", "extras": {"error_id": ""}})
        ),
        v0(9, json!({"source": "user", "action": "run", "args": {"command": "pwd"}})),
        v0(
            10,
            json!({"cause": 9, "observation": "run", "content": "/w", "extras": {"command": "pwd", "metadata": {"exit_code": 0}}})
        ),
        v0(
            11,
            json!({"action": "run_ipython", "args": {"code": "1+1", "thought": "count", "kernel_init_code": ""}})
        ),
        v0(12, json!({"cause": 11, "observation": "run_ipython", "content": "2", "extras": {"code": "1+1"}})),
        v0(
            13,
            json!({"action": "condensation", "args": {"forgotten_events_start_id": 5, "forgotten_events_end_id": 8, "summary": "ran ls", "summary_offset": 2}})
        ),
        v0(
            14,
            json!({"action": "finish", "tool_call_metadata": metadata("r2", &end, 0), "args": {"final_thought": "All done.", "thought": "I will."}})
        ),
    ])
}

#[test]
fn a_v0_trajectory_becomes_typed_events() {
    for wrapped in [trajectory(), json!({"trajectory": trajectory()})] {
        let (events, chat, warnings) = imported_events(&wrapped.to_string());
        assert_eq!(
            kinds(&events),
            "SystemPromptEvent MessageEvent MessageEvent ActionEvent ActionEvent ObservationEvent AgentErrorEvent MessageEvent MessageEvent ActionEvent ObservationEvent Condensation ActionEvent ObservationEvent"
        );
        assert_eq!(events[0]["tools"][0]["mcp_tool"]["name"], "execute_bash");
        assert_eq!(events[1]["timestamp"], "2025-01-20T20:29:01.519638");
        assert_eq!(events[2]["llm_message"]["content"][0]["text"], "Use tabs.");
        assert_eq!(events[3]["action"]["data"], json!({"command": "ls", "security_risk": "LOW"}));
        assert_eq!(
            (&events[3]["security_risk"], &events[3]["llm_response_id"]),
            (&json!("LOW"), &json!("r1"))
        );
        assert_eq!(
            (events[3]["thought"][0]["text"].as_str(), &events[4]["thought"]),
            (Some("I will."), &json!([]))
        );
        assert_eq!(
            events[5]["observation"]["content"][0]["text"],
            "a\nb!\n[Current working directory: /w]\n[Command finished with exit code 0]"
        );
        assert_eq!(events[6]["error"], "no such file");
        assert_eq!(events[9]["tool_call"]["arguments"], "{\"code\":\"1+1\"}");
        let forgotten: Vec<&str> = events[11]["forgotten_event_ids"]
            .as_array()
            .unwrap()
            .iter()
            .map(|id| id.as_str().unwrap())
            .collect();
        let ids: Vec<&str> =
            [3, 5, 4, 6].iter().map(|place: &usize| events[*place]["id"].as_str().unwrap()).collect();
        assert_eq!(forgotten, ids);
        assert_eq!(events[12]["action"]["kind"], "FinishAction");
        assert_eq!(chat[0]["content"], text_part("You are V0."));
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("agent_state_changed, recall"), "{warnings:?}");
    }
}

#[test]
fn an_exported_trajectory_can_be_imported_again() {
    let store = MemoryStore::new();
    let first = import_text(&trajectory().to_string(), &store).unwrap().conversation;
    let out = form(&store, first, Form::Trajectory);
    let second = import_text(&out.to_string(), &store).unwrap();
    assert_eq!(second.warnings, Vec::<String>::new());
    let chat = |id| form(&store, id, Form::Chat);
    assert_eq!(chat(first), chat(second.conversation));
    assert_eq!(
        form(&store, second.conversation, Form::Trajectory).as_array().unwrap().len(),
        out.as_array().unwrap().len()
    );
}

#[test]
fn hostile_files_are_refused_with_the_name_of_the_problem() {
    let message = |fields: &str| format!("[{{\"role\":\"user\",\"content\":\"x\"}},{{{fields}}}]");
    let event = |fields: &str| format!("[{{\"id\":0,\"source\":\"user\",\"action\":\"null\"}},{{{fields}}}]");
    let many = format!("[{}0]", "0,".repeat(60_000));
    let table: Vec<(String, &str)> = vec![
        (String::new(), "not JSON"),
        ("nope".into(), "not JSON"),
        ("{\"messages\":[".into(), "it breaks off"),
        ("7".into(), "not JSON, or neither"),
        ("{}".into(), "it is an empty object"),
        ("{\"messages\":7}".into(), "the session.messages is not a list"),
        ("{\"messages\":[],\"created_at\":true}".into(), "created_at is neither"),
        ("[7]".into(), "messages[0] is not an object"),
        ("[[[[[[]]]]]]".into(), "messages[0] is not an object"),
        ("[".repeat(100_000), "not JSON"),
        ("[".repeat(100_000) + &"]".repeat(100_000), "messages[0] is not an object"),
        (many, "60001 entries"),
        (message("\"role\":\"wizard\""), "messages[1].role"),
        (message("\"role\":7"), "messages[1].role is not a text"),
        (message("\"role\":\"user\",\"content\":7"), "messages[1].content is neither"),
        (message("\"role\":\"user\",\"content\":[7]"), "messages[1].content[0] is not an object"),
        (message("\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":{}}]"), "content[0].text"),
        (message("\"role\":\"tool\",\"content\":\"x\""), "messages[1].tool_call_id is missing"),
        (message("\"role\":\"assistant\",\"tool_calls\":{}"), "messages[1].tool_calls is not a list"),
        (message("\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\",\"function\":{}}]"), "without a name"),
        (
            message(
                "\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\",\"name\":\"x\"},{\"id\":\"a\",\"name\":\"y\"}]",
            ),
            "tool_calls[1].id is the id of another",
        ),
        (message("\"role\":\"assistant\",\"thinking_blocks\":[7]"), "messages[1].thinking_blocks"),
        (event("\"id\":0,\"source\":\"user\",\"action\":\"null\""), "event 1: another event has the id 0"),
        (event("\"id\":\"1\",\"action\":\"null\""), "event 1.id is not a number"),
        (event("\"id\":1"), "event 1 is neither an action nor an observation"),
        (event("\"id\":1,\"action\":7"), "event 1.action is not a text"),
        (event("\"id\":1,\"action\":\"message\",\"args\":[]"), "event 1.args is not an object"),
        (event("\"id\":1,\"action\":\"message\",\"args\":{\"content\":7}"), "event 1.args.content"),
        (event("\"id\":1,\"observation\":\"run\",\"content\":7"), "event 1.content is not a text"),
        (event("\"id\":1,\"action\":\"run\",\"tool_call_metadata\":7"), "event 1.tool_call_metadata"),
        (event("\"id\":1,\"action\":\"condensation\",\"args\":{\"forgotten_event_ids\":[\"a\"]}"), "numbers"),
    ];
    let store = stored(&Listed::conversation(2));
    let before = snapshot(&store);
    for (text, problem) in table {
        let start: String = text.chars().take(100).collect();
        let error = import_text(&text, &store).expect_err(&start);
        assert_eq!(error.code().as_str(), "archive_invalid", "{start}");
        assert!(error.message().contains(problem), "{start}: {error}");
        assert!(error.message().len() < 1000);
        assert_eq!(snapshot(&store), before, "{start}");
    }
}

#[test]
fn nothing_is_stored_without_the_write_lock() {
    let store = MemoryStore::new();
    let nobody = |_: ConversationId| -> LocalBoxFuture<'_, Option<Claim>> { Box::pin(ready(None)) };
    let options = ImportOptions { host: &Counting, now: 1000.0, on_progress: &|_| {}, claim: &nobody };
    let text = trajectory().to_string();
    let error = block_on(import_interchange(&text, &store, &Counting, &options)).unwrap_err();
    assert_eq!(error.code().as_str(), "locked_elsewhere");
    assert_eq!(snapshot(&store), vec![]);
}
