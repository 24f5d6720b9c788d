//! The tree of a log, and the branch of it that is active.
//!
//! Mirrors `conversation/event_store.py` (`_effective_parent_id`, `path_to_root`) and `conversation/state.py`
//! (`_resolve_active_leaf`, `get_unmatched_actions`). Where the SDK raises, on a parent that is not in the log or on a
//! circle, a branch goes on here with the event before, and says so: the instructions come first, and a model that
//! loses them does what nobody told it.
//!
//! Branches are walked from HEAD backwards. [`BranchWalk`] tells which event it wants next, so that a caller who
//! keeps events in a store can load them page by page and never pays for parts that were left behind.

use crate::{
    event::{Body, Event, Parent},
    format::tree::{Leaf, is_default_leaf},
    id::EventId,
    names::Names,
};

/// Which event a walk wants next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The event with this index.
    Index(u64),
    /// The first event with this id.
    Id(EventId),
}

/// Where a branch cannot go on as its events say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Break {
    /// There is no such event.
    Missing(Wanted),
    /// The event names a parent that no event can be.
    Nowhere(EventId),
    /// The event is named as a parent by one that follows it.
    Circle(EventId),
}

/// The event that the one at `index` follows; `None` if it starts its branch.
pub fn parent_of(index: u64, event: &Event) -> Result<Option<Wanted>, Break> {
    match event.parent() {
        Parent::Event(id) => Ok(Some(Wanted::Id(id.clone()))),
        Parent::Root => Ok(None),
        Parent::Unset => Ok(index.checked_sub(1).map(Wanted::Index)),
        Parent::Nowhere(_) => Err(Break::Nowhere(event.id().clone())),
    }
}

/// The parent that the next event is given.
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
    /// The index of the event that was passed last.
    last: Option<u64>,
    /// Indices of events.
    passed: Names,
    breaks: Vec<Break>,
}

impl BranchWalk {
    /// A walk that begins with this event.
    pub fn from(start: Wanted) -> Self {
        Self { next: Some(start), last: None, passed: Names::default(), breaks: Vec::new() }
    }

    /// The event to load and hand to [`BranchWalk::pass`] next; `None` at the end.
    pub fn wants(&self) -> Option<&Wanted> {
        self.next.as_ref()
    }

    /// Passes the event that was wanted, which is at `index`. Returns whether it belongs to the branch: not if it
    /// was passed before.
    pub fn pass(&mut self, index: u64, event: &Event) -> bool {
        if !self.passed.add(&index.to_string(), 0) {
            self.go_around(Break::Circle(event.id().clone()));
            return false;
        }
        self.last = Some(index);
        match parent_of(index, event) {
            Ok(parent) => self.next = parent,
            Err(broken) => self.go_around(broken),
        }
        true
    }

    /// The event that was wanted is not there.
    pub fn is_missing(&mut self) {
        match self.next.take() {
            // Every event before one that is there should be there, too.
            Some(wanted @ Wanted::Index(_)) => self.breaks.push(Break::Missing(wanted)),
            Some(wanted) => self.go_around(Break::Missing(wanted)),
            None => {}
        }
    }

    /// Where it could not go on as the events say.
    pub fn breaks(&self) -> &[Break] {
        &self.breaks
    }

    /// Goes on with the event before the last one, as if that had named no parent.
    fn go_around(&mut self, broken: Break) {
        self.breaks.push(broken);
        let mut before = self.last.and_then(|last| last.checked_sub(1));
        while let Some(index) = before.filter(|index| self.passed.has(&index.to_string())) {
            before = index.checked_sub(1);
        }
        self.next = before.map(Wanted::Index);
    }
}

/// A branch in full.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Branch {
    /// Its events, the first one first.
    pub events: Vec<Event>,
    /// Where an event follows the one before it in the log because it names no parent that it could follow.
    pub breaks: Vec<Break>,
}

/// The active branch of a whole log. A leaf that is not in the log is reported, and the branch is empty.
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
    let mut places = Names::default();
    for (place, event) in log.iter().enumerate() {
        places.add(event.id().as_str(), place);
    }
    let mut walk = BranchWalk::from(start);
    let mut events = Vec::new();
    while let Some(wanted) = walk.wants() {
        let place = match wanted {
            Wanted::Index(index) => usize::try_from(*index).ok(),
            Wanted::Id(id) => places.get(id.as_str()),
        };
        let found = place.and_then(|place| Some((u64::try_from(place).ok()?, log.get(place)?)));
        match found {
            Some((index, event)) if walk.pass(index, event) => events.push(event.clone()),
            Some(_) => {}
            None => walk.is_missing(),
        }
    }
    events.reverse();
    Branch { events, breaks: walk.breaks }
}

/// The actions of a branch that wait to be executed, the first one first. Results and refusals answer an action by
/// its id, errors by the id of its call; a call that cannot be executed never waits.
pub fn unmatched_actions(branch: &[Event]) -> Vec<Event> {
    let (mut answered_actions, mut failed_calls) = (Names::default(), Names::default());
    let mut unmatched = Vec::new();
    for event in branch.iter().rev() {
        match event.body() {
            Body::ObservationEvent(body) => {
                answered_actions.add(&body.action_id, 0);
            }
            Body::UserRejectObservation(body) => {
                answered_actions.add(&body.action_id, 0);
            }
            Body::AgentErrorEvent(body) => {
                failed_calls.add(&body.tool_call_id, 0);
            }
            Body::ActionEvent(body) => {
                let is_answered =
                    answered_actions.has(event.id().as_str()) || failed_calls.has(&body.tool_call_id);
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
