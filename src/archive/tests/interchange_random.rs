//! Random files of other programs: each is imported as a valid conversation or refused.

use super::{
    interchange::{call, form, import_text, trajectory},
    *,
};
use crate::{archive::interchange::Form, event::Event};
use proptest::prelude::*;
use serde_json::{Value, json};

fn any_value() -> impl Strategy<Value = Value> {
    let names = [
        "role",
        "content",
        "tool_calls",
        "tool_call_id",
        "id",
        "name",
        "function",
        "arguments",
        "type",
        "text",
        "image_url",
        "url",
        "action",
        "observation",
        "args",
        "extras",
        "source",
        "cause",
        "tool_call_metadata",
        "function_name",
        "model_response",
        "choices",
        "message",
        "thought",
        "metadata",
        "messages",
        "trajectory",
        "timestamp",
        "created_at",
        "command",
        "forgotten_event_ids",
    ];
    let texts = [
        "user",
        "assistant",
        "system",
        "tool",
        "agent",
        "text",
        "image_url",
        "run",
        "finish",
        "think",
        "message",
        "condensation",
        "recall",
        "error",
        "a",
        "b",
        "{\"a\":1}",
        "2026-01-01",
        "https://x.test/y",
        "",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0_i64..4).prop_map(Value::from),
        prop::sample::select(texts.to_vec()).prop_map(Value::from),
        ".{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(names.to_vec()), inner), 0..7).prop_map(|fields| {
                Value::Object(fields.into_iter().map(|(name, value)| (name.into(), value)).collect())
            }),
        ]
    })
}

/// A file that is similar to valid ones, so that much of it is read.
fn any_file() -> impl Strategy<Value = Value> {
    let role = prop::sample::select(vec!["user", "assistant", "tool", "system"]);
    let id = prop::sample::select(vec!["a", "b", "c"]);
    let calls = prop::collection::vec((id.clone(), "[ft]?inish|think|x", any_value()), 0..3);
    let message =
        (role, prop_oneof![Just(Value::Null), ".{0,5}".prop_map(Value::from), any_value()], calls, id)
            .prop_map(|(role, content, calls, id)| {
                let mut message = json!({"role": role, "content": content});
                if role == "assistant" {
                    message["tool_calls"] = calls
                        .iter()
                        .map(|(id, name, arguments)| call(id, name, &arguments.to_string()))
                        .collect();
                }
                if role == "tool" {
                    message["tool_call_id"] = id.into();
                }
                message
            });
    let entry = prop_oneof![3 => message, 1 => any_value()];
    let mutated = (0_usize..16, any_value()).prop_map(|(index, value)| {
        let mut all = trajectory();
        if let Some(entry) = all.get_mut(index) {
            match (entry.as_object_mut(), value) {
                (Some(fields), Value::Object(new)) => fields.extend(new),
                (_, value) => *entry = value,
            }
        }
        all
    });
    prop_oneof![
        4 => prop::collection::vec(entry.clone(), 0..6).prop_map(Value::from),
        2 => (prop::collection::vec(entry, 0..5), any_value()).prop_map(|(messages, date)| json!({"messages": messages, "created_at": date})),
        3 => mutated,
        1 => any_value(),
    ]
}

proptest! {
    #[test]
    fn any_json_is_refused_or_becomes_a_valid_conversation(file in any_file(), cut in 0_usize..400) {
        let store = MemoryStore::new();
        let text = file.to_string();
        let torn = text.char_indices().nth(cut).map_or(text.as_str(), |(at, _)| &text[..at]);
        let _ = import_text(torn, &MemoryStore::new());
        match import_text(&text, &store) {
            Err(error) => {
                prop_assert_eq!(error.code().as_str(), "archive_invalid");
                prop_assert!(error.message().len() < 2000);
                prop_assert!(snapshot(&store).is_empty());
            }
            Ok(imported) => {
                let id = imported.conversation;
                let events = block_on(store.events(id, 0..999)).unwrap();
                let events: Vec<Event> = events.iter().map(|one| Event::decode(one.id.clone(), Rc::clone(&one.json))).collect();
                prop_assert!(events.iter().all(Event::is_valid));
                prop_assert!(crate::context::branch::unmatched_actions(&events).is_empty());
                // An export can be imported again, has the same messages, and causes no warnings.
                let session = form(&store, id, Form::Session);
                let again = import_text(&session.to_string(), &store).unwrap();
                prop_assert_eq!(again.warnings, Vec::<String>::new());
                let after = form(&store, again.conversation, Form::Session);
                prop_assert_eq!(&session["messages"], &after["messages"]);
                let v0 = form(&store, id, Form::Trajectory);
                import_text(&v0.to_string(), &store).unwrap();
            }
        }
    }
}
