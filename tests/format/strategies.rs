//! Generators of random texts, events, logs and histories, most of them invalid.

use proptest::{collection::vec, option, prelude::*};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use threadkeep::{
    event::{Body, Event},
    id::EventId,
    llm::message::{Content, Message, MessageToolCall, Role},
};

/// An event id from a small range, so that generated events often refer to each other.
pub fn id(number: u8) -> EventId {
    format!("00000000-{number:04}").parse().unwrap()
}

/// Any JSON.
pub fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i16>().prop_map(|number| Value::from(f64::from(number) / 8.0)),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((field_name(), inner), 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

pub fn field_name() -> impl Strategy<Value = String> {
    prop_oneof![proptest::sample::select(KNOWN_NAMES).prop_map(String::from), ".{0,4}"]
}

const KNOWN_NAMES: &[&str] = &[
    "id",
    "timestamp",
    "source",
    "parent_id",
    "kind",
    "content",
    "text",
    "type",
    "role",
    "tool_calls",
    "summary",
    "llm_message",
    "observation",
    "action",
    "thought",
    "tool_name",
    "tool_call_id",
    "tool_call",
    "action_id",
    "llm_response_id",
    "metadata",
    "exit_code",
    "is_error",
    "error",
    "arguments",
    "name",
    "origin",
];

/// An object of a known kind with random fields.
pub fn any_event_json() -> impl Strategy<Value = String> {
    let kind = proptest::sample::select(Body::KINDS);
    (kind, vec((field_name(), any_json()), 0..12)).prop_map(|(kind, fields)| {
        let mut object: serde_json::Map<String, Value> = fields.into_iter().collect();
        object.insert("kind".into(), kind.into());
        Value::Object(object).to_string()
    })
}

/// One entry of a generated log. The numbers are small, so that ids often coincide.
#[derive(Clone, Debug)]
pub enum Step {
    Message { is_user: bool, is_empty: bool },
    Call { response: u8, call: u8, is_valid: bool, is_signed: bool },
    Result { call: u8, action: u8 },
    Error { call: u8 },
    Condense { forgotten: BTreeSet<u8>, offset: Option<u8> },
    Request,
    Pause,
    InvalidText(String),
}

pub fn step() -> impl Strategy<Value = Step> {
    let small = || 0_u8..6;
    prop_oneof![
        (any::<bool>(), proptest::bool::weighted(0.2))
            .prop_map(|(is_user, is_empty)| Step::Message { is_user, is_empty }),
        (small(), small(), any::<bool>(), proptest::bool::weighted(0.2)).prop_map(
            |(response, call, is_valid, is_signed)| Step::Call { response, call, is_valid, is_signed }
        ),
        (small(), 0_u8..24).prop_map(|(call, action)| Step::Result { call, action }),
        small().prop_map(|call| Step::Error { call }),
        (proptest::collection::btree_set(0_u8..24, 0..8), option::of(0_u8..24))
            .prop_map(|(forgotten, offset)| Step::Condense { forgotten, offset }),
        Just(Step::Request),
        Just(Step::Pause),
        ".{0,8}".prop_map(Step::InvalidText),
    ]
}

pub fn event(number: u8, parent: Option<Value>, step: &Step) -> Event {
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    let mut event = match step {
        Step::Message { is_user, is_empty } => {
            let role = if *is_user { "user" } else { "assistant" };
            json!({ "source": "user", "llm_message": { "role": role, "content": text(if *is_empty { "" } else { "x" }) }, "kind": "MessageEvent" })
        }
        Step::Call { response, call, is_valid, is_signed } => {
            let call = format!("call{call}");
            let signed = json!([{ "type": "thinking", "thinking": "t" }]);
            json!({
                "thought": [], "tool_name": "t", "tool_call_id": call, "llm_response_id": format!("r{response}"),
                "tool_call": { "id": call, "name": "t", "arguments": "{}", "origin": "completion" },
                "thinking_blocks": if *is_signed { signed } else { json!([]) },
                "action": is_valid.then(|| json!({ "data": {}, "kind": "MCPToolAction" })),
                "kind": "ActionEvent",
            })
        }
        Step::Result { call, action } => json!({
            "tool_name": "t", "tool_call_id": format!("call{call}"), "action_id": id(*action).as_str(),
            "observation": { "content": text("y"), "tool_name": "t", "kind": "MCPToolObservation" }, "kind": "ObservationEvent",
        }),
        Step::Error { call } => {
            json!({ "tool_name": "t", "tool_call_id": format!("call{call}"), "error": "e", "kind": "AgentErrorEvent" })
        }
        Step::Condense { forgotten, offset } => {
            let ids = forgotten
                .iter()
                .flat_map(|number| [id(*number).to_string(), format!("{}-summary", id(*number))]);
            json!({
                "forgotten_event_ids": ids.collect::<Vec<_>>(), "summary": "s", "summary_offset": offset,
                "llm_response_id": "r", "kind": "Condensation",
            })
        }
        Step::Request => json!({ "kind": "CondensationRequest" }),
        Step::Pause => json!({ "kind": "PauseEvent" }),
        Step::InvalidText(text) => return Event::decode(id(number), text.as_str().into()),
    };
    event["id"] = id(number).as_str().into();
    if let Some(parent) = parent {
        event["parent_id"] = parent;
    }
    Event::decode(id(number), event.to_string().into())
}

pub fn log() -> impl Strategy<Value = Vec<Event>> {
    vec(step(), 0..24).prop_map(|steps| {
        let numbers = (0_u8..).zip(&steps);
        numbers.map(|(number, step)| event(number, None, step)).collect()
    })
}

/// A log with random parents: later events, unknown events, the event itself, or values that are no id.
pub fn tangled_log() -> impl Strategy<Value = Vec<Event>> {
    let parent = prop_oneof![
        (0_u8..30).prop_map(|number| Some(id(number).as_str().into())),
        Just(None),
        Just(Some("__root__".into())),
        Just(Some(Value::from(7))),
        ".{0,4}".prop_map(|text| Some(text.into())),
    ];
    vec((step(), parent), 0..24).prop_map(|entries| {
        let numbers = (0_u8..).zip(entries);
        numbers.map(|(number, (step, parent))| event(number, parent, &step)).collect()
    })
}

pub fn message() -> impl Strategy<Value = Message> {
    let role = proptest::sample::select(
        &[Role::User, Role::System, Role::Assistant, Role::Assistant, Role::Tool][..],
    );
    let calls = vec(0_u8..5, 0..4);
    let texts = vec(proptest::sample::select(&["", "x"][..]), 0..3);
    (role, texts, option::of(calls), option::of(0_u8..5)).prop_map(|(role, texts, calls, answers)| {
        let mut message = Message::new(role, texts.into_iter().map(Content::text).collect());
        if role == Role::Tool {
            message.tool_call_id = answers.map(|call| call.to_string());
        } else {
            message.tool_calls = calls.map(|calls| calls.into_iter().map(call).collect());
        }
        message
    })
}

pub fn call(number: u8) -> MessageToolCall {
    MessageToolCall {
        id: number.to_string(),
        responses_item_id: None,
        name: "t".into(),
        arguments: "{}".into(),
        origin: "completion".into(),
    }
}

/// A history that needs no repair: every call is answered, in any order.
pub fn well_formed_history() -> impl Strategy<Value = Vec<Message>> {
    let turn = (any::<bool>(), vec(0_u8..5, 0..4), any::<prop::sample::Index>());
    vec(turn, 0..8).prop_map(|turns| {
        let mut messages = Vec::new();
        for (is_user, calls, first) in turns {
            if is_user {
                messages.push(Message::new(Role::User, vec![Content::text("x")]));
            }
            let content = if calls.is_empty() { vec![Content::text("z")] } else { Vec::new() };
            let mut assistant = Message::new(Role::Assistant, content);
            assistant.tool_calls = Some(calls.iter().copied().map(call).collect());
            messages.push(assistant);
            let mut answers = calls;
            if !answers.is_empty() {
                let first = first.index(answers.len());
                answers.rotate_left(first);
            }
            for answer in answers {
                let mut tool = Message::new(Role::Tool, vec![Content::text("y")]);
                tool.tool_call_id = Some(answer.to_string());
                messages.push(tool);
            }
        }
        messages
    })
}
