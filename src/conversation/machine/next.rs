//! What a run does next. One step after the other: an answer of the model and the calls that it makes, or the calls that
//! waited.

use super::{Machine, answers::call_of};
use crate::{
    agent::{Call, Draft},
    conversation::{hooks::is_blocked_message, stuck_detector::Finding},
    format::base_state::ExecutionStatus,
    id::EventId,
};

/// The next part of a run.
pub enum Next {
    /// The calls that were approved have run, others wait.
    LetOthersWait,
    /// The run has used all that it may: this event says what.
    ReachLimit(Box<Draft>),
    /// Messages that were kept are appended.
    TakeInMessages,
    /// The agent says that it is done: a hook may deny it.
    AskWhetherDone,
    /// These calls run.
    RunCalls(Vec<Call>),
    /// The model is not to be asked about the user's last message.
    EndAtBlockedMessage(EventId),
    /// The model is told that it repeats itself.
    Nudge(String),
    /// The run goes in circles.
    GetStuck,
    /// The model is asked.
    AskModel,
    /// Nothing.
    End,
    /// Nothing: it is cancelled.
    Break,
}

/// What a run knows of itself.
pub struct Progress<'a> {
    /// Nobody wants it any more.
    pub is_cancelled: bool,
    /// Nobody denies that the agent is done.
    pub is_done: bool,
    /// A step has been made, so that the run may have used all that it may.
    pub has_stepped: bool,
    /// The event that says what has been used up.
    pub limit: &'a dyn Fn() -> Option<Draft>,
    /// Whether it goes in circles.
    pub stuck: &'a dyn Fn() -> Finding,
}

impl Machine<'_> {
    /// What the run does next.
    pub fn next(&self, progress: &Progress<'_>) -> Next {
        let status = self.state.execution_status();
        let is_running = status == ExecutionStatus::Running;
        let is_settled = self.calls.is_settled();
        let calls: Vec<Call> = self.calls.approved().filter_map(call_of).collect();
        let Progress { is_cancelled, is_done, has_stepped, limit, stuck } = *progress;
        // Behind a pause as well: what the user left out is not approved by going on later.
        let lets_others_wait = match status {
            ExecutionStatus::Running | ExecutionStatus::Paused if has_stepped => self.calls.others_wait(),
            ExecutionStatus::Running => !is_settled && calls.is_empty() && !is_cancelled,
            _ => false,
        };
        if lets_others_wait {
            return Next::LetOthersWait;
        }
        // The calls of an answer belong to its step.
        if is_running
            && has_stepped
            && calls.is_empty()
            && let Some(error) = limit()
        {
            return Next::ReachLimit(error.into());
        }
        if is_settled && !self.page.inbox.is_empty() && !self.page.is_closed {
            return Next::TakeInMessages;
        }
        match status {
            // What has come to its end by itself was not interrupted.
            ExecutionStatus::Finished if !is_cancelled && !is_done => return Next::AskWhetherDone,
            _ if !is_running => return Next::End,
            _ if is_cancelled => return Next::Break,
            _ if !calls.is_empty() => return Next::RunCalls(calls),
            _ => {}
        }
        let last_message = self.state.last_user_message_id();
        if let Some(message) = last_message.filter(|id| is_blocked_message(&self.state, id)) {
            return Next::EndAtBlockedMessage(message);
        }
        match stuck() {
            Finding::Nudge(text) => return Next::Nudge(text),
            Finding::Stuck => return Next::GetStuck,
            Finding::None => {}
        }
        limit().map_or(Next::AskModel, |error| Next::ReachLimit(error.into()))
    }
}
