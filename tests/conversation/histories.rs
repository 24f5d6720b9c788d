//! Histories of other programs and damaged histories: the messages to the model, and the warnings.

use crate::support::{ID, World, say, text};
use futures_executor::block_on;
use serde_json::{Value, json};
use std::rc::Rc;
use threadkeep::{
    cancel::CancelToken,
    context::view::View,
    conversation::{Conversation, WarningCode},
    event::Event,
    id::ConversationId,
    store::{Commit, MemoryStore, Store},
};

fn id() -> ConversationId {
    ID.parse().unwrap()
}

/// The event id with this number.
fn event_id(number: usize) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

fn parts(text: &str) -> Value {
    json!([{ "type": "text", "text": text }])
}

fn instructions() -> Value {
    json!({ "source": "agent", "system_prompt": { "type": "text", "text": "Be kind." }, "tools": [], "kind": "SystemPromptEvent" })
}

fn message(text: &str) -> Value {
    json!({ "source": "user", "llm_message": { "role": "user", "content": parts(text) }, "kind": "MessageEvent" })
}

fn call(response: &str, call: &str) -> Value {
    json!({
        "source": "agent", "thought": [], "tool_name": "echo", "tool_call_id": call, "llm_response_id": response,
        "tool_call": { "id": call, "name": "echo", "arguments": "{}", "origin": "completion" },
        "action": { "data": {}, "kind": "MCPToolAction" }, "kind": "ActionEvent",
    })
}

fn result(action: usize, call: &str, text: &str) -> Value {
    json!({
        "source": "environment", "tool_name": "echo", "tool_call_id": call, "action_id": event_id(action),
        "observation": { "content": parts(text), "tool_name": "echo", "kind": "MCPToolObservation" },
        "kind": "ObservationEvent",
    })
}

fn rejection(action: usize, call: &str, reason: &str) -> Value {
    json!({
        "source": "environment", "tool_name": "echo", "tool_call_id": call, "action_id": event_id(action),
        "rejection_reason": reason, "kind": "UserRejectObservation",
    })
}

/// Stores a conversation of these events, each of which follows the one before it unless it names a parent. A string is
/// a file that is not JSON. HEAD is the last event. `edit` changes the state.
async fn stored(events: Vec<Value>, edit: impl FnOnce(&mut Value)) -> World {
    let store = MemoryStore::new();
    let world = World::new(Rc::new(store.another()), vec![], [text("Well.")]);
    drop(world.open_stored().await.unwrap());
    let mut commit = Commit::new(0, 0.0);
    for (place, mut event) in events.into_iter().enumerate() {
        let id = event_id(place);
        if let Some(fields) = event.as_object_mut() {
            fields.insert("id".into(), id.clone().into());
            fields.insert("timestamp".into(), "2026-01-31T09:15:02.123456".into());
            if place > 0 && !fields.contains_key("parent_id") {
                fields.insert("parent_id".into(), event_id(place - 1).into());
            }
        }
        let text = event.as_str().map_or_else(|| event.to_string(), str::to_owned);
        commit.events.push((id.parse().unwrap(), text.into()));
    }
    let mut state: Value =
        serde_json::from_str(&store.load(id()).await.unwrap().unwrap().base_state).unwrap();
    state["leaf_event_id"] = event_id(commit.events.len() - 1).into();
    edit(&mut state);
    commit.base_state = Some(state.to_string().into());
    store.commit(id(), commit).await.unwrap();
    world
}

/// The messages that the model gets after one more message of the user.
async fn messages_sent(world: &World, conversation: &Conversation) -> Vec<String> {
    say(conversation, "And now?").await;
    conversation.run(CancelToken::default()).await.unwrap();
    let line_of = |message: &Value| {
        let texts = message["content"].as_array().into_iter().flatten();
        let texts: Vec<_> = texts.map(|part| part["text"].as_str().unwrap().to_owned()).collect();
        format!("{}: {}", message["role"].as_str().unwrap(), texts.join(" "))
    };
    world.model.last_messages().iter().map(line_of).collect()
}

fn codes(conversation: &Conversation) -> Vec<WarningCode> {
    conversation.warnings().iter().map(|warning| warning.code).collect()
}

/// Some servers number their calls from zero in every answer, and the SDK stores these ids.
#[test]
fn a_result_answers_its_own_call_if_call_ids_repeat() {
    block_on(async {
        let log = vec![
            instructions(),
            message("Go"),
            call("r1", "call_0"),
            result(2, "call_0", "first"),
            call("r2", "call_0"),
            result(4, "call_0", "second"),
            call("r3", "call_0"),
            rejection(6, "call_0", "not today"),
        ];
        let world = stored(log, |_| {}).await;
        let conversation = world.open().await.unwrap();
        let lines = messages_sent(&world, &conversation).await;
        assert_eq!(
            lines[2..],
            [
                "assistant: ",
                "tool: first",
                "assistant: ",
                "tool: second",
                "assistant: ",
                "tool: Action rejected: not today",
                "user: And now?"
            ]
        );
    });
}

