//! The ledger of calls: the stage of every call that has no stored result yet.
//!
//! Which calls have no result follows from the log. Their stages come from `agent_state`, which later pages read too,
//! from `blocked_actions`, which is the SDK's field, and from the calls that this page is running.

use super::{
    answers::{interruption, rejection},
    undecided::awaits_decision,
};
use crate::{
    agent::NewEvent,
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

/// Field of the base state: reasons why actions may not run, by action id.
const BLOCKED: &str = "blocked_actions";

/// The fields of `agent_state` that belong to the ledger.
const NAMES: [&str; 4] = [INTERRUPTED_ACTIONS, UNAPPROVED_ACTIONS, SECURITY_RISKS, EDITED_ACTIONS];

/// How far a call without a result has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It runs with the next run.
    Approved,
    /// It waits for a decision of the user.
    Waiting,
    /// It waits for a decision of the user, who left it out when approving others.
    LeftOut,
    /// Its tool runs in this page. `is_recorded`: the stored state says so.
    UnderWay { is_recorded: bool },
    /// It was under way in a page that died: unknown whether it took effect.
    Unknown,
    /// It has a result, which the next commit stores.
    Answered,
}

/// A call without a stored result.
#[derive(Clone, Debug)]
pub struct OpenCall {
    /// The action event that asks for the call.
    pub event: Event,
    pub stage: Stage,
}

impl OpenCall {
    fn is(&self, id: &str) -> bool {
        self.event.id().as_str() == id
    }
}

/// The ledger: all calls without a stored result, oldest first.
#[derive(Default)]
pub struct Calls(Vec<OpenCall>);

