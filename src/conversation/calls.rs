//! Running the calls of one answer. An action is on the disk before its tool starts; its result is committed as soon
//! as it is there.

use super::{
    Change, Conversation, Shared,
    base_state::ExecutionStatus,
    hooks::unblock_action,
    pending::{EDITED, forget_pending, set_interrupted},
    run::Pause,
    status::{Happening, happens},
};
use crate::{
    agent::{Call, Draft, execute},
    cancel::CancelToken,
    error::Result,
    event::Body,
    llm::message::Content,
    oneshot,
    together::Together,
    tool::ToolKind,
    turn::Turn,
};
use futures_util::future::{Either, select};
use std::{collections::VecDeque, pin::pin, rc::Rc};

impl Conversation {
    /// Runs calls in their order, as many at a time as the agent allows, and appends each result when it is there.
    /// `finish` waits for those before it. The turn is held by the caller.
    pub(super) async fn run_calls(&self, calls: Vec<Call>, cancel: &CancelToken) -> Result<Pause> {
        let agent = &self.0.agent;
        let is_finish = |call: &Call| {
            agent.tools.get(&call.tool_name).is_some_and(|tool| tool.definition().kind == ToolKind::Finish)
        };
        let _marker = ToolsRun::begin(&self.0);
        let mut waiting: VecDeque<Call> = calls.into();
        let mut running = Together::default();
        let mut failed = None;
        loop {
            while let Some(call) = waiting.front() {
                // Nothing begins after a pause.
                let must_wait = is_finish(call) && !running.is_empty()
                    || failed.is_some()
                    || self.0.is_pausing.get()
                    || self.execution_status() != ExecutionStatus::Running;
                if must_wait || running.len() >= agent.tool_concurrency_limit.max(1) {
                    break;
                }
                let Some(call) = waiting.pop_front() else { break };
                let ends_run = is_finish(&call);
                self.0.under_way.borrow_mut().push(call.action_id.as_str().to_owned());
                running.push(Box::pin(async move {
                    let result = self.run_call(call.clone(), cancel.clone()).await;
                    Ended::Call { call, result, ends_run }
                }));
            }
            if running.is_empty() {
                // A pause that is being stored takes effect before anything else begins.
                self.0.log.is_at_rest().await;
                return failed.map_or(Ok(Pause::Done), Err);
            }
            let ended = match select(pin!(running.any()), pin!(cancel.cancelled())).await {
                Either::Left((Some(ended), _)) => ended,
                Either::Left((None, _)) => return Ok(Pause::Done),
                // What has come to its end by itself was not interrupted.
                Either::Right(_) if self.execution_status() == ExecutionStatus::Finished => {
                    return Ok(Pause::Done);
                }
                Either::Right(_) => return Ok(Pause::Cancelled),
            };
            let (call, result, ends_run) = match ended {
                Ended::Call { call, result, ends_run } => (call, result, ends_run),
                Ended::Hook(told) => {
                    failed = self.append(Change::append(vec![told])).await.err();
                    continue;
                }
            };
            let is_success = matches!(result.body, Body::ObservationEvent(_));
            let id = call.action_id.as_str();
            self.0.log.must_hold(vec![result]);
            self.0.under_way.borrow_mut().retain(|other| other != id);
            let is_last = match self.pending_actions().await {
                Ok(pending) => pending.is_empty(),
                Err(error) => {
                    failed = Some(error);
                    continue;
                }
            };
            let change = Change::append(Vec::new()).and_edit(|state| {
                unblock_action(state, &call.action_id);
                if ends_run && is_success {
                    happens(state, Happening::TaskFinished);
                }
                match is_last {
                    true => forget_pending(state),
                    false => set_interrupted(state, &[], Some(id)),
                }
            });
            let stored = match self.append(change).await {
                Ok(stored) => stored,
                Err(error) => {
                    failed = Some(error);
                    continue;
                }
            };
            failed = None;
            // The result is stored before anybody is told of it: who is told may take his time.
            let result = stored.iter().find(|event| event.answered_call() == Some(&call.tool_call_id));
            if let Some(told) = result.and_then(|result| self.about_result(&call, result)) {
                running.push(Box::pin(async move { Ended::Hook(told.await) }));
            }
        }
    }

    /// The turn, or none while tools run: nobody waits for them, since one of them may be the caller.
    pub(super) async fn turn_between_tools(&self) -> Option<Turn> {
        while !self.0.runs_tools.get() {
            let (sender, tools_begin) = oneshot::channel::<()>();
            let mut waiting = self.0.tools_begin.take();
            // Who has had the turn waits no more.
            waiting.retain(|sender| !sender.is_canceled());
            waiting.push(sender);
            self.0.tools_begin.replace(waiting);
            if let Either::Left((turn, _)) = select(pin!(self.0.turn.take()), tools_begin).await {
                return Some(turn);
            }
        }
        None
    }

    /// Runs one call and returns the event that answers it. What is asked before a call and told after it has its
    /// place here.
    async fn run_call(&self, call: Call, cancel: CancelToken) -> Draft {
        if let Some(rejection) = self.blocked_call(&call) {
            return rejection;
        }
        let edited: Vec<String> = self.state().in_agent_state(EDITED).unwrap_or_default();
        let is_edited = edited.iter().any(|id| id == call.action_id.as_str());
        let mut result = execute(call, &self.0.agent.tools, self.id(), cancel, &self.0.log.mask).await;
        if is_edited && let Body::ObservationEvent(observation) = &mut result.body {
            let text = include_str!("../agent/prompts/edited.md").trim_end();
            observation.extended_content.push(Content::text(text));
        }
        result
    }
}

/// What came to its end.
enum Ended {
    Call { call: Call, result: Draft, ends_run: bool },
    Hook(Draft),
}

/// Marks the time in which tools run, or a hook is asked, however it ends.
pub(super) struct ToolsRun<'a>(&'a Rc<Shared>);

impl<'a> ToolsRun<'a> {
    pub(super) fn begin(shared: &'a Rc<Shared>) -> Self {
        shared.runs_tools.set(true);
        shared.tools_begin.borrow_mut().clear();
        Self(shared)
    }
}

impl Drop for ToolsRun<'_> {
    fn drop(&mut self) {
        self.0.runs_tools.set(false);
    }
}
