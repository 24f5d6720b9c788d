//! Condensers decide as the SDK's do: `tests/interop/condenser_cases.py` asks those and writes the fixture.

use crate::fixtures::all_that_open;
use serde_json::{Value, json};
use std::{cell::Cell, fs};
use threadkeep::{
    context::{
        branch::active_branch,
        condenser::{Condenser, Counting, Decision, Reported, Situation, TokenCounts, estimated_tokens},
        messages::events_to_messages,
        view::{View, view_id},
    },
    event::{Event, Head, Parent, Source},
    format::base_state::BaseState,
    json::RawJson,
    llm::ToolSchema,
};

fn fixture() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/condensers.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn id(place: usize) -> String {
    format!("{place:08x}-0000-4000-8000-000000000000")
}

fn text(length: usize) -> Value {
    json!([{ "type": "text", "text": "x".repeat(length) }])
}

/// The event of a word such as `u12`, see `condenser_cases.py`.
fn event(place: usize, word: &str, words: &[&str]) -> Event {
    let (kind, rest) = word.split_at(1);
    let number = || rest.parse().unwrap();
    let tool = |source: &str| {
        // The action with this call, which comes before.
        let call = format!(",{rest},");
        let action = words[..place].iter().rposition(|word| {
            matches!(&word[..1], "a" | "t") && format!(",{}", &word[1..]).starts_with(&call)
        });
        json!({
            "source": source, "tool_name": "echo", "tool_call_id": format!("call{rest}"),
            "action_id": id(action.unwrap_or(0xffff)),
        })
    };
    let message = |source: &str, role: &str| json!({ "source": source, "llm_message": { "role": role, "content": text(number()) }, "kind": "MessageEvent" });
    let mut event = match kind {
        "s" => {
            json!({ "source": "agent", "system_prompt": text(number())[0], "tools": [], "kind": "SystemPromptEvent" })
        }
        "u" => message("user", "user"),
        "e" => message("environment", "user"),
        "m" => message("agent", "assistant"),
        "a" | "t" => {
            let parts: Vec<usize> = rest.split(',').map(|part| part.parse().unwrap()).collect();
            let [call, response, thought, arguments] = parts[..] else { panic!("{word}") };
            let call = format!("call{call}");
            let arguments = "x".repeat(arguments);
            let mut event = json!({
                "source": "agent", "thought": if thought == 0 { json!([]) } else { text(thought) },
                "action": { "data": {}, "kind": "MCPToolAction" }, "tool_name": "echo", "tool_call_id": call,
                "tool_call": { "id": call, "name": "echo", "arguments": arguments, "origin": "completion" },
                "llm_response_id": format!("response{response}"), "kind": "ActionEvent",
            });
            if kind == "t" {
                event["thinking_blocks"] =
                    json!([{ "type": "thinking", "thinking": "Hm.", "signature": "s" }]);
            }
            event
        }
        "o" => {
            let mut event = tool("environment");
            event["observation"] = json!({ "content": text(20), "is_error": false, "tool_name": "echo", "kind": "MCPToolObservation" });
            event["kind"] = json!("ObservationEvent");
            event
        }
        "x" => {
            let mut event = tool("agent");
            event.as_object_mut().unwrap().remove("action_id");
            event["error"] = json!("It failed.");
            event["kind"] = json!("AgentErrorEvent");
            event
        }
        "r" => {
            let mut event = tool("environment");
            event["rejection_reason"] = json!("No.");
            event["kind"] = json!("UserRejectObservation");
            event
        }
        "q" => json!({ "source": "environment", "kind": "CondensationRequest" }),
        "p" => json!({ "source": "user", "kind": "PauseEvent" }),
        "c" => {
            let (offset, forgotten) = rest.split_once(':').unwrap();
            let forgotten = forgotten.split(',').filter(|id| !id.is_empty());
            let forgotten = forgotten.map(|name| match name.strip_suffix('s') {
                Some(place) => format!("{}-summary", id(place.parse().unwrap())),
                None => id(name.parse().unwrap()),
            });
            json!({
                "source": "environment", "forgotten_event_ids": forgotten.collect::<Vec<_>>(), "summary": "What was.",
                "summary_offset": offset.parse::<usize>().unwrap(), "llm_response_id": "answer", "kind": "Condensation",
            })
        }
        _ => panic!("{word}"),
    };
    event["id"] = json!(id(place));
    event["timestamp"] = json!("2026-01-31T09:15:02.123456");
    let event = Event::decode(id(place).parse().unwrap(), event.to_string().into());
    assert!(event.is_valid(), "{event:?}");
    event
}

