//! Whatever is stored or imported can be decoded, walked and formatted: nothing panics, loops or loses a byte.

use crate::strategies::{
    any_event_json, any_json, call, event, field_name, good_history, happening, id, log, message, tangled_log,
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

fn touch(event: &Event) {
    let _ = (event.body(), event.source(), event.parent(), event.timestamp(), event.kind(), event.is_valid());
    let _ = (event.to_llm_message(), event.answered_call());
}

/// Whether a provider accepts the history: instructions come first, nothing is empty, each call is answered once and
/// directly, and nothing else is answered.
fn is_well_formed(messages: &[Message]) -> bool {
    let has_calls = |message: &Message| message.tool_calls.as_deref().is_some_and(|calls| !calls.is_empty());
    let is_said = |message: &Message| {
        let is_empty = message.content.iter().any(|part| part.as_text() == Some(""));
        let says = !message.content.is_empty() || !message.thinking_blocks.is_empty();
        message.role == Role::Assistant && has_calls(message) || says && !is_empty
    };
    if !messages.is_sorted_by_key(|message| message.role != Role::System) || !messages.iter().all(is_said) {
        return false;
    }
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        if message.role == Role::Tool {
            let place = open.iter().position(|call| message.tool_call_id.as_deref() == Some(call));
            let Some(place) = place else { return false };
            open.remove(place);
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
    fn any_text_is_an_event_that_keeps_its_bytes(text in ".{0,200}") {
        let event = decode(&text);
        prop_assert_eq!(&**event.json(), &text);
        touch(&event);
    }

    #[test]
    fn any_json_is_an_event_that_keeps_its_bytes(value in any_json()) {
        let text = value.to_string();
        let event = decode(&text);
        prop_assert_eq!(&**event.json(), &text);
        prop_assert_eq!(event.body() == &Body::Unreadable, !value.is_object());
        touch(&event);
    }

    #[test]
    fn an_object_of_a_known_kind_is_typed_or_unknown(text in any_event_json()) {
        let event = decode(&text);
        prop_assert_eq!(&**event.json(), &text);
        prop_assert_ne!(event.body(), &Body::Unreadable);
        touch(&event);
    }

    #[test]
    fn a_cut_file_is_never_taken_for_a_whole_one(happening in happening(), cut in any::<prop::sample::Index>()) {
        let whole = event(1, None, &happening);
        let end = cut.index(whole.json().len().max(1));
        if let Some(text) = whole.json().get(..end) {
            let event = decode(text);
            prop_assert_eq!(event.body(), &Body::Unreadable);
        }
    }

    #[test]
    fn what_is_new_can_be_read_by_python(arguments in any_json(), surrogate in any::<bool>(), depth in 0_usize..300) {
        let lone = if surrogate { r"\ud83d" } else { "" };
        let text = format!(r#"{{"a{lone}":{}"{lone}"{},"b":{arguments}}}"#, "[".repeat(depth), "]".repeat(depth));
        let body = ActionEvent::new(call(1), "r".into(), Some(Action::mcp_tool(&RawJson::parse(&text).unwrap())));
        let head = Head { id: id(1), timestamp: "t".into(), source: Source::Agent, parent: Parent::Unset };
        let event = Event::new(head, body).unwrap();
        prop_assert!(event.is_valid(), "{event:?}");
        let again = decode(event.json());
        prop_assert_eq!(again.body(), event.body());
        if !surrogate && depth < 100 {
            let kept = again.body().clone();
            let Body::ActionEvent(ActionEvent { action: Some(action), .. }) = kept else { panic!("{event:?}") };
            let arguments = action.mcp_arguments().unwrap();
            prop_assert_eq!(arguments.as_str(), text);
        }
    }

    #[test]
    fn a_view_of_any_branch_is_a_history(log in log()) {
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

    /// While a run goes on, most messages were made for the request before.
    #[test]
    fn a_view_that_grows_makes_the_messages_of_one_that_is_new(log in log(), asked in vec(any::<bool>(), 24)) {
        let mut growing = View::default();
        for (event, is_asked) in log.iter().zip(asked) {
            growing.push(event);
            if is_asked {
                let messages = growing.messages();
                let messages: Vec<Message> = messages.iter().map(|message| Message::clone(message)).collect();
                prop_assert_eq!(messages, history_of(growing.events()));
            }
        }
    }

    #[test]
    fn a_view_holds_batches_and_pairs_as_wholes(log in log()) {
        let view = View::of_branch(&log);
        let mut batches: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        let both = [log.as_slice(), view.events()];
        for (place, events) in both.into_iter().enumerate() {
            for event in events {
                if let Body::ActionEvent(action) = event.body() {
                    batches.entry(&action.llm_response_id).or_default()[place] += 1;
                }
            }
        }
        for [all, kept] in batches.values() {
            prop_assert!(*kept == 0 || kept == all);
        }
        let count = |is: fn(&Event) -> bool| view.events().iter().filter(|event| is(event)).count();
        let calls = count(|event| matches!(event.body(), Body::ActionEvent(_)));
        prop_assert_eq!(count(|event| event.answered_call().is_some()), calls);
        let given = view.messages().iter().filter(|message| message.role == Role::Tool).count();
        prop_assert_eq!(given, calls);
    }

    #[test]
    fn waiting_actions_are_valid_and_in_order(log in log()) {
        let waiting = unmatched_actions(&log);
        let places: Vec<_> =
            waiting.iter().map(|event| log.iter().position(|other| other.id() == event.id()).unwrap()).collect();
        prop_assert!(places.is_sorted());
        for event in &waiting {
            prop_assert!(matches!(event.body(), Body::ActionEvent(action) if action.action.is_some()));
        }
    }

    #[test]
    fn a_walk_ends_and_passes_nothing_twice(log in tangled_log(), leaf in option::of(0_u8..30)) {
        let leaf = leaf.map_or(Leaf::Unset, |number| Leaf::Event(id(number)));
        let branch = active_branch(&log, &leaf);
        let ids: BTreeSet<_> = branch.events.iter().map(Event::id).collect();
        prop_assert_eq!(ids.len(), branch.events.len());
        if let (Leaf::Event(leaf), Some(last)) = (&leaf, branch.events.last()) {
            prop_assert_eq!(last.id(), leaf);
        }
        let place = |event: &Event| log.iter().position(|other| other.id() == event.id()).unwrap();
        let mut around = 0;
        for pair in branch.events.windows(2) {
            let follows = match pair[1].parent() {
                Parent::Event(parent) => parent == pair[0].id(),
                Parent::Unset => true,
                Parent::Root | Parent::Invalid(_) => false,
            };
            if !follows {
                around += 1;
                prop_assert!(place(&pair[0]) < place(&pair[1]));
            }
        }
        prop_assert!(around <= branch.breaks.len());
        if let Some(first) = branch.events.first() {
            let is_root = matches!(first.parent(), Parent::Root);
            prop_assert!(is_root || first.id() == log[0].id() || !branch.breaks.is_empty());
        }
    }

    #[test]
    fn a_good_history_is_not_repaired(messages in good_history()) {
        prop_assert!(is_well_formed(&messages));
        prop_assert_eq!(repair(messages.clone()), messages);
    }

    #[test]
    fn any_history_can_be_repaired(messages in vec(message(), 0..16)) {
        let repaired = repair(messages.clone());
        prop_assert!(is_well_formed(&repaired), "{repaired:?}");
        prop_assert_eq!(repair(repaired.clone()), repaired.clone());
        let has_words = |message: &&Message| message.content.iter().any(|part| part.as_text() != Some(""));
        let said = |messages: &[Message]| {
            messages.iter().filter(|message| message.role == Role::User).filter(has_words).count()
        };
        prop_assert_eq!(said(&repaired), said(&messages));
        let calls = |messages: &[Message]| -> usize {
            let assistants = messages.iter().filter(|message| message.role == Role::Assistant);
            assistants.flat_map(|message| &message.tool_calls).map(Vec::len).sum()
        };
        prop_assert_eq!(calls(&repaired), calls(&messages));
    }

    #[test]
    fn messages_of_any_events_can_be_made(log in log()) {
        events_to_messages(&log);
    }

    #[test]
    fn a_base_state_is_read_or_refused_in_words(text in ".{0,80}", value in any_json()) {
        for text in [text, value.to_string()] {
            if let Err(error) = BaseState::parse(&text) {
                prop_assert!(error.message().starts_with("base_state.json "));
            }
        }
    }

    #[test]
    fn setting_a_field_changes_that_field_alone(
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
