//! Properties that hold for any stored or imported data: decoding, branch selection and formatting never panic, never
//! loop, and lose no byte.

use crate::strategies::{
    any_event_json, any_json, call, event, field_name, id, log, message, step, tangled_log,
    well_formed_history,
};
use proptest::{collection::vec, option, prelude::*};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use threadkeep::{
    context::{
        branch::{active_branch, unmatched_actions},
        messages::{events_to_messages, history_of, repair},
        view::View,
    },
    event::{Action, ActionEvent, Body, Event, Head, Parent, Source},
    format::{base_state::BaseState, tree::Leaf},
    json::RawJson,
    llm::message::{Message, Role},
};

fn raw(value: &Value) -> RawJson {
    RawJson::parse(&value.to_string()).unwrap()
}

fn decode(json: &str) -> Event {
    Event::decode(id(1), json.into())
}

fn read_everything(event: &Event) {
    let _ = (event.body(), event.source(), event.parent(), event.timestamp(), event.kind(), event.is_valid());
    let _ = (event.to_llm_message(), event.answered_call());
}

/// Whether a provider accepts the history: system messages come first, no message is empty, each call is answered exactly
/// once and directly after its message, and every result answers a call.
fn is_well_formed(messages: &[Message]) -> bool {
    let has_calls = |message: &Message| message.tool_calls.as_deref().is_some_and(|calls| !calls.is_empty());
    let has_content = |message: &Message| {
        let has_empty_text = message.content.iter().any(|part| part.as_text() == Some(""));
        let has_parts = !message.content.is_empty() || !message.thinking_blocks.is_empty();
        message.role == Role::Assistant && has_calls(message) || has_parts && !has_empty_text
    };
    if !messages.is_sorted_by_key(|message| message.role != Role::System) || !messages.iter().all(has_content)
    {
        return false;
    }
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        if message.role == Role::Tool {
            let index = open.iter().position(|call| message.tool_call_id.as_deref() == Some(call));
            let Some(index) = index else { return false };
            open.remove(index);
            continue;
        }
        if !open.is_empty() {
            return false;
        }
        if message.role == Role::Assistant {
            open.extend(message.tool_calls.iter().flatten().map(|call| call.id.as_str()));
        }
    }
    open.is_empty()
}

