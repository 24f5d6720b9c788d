//! The ledger of calls: what is known of every call that has no stored result yet.
//!
//! That a call has none follows from the log. What else is known of it stands in `agent_state`, so that the next page
//! knows it too, and in `blocked_actions`, where the SDK has it; what only this page can know, it is told.

use super::answers::{interruption, rejection};
use crate::{
    agent::Draft,
    conversation::imported::is_open,
    error::{Error, ErrorCode, Result},
    event::{Body, Event, SecurityRisk},
    format::{
        agent_state::{EDITED_ACTIONS, INTERRUPTED_ACTIONS, SECURITY_RISKS, UNAPPROVED_ACTIONS},
        base_state::{BaseState, ExecutionStatus},
        import_mark::CALLS,
    },
    id::EventId,
    json::{EditableObject, RawJson, ToJson as _},
};

/// Where the state says which actions may not run, and why.
const BLOCKED: &str = "blocked_actions";

/// The names in `agent_state` that belong to the ledger.
const NAMES: [&str; 4] = [INTERRUPTED_ACTIONS, UNAPPROVED_ACTIONS, SECURITY_RISKS, EDITED_ACTIONS];

/// Where a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The next run runs it.
    Approved,
    /// The user has to decide about it.
    Waiting,
    /// The user left it out when approving others, and has to decide about it.
    LeftOut,
    /// Its tool runs in this page; whether the state says so already.
    UnderWay { is_recorded: bool },
    /// A page that died had it under way: nobody knows whether it took effect.
    Unknown,
    /// Its result is there and goes into the next commit.
    Answered,
}

/// One call.
#[derive(Clone, Debug)]
pub struct OpenCall {
    /// Its action.
    pub event: Event,
    /// Where it stands.
    pub stage: Stage,
}

impl OpenCall {
    fn is(&self, id: &str) -> bool {
        self.event.id().as_str() == id
    }
}

/// All of them, oldest first.
#[derive(Default)]
pub struct Calls(Vec<OpenCall>);

/// What only this page knows of calls.
pub struct InPage<'a> {
    /// The actions whose tools have begun here.
    pub begun: &'a [String],
    /// Whether a call of this id has a result that is not stored yet.
    pub is_answered: &'a dyn Fn(&str) -> bool,
}

impl Calls {
    /// The ledger of these actions, which have no result in the log.
    pub fn of(actions: &[Event], state: &BaseState, page: &InPage<'_>) -> Self {
        if actions.is_empty() {
            return Self::default();
        }
        let interrupted = ids_in(state, INTERRUPTED_ACTIONS);
        let left_out = ids_in(state, UNAPPROVED_ACTIONS);
        let stage = |event: &Event| {
            let id = event.id().as_str();
            let is_among = |ids: &[String]| ids.iter().any(|other| other == id);
            let is_recorded = is_among(&interrupted);
            match event.body() {
                Body::ActionEvent(action) if (page.is_answered)(&action.tool_call_id) => Stage::Answered,
                _ if is_among(page.begun) => Stage::UnderWay { is_recorded },
                _ if is_among(&left_out) => Stage::LeftOut,
                _ if is_recorded => Stage::Unknown,
                _ => Stage::Approved,
            }
        };
        let mut calls: Vec<OpenCall> =
            actions.iter().map(|event| OpenCall { event: event.clone(), stage: stage(event) }).collect();
        // Without a word of the user on any of them, all of a batch wait; what a dead page had under way is not one.
        let is_waiting = state.execution_status() == ExecutionStatus::WaitingForConfirmation
            && !calls.iter().any(|call| matches!(call.stage, Stage::LeftOut | Stage::Unknown));
        for call in calls.iter_mut().filter(|call| is_waiting && call.stage == Stage::Approved) {
            call.stage = Stage::Waiting;
        }
        Self(calls)
    }

    /// Those without a result, wherever they stand.
    pub fn open(&self) -> impl Iterator<Item = &OpenCall> {
        self.0.iter().filter(|call| call.stage != Stage::Answered)
    }

    /// Whether none is without a result.
    pub fn is_settled(&self) -> bool {
        self.open().next().is_none()
    }

    /// The actions about which the user has to decide.
    pub fn undecided(&self) -> impl Iterator<Item = &Event> {
        let waits = |call: &&OpenCall| matches!(call.stage, Stage::Waiting | Stage::LeftOut);
        self.0.iter().filter(waits).map(|call| &call.event)
    }

    /// The actions that may run now.
    pub fn approved(&self) -> impl Iterator<Item = &Event> {
        // What a dead page had under way is still there because it may run again.
        let may_run = |call: &&OpenCall| matches!(call.stage, Stage::Approved | Stage::Unknown);
        self.0.iter().filter(may_run).map(|call| &call.event)
    }

