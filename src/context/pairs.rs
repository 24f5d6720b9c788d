//! Which call an event makes or answers.
//!
//! The id of a call is the provider's, and some count from zero in every answer. So a call is known by its action: a
//! result or a refusal names that, and only an error has nothing but the call's id.

use crate::{
    event::{Body, Event},
    names::Names,
};

/// For each event the place of the action that it is, or that it answers. An answer comes after its call.
pub(super) fn pairs(events: &[Event]) -> Vec<Option<usize>> {
    let (mut actions, mut latest) = (Names::default(), Names::default());
    // For each action the one before it whose call has the same id.
    let mut before = vec![None; events.len()];
    let mut is_answered = vec![false; events.len()];
    let mut pairs = Vec::with_capacity(events.len());
    for (place, event) in events.iter().enumerate() {
        if let Some(call) = call_of(event) {
            if let Some(before) = before.get_mut(place) {
                *before = latest.get(call);
            }
            actions.add(event.id().as_str(), place);
            latest.set(call, place);
            pairs.push(Some(place));
            continue;
        }
        let pair = event.answered_call().and_then(|call| {
            let named = action_named_by(event).and_then(|id| actions.get(id));
            let named = named.filter(|at| events.get(*at).and_then(call_of) == Some(call));
            named.or_else(|| latest_open(latest.get(call)?, &before, &is_answered))
        });
        if let Some(is_answered) = pair.and_then(|pair| is_answered.get_mut(pair)) {
            *is_answered = true;
        }
        pairs.push(pair);
    }
    pairs
}

/// The latest call of an id that has no answer yet, or else the first one.
fn latest_open(latest: usize, before: &[Option<usize>], is_answered: &[bool]) -> Option<usize> {
    let mut at = latest;
    while is_answered.get(at) == Some(&true)
        && let Some(earlier) = before.get(at).copied().flatten()
    {
        at = earlier;
    }
    Some(at)
}

pub(super) fn call_of(event: &Event) -> Option<&str> {
    match event.body() {
        Body::ActionEvent(action) => Some(&action.tool_call_id),
        _ => None,
    }
}

pub(super) fn action_named_by(event: &Event) -> Option<&str> {
    match event.body() {
        Body::ObservationEvent(body) => Some(&body.action_id),
        Body::UserRejectObservation(body) => Some(&body.action_id),
        _ => None,
    }
}
