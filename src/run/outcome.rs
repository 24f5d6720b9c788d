//! The result of a run, and the answer that it has ended with.

use crate::{
    agent::CutOff,
    context::final_response::{final_event, final_response},
    error::Result,
    event::{Body, Event},
    format::base_state::ExecutionStatus,
    handle::{Conversation, TotalUsage},
};

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunOutcome {
    /// The status after the run.
    pub status: ExecutionStatus,
    /// The message of `finish`, or the model's last text.
    pub final_response: Option<String>,
    /// How that answer has ended ([`Conversation::finish_reason`]).
    pub finish_reason: Option<&'static str>,
    /// The steps of the run, as its limit counts them.
    pub steps: u32,
    /// The tokens and dollars that the conversation has used since the run began, with the share of sub-agents.
    pub usage: TotalUsage,
    /// Milliseconds from its call to its end.
    pub duration: f64,
}

impl Conversation {
    /// The message of the last `finish`, or the model's last text.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn final_response(&self) -> Result<Option<String>> {
        self.0.log.read(|branch| final_response(branch.view.events())).await
    }

    /// How the answer in [`Self::final_response`] has ended: `"stop"` if it is whole, or the reason of its [`crate::agent::CutOff`].
    ///
    /// # Errors
    /// Those of the store.
    pub async fn finish_reason(&self) -> Result<Option<&'static str>> {
        self.0.log.read(|branch| finish_reason(branch.view.events())).await
    }

    /// The arguments of the `finish` that ended the last task, as JSON text, with the structured answer in them.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn final_arguments(&self) -> Result<Option<String>> {
        self.0.log.read(|branch| final_arguments(branch.view.events())).await
    }
}

/// The arguments of the call that has ended the last task, as JSON text; `None` if a message has ended it.
fn final_arguments(events: &[Event]) -> Option<String> {
    match final_event(events)?.body() {
        Body::ActionEvent(action) if action.action.is_some() => Some(action.tool_call.arguments.clone()),
        _ => None,
    }
}

/// How the answer that ended the last task has ended itself; `None` if none has.
fn finish_reason(events: &[Event]) -> Option<&'static str> {
    let why = match final_event(events)?.body() {
        Body::MessageEvent(message) => CutOff::of_event(message),
        _ => None,
    };
    Some(why.map_or("stop", CutOff::reason))
}
