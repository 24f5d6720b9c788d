//! The tree of a log, and its active branch.
//!
//! Mirrors `conversation/event_store.py` (`_effective_parent_id`, `path_to_root`) and `conversation/state.py`
//! (`_resolve_active_leaf`, `get_unmatched_actions`). Where a parent is missing or the parents form a cycle, the SDK
//! raises an error. Here the branch continues with the preceding event of the log and reports the break: otherwise the
//! system prompt, which is the first event, would be lost.
//!
//! Branches are walked from HEAD backwards. [`BranchWalk`] names the event that it needs next, so that a caller with
//! a store can load events page by page and does not load abandoned branches.

use crate::{
    event::{Body, Event, Parent},
    format::tree::{Leaf, is_default_leaf},
    id::EventId,
};
use std::collections::{HashMap, HashSet};

/// The event that a walk needs next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The event with this index.
    Index(u64),
    /// The first event with this id.
    Id(EventId),
}

/// A place at which the parents of events are inconsistent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Break {
    /// The parent does not exist.
    Missing(Wanted),
    /// The parent id of this event is not a valid event id.
    InvalidParent(EventId),
    /// This event is its own ancestor.
    Cycle(EventId),
}

/// The parent of the event at `index`; `None` if it starts its branch.
pub fn parent_of(index: u64, event: &Event) -> Result<Option<Wanted>, Break> {
    match event.parent() {
        Parent::Event(id) => Ok(Some(Wanted::Id(id.clone()))),
        Parent::Root => Ok(None),
        Parent::Unset => Ok(index.checked_sub(1).map(Wanted::Index)),
        Parent::Invalid(_) => Err(Break::InvalidParent(event.id().clone())),
    }
}

/// The parent of the next event.
pub fn parent_for_next(head: Option<&EventId>, log_is_empty: bool) -> Parent {
    match head {
        Some(id) => Parent::Event(id.clone()),
        None if log_is_empty => Parent::Unset,
        None => Parent::Root,
    }
}

/// A walk from an event to the root of its branch, one event at a time.
#[derive(Clone, Debug)]
pub struct BranchWalk {
    next: Option<Wanted>,
    /// The index of the last event passed.
    last: Option<u64>,
    /// The indices of all events passed.
    passed: HashSet<u64>,
    breaks: Vec<Break>,
}

impl BranchWalk {
    /// A walk that begins with this event.
    pub fn from(start: Wanted) -> Self {
        Self { next: Some(start), last: None, passed: HashSet::new(), breaks: Vec::new() }
    }

    /// The event to load for [`BranchWalk::pass`]; `None` at the end of the walk.
    pub fn wants(&self) -> Option<&Wanted> {
        self.next.as_ref()
    }

    /// Passes the wanted event, which is at `index`. Returns whether it belongs to the branch, which is false if it was
    /// passed before.
    pub fn pass(&mut self, index: u64, event: &Event) -> bool {
        if !self.passed.insert(index) {
            self.go_around(Break::Cycle(event.id().clone()));
            return false;
        }
        self.last = Some(index);
        match parent_of(index, event) {
            Ok(parent) => self.next = parent,
            Err(broken) => self.go_around(broken),
        }
        true
    }

    /// Continues the walk after the wanted event was not found.
    pub fn skip_missing(&mut self) {
        match self.next.take() {
            // If an index is missing, the log is incomplete, so the walk ends.
            Some(wanted @ Wanted::Index(_)) => self.breaks.push(Break::Missing(wanted)),
            Some(wanted) => self.go_around(Break::Missing(wanted)),
            None => {}
        }
    }

    /// The breaks found so far.
    pub fn breaks(&self) -> &[Break] {
        &self.breaks
    }

    /// Continues with the preceding event of the log that was not passed yet.
    fn go_around(&mut self, broken: Break) {
        self.breaks.push(broken);
        let mut before = self.last.and_then(|last| last.checked_sub(1));
        while let Some(index) = before.filter(|index| self.passed.contains(index)) {
            before = index.checked_sub(1);
        }
        self.next = before.map(Wanted::Index);
    }
}

/// A branch of a log, as far as its parents lead.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Branch {
    /// The events from the root to the leaf.
    pub events: Vec<Event>,
    /// The breaks, from the leaf to the root.
    pub breaks: Vec<Break>,
}

/// The active branch of a log. If the leaf is not in the log, the branch is empty and has a break.
pub fn active_branch(log: &[Event], leaf: &Leaf) -> Branch {
    let start = match leaf {
        Leaf::Empty => None,
        Leaf::Event(id) => Some(Wanted::Id(id.clone())),
        Leaf::Unset => {
            let last = log.iter().rposition(|event| is_default_leaf(event.kind()));
            last.and_then(|last| u64::try_from(last).ok()).map(Wanted::Index)
        }
    };
    let Some(start) = start else { return Branch::default() };
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (place, event) in log.iter().enumerate() {
        places.entry(event.id().as_str()).or_insert(place);
    }
    let mut walk = BranchWalk::from(start);
    let mut events = Vec::new();
    while let Some(wanted) = walk.wants() {
        let place = match wanted {
            Wanted::Index(index) => usize::try_from(*index).ok(),
            Wanted::Id(id) => places.get(id.as_str()).copied(),
        };
        let found = place.and_then(|place| Some((u64::try_from(place).ok()?, log.get(place)?)));
        match found {
            Some((index, event)) if walk.pass(index, event) => events.push(event.clone()),
            Some(_) => {}
            None => walk.skip_missing(),
        }
    }
    events.reverse();
    Branch { events, breaks: walk.breaks }
}

/// The valid actions of a branch without a result, in order. Observations and rejections answer an action by its event
/// id, errors by its call id.
pub fn unmatched_actions(branch: &[Event]) -> Vec<Event> {
    let (mut answered_actions, mut failed_calls) = (HashSet::new(), HashSet::new());
    let mut unmatched = Vec::new();
    for event in branch.iter().rev() {
        match event.body() {
            Body::ObservationEvent(body) => {
                answered_actions.insert(body.action_id.as_str());
            }
            Body::UserRejectObservation(body) => {
                answered_actions.insert(body.action_id.as_str());
            }
            Body::AgentErrorEvent(body) => {
                failed_calls.insert(body.tool_call_id.as_str());
            }
            Body::ActionEvent(body) => {
                let is_answered = answered_actions.contains(event.id().as_str())
                    || failed_calls.contains(body.tool_call_id.as_str());
                if body.action.is_some() && !is_answered {
                    unmatched.push(event.clone());
                }
            }
            _ => {}
        }
    }
    unmatched.reverse();
    unmatched
}
