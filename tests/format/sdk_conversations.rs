//! This library reads the SDK's conversations as the SDK itself does: kinds, branches, views and messages.

use crate::fixtures::{Fixture, all, all_that_open};
use serde_json::{Map, Value, json};
use std::{collections::BTreeSet, rc::Rc};
use threadkeep::{
    context::{
        branch::{Branch, active_branch, unmatched_actions},
        messages::{events_to_messages, repair},
        view::{View, view_id},
    },
    event::{Body, Event},
    format::base_state::BaseState,
    json::{EditableObject, ToJson as _},
    llm::{
        LlmOptions,
        endpoint::Endpoint,
        model_data::ModelRow,
        model_features::ModelFeatures,
        responses::Responses,
        wire_api::{LlmRequest, WireApi as _},
    },
};

fn branch(fixture: &Fixture) -> Branch {
    active_branch(&fixture.log, &BaseState::parse(&fixture.base_state).unwrap().leaf())
}

fn ids(events: &[Event]) -> Vec<String> {
    events.iter().map(|event| event.id().to_string()).collect()
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

#[test]
fn events_have_the_kinds_that_the_sdk_reported() {
    for fixture in all() {
        let kinds = fixture.reported["kinds"].as_array().unwrap();
        for (event, kind) in fixture.log.iter().zip(kinds) {
            match kind.as_str() {
                Some(kind) => {
                    assert_eq!(event.kind(), kind, "{}", fixture.name);
                    assert!(event.is_valid(), "{}: {event:?}", fixture.name);
                }
                None => assert_eq!(event.body(), &Body::Unreadable, "{}", fixture.name),
            }
        }
    }
}

#[test]
fn an_encoded_event_has_the_bytes_that_the_sdk_wrote() {
    let mut kinds: BTreeSet<_> = Body::KINDS.iter().copied().collect();
    for fixture in all() {
        for event in fixture.log.iter().filter(|event| event.body() != &Body::Unreadable) {
            let written = event.body().encode(event.head());
            assert_eq!(written.as_deref(), Some(&**event.json()), "{}", fixture.name);
            kinds.remove(event.kind());
        }
    }
    // Only agent servers send this kind; the SDK alone does not know it.
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["ServerErrorEvent"], "no fixture holds these");
}

#[test]
fn the_active_branch_equals_that_of_the_sdk() {
    for fixture in all_that_open() {
        let branch = branch(&fixture);
        assert_eq!(branch.breaks, [], "{}", fixture.name);
        assert_eq!(ids(&branch.events), strings(&fixture.reported["active_branch"]), "{}", fixture.name);
    }
}

#[test]
fn the_view_has_the_events_of_the_sdks_view() {
    for fixture in all_that_open() {
        let view = View::of_branch(&branch(&fixture).events);
        let ids: Vec<_> = view.events().iter().map(|event| view_id(event).into_owned()).collect();
        assert_eq!(ids, strings(&fixture.reported["view"]), "{}", fixture.name);
    }
}

#[test]
fn unmatched_actions_equal_those_of_the_sdk() {
    for fixture in all_that_open() {
        let unmatched = unmatched_actions(&branch(&fixture).events);
        assert_eq!(ids(&unmatched), strings(&fixture.reported["unmatched_actions"]), "{}", fixture.name);
    }
}

#[test]
fn messages_equal_those_of_the_sdk() {
    for fixture in all_that_open() {
        let view = View::of_branch(&branch(&fixture).events);
        let messages = events_to_messages(view.events()).to_json_text();
        let messages: Value = serde_json::from_str(&messages).unwrap();
        let (messages, expected) = (messages.as_array().unwrap(), &fixture.expected["messages"]);
        assert_eq!(messages.len(), expected.as_array().unwrap().len(), "{}", fixture.name);
        for (message, expected) in messages.iter().zip(expected.as_array().unwrap()) {
            assert_eq!(message, expected, "{}", fixture.name);
        }
    }
}

