//! Tools that are described and called in text: requests and answers compared with those of the SDK, and the part of an
//! answer that is shown.

use crate::{
    captured::{Case, assert_same, cases, request_over, shared, tool, with_request},
    chat_requests::without_litellm_changes,
};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use std::collections::BTreeMap;
use threadkeep::{
    json::{FromJson as _, quoted},
    llm::{
        LlmOptions, ToolSchema,
        endpoint::Endpoint,
        message::{Content, Message, MessageToolCall, Role},
        model_data::ModelRow,
        model_features::ModelFeatures,
        text_tools::TextTools,
        wire_api::{Answer, LlmRequest, WireApi as _},
    },
};

const FOLDER: &str = "text_tools_requests";

#[derive(Deserialize)]
struct Answers {
    messages: Value,
    tools: Vec<Box<RawValue>>,
    answers: BTreeMap<String, Expected>,
}

#[derive(Deserialize)]
struct Expected {
    answer: String,
    content: Option<Vec<String>>,
    tool_calls: Option<Value>,
    error: Option<String>,
}

/// The prompts are our own, so both sides have a mark in their place.
#[test]
fn bodies_without_prompts_equal_those_of_the_sdk() {
    assert_same(&cases(FOLDER), |case| marked(request_over(&TextTools, case).0), theirs);
}

/// A body with marks in place of the texts in `prompts/`, including what is inserted into these.
fn marked(mut body: Value) -> Value {
    let texts = [
        (include_str!("../../src/llm/text_tools/prompts/functions.md"), "@@ functions"),
        (include_str!("../../src/llm/text_tools/prompts/example.md"), "@@ example"),
        (include_str!("../../src/llm/text_tools/prompts/task_end.md"), "@@ task end"),
    ];
    for message in body["messages"].as_array_mut().unwrap() {
        for part in message["content"].as_array_mut().into_iter().flatten() {
            mark(part.get_mut("text"), &texts);
        }
        mark(message.get_mut("content"), &texts);
    }
    body
}

fn mark(text: Option<&mut Value>, texts: &[(&str, &str)]) {
    let Some(Value::String(text)) = text else { return };
    for (prompt, mark) in texts {
        let start = prompt.split("@@ ").next().unwrap();
        let end = prompt.rsplit("@@ ").next().unwrap().trim_start_matches(char::is_alphabetic);
        let Some((before, after)) = text.split_once(start) else { continue };
        let after = if start == *prompt { after } else { after.split_once(end).unwrap().1 };
        *text = [before, mark, after].concat();
    }
}

/// The SDK's body without LiteLLM's changes. For Mistral and Moonshot LiteLLM also joins lists of texts if no message has
/// an image, although both accept lists. For vLLM there is no list to join.
fn theirs(case: &Case) -> Value {
    let is_of = |provider: &str| case.llm["model"].as_str().unwrap().starts_with(provider);
    if is_of("hosted_vllm/") {
        return case.body.clone();
    }
    let mut body = without_litellm_changes(case);
    if is_of("mistral/") || is_of("moonshot/") {
        for message in body["messages"].as_array_mut().unwrap() {
            message["content"] = json!([{"type": "text", "text": message["content"].as_str().unwrap()}]);
        }
    }
    body
}

#[test]
fn headers_are_a_subset_of_the_sdks() {
    for (name, case) in cases(FOLDER) {
        let (_, headers) = request_over(&TextTools, &case);
        for (header, value) in &headers {
            assert_eq!(case.headers.get(header), Some(value), "{name}: {header}");
        }
    }
}

fn answers() -> Answers {
    serde_json::from_str(include_str!("../fixtures/text_tools_answers.json")).unwrap()
}

/// Decodes an answer that arrives in these pieces. Returns it with the text that was streamed.
fn read(history: &[Message], tools: &[ToolSchema], pieces: &[&str]) -> (Answer, String) {
    let options = LlmOptions { native_tool_calling: Some(false), ..LlmOptions::new("openai/x") };
    let endpoint = Endpoint::resolve(&options.model, None).unwrap();
    let features = ModelFeatures::of(&options, &endpoint, &ModelRow::default());
    let request = LlmRequest {
        options: &options,
        endpoint: &endpoint,
        features: &features,
        messages: &shared(history),
        tools,
        conversation_id: None,
        is_streaming: true,
    };
    let mut decoder = TextTools.begin(&request).unwrap().1;
    let mut shown = String::new();
    let mut push = |chunk: Value| {
        let delta = decoder.push("", &chunk.to_string()).unwrap();
        shown.extend(delta.and_then(|delta| delta.content));
    };
    for piece in pieces {
        push(json!({"choices": [{"delta": {"content": piece}}]}));
    }
    push(json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}));
    (decoder.finish(&mut || "new".into()).unwrap(), shown)
}

