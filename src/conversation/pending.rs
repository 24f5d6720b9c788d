//! Calls that wait for a result: because a user has to approve them, or because a page died.
//!
//! They are a function of the log, so they survive reloads and the way through Python.

use super::{
    Change, Conversation,
    base_state::{BaseState, ExecutionStatus},
    imported::is_open,
    status::{Happening, happens},
};
use crate::{
    agent::{Call, Draft, error_event},
    error::{Error, ErrorCode, Result},
    event::{Body, Event, RawJson, RejectionSource, Source, UserRejectObservation},
    id::EventId,
    tool::arguments_of_record,
};

/// Where `agent_state` lists the actions of which nobody knows whether they took effect.
pub(super) const INTERRUPTED: &str = "interrupted_actions";

/// Where `agent_state` lists the actions that the user left out when approving others of their batch.
pub(super) const UNAPPROVED: &str = "unapproved_actions";

/// Where `agent_state` has the risks that an analyzer found, by action.
pub(super) const RISKS: &str = "security_risks";

/// Where `agent_state` lists the actions whose arguments the user changed.
pub(super) const EDITED: &str = "edited_actions";

/// What the model is told of an action of which nobody knows whether it took effect.
pub(super) const INTERRUPTION: &str = include_str!("../agent/prompts/interrupted.md");

impl Conversation {
    /// The calls that wait for a result, oldest first.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn pending_actions(&self) -> Result<Vec<Event>> {
        let log = &self.0.log;
        let waits = |event: &&Event| match event.body() {
            Body::ActionEvent(action) => !log.holds_answer_to(&action.tool_call_id),
            _ => true,
        };
        log.read(|branch| branch.pending.iter().filter(waits).cloned().collect()).await
    }

    /// Those of them that wait for the user to decide, and that nothing else may answer: not what a dead page left.
    pub(super) async fn undecided_actions(&self) -> Result<Vec<Event>> {
        let unapproved = self.unapproved_actions();
        let mut pending = self.pending_actions().await?;
        if !unapproved.is_empty() {
            pending.retain(|event| is_among(event, &unapproved));
        } else {
            let interrupted = self.interrupted_actions();
            let left_behind = pending.iter().any(|event| is_among(event, &interrupted));
            if left_behind || self.execution_status() != ExecutionStatus::WaitingForConfirmation {
                pending.clear();
            }
        }
        Ok(pending)
    }

    /// Answers waiting calls with a rejection, which the model reads at the next run: these ones, or all. Of a call
    /// that a dead page had under way the model is also told that nobody knows whether it took effect.
    ///
    /// # Errors
    /// `not_found` for an action that does not wait, `invalid_state` while tools run, `locked_elsewhere`, and those of
    /// the store.
    pub async fn reject_pending_actions(
        &self,
        reason: Option<String>,
        actions: Option<&[EventId]>,
    ) -> Result<()> {
        self.writable()?;
        let Some(_turn) = self.turn_between_tools().await else {
            return Err(Error::new(ErrorCode::InvalidState, "tools are running; interrupt them first"));
        };
        self.writable()?;
        let reason = reason.unwrap_or_else(|| "User rejected the action".to_owned());
        let unknown = format!("{reason}\n\n{}", INTERRUPTION.trim_end());
        let interrupted = self.interrupted_actions();
        let mut rejected = self.pending_actions().await?;
        let pending = rejected.len();
        if let Some(actions) = actions {
            check_pending(actions, &rejected)?;
            rejected.retain(|event| actions.contains(event.id()));
        }
        let reject =
            |event: &Event| rejection(event, if is_among(event, &interrupted) { &unknown } else { &reason });
        let answers_all = rejected.len() == pending;
        let change = Change::append(rejected.iter().filter_map(reject).collect()).and_edit(|state| {
            if answers_all {
                happens(state, Happening::RejectPendingActions);
                forget_pending(state);
            }
        });
        self.append(change.strictly()).await?;
        self.take_in_messages().await
    }

    /// What a new user message says to the calls that still wait: what may have taken effect is reported as
    /// interrupted, what had not begun as not approved.
    pub(super) async fn answers_to_pending(&self) -> Result<Vec<Draft>> {
        let superseded = include_str!("../agent/prompts/superseded.md").trim_end();
        let interrupted = self.interrupted_actions();
        let answers = self.pending_actions().await?;
        let answers = answers.iter().filter_map(|event| match is_among(event, &interrupted) {
            true => interruption(event, INTERRUPTION),
            false => rejection(event, superseded),
        });
        Ok(answers.collect())
    }

    /// What an interrupt says to the calls that still wait.
    pub(super) async fn answers_of_interrupt(&self) -> Result<Vec<Draft>> {
        let unapproved = self.unapproved_actions();
        let answers = self.pending_actions().await?;
        let answers = answers.iter().filter_map(|event| match is_among(event, &unapproved) {
            true => rejection(event, include_str!("../agent/prompts/not_approved.md").trim_end()),
            false => interruption(event, include_str!("../agent/prompts/stopped.md")),
        });
        Ok(answers.collect())
    }

    /// The ids of the actions of which nobody knows whether they took effect.
    pub(super) fn interrupted_actions(&self) -> Vec<String> {
        self.state().in_agent_state(INTERRUPTED).unwrap_or_default()
    }

    /// The ids of the actions that the user left out when approving others.
    pub(super) fn unapproved_actions(&self) -> Vec<String> {
        self.state().in_agent_state(UNAPPROVED).unwrap_or_default()
    }

    /// The ids of the actions that a run leaves alone which may run these, and all where there are none.
    pub(super) async fn left_out(&self, approved: Option<&[EventId]>) -> Result<Vec<String>> {
        let Some(approved) = approved else {
            // What waits is approved by running it; a run that goes on after something else approves nothing.
            return Ok(match self.execution_status() {
                ExecutionStatus::WaitingForConfirmation => Vec::new(),
                // What an import brought, nobody here has approved.
                _ if is_open(&self.state(), "calls") => {
                    let brought = self.pending_actions().await?;
                    brought.iter().map(|event| event.id().as_str().to_owned()).collect()
                }
                _ => self.unapproved_actions(),
            });
        };
        let pending = self.pending_actions().await?;
        check_pending(approved, &pending)?;
        let left_out: Vec<String> = pending
            .iter()
            .filter(|event| !approved.contains(event.id()))
            .map(|event| event.id().as_str().to_owned())
            .collect();
        let ends_task = |event: &Event| match event.body() {
            Body::ActionEvent(action) => action.tool_name == "finish",
            _ => false,
        };
        if !left_out.is_empty()
            && pending.iter().any(|event| ends_task(event) && approved.contains(event.id()))
        {
            return Err(Error::new(
                ErrorCode::InvalidState,
                "finish ends the task; approve or reject the calls before it as well",
            ));
        }
        Ok(left_out)
    }
}

