//! Files of other programs by their shape: events as a list or as lines, branches, and what is refused.

use super::{
    interchange::{form, import_text},
    *,
};
use crate::{archive::interchange::Form, error::ErrorCode};
use serde_json::{Value, json};

fn sdk_events() -> Vec<Value> {
    let part = |text: &str| json!([{"type": "text", "text": text}]);
    let ids: Vec<String> = (0..3).map(event_id).collect();
    vec![
        json!({"id": ids[0], "source": "agent", "system_prompt": {"type": "text", "text": "You help."}, "tools": [], "kind": "SystemPromptEvent"}),
        json!({"id": ids[1], "source": "user", "parent_id": ids[0], "llm_message": {"role": "user", "content": part("Hello")}, "kind": "MessageEvent"}),
        json!({"id": ids[2], "source": "agent", "parent_id": ids[1], "llm_message": {"role": "assistant", "content": part("Hi.")}, "kind": "MessageEvent"}),
    ]
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

/// Imports a text: the texts of its active branch, and the warnings.
fn read(text: &str) -> (Vec<String>, Vec<String>) {
    let store = MemoryStore::new();
    let imported = import_text(text, &store).unwrap_or_else(|error| panic!("{error}: {text}"));
    (said(&form(&store, imported.conversation, Form::Session)), imported.warnings)
}

fn said(session: &Value) -> Vec<String> {
    let messages = session["messages"].as_array().unwrap().iter();
    messages.map(|message| message["content"].as_str().unwrap_or_default().to_owned()).collect()
}

fn refused(text: &str) -> String {
    let error = import_text(text, &MemoryStore::new()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::ArchiveInvalid, "{error}");
    error.message().to_owned()
}

#[test]
fn events_of_the_sdk_are_read_as_a_list_as_lines_and_as_a_page() {
    let events = sdk_events();
    let marked = format!("\u{feff}{}", lines(&events));
    for text in [
        lines(&events),
        marked,
        lines(&events).replace('\n', "\r\n\r\n"),
        Value::from(events.clone()).to_string(),
        json!({"items": events, "next_page_id": null}).to_string(),
        json!({"events": events}).to_string(),
    ] {
        let store = MemoryStore::new();
        let imported = import_text(&text, &store).unwrap();
        assert_eq!((imported.length, imported.warnings), (3, vec![]), "{text}");
        assert_eq!(said(&form(&store, imported.conversation, Form::Session)), ["You help.", "Hello", "Hi."]);
        let stored = block_on(store.events(imported.conversation, 0..9)).unwrap();
        for (stored, event) in stored.iter().zip(&events) {
            assert_eq!(
                serde_json::from_str::<Value>(&stored.json).unwrap(),
                *event,
                "events are stored as they are"
            );
        }
    }
}

#[test]
fn lines_of_a_program_that_prints_more_are_counted() {
    let text = lines(&sdk_events());
    let (said, warnings) = read(&format!("{text}\nDone in 3 s\n7\n{{\"id\":\"0f8f"));
    assert_eq!(said, ["You help.", "Hello", "Hi."]);
    assert!(warnings.len() == 1 && warnings[0].contains("no JSON objects (2 times)"), "{warnings:?}");
    assert!(warnings[0].contains("a last line that breaks off"), "{warnings:?}");
    let again = lines(&[&sdk_events()[..], &sdk_events()[..1], &[json!({"kind": "MessageEvent"})]].concat());
    let (said, warnings) = read(&again);
    assert_eq!(said.len(), 3);
    assert!(
        warnings[0].contains("an event that occurs again") && warnings[0].contains("no id of an event"),
        "{warnings:?}"
    );
    let chat =
        lines(&[json!({"role": "user", "content": "Hi"}), json!({"role": "assistant", "content": "Hello"})]);
    assert_eq!(read(&chat).0, ["Hi", "Hello"]);
    let v0 = |id: u64, source: &str| json!({"id": id, "source": source, "action": "message", "args": {"content": "Hi"}});
    assert_eq!(read(&lines(&[v0(0, "user"), v0(1, "agent")])).0, ["Hi", "Hi"]);
    for broken in
        ["{\"a\":1", "{\"role\":\"user\"\n{\"role\":\"user\",\"content\":\"x\"}\n", "hello\nthere\n"]
    {
        assert!(refused(broken).contains("not JSON"), "{broken}");
    }
}

#[test]
fn a_file_of_no_known_program_is_refused_by_what_it_has_and_what_could_be_read() {
    let many: Value =
        (0..20).map(|n| (format!("field{n:02}"), json!(n))).collect::<serde_json::Map<_, _>>().into();
    for (text, found) in [
        (json!({"chapters": [], "author": "A"}), "the fields \"author\", \"chapters\""),
        (many, "12 more"),
        (json!({}), "an empty object"),
        (
            json!([{"lat": 1, "lon": 2}]),
            "the first element is none that is known: it is an object with the fields \"lat\", \"lon\"",
        ),
    ] {
        let message = refused(&text.to_string());
        assert!(
            message.contains(found) && message.contains("LibreChat") && message.contains("trajectory"),
            "{message}"
        );
    }
}

fn pets() -> Value {
    let message = |id: &str, parent: Value, role: &str, content: &str| {
        json!({
            "convId": "k", "id": id, "parent": parent, "role": role, "content": content, "type": "text",
            "timestamp": 1_783_619_815_561_u64, "children": [], "extra": [], "toolCalls": "", "thinking": "",
        })
    };
    let mut root = message("root", Value::Null, "system", "");
    root["type"] = json!("root");
    json!({
        "conv": {"id": "k", "lastModified": 1, "currNode": "5", "name": "Pets"},
        "messages": [
            root,
            message("1", json!("root"), "user", "Name a pet."),
            message("2", json!("1"), "assistant", "Cat."),
            message("3", json!("1"), "assistant", "Dog."),
            message("4", json!("3"), "user", "Another?"),
            message("5", json!("4"), "assistant", "Parrot."),
        ],
    })
}

/// The texts of every branch of a conversation, by the leaves of its log.
fn branches(store: &dyn Store, id: ConversationId) -> Vec<Vec<String>> {
    let events = block_on(store.events(id, 0..u64::MAX)).unwrap();
    let events: Vec<Value> = events.iter().map(|event| serde_json::from_str(&event.json).unwrap()).collect();
    let mut all = Vec::new();
    for leaf in &events {
        if events.iter().any(|event| event["parent_id"] == leaf["id"]) {
            continue;
        }
        let (mut branch, mut at) = (Vec::new(), Some(leaf));
        while let Some(event) = at {
            let text = &event["llm_message"]["content"][0]["text"];
            branch.extend(text.as_str().map(str::to_owned));
            at = events.iter().find(|other| other["id"] == event["parent_id"]);
        }
        branch.reverse();
        all.push(branch);
    }
    all
}

#[test]
fn branches_of_llama_cpp_are_branches() {
    let store = MemoryStore::new();
    let imported = import_text(&pets().to_string(), &store).unwrap();
    assert_eq!(imported.warnings, Vec::<String>::new());
    let session = form(&store, imported.conversation, Form::Session);
    assert_eq!(
        (&session["title"], said(&session)),
        (&json!("Pets"), ["Name a pet.", "Dog.", "Another?", "Parrot."].map(str::to_owned).to_vec())
    );
    assert_eq!(
        branches(&store, imported.conversation),
        [vec!["Name a pet.", "Cat."], vec!["Name a pet.", "Dog.", "Another?", "Parrot."]]
    );
    let state: Value = serde_json::from_str(&snapshot(&store).remove(0).1).unwrap();
    assert_eq!(state["execution_status"], "finished");
    // The branch that was shown stays the active one, also if it is not the last.
    let mut first = pets();
    first["conv"]["currNode"] = json!("2");
    let store = MemoryStore::new();
    let imported = import_text(&first.to_string(), &store).unwrap();
    assert_eq!(said(&form(&store, imported.conversation, Form::Session)), ["Name a pet.", "Cat."]);
}

#[test]
fn branches_hold_with_instructions_calls_and_several_beginnings() {
    let call = json!([{"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}]);
    let session = json!({"title": "T", "leaf": 7, "messages": [
        {"id": 1, "parent": null, "role": "system", "content": "Be kind."},
        {"id": 2, "parent": 1, "role": "user", "content": "Look."},
        {"id": 3, "parent": 2, "role": "assistant", "content": "", "tool_calls": call},
        {"id": 4, "parent": 3, "role": "tool", "tool_call_id": "a", "content": "A cat."},
        {"id": 5, "parent": 4, "role": "assistant", "content": "It is a cat."},
        {"id": 6, "parent": 4, "role": "assistant", "content": "A cat!"},
        {"id": 7, "parent": 1, "role": "user", "content": "Listen."},
        {"id": 8, "parent": 2, "role": "assistant", "content": "", "tool_calls": call},
        {"id": 9, "parent": 8, "role": "tool", "tool_call_id": "a", "content": "A dog."},
        {"id": 10, "parent": "lost", "role": "user", "content": "Elsewhere."},
    ]});
    let store = MemoryStore::new();
    let imported = import_text(&session.to_string(), &store).unwrap();
    assert_eq!(imported.warnings, Vec::<String>::new());
    assert_eq!(
        branches(&store, imported.conversation),
        [
            vec!["Look.", "It is a cat."],
            vec!["Look.", "A cat!"],
            vec!["Look."],
            vec!["Listen."],
            vec!["Elsewhere."]
        ]
    );
    let chat = form(&store, imported.conversation, Form::Chat);
    assert_eq!(chat[0]["content"][0]["text"], "Be kind.");
    assert_eq!(chat[1]["content"][0]["text"], "Listen.");
    let state: Value = serde_json::from_str(&snapshot(&store).remove(0).1).unwrap();
    assert_eq!(state["execution_status"], "idle");
}

#[test]
fn messages_in_a_circle_are_counted_and_many_branches_take_no_longer_than_many_messages() {
    let circle = json!({"messages": [
        {"id": "a", "parent": null, "role": "user", "content": "Hi"},
        {"id": "b", "parent": "c", "role": "user", "content": "Round"},
        {"id": "c", "parent": "b", "role": "user", "content": "and round"},
    ]});
    let (said, warnings) = read(&circle.to_string());
    assert_eq!(said, ["Hi"]);
    assert!(warnings[0].contains("in a circle (2 times)"), "{warnings:?}");
    let twice = json!({"messages": [{"id": 1, "parent": null, "role": "user"}, {"id": 1, "parent": 1, "role": "user"}]});
    assert!(refused(&twice.to_string()).contains("messages[1].id"));
    // A long trunk with an answer at each message: one branch after the other would read the trunk anew.
    let mut messages = vec![json!({"id": 0, "parent": null, "role": "user", "content": "x"})];
    for n in 1..8000_u64 {
        messages.push(json!({"id": n, "parent": (n - 1) / 2 * 2, "role": "user", "content": "x"}));
    }
    let store = MemoryStore::new();
    let imported = import_text(&json!({"messages": messages}).to_string(), &store).unwrap();
    assert_eq!(imported.length, 8001);
}

#[test]
fn commands_that_v0_ran_for_itself_are_no_calls_of_the_agent() {
    let run = |id: u64, hidden: Value, source: &str| json!({"id": id, "source": source, "action": "run", "args": {"command": "git config x", "hidden": hidden}});
    let result = |id: u64, cause: u64| json!({"id": id, "source": "environment", "cause": cause, "observation": "run", "content": "ok", "extras": {}});
    let hello = json!({"id": 0, "source": "user", "action": "message", "args": {"content": "Hi"}});
    for source in ["agent", "user", "environment"] {
        let (said, warnings) = read(&json!([hello, run(1, json!(true), source), result(2, 1)]).to_string());
        assert_eq!(said, ["Hi"], "{source}");
        assert!(warnings.len() == 1 && warnings[0].contains("that V0 ran for itself"), "{warnings:?}");
    }
    let (said, _) = read(&json!([hello, run(1, json!(false), "agent"), result(2, 1)]).to_string());
    assert_eq!(said, ["Hi", "", "ok"]);
}