proptest! {
    #[test]
    fn an_event_decoded_from_any_text_has_the_same_bytes(text in ".{0,200}") {
        let event = decode(&text);
        prop_assert_eq!(&**event.json(), &text);
        read_everything(&event);
    }

    #[test]
    fn an_event_decoded_from_any_json_has_the_same_bytes(value in any_json()) {
        let text = value.to_string();
        let event = decode(&text);
        prop_assert_eq!(&**event.json(), &text);
        prop_assert_eq!(event.body() == &Body::Unreadable, !value.is_object());
        read_everything(&event);
    }

    #[test]
    fn an_object_of_a_known_kind_is_typed_or_unknown(text in any_event_json()) {
        let event = decode(&text);
        prop_assert_eq!(&**event.json(), &text);
        prop_assert_ne!(event.body(), &Body::Unreadable);
        read_everything(&event);
    }

    #[test]
    fn a_truncated_event_file_is_unreadable(step in step(), cut in any::<prop::sample::Index>()) {
        let complete = event(1, None, &step);
        let end = cut.index(complete.json().len().max(1));
        if let Some(text) = complete.json().get(..end) {
            let event = decode(text);
            prop_assert_eq!(event.body(), &Body::Unreadable);
        }
    }

    #[test]
    fn a_new_action_with_any_arguments_is_readable_by_python(arguments in any_json(), surrogate in any::<bool>(), depth in 0_usize..300) {
        let lone = if surrogate { r"\ud83d" } else { "" };
        let text = format!(r#"{{"a{lone}":{}"{lone}"{},"b":{arguments}}}"#, "[".repeat(depth), "]".repeat(depth));
        let body = ActionEvent::new(call(1), "r".into(), Some(Action::mcp_tool(&RawJson::parse(&text).unwrap())));
        let head = Head { id: id(1), timestamp: "t".into(), source: Source::Agent, parent: Parent::Unset };
        let event = Event::new(head, body).unwrap();
        prop_assert!(event.is_valid(), "{event:?}");
        let again = decode(event.json());
        prop_assert_eq!(again.body(), event.body());
        if !surrogate && depth < 100 {
            let body = again.body().clone();
            let Body::ActionEvent(ActionEvent { action: Some(action), .. }) = body else { panic!("{event:?}") };
            let arguments = action.mcp_arguments().unwrap();
            prop_assert_eq!(arguments.as_str(), text);
        }
    }

    #[test]
    fn the_view_of_any_branch_is_a_well_formed_history(log in log()) {
        let view = View::of_branch(&log);
        let messages = history_of(view.events());
        prop_assert!(is_well_formed(&messages), "{messages:?}");
        let mut pushed = View::default();
        for event in &log {
            pushed.push(event);
            prop_assert!(is_well_formed(&history_of(pushed.events())));
        }
        for event in view.events() {
            prop_assert!(pushed.events().contains(event));
        }
    }

    /// During a run a view reuses the messages of the previous request; they must equal newly formatted ones.
    #[test]
    fn cached_messages_of_a_growing_view_equal_new_ones(log in log(), requests in vec(any::<bool>(), 24)) {
        let mut growing = View::default();
        for (event, is_requested) in log.iter().zip(requests) {
            growing.push(event);
            if is_requested {
                let messages = growing.messages();
                let messages: Vec<Message> = messages.iter().map(|message| Message::clone(message)).collect();
                prop_assert_eq!(messages, history_of(growing.events()));
            }
        }
    }

    #[test]
    fn a_view_never_splits_batches_or_call_result_pairs(log in log()) {
        let view = View::of_branch(&log);
        let mut batches: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        let both = [log.as_slice(), view.events()];
        for (column, events) in both.into_iter().enumerate() {
            for event in events {
                if let Body::ActionEvent(action) = event.body() {
                    batches.entry(&action.llm_response_id).or_default()[column] += 1;
                }
            }
        }
        for [in_log, in_view] in batches.values() {
            prop_assert!(*in_view == 0 || in_view == in_log);
        }
        let count = |is: fn(&Event) -> bool| view.events().iter().filter(|event| is(event)).count();
        let calls = count(|event| matches!(event.body(), Body::ActionEvent(_)));
        prop_assert_eq!(count(|event| event.answered_call().is_some()), calls);
        let results = view.messages().iter().filter(|message| message.role == Role::Tool).count();
        prop_assert_eq!(results, calls);
    }

    #[test]
    fn unmatched_actions_are_valid_and_in_log_order(log in log()) {
        let unmatched = unmatched_actions(&log);
        let indices: Vec<_> =
            unmatched.iter().map(|event| log.iter().position(|other| other.id() == event.id()).unwrap()).collect();
        prop_assert!(indices.is_sorted());
        for event in &unmatched {
            prop_assert!(matches!(event.body(), Body::ActionEvent(action) if action.action.is_some()));
        }
    }

    #[test]
    fn the_active_branch_of_any_log_has_no_duplicates_and_reports_its_breaks(log in tangled_log(), leaf in option::of(0_u8..30)) {
        let leaf = leaf.map_or(Leaf::Unset, |number| Leaf::Event(id(number)));
        let branch = active_branch(&log, &leaf);
        let ids: BTreeSet<_> = branch.events.iter().map(Event::id).collect();
        prop_assert_eq!(ids.len(), branch.events.len());
        if let (Leaf::Event(leaf), Some(last)) = (&leaf, branch.events.last()) {
            prop_assert_eq!(last.id(), leaf);
        }
        let index = |event: &Event| log.iter().position(|other| other.id() == event.id()).unwrap();
        let mut gaps = 0;
        for pair in branch.events.windows(2) {
            let follows = match pair[1].parent() {
                Parent::Event(parent) => parent == pair[0].id(),
                Parent::Unset => true,
                Parent::Root | Parent::Invalid(_) => false,
            };
            if !follows {
                gaps += 1;
                prop_assert!(index(&pair[0]) < index(&pair[1]));
            }
        }
        prop_assert!(gaps <= branch.breaks.len());
        if let Some(first) = branch.events.first() {
            let is_root = matches!(first.parent(), Parent::Root);
            prop_assert!(is_root || first.id() == log[0].id() || !branch.breaks.is_empty());
        }
    }

    #[test]
    fn a_well_formed_history_is_not_repaired(messages in well_formed_history()) {
        prop_assert!(is_well_formed(&messages));
        prop_assert_eq!(repair(messages.clone()), messages);
    }

    #[test]
    fn a_repaired_history_is_well_formed_and_keeps_user_messages_and_calls(messages in vec(message(), 0..16)) {
        let repaired = repair(messages.clone());
        prop_assert!(is_well_formed(&repaired), "{repaired:?}");
        prop_assert_eq!(repair(repaired.clone()), repaired.clone());
        // Messages that follow each other may have become one.
        let user_messages = |messages: &[Message]| {
            let users = messages.iter().filter(|message| message.role == Role::User);
            users.flat_map(|message| &message.content).filter(|part| part.as_text() != Some("")).count()
        };
        prop_assert_eq!(user_messages(&repaired), user_messages(&messages));
        let calls = |messages: &[Message]| -> usize {
            let assistants = messages.iter().filter(|message| message.role == Role::Assistant);
            assistants.flat_map(|message| &message.tool_calls).map(Vec::len).sum()
        };
        prop_assert_eq!(calls(&repaired), calls(&messages));
    }

    #[test]
    fn formatting_any_events_as_messages_never_panics(log in log()) {
        events_to_messages(&log);
    }

    #[test]
    fn an_unreadable_base_state_is_refused_with_an_error_that_names_the_file(text in ".{0,80}", value in any_json()) {
        for text in [text, value.to_string()] {
            if let Err(error) = BaseState::parse(&text) {
                prop_assert!(error.message().starts_with("base_state.json "));
            }
        }
    }

    #[test]
    fn setting_a_field_changes_no_other_field(
        fields in vec((field_name(), any_json()), 0..8),
        name in prop_oneof![field_name(), Just("tags".to_owned()), Just("stats".to_owned())],
        value in any_json(),
        space in "[ \t\n]{0,2}",
    ) {
        prop_assume!(name != "id");
        let mut text = format!("{{{space}\"id\"{space}:{space}\"0f8fad5b-d9cb-469f-a165-70867728950e\"");
        for (name, value) in fields.iter().filter(|(name, _)| name != "id") {
            text.push_str(&format!("{space},{space}{}:{space}{value}", json!(name)));
        }
        text.push_str(&format!("{space}}}{space}"));
        let mut state = BaseState::parse(&text).unwrap();
        prop_assert_eq!(&*state.json(), &text);

        let mut expected: Value = serde_json::from_str(&text).unwrap();
        state.set_field(&name, Some(&raw(&value)));
        expected[&name] = value.clone();
        prop_assert_eq!(serde_json::from_str::<Value>(&state.json()).unwrap(), expected.clone());
        prop_assert_eq!(state.field(&name), Some(raw(&value)).filter(|raw| raw.as_str() != "null"));

        state.set_field(&name, None);
        expected.as_object_mut().unwrap().remove(&name);
        prop_assert_eq!(serde_json::from_str::<Value>(&state.json()).unwrap(), expected);
    }
}
