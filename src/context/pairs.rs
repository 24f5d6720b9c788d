//! Pairs calls with their answers.
//!
//! Call ids come from the provider, and some providers start again from zero in every answer. So a call is identified by
//! its action event, whose id observations and rejections contain. Only errors have nothing but the call id.

use crate::event::{Body, Event};
use std::collections::HashMap;

/// For each event the place of the action that it is or answers. An answer follows its call.
pub(super) fn pairs(events: &[Event]) -> Vec<Option<usize>> {
    // The place of each action by the id of its event, and of the latest one by the id of its call.
    let mut actions: HashMap<&str, usize> = HashMap::new();
    let mut latest: HashMap<&str, usize> = HashMap::new();
    // For each action the previous one with the same call id.
    let mut before = vec![None; events.len()];
    let mut is_answered = vec![false; events.len()];
    let mut pairs = Vec::with_capacity(events.len());
    for (place, event) in events.iter().enumerate() {
        if let Some(call) = call_of(event) {
            if let Some(before) = before.get_mut(place) {
                *before = latest.get(call).copied();
            }
            actions.entry(event.id().as_str()).or_insert(place);
            latest.insert(call, place);
            pairs.push(Some(place));
            continue;
        }
        let pair = event.answered_call().and_then(|call| {
            let named = answered_action(event).and_then(|id| actions.get(id).copied());
            let named = named.filter(|at| events.get(*at).and_then(call_of) == Some(call));
            named.or_else(|| latest_open(*latest.get(call)?, &before, &is_answered))
        });
        if let Some(is_answered) = pair.and_then(|pair| is_answered.get_mut(pair)) {
            *is_answered = true;
        }
        pairs.push(pair);
    }
    pairs
}

/// The latest call with this id that has no answer yet, otherwise the first one.
fn latest_open(latest: usize, before: &[Option<usize>], is_answered: &[bool]) -> Option<usize> {
    let mut at = latest;
    while is_answered.get(at) == Some(&true)
        && let Some(earlier) = before.get(at).copied().flatten()
    {
        at = earlier;
    }
    Some(at)
}

/// The call id of an action.
pub(super) fn call_of(event: &Event) -> Option<&str> {
    match event.body() {
        Body::ActionEvent(action) => Some(&action.tool_call_id),
        _ => None,
    }
}

/// The id of the action that an observation or a rejection answers.
pub(super) fn answered_action(event: &Event) -> Option<&str> {
    match event.body() {
        Body::ObservationEvent(body) => Some(&body.action_id),
        Body::UserRejectObservation(body) => Some(&body.action_id),
        _ => None,
    }
}
