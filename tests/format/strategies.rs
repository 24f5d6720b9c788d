//! Texts, events, logs and histories that nobody would write.

use proptest::{collection::vec, option, prelude::*};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use threadkeep::{
    event::{Body, Event},
    id::EventId,
    llm::message::{Content, Message, MessageToolCall, Role},
};

/// One of few ids, so that they meet.
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

/// An object of a known kind whose fields are anything.
pub fn any_event_json() -> impl Strategy<Value = String> {
    let kind = proptest::sample::select(Body::KINDS);
    (kind, vec((field_name(), any_json()), 0..12)).prop_map(|(kind, fields)| {
        let mut object: serde_json::Map<String, Value> = fields.into_iter().collect();
        object.insert("kind".into(), kind.into());
        Value::Object(object).to_string()
    })
}

/// What happens in a small log where ids meet often.
#[derive(Clone, Debug)]
pub enum Happening {
    Say(bool),
    Call { response: u8, call: u8, is_valid: bool, is_signed: bool },
    Answer { call: u8, action: u8 },
    Fail { call: u8 },
    Condense { forgotten: BTreeSet<u8>, offset: Option<u8> },
    Request,
    Pause,
    Nonsense(String),
}

pub fn happening() -> impl Strategy<Value = Happening> {
    let small = || 0_u8..6;
    prop_oneof![
        any::<bool>().prop_map(Happening::Say),
        (small(), small(), any::<bool>(), proptest::bool::weighted(0.2)).prop_map(
            |(response, call, is_valid, is_signed)| Happening::Call { response, call, is_valid, is_signed }
        ),
        (small(), 0_u8..24).prop_map(|(call, action)| Happening::Answer { call, action }),
        small().prop_map(|call| Happening::Fail { call }),
        (proptest::collection::btree_set(0_u8..24, 0..8), option::of(0_u8..24))
            .prop_map(|(forgotten, offset)| Happening::Condense { forgotten, offset }),
        Just(Happening::Request),
        Just(Happening::Pause),
        ".{0,8}".prop_map(Happening::Nonsense),
    ]
}

pub fn event(number: u8, parent: Option<Value>, happening: &Happening) -> Event {
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    let mut event = match happening {
        Happening::Say(is_user) => {
            let role = if *is_user { "user" } else { "assistant" };
            json!({ "source": "user", "llm_message": { "role": role, "content": text("x") }, "kind": "MessageEvent" })
        }
        Happening::Call { response, call, is_valid, is_signed } => {
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
        Happening::Answer { call, action } => json!({
            "tool_name": "t", "tool_call_id": format!("call{call}"), "action_id": id(*action).as_str(),
            "observation": { "content": text("y"), "tool_name": "t", "kind": "MCPToolObservation" }, "kind": "ObservationEvent",
        }),
        Happening::Fail { call } => {
            json!({ "tool_name": "t", "tool_call_id": format!("call{call}"), "error": "e", "kind": "AgentErrorEvent" })
        }
        Happening::Condense { forgotten, offset } => {
            let ids = forgotten
                .iter()
                .flat_map(|number| [id(*number).to_string(), format!("{}-summary", id(*number))]);
            json!({
                "forgotten_event_ids": ids.collect::<Vec<_>>(), "summary": "s", "summary_offset": offset,
                "llm_response_id": "r", "kind": "Condensation",
            })
        }
        Happening::Request => json!({ "kind": "CondensationRequest" }),
        Happening::Pause => json!({ "kind": "PauseEvent" }),
        Happening::Nonsense(text) => return Event::decode(id(number), text.as_str().into()),
    };
    event["id"] = id(number).as_str().into();
    if let Some(parent) = parent {
        event["parent_id"] = parent;
    }
    Event::decode(id(number), event.to_string().into())
}

pub fn log() -> impl Strategy<Value = Vec<Event>> {
    vec(happening(), 0..24).prop_map(|happenings| {
        let numbers = (0_u8..).zip(&happenings);
        numbers.map(|(number, happening)| event(number, None, happening)).collect()
    })
}

/// A log whose parents are anything, also later events, strangers and themselves.
pub fn tangled_log() -> impl Strategy<Value = Vec<Event>> {
    let parent = prop_oneof![
        (0_u8..30).prop_map(|number| Some(id(number).as_str().into())),
        Just(None),
        Just(Some("__root__".into())),
        Just(Some(Value::from(7))),
        ".{0,4}".prop_map(|text| Some(text.into())),
    ];
    vec((happening(), parent), 0..24).prop_map(|entries| {
        let numbers = (0_u8..).zip(entries);
        numbers.map(|(number, (happening, parent))| event(number, parent, &happening)).collect()
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

/// A history as it comes about when nothing goes wrong, answers in any order.
pub fn good_history() -> impl Strategy<Value = Vec<Message>> {
    let turn = (any::<bool>(), vec(0_u8..5, 0..4), any::<prop::sample::Index>());
    vec(turn, 0..8).prop_map(|turns| {
        let mut messages = Vec::new();
        for (is_user, calls, first) in turns {
            if is_user {
                messages.push(Message::new(Role::User, vec![Content::text("x")]));
            }
            let says = if calls.is_empty() { vec![Content::text("z")] } else { Vec::new() };
            let mut assistant = Message::new(Role::Assistant, says);
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
