//! Compares the stuck detector with that of the SDK for the same events (`tests/interop/stuck_cases.py`), and tests the
//! additional pattern.

use crate::support::{Answer, World, calls, echo, say, text};
use futures_executor::block_on;
use serde_json::{Map, Value, json};
use std::rc::Rc;
use threadkeep::{
    cancel::CancelToken,
    conversation::stuck_detector::{
        Finding, StuckDetection, StuckDetectionThresholds, WINDOW, find, is_stuck_on_context_window,
    },
    event::Event,
    format::base_state::ExecutionStatus,
    store::MemoryStore,
};

fn event(place: usize, body: &Value) -> Event {
    let id = format!("{place:08x}-0000-4000-8000-000000000000");
    let mut fields = Map::new();
    fields.insert("id".into(), json!(id));
    fields.insert("timestamp".into(), json!("2026-01-31T09:15:02.123456"));
    fields.extend(body.as_object().unwrap().clone());
    let event = Event::decode(id.parse().unwrap(), Value::Object(fields).to_string().into());
    assert!(event.is_valid(), "{event:?}");
    event
}

/// The findings of a run with these events: the detector runs after each one, and its reminders are appended.
fn findings(thresholds: &StuckDetectionThresholds, bodies: &[&Value]) -> String {
    let mut log = Vec::new();
    let mut found = String::new();
    for body in bodies {
        log.push(event(log.len(), body));
        let window = &log[log.len().saturating_sub(WINDOW)..];
        match find(window, thresholds) {
            Finding::None => found.push('.'),
            Finding::Stuck => found.push('s'),
            Finding::Nudge(text) => {
                found.push('n');
                let content = json!([{ "type": "text", "text": text }]);
                let message = json!({
                    "source": "environment",
                    "llm_message": { "role": "user", "content": content },
                    "kind": "MessageEvent",
                });
                log.push(event(log.len(), &message));
            }
        }
    }
    found
}

#[test]
fn the_stuck_detector_agrees_with_the_sdk() {
    let fixture: Value = serde_json::from_str(include_str!("../fixtures/stuck_detector.json")).unwrap();
    let mut seen = String::new();
    for case in fixture["cases"].as_array().unwrap() {
        let case = case.as_str().unwrap();
        let parts: Vec<&str> = case.split(' ').collect();
        let counts: Vec<usize> = parts[..4].iter().map(|count| count.parse().unwrap()).collect();
        let thresholds = StuckDetectionThresholds {
            action_observation: counts[0],
            action_error: counts[1],
            monologue: counts[2],
            alternating_pattern: counts[3],
        };
        let bodies: Vec<&Value> =
            parts[4].chars().map(|letter| &fixture["letters"][letter.to_string()]).collect();
        assert_eq!(findings(&thresholds, &bodies), parts[5], "{case}");
        seen.push_str(parts[5]);
    }
    for finding in ['.', 'n', 's'] {
        assert!(seen.matches(finding).count() > 100, "the cases hold hardly any {finding}");
    }
}

