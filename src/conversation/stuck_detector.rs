//! Whether an agent goes in circles (`conversation/stuck_detector.py`).
//!
//! [`find`] is a pure function of the last events of the active branch. Whether a reminder was given is read from the events as
//! well, so a reload does not repeat it. One pattern is not the SDK's, which only names it: requests that do not fit
//! into the model's context window although the history is condensed again and again.

use super::Conversation;
use crate::{
    error::Result,
    event::{Body, Event, Source},
    json::is_same,
};

/// How many events of the active branch are looked at.
pub const WINDOW: usize = 20;

/// The code of a request that did not fit into the model's context window.
const CONTEXT_WINDOW: &str = "LLMContextWindowExceedError";

/// After how many repetitions an agent is stuck; each at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StuckDetectionThresholds {
    /// The same call with the same result.
    pub action_observation: usize,
    /// The same call with an error. At so many the model is told, at one more it is stuck.
    pub action_error: usize,
    /// Messages of the model to nobody, and requests that did not fit into its context window.
    pub monologue: usize,
    /// Calls and results in a pattern of two.
    pub alternating_pattern: usize,
}

impl Default for StuckDetectionThresholds {
    fn default() -> Self {
        Self { action_observation: 4, action_error: 3, monologue: 3, alternating_pattern: 6 }
    }
}

/// Whether a run stops that goes in circles, where the host has a say in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StuckDetection {
    /// It goes on.
    Off,
    /// It stops.
    On(StuckDetectionThresholds),
}

/// What is to be done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Nothing: the agent gets on.
    None,
    /// The model is told that it repeats a call that fails.
    Nudge(String),
    /// The run stops.
    Stuck,
}

/// What these events, the last of the active branch, say. The SDK looks at [`WINDOW`] of them.
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

impl Conversation {
    /// Whether a run goes in circles that ends because its request does not fit into the context window.
    pub(super) async fn is_stuck_after_context_window(&self) -> Result<bool> {
        let Some(thresholds) = self.stuck_thresholds() else { return Ok(false) };
        self.0.log.read(|branch| is_one_too_many(&branch.recent, &thresholds)).await
    }

    /// The host's thresholds; without a word from it, the stored state says whether there are any.
    pub(super) fn stuck_thresholds(&self) -> Option<StuckDetectionThresholds> {
        match self.0.stuck_detection {
            Some(StuckDetection::Off) => None,
            Some(StuckDetection::On(thresholds)) => Some(thresholds),
            None => self.state().stuck_detection().then(StuckDetectionThresholds::default),
        }
    }
}

fn since_user_message(events: &[Event]) -> &[Event] {
    let is_users =
        |event: &Event| event.source() == Source::User && matches!(event.body(), Body::MessageEvent(_));
    let start = events.iter().rposition(is_users).map_or(0, |place| place + 1);
    events.get(start..).unwrap_or_default()
}

/// The latest first.
fn last_of(events: &[Event], is_wanted: impl Fn(&Event) -> bool) -> Vec<&Event> {
    events.iter().rev().filter(|event| is_wanted(event)).collect()
}

/// How often one action in a row ended in an error. Actions and errors are counted from the end, each on its own.
fn error_streak(actions: &[&Event], results: &[&Event]) -> usize {
    let repeats = actions.iter().zip(results).take_while(|(action, result)| {
        matches!(result.body(), Body::AgentErrorEvent(_))
            && actions.first().is_some_and(|last| is_same_event(last, action))
    });
    repeats.count()
}

/// What the model is told about its errors; `None` if it has been told since the last of them.
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
    let is_told = since.any(|event| match event.body() {
        Body::MessageEvent(message) => {
            let text = message.llm_message.text();
            event.source() == Source::Environment && text.starts_with(before) && text.ends_with(after)
        }
        _ => false,
    });
    (!is_told).then(|| [before, &call.tool_name, after].concat())
}

/// Whether the last `count` actions are the same as those `period` before them, and their results too.
fn is_repeating(actions: &[&Event], results: &[&Event], count: usize, period: usize) -> bool {
    let repeats = |events: &[&Event]| {
        let last = events.get(..count).unwrap_or_default();
        let before = last.iter().skip(period);
        !last.is_empty() && last.iter().zip(before).all(|(event, before)| is_same_event(event, before))
    };
    repeats(actions) && repeats(results)
}

fn is_alternating(events: &[Event], actions: &[&Event], count: usize) -> bool {
    // What the user has refused is no result to this pattern.
    let results =
        last_of(events, |event| matches!(event.body(), Body::ObservationEvent(_) | Body::AgentErrorEvent(_)));
    events.len() >= count && is_repeating(actions, &results, count, 2)
}

fn is_monologue(events: &[Event], threshold: usize) -> bool {
    let mut count = 0;
    for event in events.iter().rev() {
        match event.body() {
            Body::MessageEvent(_) if event.source() == Source::Agent => count += 1,
            Body::MessageEvent(_) | Body::CondensationSummaryEvent(_) => {}
            _ => break,
        }
    }
    count >= threshold
}

/// Whether so many requests in a row for a shorter history came to nothing. A run that is begun after an error gets
/// its try: somebody may have chosen a larger model.
fn does_not_fit(events: &[Event], threshold: usize) -> bool {
    !matches!(events.last().map(Event::body), Some(Body::ConversationErrorEvent(_)))
        && context_failures(events) >= threshold
}

/// Whether a run that fails because its request does not fit into the context window is one of too many.
pub fn is_one_too_many(events: &[Event], thresholds: &StuckDetectionThresholds) -> bool {
    context_failures(since_user_message(events)) + 1 >= thresholds.monologue
}

/// How often in a row, up to the end of these events, a request did not fit into the context window.
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

/// Whether both say the same, whatever their ids are. Arguments and results are compared as values.
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