#[test]
fn requests_over_the_responses_api_equal_those_of_the_sdk() {
    let mut compared = 0;
    for fixture in all_that_open() {
        let Some(llm) = BaseState::parse(&fixture.base_state).unwrap().agent_llm() else { continue };
        let options = LlmOptions::from_sdk_json(&llm.to_json_text());
        // A user's own server accepts any model name.
        let endpoint = Endpoint::resolve(&options.model, Some("http://localhost/v1")).unwrap();
        let row = match options.model.as_str() {
            "openai/gpt-3.5-turbo" => ModelRow::default(),
            _ => ModelRow(EditableObject::compact(r#"{"supports_vision":true}"#).unwrap()),
        };
        let messages = events_to_messages(View::of_branch(&branch(&fixture).events).events());
        let messages: Vec<_> = messages.into_iter().map(Rc::new).collect();
        let request = LlmRequest {
            options: &options,
            endpoint: &endpoint,
            features: &ModelFeatures::of(&options, &endpoint, &row),
            messages: &messages,
            tools: &[],
            conversation_id: None,
            is_streaming: true,
        };
        let sent: Value = serde_json::from_str(&Responses.begin(&request).unwrap().0.body).unwrap();
        let expected = &fixture.expected["responses"];
        assert_eq!(
            sent.get("instructions").unwrap_or(&Value::Null),
            &expected["instructions"],
            "{}",
            fixture.name
        );
        let mut items = with_one_result_for_a_call(expected["input"].as_array().unwrap());
        // Reasoning without content is not sent: the provider stores nothing and would not find it by its id.
        let has_content = |item: &Value| item.get("encrypted_content").or(item.get("content")).is_some();
        items.retain(|item| item["type"] != "reasoning" || has_content(item));
        let items: Value = if items.is_empty() { "".into() } else { items.into() };
        assert_eq!(sent["input"], items, "{}", fixture.name);
        compared += 1;
    }
    assert!(compared > 50, "the fixtures are missing");
}

/// The SDK sends one result for each part of a tool's result; these are merged into one result for each call.
fn with_one_result_for_a_call(items: &[Value]) -> Vec<Value> {
    let results = items.chunk_by(|a, b| a.get("output").is_some() && a["call_id"] == b["call_id"]);
    results.map(|same| Value::Object(joined(same))).collect()
}

/// All items as one. Texts are joined to one text unless one of the items has an image.
fn joined(items: &[Value]) -> Map<String, Value> {
    let mut first = items[0].as_object().unwrap().clone();
    if items.len() > 1 {
        let texts: Option<Vec<&str>> = items.iter().map(|item| item["output"].as_str()).collect();
        let parts = items.iter().flat_map(|item| match &item["output"] {
            Value::Array(parts) => parts.clone(),
            text => vec![json!({"type": "input_text", "text": text})],
        });
        first["output"] = texts.map_or_else(|| parts.collect(), |texts| texts.join("\n").into());
    }
    first
}

#[test]
fn only_histories_that_a_provider_would_refuse_are_repaired() {
    let repaired = all_that_open().into_iter().filter(|fixture| {
        let messages = events_to_messages(View::of_branch(&branch(fixture).events).events());
        repair(messages.clone()) != messages
    });
    let repaired: BTreeSet<String> = repaired.map(|fixture| fixture.name).collect();
    assert_eq!(
        repaired.into_iter().collect::<Vec<_>>(),
        ["empty-answers", "invalid-calls", "tool-definitions"]
    );
}

#[test]
fn setting_the_stored_values_again_changes_no_byte_of_a_base_state() {
    for fixture in all().into_iter().filter(|fixture| fixture.name != "torn-state") {
        let mut state = BaseState::parse(&fixture.base_state).unwrap();
        assert_eq!(&*state.json(), fixture.base_state, "{}", fixture.name);
        let status = state.execution_status();
        state.set_execution_status(status);
        state.set_max_iterations(state.max_iterations());
        state.set_tags(&state.tags()).unwrap();
        if let Some(llm) = state.agent_llm() {
            state.set_agent_llm(&llm);
        }
        state.set_last_user_message_id(state.last_user_message_id().as_ref());
        assert_eq!(&*state.json(), fixture.base_state, "{}", fixture.name);
    }
}

#[test]
fn a_field_that_is_removed_and_set_again_returns_to_its_position() {
    for fixture in all().into_iter().filter(|fixture| fixture.name != "torn-state") {
        let names: Vec<String> = serde_json::from_str::<serde_json::Map<String, Value>>(&fixture.base_state)
            .unwrap()
            .keys()
            .cloned()
            .collect();
        for name in names {
            let mut state = BaseState::parse(&fixture.base_state).unwrap();
            let value = state.field(&name);
            state.set_field(&name, None);
            assert_ne!(&*state.json(), fixture.base_state);
            state.set_field(&name, value.as_ref());
            assert_eq!(&*state.json(), fixture.base_state, "{}: {name}", fixture.name);
        }
    }
}
