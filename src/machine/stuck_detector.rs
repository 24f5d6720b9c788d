//! Detects an agent that is stuck in a loop (`conversation/stuck_detector.py`).
//!
//! [`find`] is a pure function of the last events of the active branch. Whether a reminder was given is read from the
//! events as well, so a reload does not repeat it. One pattern goes beyond the SDK, which only mentions it: requests
//! that still do not fit into the model's context window after the history was condensed several times.

use crate::{
    event::{Body, Event, Source},
    json::is_same,
};

/// The number of events at the end of the active branch that are examined, as in the SDK.
pub const WINDOW: usize = 20;

/// The code of a `ConversationErrorEvent` for a request that did not fit into the model's context window.
const CONTEXT_WINDOW: &str = "LLMContextWindowExceedError";

/// The number of repetitions that make an agent stuck; each at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StuckDetectionThresholds {
    /// The same call with the same result.
    pub action_observation: usize,
    /// The same call with an error. At this number the model is reminded; one more makes it stuck.
    pub action_error: usize,
    /// Messages of the model without one of the user in between; also requests that did not fit into the context window.
    pub monologue: usize,
    /// Calls and results that alternate between two.
    pub alternating_pattern: usize,
}

impl Default for StuckDetectionThresholds {
    fn default() -> Self {
        Self { action_observation: 4, action_error: 3, monologue: 3, alternating_pattern: 6 }
    }
}

/// The host's setting for stopping runs that are stuck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StuckDetection {
    /// Such runs continue.
    Off,
    /// Such runs stop.
    On(StuckDetectionThresholds),
}

/// The result of the detection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The agent makes progress.
    None,
    /// The agent repeats a call that fails: this reminder is to be sent to it.
    Nudge(String),
    /// The agent is stuck, so the run has to stop.
    Stuck,
}

/// Examines the last [`WINDOW`] events of the active branch.
pub fn find(events: &[Event], thresholds: &StuckDetectionThresholds) -> Finding {
    let events = since_user_message(events);
    let actions = last_of(events, |event| matches!(event.body(), Body::ActionEvent(_)));
    let results = last_of(events, |event| event.answered_call().is_some());
    let streak = error_streak(&actions, &results);
    if streak == thresholds.action_error
        && let Some(nudge) = nudge(events, &actions, &results, streak)
    {
        return Finding::Nudge(nudge);
    }
    let shortest = thresholds.action_observation.min(thresholds.action_error).min(thresholds.monologue);
    let is_stuck = events.len() >= shortest
        && (streak > thresholds.action_error
            || is_repeating(&actions, &results, thresholds.action_observation, 1)
            || is_monologue(events, thresholds.monologue)
            || is_alternating(events, &actions, thresholds.alternating_pattern)
            || does_not_fit(events, thresholds.monologue));
    if is_stuck { Finding::Stuck } else { Finding::None }
}

fn since_user_message(events: &[Event]) -> &[Event] {
    let is_users =
        |event: &Event| event.source() == Source::User && matches!(event.body(), Body::MessageEvent(_));
    let start = events.iter().rposition(is_users).map_or(0, |place| place + 1);
    events.get(start..).unwrap_or_default()
}

/// The matching events, the last one first.
fn last_of(events: &[Event], is_wanted: impl Fn(&Event) -> bool) -> Vec<&Event> {
    events.iter().rev().filter(|event| is_wanted(event)).collect()
}

/// The number of times that the same action ended in an error in succession, up to the last event.
fn error_streak(actions: &[&Event], results: &[&Event]) -> usize {
    let repeats = actions.iter().zip(results).take_while(|(action, result)| {
        matches!(result.body(), Body::AgentErrorEvent(_))
            && actions.first().is_some_and(|last| is_same_event(last, action))
    });
    repeats.count()
}

