//! Decides the next part of a run. A run is a sequence of steps, each of which is an answer of the model with its
//! calls, or the calls that were waiting.

use super::{Machine, answers::call_of, hook_answers::is_blocked_message, stuck_detector::Finding};
use crate::{
    agent::{Call, NewEvent},
    format::base_state::ExecutionStatus,
    id::EventId,
};

/// The next part of a run.
pub enum Next {
    /// Wait for a decision about the calls that were left out, because the approved ones have run.
    WaitForOthers,
    /// End the run with this event, because a limit is reached.
    ReachLimit(Box<NewEvent>),
    /// Append the messages of the inbox.
    AppendInbox,
    /// Ask the stop hook, because the agent reports that it is done.
    AskWhetherDone,
    /// Run these calls.
    RunCalls(Vec<Call>),
    /// End the run, because a hook blocked the user's last message.
    EndAtBlockedMessage(EventId),
    /// Send this reminder to the model, which repeats itself.
    Nudge(String),
    /// End the run, because it is stuck in a loop.
    GetStuck,
    /// Condense the view if that is necessary.
    Condense,
    /// Ask the model.
    AskModel,
    /// End the run.
    End,
    /// End the run, which was cancelled.
    Break,
}

/// The checks that the part before has passed, so that this one need not repeat them.
#[derive(Clone, Copy)]
pub struct Passed {
    /// The stop hook has accepted that the agent is done.
    pub is_done: bool,
    /// The view need not be condensed before it is sent.
    pub is_condensed: bool,
}

/// The progress of a run, as far as it is not in the state.
pub struct Progress<'a> {
    /// Whether the run was cancelled.
    pub is_cancelled: bool,
    pub passed: Passed,
    /// Whether the run has made a step. Limits are checked after the first.
    pub has_stepped: bool,
    /// The event of a limit that is reached.
    pub limit: &'a dyn Fn() -> Option<NewEvent>,
    /// The finding of the stuck detector.
    pub stuck: &'a dyn Fn() -> Finding,
}

impl Machine<'_> {
    /// The next part of the run.
    pub fn next(&self, progress: &Progress<'_>) -> Next {
        let status = self.state.execution_status();
        let is_running = status == ExecutionStatus::Running;
        let is_settled = self.calls.is_settled();
        let calls: Vec<Call> = self.calls.approved().filter_map(call_of).collect();
        let Progress { is_cancelled, passed, has_stepped, limit, stuck } = *progress;
        // After a pause as well: resuming the run must not approve calls that the user left out.
        let waits_for_others = match status {
            ExecutionStatus::Running | ExecutionStatus::Paused if has_stepped => self.calls.has_left_out(),
            ExecutionStatus::Running => !is_settled && calls.is_empty() && !is_cancelled,
            _ => false,
        };
        if waits_for_others {
            return Next::WaitForOthers;
        }
        // The calls of an answer belong to its step, so the limit is checked after them.
        if is_running
            && has_stepped
            && calls.is_empty()
            && let Some(error) = limit()
        {
            return Next::ReachLimit(error.into());
        }
        if is_settled && !self.page.inbox.is_empty() && !self.page.is_closed {
            return Next::AppendInbox;
        }
        match status {
            // A run that finished before it was cancelled counts as finished.
            ExecutionStatus::Finished if !is_cancelled && !passed.is_done => return Next::AskWhetherDone,
            _ if !is_running => return Next::End,
            _ if is_cancelled => return Next::Break,
            _ if !calls.is_empty() => return Next::RunCalls(calls),
            _ => {}
        }
        // The stored denial is removed when a run has ended at the message, but the user may return to it.
        let last_message = self.last_user_message.as_ref();
        let blocked = last_message.filter(|id| is_blocked_message(&self.state, id));
        if let Some(message) = blocked.or(self.denied_message.as_ref()) {
            return Next::EndAtBlockedMessage(message.clone());
        }
        match stuck() {
            Finding::Nudge(text) => return Next::Nudge(text),
            Finding::Stuck => return Next::GetStuck,
            Finding::None => {}
        }
        match limit() {
            Some(error) => Next::ReachLimit(error.into()),
            None if passed.is_condensed => Next::AskModel,
            None => Next::Condense,
        }
    }
}
