//! Invariants of a view, without which providers would refuse its messages.
//!
//! Mirrors `context/view/properties/`: each property marks the events to remove. After a removal all properties are
//! checked again, until none is violated.

use crate::{
    context::pairs::{call_of, pairs},
    event::{Body, Event},
};
use std::collections::HashMap;

/// For each event of the view, whether it is to be removed.
type Removals = Vec<bool>;

/// Marks the events of a view that violate a property.
type Property<'a> = &'a dyn Fn(&[Event]) -> Removals;

/// Removes the events from `view` that violate a property. `branch` are all events from which the view was made.
pub(super) fn enforce(view: &mut Vec<Event>, branch: &[Event]) {
    let batches = batch_sizes(branch);
    let loops = ToolLoops::of(branch);
    let calls = Calls::of(branch);
    let properties: [Property<'_>; 4] = [
        &|view| calls.answered_again(view),
        &|view| torn_batches(view, &batches),
        &|view| calls.unmatched(view),
        &|view| loops.torn(view),
    ];
    while let Some(removals) =
        properties.iter().map(|property| property(view)).find(|removals| removals.contains(&true))
    {
        let mut removals = removals.into_iter();
        view.retain(|_| removals.next() != Some(true));
    }
}

fn removals(view: &[Event], is_removed: impl FnMut(&Event) -> bool) -> Removals {
    view.iter().map(is_removed).collect()
}

/// Property: of each response all calls are present, or none.
fn torn_batches(view: &[Event], batches: &HashMap<&str, usize>) -> Removals {
    let present = batch_sizes(view);
    let is_torn = |response: &str| present.get(response) != batches.get(response);
    removals(view, |event| response_of(event).is_some_and(is_torn))
}

/// The number of calls of each response.
fn batch_sizes(events: &[Event]) -> HashMap<&str, usize> {
    let mut sizes = HashMap::new();
    for response in events.iter().filter_map(response_of) {
        *sizes.entry(response).or_default() += 1;
    }
    sizes
}

fn response_of(event: &Event) -> Option<&str> {
    match event.body() {
        Body::ActionEvent(action) => Some(&action.llm_response_id),
        _ => None,
    }
}

/// The calls of a branch, identified by the places of their actions.
struct Calls<'a> {
    /// The call that an event makes or answers, by event id.
    call_of: HashMap<&'a str, usize>,
    count: usize,
}

impl<'a> Calls<'a> {
    fn of(branch: &'a [Event]) -> Self {
        let mut call_of = HashMap::new();
        for (event, pair) in branch.iter().zip(pairs(branch)) {
            if let Some(pair) = pair {
                call_of.entry(event.id().as_str()).or_insert(pair);
            }
        }
        Self { call_of, count: branch.len() }
    }

    /// Property: each call has one answer. The first one stays, because the model has probably seen it.
    fn answered_again(&self, view: &[Event]) -> Removals {
        let mut answered = vec![false; self.count];
        removals(view, |event| {
            let call = event.answered_call().and_then(|_| self.call_of.get(event.id().as_str()));
            let answered = call.and_then(|call| answered.get_mut(*call));
            answered.is_some_and(|answered| std::mem::replace(answered, true))
        })
    }

    /// Property: each call has an answer and each answer a call.
    fn unmatched(&self, view: &[Event]) -> Removals {
        let (mut called, mut answered) = (vec![false; self.count], vec![false; self.count]);
        for event in view {
            let list = if event.answered_call().is_some() { &mut answered } else { &mut called };
            let call = self.call_of.get(event.id().as_str());
            if let Some(is_present) = call.and_then(|call| list.get_mut(*call)) {
                *is_present = true;
            }
        }
        removals(view, |event| {
            let other = if event.answered_call().is_some() { &called } else { &answered };
            let is_present = self.call_of.get(event.id().as_str()).and_then(|call| other.get(*call));
            (call_of(event).is_some() || event.answered_call().is_some()) && is_present != Some(&true)
        })
    }
}

/// Runs of calls and answers that begin with signed reasoning. A provider that signs checks the whole run.
struct ToolLoops<'a> {
    /// The loop that an event is part of.
    loop_of: HashMap<&'a str, usize>,
    /// How many events each loop has.
    sizes: Vec<usize>,
}

impl<'a> ToolLoops<'a> {
    fn of(branch: &'a [Event]) -> Self {
        let mut loops = Self { loop_of: HashMap::new(), sizes: Vec::new() };
        let mut is_open = false;
        for event in branch {
            let starts =
                matches!(event.body(), Body::ActionEvent(action) if !action.thinking_blocks.is_empty());
            is_open = starts || (is_open && (call_of(event).is_some() || event.answered_call().is_some()));
            if starts {
                loops.sizes.push(0);
            }
            if let (true, Some(size)) = (is_open, loops.sizes.last_mut()) {
                *size = size.saturating_add(1);
                loops.loop_of.insert(event.id().as_str(), loops.sizes.len());
            }
        }
        loops
    }

    /// A loop is all there or not at all.
    fn torn(&self, view: &[Event]) -> Removals {
        let loop_of = |event: &Event| self.loop_of.get(event.id().as_str()).copied();
        let mut present = vec![0_usize; self.sizes.len().saturating_add(1)];
        for number in view.iter().filter_map(loop_of) {
            if let Some(count) = present.get_mut(number) {
                *count = count.saturating_add(1);
            }
        }
        let is_torn = |number: usize| {
            let size = number.checked_sub(1).and_then(|index| self.sizes.get(index));
            present.get(number) != size
        };
        removals(view, |event| loop_of(event).is_some_and(is_torn))
    }
}