/// The reminder about repeated errors; `None` if one was given since the last error.
fn nudge(events: &[Event], actions: &[&Event], results: &[&Event], count: usize) -> Option<String> {
    let (action, error) = (actions.first()?, results.first()?);
    let (Body::ActionEvent(call), Body::AgentErrorEvent(failure)) = (action.body(), error.body()) else {
        return None;
    };
    let text = include_str!("../agent/prompts/repeated_error.md").trim_end();
    let text = text.replace("{count}", &count.to_string());
    let text = text.replace("{error}", failure.error.trim_end_matches('.'));
    let (before, after) = text.split_once("{tool}")?;
    let mut since = events.iter().rev().take_while(|event| event != error);
    let is_given = since.any(|event| match event.body() {
        Body::MessageEvent(message) => {
            let text = message.llm_message.text();
            event.source() == Source::Environment && text.starts_with(before) && text.ends_with(after)
        }
        _ => false,
    });
    (!is_given).then(|| [before, &call.tool_name, after].concat())
}

/// Whether the last `count` actions each equal the one `period` before, and their results do too.
fn is_repeating(actions: &[&Event], results: &[&Event], count: usize, period: usize) -> bool {
    let repeats = |events: &[&Event]| {
        let last = events.get(..count).unwrap_or_default();
        let before = last.iter().skip(period);
        !last.is_empty() && last.iter().zip(before).all(|(event, before)| is_same_event(event, before))
    };
    repeats(actions) && repeats(results)
}

fn is_alternating(events: &[Event], actions: &[&Event], count: usize) -> bool {
    // Rejections by the user do not count as results here.
    let results =
        last_of(events, |event| matches!(event.body(), Body::ObservationEvent(_) | Body::AgentErrorEvent(_)));
    events.len() >= count && is_repeating(actions, &results, count, 2)
}

fn is_monologue(events: &[Event], threshold: usize) -> bool {
    let mut count = 0;
    for event in events.iter().rev() {
        match event.body() {
            // Whoever stops answers is there, and so is whoever lets one go on that was cut.
            Body::MessageEvent(message) if event.source() == Source::Agent && !message.is_cut_off() => {
                count += 1
            }
            Body::MessageEvent(_) | Body::CondensationSummaryEvent(_) => {}
            _ => break,
        }
    }
    count >= threshold
}

/// Whether so many condensations in a row did not help. A run that begins after an error may try again, because the
/// user may have chosen a larger model.
fn does_not_fit(events: &[Event], threshold: usize) -> bool {
    !matches!(events.last().map(Event::body), Some(Body::ConversationErrorEvent(_)))
        && context_failures(events) >= threshold
}

/// Whether one more request that does not fit into the context window makes the agent stuck.
pub fn is_stuck_on_context_window(events: &[Event], thresholds: &StuckDetectionThresholds) -> bool {
    context_failures(since_user_message(events)) + 1 >= thresholds.monologue
}

/// The number of requests in succession, up to the last event, that did not fit into the context window.
fn context_failures(events: &[Event]) -> usize {
    let mut count = 0;
    for event in events.iter().rev() {
        match event.body() {
            Body::CondensationRequest(_) => count += 1,
            Body::ConversationErrorEvent(error) if error.code == CONTEXT_WINDOW => count += 1,
            Body::Condensation(_)
            | Body::CondensationSummaryEvent(_)
            | Body::ConversationStateUpdateEvent(_)
            | Body::HookExecutionEvent(_)
            | Body::PauseEvent(_)
            | Body::InterruptEvent(_) => {}
            _ => break,
        }
    }
    count
}

/// Whether two events are equal apart from their ids. Arguments and results are compared as JSON values.
fn is_same_event(one: &Event, other: &Event) -> bool {
    match (one.body(), other.body()) {
        (Body::ActionEvent(a), Body::ActionEvent(b)) => {
            let is_same_action = match (&a.action, &b.action) {
                (Some(a), Some(b)) => is_same(a.as_json().as_str(), b.as_json().as_str()),
                (None, None) => true,
                _ => false,
            };
            is_same_action
                && one.source() == other.source()
                && a.tool_name == b.tool_name
                && a.thought == b.thought
        }
        (Body::ObservationEvent(a), Body::ObservationEvent(b)) => {
            one.source() == other.source()
                && a.tool_name == b.tool_name
                && is_same(a.observation.as_json().as_str(), b.observation.as_json().as_str())
        }
        (Body::AgentErrorEvent(a), Body::AgentErrorEvent(b)) => {
            one.source() == other.source() && a.error == b.error
        }
        _ => one == other,
    }
}