#[test]
fn the_nudge_names_the_tool_the_count_and_the_error() {
    let fixture: Value = serde_json::from_str(include_str!("../fixtures/stuck_detector.json")).unwrap();
    let (action, error) = (&fixture["letters"]["I"], &fixture["letters"]["x"]);
    let events: Vec<Event> =
        [action, error].repeat(3).iter().enumerate().map(|(place, body)| event(place, body)).collect();
    let Finding::Nudge(text) = find(&events, &StuckDetectionThresholds::default()) else {
        panic!("no nudge");
    };
    for part in ["`echo`", "3 calls", "It failed."] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn condensation_requests_that_do_not_help_are_stuck() {
    let request = json!({ "source": "environment", "kind": "CondensationRequest" });
    let condensation = json!({
        "source": "environment", "forgotten_event_ids": [], "llm_response_id": "r", "kind": "Condensation",
    });
    let user = json!({
        "source": "user", "llm_message": { "role": "user", "content": [] }, "kind": "MessageEvent",
    });
    let thresholds = StuckDetectionThresholds::default();
    let circle = [&request, &condensation, &request, &condensation, &request, &condensation];
    assert_eq!(findings(&thresholds, &circle), "....ss");
    let with_user = [&request, &condensation, &request, &condensation, &user, &request, &condensation];
    assert_eq!(findings(&thresholds, &with_user), ".......");
}

#[test]
fn repeated_context_window_errors_are_stuck_and_the_next_run_may_try_again() {
    let failure = |code: &str| json!({ "source": "environment", "code": code, "detail": "Too long.", "kind": "ConversationErrorEvent" });
    let pause = json!({ "source": "user", "kind": "PauseEvent" });
    let thresholds = StuckDetectionThresholds::default();
    let log = |bodies: &[&Value]| -> Vec<Event> {
        bodies.iter().enumerate().map(|(place, body)| event(place, body)).collect()
    };
    let too_long = failure("LLMContextWindowExceedError");
    let other = failure("LLMRateLimitError");
    assert!(!is_stuck_on_context_window(&log(&[&too_long]), &thresholds));
    assert!(is_stuck_on_context_window(&log(&[&too_long, &pause, &too_long]), &thresholds));
    assert!(!is_stuck_on_context_window(&log(&[&too_long, &other, &too_long]), &thresholds));
    assert_eq!(find(&log(&[&too_long; 5]), &thresholds), Finding::None);
}

fn world(answers: impl IntoIterator<Item = Answer>) -> World {
    World::new(Rc::new(MemoryStore::new()), vec![echo()], answers)
}

fn same_call(n: usize) -> Answer {
    calls(&[(&format!("call{n}"), "echo", r#"{"text":"again"}"#)])
}

#[test]
fn repeating_a_call_with_the_same_result_is_stuck_until_the_user_sends_a_message() {
    block_on(async {
        let world = world((0..4).map(same_call).chain([text("I see.")]));
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        for _ in 0..2 {
            let outcome = conversation.run(CancelToken::default()).await.unwrap();
            assert_eq!(outcome.status, ExecutionStatus::Stuck);
            assert_eq!(world.model.requests.borrow().len(), 4);
        }
        say(&conversation, "Do something else").await;
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.status, ExecutionStatus::Finished);
    });
}

#[test]
fn a_call_that_keeps_failing_gets_one_reminder_and_is_then_stuck() {
    block_on(async {
        let wrong = |n: usize| calls(&[(&format!("call{n}"), "echo", "{}")]);
        let world = world((0..4).map(wrong));
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(conversation.execution_status(), ExecutionStatus::Stuck);
        let events = world.events().await;
        let nudges = events.iter().filter(|event| event["source"] == "environment");
        let nudges: Vec<String> =
            nudges.map(|event| event["llm_message"]["content"][0]["text"].to_string()).collect();
        assert_eq!(nudges.len(), 1, "{nudges:?}");
        assert!(nudges[0].contains("The last 3 calls of `echo`"), "{nudges:?}");
        assert_eq!(world.kinds().await[8..], ["Message", "Action", "AgentError"]);
    });
}

#[test]
fn stuck_detection_turned_off_or_given_other_thresholds_applies_on_the_next_page_too() {
    block_on(async {
        let mut world = world((0..5).map(same_call).chain([text("At last."), text("Hm.")]));
        world.stuck_detection = Some(StuckDetection::Off);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.final_response.as_deref(), Some("At last."));
        world.stuck_detection = None;
        assert!(!world.open().await.unwrap().state().stuck_detection());

        let thresholds = StuckDetectionThresholds { action_observation: 2, ..Default::default() };
        world.stuck_detection = Some(StuckDetection::On(thresholds));
        world.model.answers.borrow_mut().extend((5..9).map(same_call));
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(conversation.execution_status(), ExecutionStatus::Finished);
        say(&conversation, "Go").await;
        conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(conversation.execution_status(), ExecutionStatus::Stuck);
        assert_eq!(world.model.answers.borrow().len(), 2);
    });
}

#[test]
fn three_context_window_errors_are_stuck_and_every_run_may_try() {
    block_on(async {
        let too_long = || {
            let error = json!({ "error": { "message": "too long", "code": "context_length_exceeded" } });
            Answer::Status(400, error)
        };
        let world = world([too_long(), too_long(), too_long(), text("Now it fits.")]);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Go").await;
        for status in [ExecutionStatus::Error, ExecutionStatus::Error, ExecutionStatus::Stuck] {
            let error = conversation.run(CancelToken::default()).await.unwrap_err();
            assert_eq!(error.code().as_str(), "llm_context_window");
            assert_eq!(conversation.execution_status(), status);
        }
        let outcome = conversation.run(CancelToken::default()).await.unwrap();
        assert_eq!(outcome.final_response.as_deref(), Some("Now it fits."));
    });
}
