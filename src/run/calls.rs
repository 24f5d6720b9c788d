//! Runs the calls of one answer. An action is on disk before its tool starts, and its result is committed as soon as the
//! tool returns.

use crate::{
    agent::{Call, NewEvent, execute},
    cancel::CancelToken,
    error::Result,
    event::Body,
    fair_mutex::FairGuard,
    format::base_state::ExecutionStatus,
    handle::Conversation,
    llm::message::Content,
    machine::{Command, Ended, answers::rejection_by_hook, calls},
    store::Durability,
    tool::ToolKind,
};
use futures_util::{
    StreamExt as _,
    future::{Either, LocalBoxFuture, select},
    stream::FuturesUnordered,
};
use std::pin::pin;

impl Conversation {
    /// Runs calls in their order, as many at a time as the agent allows, and appends each result as soon as its call
    /// ends. `finish` waits for the calls before it.
    pub(crate) async fn run_calls(&self, calls: Vec<Call>, cancel: &CancelToken) -> Result<Ended> {
        let agent = &self.0.agent;
        let is_finish = |call: &Call| {
            agent.tools.get(&call.tool_name).is_some_and(|tool| tool.definition().kind == ToolKind::Finish)
        };
        let mut waiting = calls.into_iter().peekable();
        let mut running = FuturesUnordered::<LocalBoxFuture<'_, Outcome>>::new();
        let mut failed = None;
        let mut has_waiting = false;
        loop {
            while let Some(call) = waiting.peek() {
                // Nothing begins after a pause.
                let must_wait = is_finish(call) && (has_waiting || !running.is_empty())
                    || failed.is_some()
                    || self.0.page.borrow().is_pausing
                    || self.execution_status() != ExecutionStatus::Running;
                if must_wait || running.len() >= agent.tool_concurrency_limit.max(1) {
                    break;
                }
                let Some(call) = waiting.next() else { break };
                let ends_run = is_finish(&call);
                if let Some(run) = &mut self.0.page.borrow_mut().run {
                    run.begun.push(call.action_id.as_str().to_owned());
                }
                running.push(Box::pin(async move {
                    let files = self.file_changes(&call.tool_name).await;
                    let result = self.run_call(call.clone(), cancel.clone()).await;
                    Outcome::Call(Box::new(EndedCall { call, result, ends_run, files }))
                }));
            }
            if running.is_empty() {
                return failed.map_or(Ok(Ended::Done), Err);
            }
            let ended = match select(running.next(), pin!(cancel.cancelled())).await {
                Either::Left((Some(ended), _)) => ended,
                Either::Left((None, _)) => return Ok(Ended::Done),
                // A run that finished before it was cancelled counts as finished.
                Either::Right(_) if self.execution_status() == ExecutionStatus::Finished => {
                    return Ok(Ended::Done);
                }
                Either::Right(_) => return Ok(Ended::Cancelled),
            };
            // The next call that changes files begins once this result is stored.
            let EndedCall { call, result, ends_run, files: _files } = match ended {
                Outcome::Call(ended) => *ended,
                Outcome::Hook(hook_events) => {
                    failed = self.append(hook_events, Durability::Relaxed).await.err();
                    continue;
                }
            };
            let Some(result) = result else {
                has_waiting = true;
                if let Some(run) = &mut self.0.page.borrow_mut().run {
                    run.begun.retain(|id| id != call.action_id.as_str());
                }
                failed = self.perform(Command::CallWaits { call }).await.err();
                continue;
            };
            let ends_run = ends_run && matches!(result.body, Body::ObservationEvent(_));
            // If this commit fails, the next one has to store the result: the call has run.
            self.0.log.hold(vec![result]);
            let stored = match self.perform(Command::CallEnded { call: call.clone(), ends_run }).await {
                Ok(stored) => stored,
                Err(error) => {
                    failed = Some(error);
                    continue;
                }
            };
            failed = None;
            // The hook is asked after the result is stored, because it may take long.
            let result = stored.iter().find(|event| event.answered_call() == Some(&call.tool_call_id));
            if let Some(hook) = result.and_then(|result| self.ask_after_call(&call, result)) {
                running.push(Box::pin(async move { Outcome::Hook(hook.await) }));
            }
        }
    }

    /// Runs one call and returns the event that answers it: a rejection if a hook has denied the call. `None` if the call
    /// waits for a decision of the user.
    async fn run_call(&self, call: Call, cancel: CancelToken) -> Option<NewEvent> {
        if let Some(reason) = calls::denial(&self.state(), &call.action_id) {
            return Some(rejection_by_hook(&call, reason));
        }
        let is_edited = calls::is_edited(&self.state(), &call.action_id);
        let mut result = execute(call, &self.0.agent.tools, self.id(), cancel, &self.0.log.mask).await?;
        if is_edited && let Body::ObservationEvent(observation) = &mut result.body {
            let text = include_str!("../agent/prompts/edited.md").trim_end();
            observation.extended_content.push(Content::text(text));
        }
        Some(result)
    }
}

/// The outcome of a future of [`Conversation::run_calls`].
enum Outcome {
    Call(Box<EndedCall>),
    Hook(Vec<NewEvent>),
}

struct EndedCall {
    call: Call,
    result: Option<NewEvent>,
    ends_run: bool,
    files: Option<FairGuard>,
}