#[test]
fn late_results_answer_their_own_calls_if_call_ids_repeat() {
    block_on(async {
        let log = vec![
            instructions(),
            message("Go"),
            call("r1", "call_0"),
            call("r2", "call_0"),
            result(2, "call_0", "first"),
            result(3, "call_0", "second"),
        ];
        let world = stored(log, |_| {}).await;
        let lines = messages_sent(&world, &world.open().await.unwrap()).await;
        let results: Vec<_> = lines.iter().filter_map(|line| line.strip_prefix("tool: ")).collect();
        assert_eq!(results, ["first", "second"]);
    });
}

/// Only the order shows the model which result belongs to which call.
#[test]
fn results_of_calls_with_the_same_id_are_in_the_order_of_the_calls() {
    let log =
        [call("r", "call_0"), call("r", "call_0"), rejection(1, "call_0", "no"), result(0, "call_0", "yes")];
    let events = log.into_iter().enumerate().map(|(place, mut event)| {
        event["id"] = event_id(place).into();
        Event::decode(event_id(place).parse().unwrap(), event.to_string().into())
    });
    let messages = View::of_branch(&events.collect::<Vec<_>>()).messages();
    let texts: Vec<_> = messages.iter().map(|message| message.text()).collect();
    assert_eq!(texts, ["", "yes", "Action rejected: no"]);
}

/// The SDK refuses such a log.
#[test]
fn a_missing_parent_loses_neither_the_system_prompt_nor_a_message() {
    for (what, parent) in [
        ("missing", "00000000-0000-4000-8000-0000000000ff".to_owned()),
        ("its own", event_id(3)),
        ("in a circle", event_id(4)),
        ("no id at all", "somewhere".to_owned()),
    ] {
        block_on(async {
            let mut log =
                vec![instructions(), message("One"), message("Two"), message("Three"), message("Four")];
            log[3]["parent_id"] = parent.into();
            let world = stored(log, |_| {}).await;
            let conversation = world.open().await.unwrap();
            let lines = messages_sent(&world, &conversation).await;
            assert_eq!(lines, ["system: Be kind.", "user: One Two Three Four And now?"], "{what}");
            assert_eq!(codes(&conversation), [WarningCode::HistoryBroken], "{what}");
        });
    }
}

#[test]
fn an_unreadable_event_of_the_history_is_skipped_and_reported() {
    block_on(async {
        let log = vec![instructions(), message("One"), "{\"id\": ".into(), message("Three")];
        let world = stored(log, |_| {}).await;
        let conversation = world.open().await.unwrap();
        assert_eq!(codes(&conversation), [], "nothing has read the history");
        let lines = messages_sent(&world, &conversation).await;
        assert_eq!(lines, ["system: Be kind.", "user: One Three And now?"]);
        assert_eq!(codes(&conversation), [WarningCode::Unreadable]);
        assert!(conversation.warnings()[0].message.contains(&event_id(2)));
    });
}

/// A part of a kind that this version does not know, a message that says of nobody whose it is: Python refuses the whole log.
#[test]
fn an_event_of_a_known_kind_that_cannot_be_read_is_reported() {
    block_on(async {
        let mut odd = message("Two");
        odd["llm_message"]["content"][0]["type"] = "hologram".into();
        let mut nobody = message("Three");
        nobody.as_object_mut().unwrap().remove("source");
        let unknown = json!({"source": "agent", "kind": "HologramEvent"});
        let world = stored(vec![instructions(), message("One"), odd, nobody, unknown], |_| {}).await;
        let conversation = world.open().await.unwrap();
        let lines = messages_sent(&world, &conversation).await;
        assert_eq!(lines, ["system: Be kind.", "user: One And now?"]);
        assert_eq!(codes(&conversation), [WarningCode::Unreadable]);
        let text = &conversation.warnings()[0].message;
        assert!(text.contains("number: 2") && text.contains(&event_id(2)), "{text}");
    });
}

/// The events of a log without parents, an update that a newer agent server wrote behind it, and what was said then.
fn log_of_an_older_server(artifact: &str, said: &[(&str, Value)]) -> Vec<Value> {
    let artifact = match artifact {
        "ConversationErrorEvent" => {
            json!({ "source": "environment", "code": "x", "detail": "y", "kind": artifact })
        }
        _ => json!({ "source": "environment", "key": "stats", "value": 1, "kind": artifact }),
    };
    let mut log = vec![instructions(), message("My cat is Momo."), message("Noted.")];
    for event in &mut log {
        event["parent_id"] = Value::Null;
    }
    log.push(artifact);
    for (text, parent) in said {
        let mut event = message(text);
        event["parent_id"] = parent.clone();
        log.push(event);
    }
    log
}