/// The state of calls that only this page knows.
pub struct InPage<'a> {
    /// Ids of the actions whose tools were begun here.
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
            let is_in = |ids: &[String]| ids.iter().any(|other| other == id);
            let is_recorded = is_in(&interrupted);
            match event.body() {
                Body::ActionEvent(action) if (page.is_answered)(&action.tool_call_id) => Stage::Answered,
                _ if is_in(page.begun) => Stage::UnderWay { is_recorded },
                _ if is_in(&left_out) => Stage::LeftOut,
                _ if is_recorded => Stage::Unknown,
                _ => Stage::Approved,
            }
        };
        let mut calls: Vec<OpenCall> =
            actions.iter().map(|event| OpenCall { event: event.clone(), stage: stage(event) }).collect();
        // All calls of a batch wait until the user has decided about one. A batch that a dead page had begun was decided.
        let is_waiting = state.execution_status() == ExecutionStatus::WaitingForConfirmation
            && !calls.iter().any(|call| matches!(call.stage, Stage::LeftOut | Stage::Unknown));
        for call in calls.iter_mut().filter(|call| is_waiting && call.stage == Stage::Approved) {
            call.stage = Stage::Waiting;
        }
        Self(calls)
    }

    /// The calls without a result, in any stage.
    pub fn open(&self) -> impl Iterator<Item = &OpenCall> {
        self.0.iter().filter(|call| call.stage != Stage::Answered)
    }

    /// The action of this call, in any stage.
    pub fn action(&self, id: &EventId) -> Option<&Event> {
        self.0.iter().map(|call| &call.event).find(|event| event.id() == id)
    }

    /// Whether every call has a result.
    pub fn is_settled(&self) -> bool {
        self.open().next().is_none()
    }

    /// The actions that wait for a decision of the user.
    pub fn undecided(&self) -> impl Iterator<Item = &Event> {
        let waits = |call: &&OpenCall| matches!(call.stage, Stage::Waiting | Stage::LeftOut);
        self.0.iter().filter(waits).map(|call| &call.event)
    }

    /// The actions that wait for the user, who decides about them or runs them again.
    pub fn waiting_for_user(&self, state: &BaseState) -> impl Iterator<Item = &Event> {
        let is_waiting = state.execution_status() == ExecutionStatus::WaitingForConfirmation;
        let waits = move |call: &&OpenCall| match call.stage {
            Stage::Waiting | Stage::LeftOut => true,
            Stage::Unknown => is_waiting,
            _ => false,
        };
        self.0.iter().filter(waits).map(|call| &call.event)
    }

    /// The actions that may run now.
    pub fn approved(&self) -> impl Iterator<Item = &Event> {
        // A call with an unknown outcome is still in the ledger only if it may run again.
        let may_run = |call: &&OpenCall| matches!(call.stage, Stage::Approved | Stage::Unknown);
        self.0.iter().filter(may_run).map(|call| &call.event)
    }

    /// Whether calls wait that the user left out when approving others.
    pub fn has_left_out(&self) -> bool {
        self.0.iter().any(|call| call.stage == Stage::LeftOut)
    }

    /// The open calls of these actions; without a list, all open calls.
    ///
    /// # Errors
    /// `not_found` for an id that is not the action of an open call.
    pub fn named(&self, actions: Option<&[EventId]>) -> Result<Vec<&OpenCall>> {
        let Some(actions) = actions else { return Ok(self.open().collect()) };
        if let Some(id) = actions.iter().find(|id| !self.open().any(|call| call.event.id() == *id)) {
            let text = format!("action {id} is not pending; pendingActions() lists those that are");
            return Err(Error::new(ErrorCode::NotFound, text));
        }
        Ok(self.open().filter(|call| actions.contains(call.event.id())).collect())
    }

    /// Approves these actions and leaves out the others. Without a list, approves those that a plain `run` executes.
    ///
    /// # Errors
    /// Those of [`Calls::named`]; `invalid_state` for a `finish` without the calls before it.
    pub fn approve(&mut self, approved: Option<&[EventId]>, state: &BaseState) -> Result<()> {
        let runs: Vec<String> = match approved {
            Some(_) => self.named(approved)?.iter().map(|call| call.event.id().to_string()).collect(),
            None => {
                let runs = |call: &&OpenCall| match state.execution_status() {
                    // `run` approves calls only in this status. In others it goes on after something else.
                    ExecutionStatus::WaitingForConfirmation => true,
                    // Nobody here has approved the calls of an imported conversation.
                    _ if awaits_decision(state, CALLS) => false,
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
                "finish ends the task, so it cannot be approved alone; also approve or reject the calls before it",
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

    /// Sets the stage of this call.
    pub fn put(&mut self, action: &EventId, stage: Stage) {
        for call in self.0.iter_mut().filter(|call| call.event.id() == action) {
            call.stage = stage;
        }
    }

    /// Marks the calls that run here as recorded, so that a later page knows that they were begun.
    pub fn record_begun(&mut self) {
        for call in &mut self.0 {
            if let Stage::UnderWay { is_recorded } = &mut call.stage {
                *is_recorded = true;
            }
        }
    }

    /// Marks these calls of a dead page as having an unknown outcome, and all others as not begun.
    pub fn mark_unknown(&mut self, unknown: &[EventId]) {
        for call in &mut self.0 {
            call.stage = match call.stage {
                _ if unknown.contains(call.event.id()) => Stage::Unknown,
                Stage::Unknown => Stage::Approved,
                other => other,
            };
        }
    }

    /// Answers to all open calls: `unknown` to those with an unknown outcome, a rejection with `refusal` to the others.
    pub fn answers(&self, unknown: &str, refusal: &str) -> Vec<NewEvent> {
        let answers = self.open().filter_map(|call| match call.stage {
            Stage::Unknown => interruption(&call.event, unknown),
            _ => rejection(&call.event, refusal),
        });
        answers.collect()
    }

    /// Answers to all open calls on an interrupt: a rejection with `refusal` to those that the user left out, `stopped`
    /// to the others.
    pub fn interrupt_answers(&self, stopped: &str, refusal: &str) -> Vec<NewEvent> {
        let answers = self.open().filter_map(|call| match call.stage {
            Stage::LeftOut => rejection(&call.event, refusal),
            _ => interruption(&call.event, stopped),
        });
        answers.collect()
    }

    /// Empties the ledger, because every call has a result.
    pub fn settle(&mut self) {
        self.0.clear();
    }

    /// Writes the stages that a later page needs into `agent_state`.
    pub fn store(&self, state: &mut BaseState) {
        if self.is_settled() {
            let stored: EditableObject =
                state.agent_state().and_then(|stored| stored.read()).unwrap_or_default();
            for name in NAMES.into_iter().filter(|name| stored.get(name).is_some()) {
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

/// Whether the stored state lists actions that were begun.
pub fn is_any_recorded(state: &BaseState) -> bool {
    !ids_in(state, INTERRUPTED_ACTIONS).is_empty()
}

fn ids_in(state: &BaseState, name: &str) -> Vec<String> {
    state.in_agent_state(name).unwrap_or_default()
}

/// Stores the risks that an analyzer found, so that they can be shown with the calls.
pub fn store_risks(state: &mut BaseState, risks: &EditableObject) {
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

/// Stores that these actions may not run, with the reasons.
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

/// Removes the stored reason of an action that has been answered.
pub fn forget_denial(state: &mut BaseState, action: &EventId) {
    let mut all = denials(state);
    if all.remove(action.as_str()).is_some() {
        state.set_field(BLOCKED, Some(&RawJson::of(&all)));
    }
}

fn denials(state: &BaseState) -> EditableObject {
    state.field(BLOCKED).and_then(|blocked| blocked.read()).unwrap_or_default()
}

/// The old and new event ids of a batch that was rewritten with edited arguments.
#[derive(Default)]
pub struct Renamed(pub Vec<(String, EventId)>);

impl Renamed {
    /// The new id of this event.
    pub fn new_of(&self, old: &str) -> Option<&EventId> {
        Some(&self.0.iter().find(|(id, _)| id == old)?.1)
    }

    /// Moves the stored information about the calls to their new ids. For the edited call, the denial and the risk of
    /// the old arguments are dropped; `risk` is that of the new ones.
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