    /// Whether the user left calls out and they have no result.
    pub fn others_wait(&self) -> bool {
        self.0.iter().any(|call| call.stage == Stage::LeftOut)
    }

    /// The open ones of these actions, or all.
    ///
    /// # Errors
    /// `not_found` for an action that has a result, or is none.
    pub fn named(&self, actions: Option<&[EventId]>) -> Result<Vec<&OpenCall>> {
        let Some(actions) = actions else { return Ok(self.open().collect()) };
        if let Some(id) = actions.iter().find(|id| !self.open().any(|call| call.event.id() == *id)) {
            let text = format!("no action {id} waits; see pendingActions()");
            return Err(Error::new(ErrorCode::NotFound, text));
        }
        Ok(self.open().filter(|call| actions.contains(call.event.id())).collect())
    }

    /// What a run may run: these actions, or what it would run without a word. The others are left out.
    ///
    /// # Errors
    /// Those of [`Calls::named`]; `invalid_state` for a `finish` without the calls before it.
    pub fn approve(&mut self, approved: Option<&[EventId]>, state: &BaseState) -> Result<()> {
        let runs: Vec<String> = match approved {
            Some(_) => self.named(approved)?.iter().map(|call| call.event.id().to_string()).collect(),
            None => {
                let runs = |call: &&OpenCall| match state.execution_status() {
                    // What waits is approved by running it; a run that goes on after something else approves nothing.
                    ExecutionStatus::WaitingForConfirmation => true,
                    // What an import brought, nobody here has approved.
                    _ if is_open(state, CALLS) => false,
                    _ => call.stage != Stage::LeftOut,
                };
                self.open().filter(runs).map(|call| call.event.id().to_string()).collect()
            }
        };
        let ends_task = |call: &OpenCall| match call.event.body() {
            Body::ActionEvent(action) => action.tool_name == "finish",
            _ => false,
        };
        let is_run = |call: &OpenCall| runs.iter().any(|id| call.is(id));
        let leaves_some = self.open().any(|call| !is_run(call));
        if approved.is_some() && leaves_some && self.open().any(|call| ends_task(call) && is_run(call)) {
            return Err(Error::new(
                ErrorCode::InvalidState,
                "finish ends the task; approve or reject the calls before it as well",
            ));
        }
        for call in self.0.iter_mut().filter(|call| call.stage != Stage::Answered) {
            call.stage = match runs.iter().any(|id| call.is(id)) {
                false => Stage::LeftOut,
                true if call.stage == Stage::Unknown => Stage::Unknown,
                true => Stage::Approved,
            };
        }
        Ok(())
    }

    /// Those that run here are recorded: nobody would know that they had begun, if the page died before they end.
    pub fn record_begun(&mut self) {
        for call in &mut self.0 {
            if let Stage::UnderWay { is_recorded } = &mut call.stage {
                *is_recorded = true;
            }
        }
    }

    /// A dead page left these, of which nobody knows whether they took effect, and the others had not begun.
    pub fn are_unknown(&mut self, unknown: &[EventId]) {
        for call in &mut self.0 {
            call.stage = match call.stage {
                _ if unknown.contains(call.event.id()) => Stage::Unknown,
                Stage::Unknown => Stage::Approved,
                other => other,
            };
        }
    }

    /// What they are told that have not run: what may have taken effect that it was broken off, the others this.
    pub fn answers(&self, unknown: &str, refusal: &str) -> Vec<Draft> {
        let answers = self.open().filter_map(|call| match call.stage {
            Stage::Unknown => interruption(&call.event, unknown),
            _ => rejection(&call.event, refusal),
        });
        answers.collect()
    }

    /// What an interrupt tells them: what the user left out that it was not approved, the others that they were stopped.
    pub fn answers_of_interrupt(&self, stopped: &str, refusal: &str) -> Vec<Draft> {
        let answers = self.open().filter_map(|call| match call.stage {
            Stage::LeftOut => rejection(&call.event, refusal),
            _ => interruption(&call.event, stopped),
        });
        answers.collect()
    }

    /// All of them have results: nothing is known of any.
    pub fn settle(&mut self) {
        self.0.clear();
    }

    /// Writes down what the next page has to know.
    pub fn store(&self, state: &mut BaseState) {
        if self.is_settled() {
            let noted: EditableObject =
                state.agent_state().and_then(|noted| noted.read()).unwrap_or_default();
            for name in NAMES.into_iter().filter(|name| noted.get(name).is_some()) {
                state.set_in_agent_state(name, None);
            }
            return;
        }
        let is_recorded =
            |stage: Stage| matches!(stage, Stage::Unknown | Stage::UnderWay { is_recorded: true });
        self.list(state, INTERRUPTED_ACTIONS, is_recorded);
        self.list(state, UNAPPROVED_ACTIONS, |stage| stage == Stage::LeftOut);
    }