/// The counter that the SDK was given as well.
fn count(events: &[Event]) -> u64 {
    let mut sum = 0;
    for message in events_to_messages(events) {
        let texts = message.content.iter().filter_map(|part| part.as_text()).map(str::len).sum::<usize>();
        let calls = message.tool_calls.iter().flatten().map(|call| call.arguments.len()).sum::<usize>();
        sum += 4 + texts + calls;
    }
    sum.try_into().unwrap()
}

/// The place in the log of the condensation that was decided.
const NEW: usize = 0xffff_ffff;

/// The decision of the library about a case, in the form of the fixture.
fn answer(case: &Value) -> Value {
    let words: Vec<&str> =
        case["events"].as_str().unwrap().split(' ').filter(|word| !word.is_empty()).collect();
    let log: Vec<Event> = words.iter().enumerate().map(|(place, word)| event(place, word, &words)).collect();
    let mut view = View::default();
    if case["is_running"] == true {
        for event in &log {
            view.push(event);
        }
    } else {
        view = View::of_branch(&log);
    }
    let name = |event: &Event| {
        let id = view_id(event).into_owned();
        let place = usize::from_str_radix(&id[..8], 16).unwrap();
        match id.ends_with("-summary") {
            true if place == NEW => "new".to_owned(),
            true => format!("{place}s"),
            false => place.to_string(),
        }
    };
    let names_in = |view: &View| -> String { view.events().iter().map(name).collect::<Vec<_>>().join(" ") };
    let cuts: Vec<String> = view
        .boundaries()
        .iter()
        .enumerate()
        .filter(|(_, is_one)| **is_one)
        .map(|(place, _)| place.to_string())
        .collect();
    let condenser = Condenser::read(&RawJson::parse(&case["condenser"].to_string()).unwrap());
    let longest = usize::try_from(case["longest"].as_u64().unwrap()).unwrap();
    let situation = Situation {
        view: &view,
        tokens_of_first: &|events| count(&view.events()[..events]),
        max_input_tokens: case["limit"].as_u64(),
        longest_event_text: &|| longest,
    };
    let (mut attempts, mut after) = (Vec::new(), None);
    let mut failures = case["failures"].as_u64().unwrap();
    let mut decision = condenser.decide(&situation);
    let result = loop {
        let Decision::Summarize(attempt) = decision else {
            break json!(if decision == Decision::SendView { "view" } else { "impossible" });
        };
        attempts.push(json!([attempt.forgotten.len(), attempt.max_event_text]));
        if failures == 0 {
            let head = Head {
                id: id(NEW).parse().unwrap(),
                timestamp: "2026-01-31T09:15:02.123456".into(),
                source: Source::Environment,
                parent: Parent::Unset,
            };
            let condensation = attempt.condensation(&view, "What was.".into(), "answer".into());
            let mut condensed = view.clone();
            condensed.push(&Event::new(head, condensation).unwrap());
            after = Some(names_in(&condensed));
            break json!([attempt.forgotten.start, attempt.forgotten.end]);
        }
        failures -= 1;
        decision = condenser.decide_after_failure(&attempt, &situation);
    };
    let mut answer = json!({
        "view": names_in(&view), "cuts": cuts.join(" "), "attempts": attempts, "result": result,
    });
    if let Some(after) = after {
        answer["after"] = json!(after);
    }
    answer
}

#[test]
fn condensers_decide_as_those_of_the_sdk() {
    let fixture = fixture();
    let cases = fixture["cases"].as_array().unwrap();
    assert!(cases.len() >= 300, "{}", cases.len());
    let different: Vec<String> = cases
        .iter()
        .filter(|case| answer(case) != case["answer"])
        .map(|case| format!("{case}\n  here: {}", answer(case)))
        .collect();
    assert!(different.is_empty(), "{} of {} differ:\n{}", different.len(), cases.len(), different.join("\n"));
}

#[test]
fn condensers_are_stored_as_the_sdk_writes_them() {
    for text in fixture()["stored"].as_array().unwrap() {
        let stored = RawJson::parse(text.as_str().unwrap()).unwrap();
        assert_eq!(Condenser::read(&stored).json().as_str(), stored.as_str());
    }
}

#[test]
fn token_estimates_are_never_more_than_a_tenth_too_low() {
    for text in fixture()["texts"].as_array().unwrap() {
        let (text, tokens) = (text[0].as_str().unwrap(), text[1].as_u64().unwrap());
        assert!(estimated_tokens(text) * 10 >= tokens * 9, "{} for {tokens}: {text}", estimated_tokens(text));
    }
}