fn by_character(text: &str) -> Vec<&str> {
    text.split("").filter(|piece| !piece.is_empty()).collect()
}

#[test]
fn answers_are_decoded_as_by_the_sdk() {
    let Answers { messages, tools, answers } = answers();
    let history = Vec::<Message>::from_json(&messages.to_string()).unwrap();
    let tools: Vec<ToolSchema> = tools.iter().map(|function| tool(function)).collect();
    assert!(answers.len() > 30, "the answers are missing");
    for (name, expected) in answers {
        let (answer, _) = read(&history, &tools, &by_character(&expected.answer));
        // The SDK makes the call without the truncated value, and treats the other call as text.
        if name == "open-parameter-behind-a-whole-one" {
            assert_eq!(answer.message.role, Role::User, "{name}");
            continue;
        }
        if name == "marker-in-an-open-call" {
            let call = answer.message.tool_calls.unwrap().remove(0);
            assert_eq!(call.arguments, r#"{"command": "grep '<function=' a.txt"}"#);
            continue;
        }
        assert_eq!(answer.message.role == Role::User, expected.error.is_some(), "{name}");
        if expected.error.is_some() {
            continue;
        }
        let texts: Vec<&str> = answer.message.content.iter().filter_map(Content::as_text).collect();
        // If there is no text, the SDK has an empty one.
        let theirs: Vec<String> =
            expected.content.unwrap().into_iter().filter(|text| !text.is_empty()).collect();
        assert_eq!(texts, theirs, "{name}");
        let calls: Vec<Value> = answer
            .message
            .tool_calls
            .iter()
            .flatten()
            .map(|call| json!([call.id, call.name, call.arguments]))
            .collect();
        assert_eq!(json!(calls), expected.tool_calls.unwrap(), "{name}");
    }
}

#[test]
fn an_invalid_call_is_answered_with_its_problem() {
    let tools: Vec<ToolSchema> = answers().tools.iter().map(|function| tool(function)).collect();
    let reply = |answer: &str| read(&[], &tools, &[answer]).0.message.text();
    for (answer, expected) in [
        (
            "<function=nothing>\n</function>",
            "The call was not made: there is no function 'nothing'. Available: own, free, terminal, file_editor, think",
        ),
        (
            "<function=own><parameter=count>many</parameter></function>",
            "The call of 'own' was not made: the value of 'count' must be of type integer",
        ),
        (
            "<function=own><parameter=choice>c</parameter></function>",
            "The call of 'own' was not made: the value of 'choice' must be one of: a, b",
        ),
        (
            "<function=own><parameter=other>c</parameter></function>",
            "The call of 'own' was not made: it has no parameter 'other'. It has: text, count, list, choice, level, untyped",
        ),
        ("<function=own></function>", "The call of 'own' was not made: these parameters are missing: text"),
        (
            "<function=own>\n<parameter=text>hel",
            "The call of 'own' was not made: the value of 'text' has no end. Close it with </parameter>",
        ),
    ] {
        assert_eq!(reply(answer), expected);
    }
}

#[test]
fn values_are_converted_to_the_types_of_the_schema() {
    let tools = [ToolSchema {
        name: "set".into(),
        description: String::new(),
        parameters:
            r#"{"properties":{"on":{"type":"boolean"},"to":{"type":"number"},"as":{"type":"object"}}}"#.into(),
    }];
    let arguments = |body: &str| {
        let (answer, _) = read(&[], &tools, &[&format!("<function=set>{body}</function>")]);
        answer.message.tool_calls.unwrap().remove(0).arguments
    };
    assert_eq!(
        arguments(
            "<parameter=on> True </parameter><parameter=to>1.50</parameter><parameter=as>{\"a\":1}</parameter>"
        ),
        r#"{"on": true, "to": 1.50, "as": {"a": 1}}"#
    );
    // Values that do not fit stay text; the check of the arguments reports them.
    assert_eq!(
        arguments("<parameter=on>yes</parameter><parameter=to>much</parameter><parameter=as>[]</parameter>"),
        r#"{"on": "yes", "to": "much", "as": "[]"}"#
    );
    // Models that were trained with the SDK send these with every call; they are removed if the schema has none.
    assert_eq!(arguments("<parameter=security_risk>LOW</parameter><parameter=summary>s</parameter>"), "{}");
}

fn called(calls: &[(&str, &str)]) -> Message {
    let calls = calls.iter().map(|(id, arguments)| MessageToolCall {
        id: (*id).into(),
        responses_item_id: None,
        name: "free".into(),
        arguments: (*arguments).into(),
        origin: "completion".into(),
    });
    Message {
        tool_calls: Some(calls.collect()),
        ..Message::new(Role::Assistant, vec![Content::text("Both.")])
    }
}

fn result(id: &str, text: &str) -> Message {
    Message {
        tool_call_id: Some(id.into()),
        name: Some("free".into()),
        ..Message::new(Role::Tool, vec![Content::text(text)])
    }
}

/// The SDK cannot send such a history.
#[test]
fn parallel_calls_of_the_history_are_sent_one_after_the_other() {
    let history = [
        called(&[("a", r#"{"x": 1}"#), ("b", "not JSON"), ("c", "{}")]),
        result("b", "two"),
        result("a", "one"),
        result("lost", "whose?"),
    ];
    let (_, mut case) = cases(FOLDER).swap_remove(0);
    case.llm.insert("model".into(), "openai/x".into());
    let sent = with_request(&case, |request| {
        TextTools.begin(&LlmRequest { messages: &shared(&history), ..*request }).unwrap().0.body
    });
    let sent: Value = serde_json::from_str(&sent).unwrap();
    let call = |body: &str| format!("<function=free>\n{body}</function>");
    let result = |text: &str| json!({"content": format!("Result of free:\n{text}"), "role": "user"});
    let assistant = |text: String| json!({"content": text, "role": "assistant"});
    assert_eq!(
        sent["messages"],
        json!([
            assistant(format!("Both.\n\n{}", call("<parameter=x>1</parameter>\n"))),
            result("one"),
            assistant(call("not JSON\n")),
            result("two"),
            assistant(call("")),
            result("whose?"),
        ])
    );
}

#[test]
fn generated_call_ids_are_unique_in_the_history() {
    let Answers { tools, .. } = answers();
    let tools: Vec<ToolSchema> = tools.iter().map(|function| tool(function)).collect();
    let history = [called(&[("toolu_03", "{}")]), result("toolu_03", ""), called(&[("toolu_07", "{}")])];
    let (answer, _) = read(&history, &tools, &["<function=free></function>"]);
    assert_eq!(answer.message.tool_calls.unwrap()[0].id, "toolu_04");
}

proptest! {
    /// However an answer is cut, only the text before the call is streamed, and never a part of the call.
    #[test]
    fn a_call_in_text_is_never_shown(
        parts in prop::collection::vec(
            prop_oneof![
                Just("<function="), Just("own>"), Just("<parameter=text>"), Just("</parameter>"), Just("</function>"),
                Just("</think>"), Just("<tool_call>"), Just("\n"), Just(" "), Just("<"), Just("<fun"), Just("é"), Just("a > b"),
            ],
            0..14,
        ),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let tools: Vec<ToolSchema> = answers().tools.iter().map(|function| tool(function)).collect();
        let text = parts.concat();
        let in_one_piece = read(&[], &tools, &[&text]);
        let mut positions: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).filter(|at| text.is_char_boundary(*at)).collect();
        positions.extend([0, text.len()]);
        positions.sort_unstable();
        let pieces: Vec<&str> = positions.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        for cut in [read(&[], &tools, &pieces), read(&[], &tools, &by_character(&text))] {
            prop_assert_eq!(&cut, &in_one_piece);
        }
        let (answer, shown) = in_one_piece;
        match answer.message.role {
            Role::Assistant => {
                let text = answer.message.text();
                prop_assert_eq!(shown.trim_start(), text.trim_start());
            }
            _ => prop_assert!(!shown.contains("<function=")),
        }
    }

    #[test]
    fn any_text_is_a_valid_answer(text in ".*", schema in ".*", body in "(<parameter=|</parameter>|>|=|a|\\PC){0,12}") {
        let tools = [
            ToolSchema {
                name: "f".into(),
                description: text.clone(),
                parameters: format!("{{\"properties\":{{\"a\":{}}}}}", quoted(&schema)).into(),
            },
            ToolSchema { name: "g".into(), description: String::new(), parameters: "{}".into() },
        ];
        read(&[], &tools, &[&text]);
        for name in ["f", "g", "h"] {
            read(&[], &tools, &[&text, &format!("<function={name}>{body}")]);
        }
    }
}
