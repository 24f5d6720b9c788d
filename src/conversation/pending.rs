//! Calls that wait for a result: because a user has to approve them, or because a page died.
//!
//! They are a function of the log, so they survive reloads and the way through Python.

use super::{Change, Conversation, base_state::ExecutionStatus};
use crate::{
    agent::{Call, Draft, error_event},
    error::{Error, ErrorCode, Result},
    event::{Body, Event, RejectionSource, Source, UserRejectObservation},
    tool::arguments_of_record,
};

/// Where `agent_state` lists the actions of which nobody knows whether they took effect.
pub(super) const INTERRUPTED: &str = "interrupted_actions";

/// What the model is told of such an action.
pub(super) const INTERRUPTION: &str = include_str!("../agent/prompts/interrupted.md");

impl Conversation {
    /// The calls that wait for a result, oldest first.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn pending_actions(&self) -> Result<Vec<Event>> {
        self.0.log.read(|branch| branch.pending.clone()).await
    }

    /// Answers every waiting call with a rejection, which the model reads at the next run. Of a call that a dead page
    /// had under way the model is also told that nobody knows whether it took effect.
    ///
    /// # Errors
    /// `locked_elsewhere`, and those of the store.
    pub async fn reject_pending_actions(&self, reason: Option<String>) -> Result<()> {
        self.writable()?;
        if self.0.runs_tools.get() {
            return Err(Error::new(ErrorCode::InvalidState, "tools are running; interrupt them first"));
        }
        let _turn = self.0.turn.take().await;
        self.writable()?;
        let reason = reason.unwrap_or_else(|| "User rejected the action".to_owned());
        let unknown = format!("{reason}\n\n{}", INTERRUPTION.trim_end());
        let interrupted = self.interrupted_actions();
        let reject = |event: &Event| {
            let is_unknown = interrupted.iter().any(|id| id == event.id().as_str());
            rejection(event, if is_unknown { &unknown } else { &reason })
        };
        let drafts = self.pending_actions().await?.iter().filter_map(reject).collect();
        let change = Change::append(drafts).and_edit(|state| {
            if state.execution_status() == ExecutionStatus::WaitingForConfirmation {
                state.set_execution_status(ExecutionStatus::Idle);
            }
            state.set_in_agent_state(INTERRUPTED, None);
        });
        self.append(change.strictly()).await.map(drop)
    }

    /// What a new user message says to the calls that still wait: what may have taken effect is reported as
    /// interrupted, what had not begun as not approved.
    pub(super) async fn answers_to_pending(&self) -> Result<Vec<Draft>> {
        let pending = self.pending_actions().await?;
        let interrupted = self.interrupted_actions();
        let answers = pending.iter().filter_map(|event| {
            if interrupted.iter().any(|id| id == event.id().as_str()) {
                return interruption(event, INTERRUPTION);
            }
            rejection(event, include_str!("../agent/prompts/superseded.md").trim_end())
        });
        Ok(answers.collect())
    }

    /// The ids of the actions of which nobody knows whether they took effect.
    fn interrupted_actions(&self) -> Vec<String> {
        self.state().in_agent_state(INTERRUPTED).unwrap_or_default()
    }
}

/// The call that this action asks for.
pub(super) fn call_of(event: &Event) -> Option<Call> {
    let Body::ActionEvent(action) = event.body() else { return None };
    Some(Call {
        action_id: event.id().clone(),
        tool_name: action.tool_name.clone(),
        tool_call_id: action.tool_call_id.clone(),
        arguments: arguments_of_record(action.action.as_ref()?).into(),
    })
}

fn rejection(event: &Event, reason: &str) -> Option<Draft> {
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

/// An error that tells the model that this call was broken off.
pub(super) fn interruption(event: &Event, text: &str) -> Option<Draft> {
    let Body::ActionEvent(action) = event.body() else { return None };
    Some(error_event(&action.tool_name, &action.tool_call_id, text.trim_end()))
}