#[test]
fn token_counts_agree_with_the_provider_and_estimate_only_what_was_added() {
    let words = ["s400", "u100", "a1,1,0,50", "o1", "u1000"];
    let log: Vec<Event> = words.iter().enumerate().map(|(place, word)| event(place, word, &words)).collect();
    let parameters = format!(r#"{{"type":"object","description":"{}"}}"#, "Repeat it. ".repeat(100));
    let tools =
        [ToolSchema { name: "echo".into(), description: "Repeats.".into(), parameters: parameters.into() }];
    let estimated = TokenCounts::of(&log, &tools, None, Counting::texts(&estimated_tokens));
    assert!(
        estimated.first(1)
            > TokenCounts::of(&log, &[], None, Counting::texts(&estimated_tokens)).first(1) + 200
    );
    let counts = TokenCounts::of(
        &log,
        &tools,
        Some(Reported { events: 2, tokens: 5000 }),
        Counting::texts(&estimated_tokens),
    );
    assert_eq!((counts.first(0), counts.first(2)), (0, 5000));
    assert_eq!(counts.total() - 5000, estimated.total() - estimated.first(2));
    let last = Cell::new(0);
    for events in 0..=log.len() {
        assert!(counts.first(events) >= last.replace(counts.first(events)));
    }
    // A report about more events than there are is about another view.
    let other = TokenCounts::of(
        &log,
        &tools,
        Some(Reported { events: 9, tokens: 5000 }),
        Counting::texts(&estimated_tokens),
    );
    assert_eq!(other, estimated);
}

#[test]
fn a_report_counts_the_events_before_its_answer_unless_the_view_was_condensed_since() {
    let words = ["s40", "u10", "a1,1,0,5", "o1", "a2,2,0,5", "o2", "c1:1,2,3", "a3,3,0,5", "o3"];
    let log: Vec<Event> = words.iter().enumerate().map(|(place, word)| event(place, word, &words)).collect();
    let reported = |events: &[Event], response| {
        let reported = Reported::with_answer(&View::of_branch(events), response, 700);
        reported.map(|reported| (reported.events, reported.tokens))
    };
    assert_eq!(reported(&log[..6], "response2"), Some((4, 700)));
    assert_eq!(reported(&log[..6], "response3"), None);
    // Now the view is the system prompt, the summary, and the second and the third call with their results.
    assert_eq!(reported(&log, "response2"), None);
    assert_eq!(reported(&log, "response3"), Some((4, 700)));
}

#[test]
fn token_estimates_of_conversations_are_never_more_than_a_tenth_too_low() {
    let counted = fixture()["conversations"].clone();
    let fixtures = all_that_open();
    for entry in counted.as_array().unwrap() {
        let (directory, tokens) = (entry[0].as_str().unwrap(), entry[1].as_u64().unwrap());
        let fixture = fixtures.iter().find(|fixture| fixture.reported["directory"] == directory).unwrap();
        let leaf = BaseState::parse(&fixture.base_state).unwrap().leaf();
        let view = View::of_branch(&active_branch(&fixture.log, &leaf).events);
        let estimated = TokenCounts::of(view.events(), &[], None, Counting::texts(&estimated_tokens)).total();
        // Without any message, the SDK counts 3 tokens.
        assert!((estimated + 3) * 10 >= tokens * 9, "{directory}: {estimated} for {tokens}");
    }
}

#[test]
fn a_condenser_that_the_sdk_would_refuse_or_that_is_unknown_condenses_nothing() {
    let read = |json: &str| Condenser::read(&RawJson::parse(json).unwrap());
    let valid = r#"{"llm":{"model":"m"},"kind":"LLMSummarizingCondenser"}"#;
    assert_eq!((read(valid).members[0].max_size, read(valid).members[0].keep_first), (240, 2));
    for fields in [
        r#""max_size":10,"keep_first":4"#,
        r#""max_size":"many""#,
        r#""minimum_progress":1.0"#,
        r#""hard_context_reset_context_scaling":0.0"#,
        r#""hard_context_reset_max_retries":0"#,
    ] {
        let json = valid.replace(r#""kind""#, &format!(r#"{fields},"kind""#));
        assert!(!read(&json).handles_condensation_requests(), "{json}");
    }
    for json in [r#"{"kind":"MyCondenser"}"#, r#"{"kind":"LLMSummarizingCondenser"}"#, "{}", "7"] {
        assert!(!read(json).handles_condensation_requests(), "{json}");
    }
    let nested = format!(
        r#"{{"condensers":[{{"condensers":[{valid}],"kind":"PipelineCondenser"}},{{"kind":"NoOpCondenser"}},{valid}],"kind":"PipelineCondenser"}}"#
    );
    assert_eq!(read(&nested).members.len(), 2);
}