    fn list(&self, state: &mut BaseState, name: &str, is_listed: impl Fn(Stage) -> bool) {
        let ids: Vec<&str> =
            self.open().filter(|call| is_listed(call.stage)).map(|call| call.event.id().as_str()).collect();
        if ids != ids_in(state, name) {
            state.set_in_agent_state(name, (!ids.is_empty()).then(|| RawJson::of(&ids)).as_ref());
        }
    }
}

/// Whether the state says of any action that nobody would know whether it took effect.
pub fn is_any_recorded(state: &BaseState) -> bool {
    !ids_in(state, INTERRUPTED_ACTIONS).is_empty()
}

fn ids_in(state: &BaseState, name: &str) -> Vec<String> {
    state.in_agent_state(name).unwrap_or_default()
}

/// Keeps the risks that an analyzer found, for those who show the calls.
pub fn keep_risks(state: &mut BaseState, risks: &EditableObject) {
    state.set_in_agent_state(SECURITY_RISKS, Some(&RawJson::of(risks)));
}

/// Whether the user changed the arguments of this action.
pub fn is_edited(state: &BaseState, action: &EventId) -> bool {
    ids_in(state, EDITED_ACTIONS).iter().any(|id| id == action.as_str())
}

/// Why this action may not run, if it may not.
pub fn denial(state: &BaseState, action: &EventId) -> Option<String> {
    denials(state).read(action.as_str())
}

/// These actions may not run, for these reasons.
pub fn deny(state: &mut BaseState, denied: &[(EventId, String)]) {
    if denied.is_empty() {
        return;
    }
    let mut all = denials(state);
    for (id, reason) in denied {
        all.set(id.as_str(), &reason.to_json_text());
    }
    state.set_field(BLOCKED, Some(&RawJson::of(&all)));
}

/// This action has its answer, so why it may not run is not asked any more.
pub fn forget_denial(state: &mut BaseState, action: &EventId) {
    let mut all = denials(state);
    if all.remove(action.as_str()).is_some() {
        state.set_field(BLOCKED, Some(&RawJson::of(&all)));
    }
}

fn denials(state: &BaseState) -> EditableObject {
    state.field(BLOCKED).and_then(|blocked| blocked.read()).unwrap_or_default()
}

/// A batch written again: old ids of its actions and new ones.
#[derive(Default)]
pub struct Renamed(pub Vec<(String, EventId)>);

impl Renamed {
    /// The new id.
    pub fn new_of(&self, old: &str) -> Option<&EventId> {
        Some(&self.0.iter().find(|(id, _)| id == old)?.1)
    }

    /// What is known of the calls that wait, under their new ids. What was said of the old arguments of the one that
    /// has other ones says nothing of the new ones; an analyzer may have said something of these.
    pub fn rename_in(&self, state: &mut BaseState, edited: &EventId, risk: Option<SecurityRisk>) {
        for name in [UNAPPROVED_ACTIONS, INTERRUPTED_ACTIONS, EDITED_ACTIONS] {
            let old = ids_in(state, name);
            let mut new: Vec<&str> =
                old.iter().filter_map(|id| self.new_of(id)).map(EventId::as_str).collect();
            if name == EDITED_ACTIONS && !new.contains(&edited.as_str()) {
                new.push(edited.as_str());
            }
            state.set_in_agent_state(name, (!new.is_empty()).then(|| RawJson::of(&new)).as_ref());
        }
        let mut denied = denials(state);
        let mut has_changed = false;
        for (old, new) in &self.0 {
            let Some(reason) = denied.remove(old) else { continue };
            has_changed = true;
            if new != edited {
                denied.set(new.as_str(), &reason);
            }
        }
        if has_changed {
            state.set_field(BLOCKED, Some(&RawJson::of(&denied)));
        }
        let old: EditableObject = state.in_agent_state(SECURITY_RISKS).unwrap_or_default();
        let mut new = EditableObject::default();
        for (id, risk) in old.iter() {
            if let Some(id) = self.new_of(id) {
                new.set(id.as_str(), risk);
            }
        }
        match risk {
            Some(risk) => new.set(edited.as_str(), &risk.to_json_text()),
            None => drop(new.remove(edited.as_str())),
        }
        state.set_in_agent_state(SECURITY_RISKS, new.iter().next().map(|_| RawJson::of(&new)).as_ref());
    }
}