/// The first versions of the SDK with a tree lost HEAD when they took over such a log.
#[test]
fn a_root_that_cuts_off_the_log_of_an_older_server_names_the_branch_before_it() {
    block_on(async {
        let root = || json!("__root__");
        for artifact in ["ConversationStateUpdateEvent", "ConversationErrorEvent"] {
            let log =
                log_of_an_older_server(artifact, &[("And my dog?", root()), ("I see.", event_id(4).into())]);
            let world = stored(log, |_| {}).await;
            let conversation = world.open().await.unwrap();
            conversation.final_response().await.unwrap();
            assert_eq!(codes(&conversation), [WarningCode::HistoryBroken], "{artifact}");
            let text = &conversation.warnings()[0].message;
            assert!(text.contains(&event_id(2)) && text.contains(&event_id(4)), "{text}");
        }
    });
}

/// Instructions are only written at the beginning of a log: a branch from the root that the user wanted has none either.
#[test]
fn a_root_that_somebody_wanted_is_no_warning() {
    block_on(async {
        let root = || json!("__root__");
        let with_tree = |artifact: Option<&str>| {
            let mut log =
                log_of_an_older_server("ConversationStateUpdateEvent", &[("From the beginning", root())]);
            for place in [1, 2] {
                log[place]["parent_id"] = event_id(place - 1).into();
            }
            if artifact.is_none() {
                log.remove(3);
            }
            log
        };
        let mut without_update = log_of_an_older_server("", &[("From the beginning", root())]);
        without_update.remove(3);
        let went_on = log_of_an_older_server(
            "ConversationStateUpdateEvent",
            &[("And?", event_id(2).into()), ("Anew", root())],
        );
        for log in [with_tree(None), with_tree(Some("")), without_update, went_on] {
            let world = stored(log.clone(), |_| {}).await;
            let conversation = world.open().await.unwrap();
            conversation.final_response().await.unwrap();
            assert_eq!(codes(&conversation), [], "{log:?}");
        }
    });
}

/// An early SDK stored what the model had sent; a server refuses the whole request because of it.
#[test]
fn arguments_that_are_no_json_object_are_sent_as_an_empty_one_and_the_answer_says_so() {
    let failure = |call: &str| json!({ "source": "agent", "tool_name": "echo", "tool_call_id": call, "error": "It failed.", "kind": "AgentErrorEvent" });
    let long = format!("{{\"text\": \"{}", "ü".repeat(1000));
    for (arguments, sent, note) in [
        ("{\"a\": 1}", "{\"a\": 1}", None),
        (" {} ", " {} ", None),
        ("", "{}", None),
        ("{\"a\": ", "{}", Some("{\"a\": ".trim())),
        ("[1, 2]", "{}", Some("[1, 2]")),
        ("{\"a\": 1}{\"a\": 2}", "{}", Some("{\"a\": 1}{\"a\": 2}")),
        ("\"text\"", "{}", Some("\"text\"")),
        (long.as_str(), "{}", Some("{\"text\": \"üüü")),
    ] {
        let mut broken = call("r", "call_0");
        broken["tool_call"]["arguments"] = arguments.into();
        let log = [message("Go"), broken, failure("call_0")];
        let events = log.into_iter().enumerate().map(|(place, mut event)| {
            event["id"] = event_id(place).into();
            Event::decode(event_id(place).parse().unwrap(), event.to_string().into())
        });
        let messages = View::of_branch(&events.collect::<Vec<_>>()).messages();
        assert_eq!(messages[1].tool_calls.as_ref().unwrap()[0].arguments, sent, "{arguments}");
        let text = messages[2].text();
        match note {
            None => assert_eq!(text, "It failed.", "{arguments}"),
            Some(note) => assert!(
                text.starts_with("It failed.\n[The arguments of this call")
                    && text.contains(note)
                    && text.len() < 500,
                "{text}"
            ),
        }
    }
}

/// The status of an agent server that died before it had deleted anything.
#[test]
fn a_conversation_with_status_deleting_can_run() {
    block_on(async {
        let world = stored(vec![instructions(), message("One")], |state| {
            state["execution_status"] = "deleting".into();
        })
        .await;
        let conversation = world.open().await.unwrap();
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.final_response.as_deref(), Some("Well."));
        assert_eq!(outcome.status.as_str(), "finished");
    });
}

/// Python cannot read an agent without a kind.
#[test]
fn a_stored_state_without_an_agent_gets_one_with_a_kind() {
    block_on(async {
        let world = stored(vec![instructions(), message("One")], |state| {
            state.as_object_mut().unwrap().remove("agent");
        })
        .await;
        world.open().await.unwrap().run(CancelToken::default()).await.unwrap();
        let listing = world.store.load(id()).await.unwrap().unwrap();
        let state: Value = serde_json::from_str(&listing.base_state).unwrap();
        assert_eq!(state["agent"]["kind"], "Agent");
        assert_eq!(state["agent"]["llm"]["model"], "openai/gpt-4o");
    });
}