/// Remembers of which actions nobody would know, if the page died, whether they took effect: of these as well, and of
/// that one no more.
pub(super) fn set_interrupted(state: &mut BaseState, begun: &[String], ended: Option<&str>) {
    let mut actions: Vec<String> = state.in_agent_state(INTERRUPTED).unwrap_or_default();
    actions.extend_from_slice(begun);
    actions.retain(|id| Some(id.as_str()) != ended);
    let actions = (!actions.is_empty()).then(|| RawJson::of(&actions));
    state.set_in_agent_state(INTERRUPTED, actions.as_ref());
}

/// Remembers which actions the user left out.
pub(super) fn set_unapproved(state: &mut BaseState, actions: &[String]) {
    let actions = (!actions.is_empty()).then(|| RawJson::of(actions));
    state.set_in_agent_state(UNAPPROVED, actions.as_ref());
}

/// Forgets what was known of waiting calls, when none waits any more.
pub(super) fn forget_pending(state: &mut BaseState) {
    for name in [INTERRUPTED, UNAPPROVED, RISKS, EDITED] {
        state.set_in_agent_state(name, None);
    }
}

pub(super) fn is_among(event: &Event, ids: &[String]) -> bool {
    ids.iter().any(|id| id == event.id().as_str())
}

fn check_pending(actions: &[EventId], pending: &[Event]) -> Result<()> {
    match actions.iter().find(|id| !pending.iter().any(|event| event.id() == *id)) {
        Some(id) => {
            Err(Error::new(ErrorCode::NotFound, format!("no action {id} waits; see pendingActions()")))
        }
        None => Ok(()),
    }
}

/// The call that this action asks for.
pub(super) fn call_of(event: &Event) -> Option<Call> {
    call_in(event.body(), event.id())
}

/// The call that an action of this body and id asks for.
pub(super) fn call_in(body: &Body, id: &EventId) -> Option<Call> {
    let Body::ActionEvent(action) = body else { return None };
    Some(Call {
        action_id: id.clone(),
        tool_name: action.tool_name.clone(),
        tool_call_id: action.tool_call_id.clone(),
        arguments: arguments_of_record(action.action.as_ref()?).into(),
    })
}

pub(super) fn rejection(event: &Event, reason: &str) -> Option<Draft> {
    let Body::ActionEvent(action) = event.body() else { return None };
    let rejection = UserRejectObservation {
        tool_name: action.tool_name.clone(),
        tool_call_id: action.tool_call_id.clone(),
        rejection_reason: reason.to_owned(),
        rejection_source: RejectionSource::User,
        action_id: event.id().as_str().to_owned(),
    };
    Some(Draft::new(Source::Environment, rejection))
}

/// The answer to a call that a hook does not allow.
pub(super) fn rejection_by_hook(call: &Call, reason: String) -> Draft {
    let rejection = UserRejectObservation {
        tool_name: call.tool_name.clone(),
        tool_call_id: call.tool_call_id.clone(),
        rejection_reason: reason,
        rejection_source: RejectionSource::Hook,
        action_id: call.action_id.as_str().to_owned(),
    };
    Draft::new(Source::Environment, rejection)
}

/// An error that tells the model that this call was broken off.
pub(super) fn interruption(event: &Event, text: &str) -> Option<Draft> {
    let Body::ActionEvent(action) = event.body() else { return None };
    Some(error_event(&action.tool_name, &action.tool_call_id, text.trim_end()))
}
