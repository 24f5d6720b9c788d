//! The run loop (`conversation/impl/local_conversation.py`, `arun`) around the agent's step (`agent/agent.py`).
//!
//! A step is: run the calls that wait, or else ask the model once and run what it calls. Actions are on the disk
//! before their tools start. The turn is held except while the model answers, so a message that arrives in the
//! meantime is stored at once and read by the model in its next request.

use super::{
    Change, Conversation, Shared,
    base_state::ExecutionStatus,
    open::keep_native_calls,
    pending::{INTERRUPTED, call_of, interruption},
    stats,
    warning::unavailable_tools,
};
use crate::{
    agent::{Call, Draft, Known, ReplyKind, execute, read_response},
    cancel::CancelToken,
    context::messages::repair,
    error::{Error, ErrorCode, Result},
    event::{Body, ConversationErrorEvent, Event, InterruptEvent, MessageEvent, Source},
    llm::{
        CallContext, Completion, LlmError,
        message::{Content, Message, Role},
    },
    together::Together,
    tool::ToolKind,
};
use futures_util::future::{Either, select};
use std::{collections::VecDeque, pin::pin, rc::Rc};

/// After so many answers in a row without text or call the model is stuck (`StuckDetectionThresholds.monologue`).
const MAX_EMPTY_ANSWERS: u32 = 3;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOutcome {
    /// The status that it left.
    pub status: ExecutionStatus,
    /// The message of `finish`, or the model's last text.
    pub final_response: Option<String>,
}

/// Why a part of a step came to its end.
enum Pause {
    /// It is done.
    Done,
    /// The run was cancelled.
    Cancelled,
}

impl Conversation {
    /// Runs until there is nothing more to do. Running a conversation that waits for confirmation approves it.
    ///
    /// Cancelling `cancel` stops it at once: the request is aborted, running tools are told and no longer waited
    /// for, their calls are answered, and the run returns with status `paused`.
    ///
    /// # Errors
    /// `invalid_state` where a run is under way or the conversation is closed, `locked_elsewhere`; those of the
    /// model and of the store, which are also in the log as a `ConversationErrorEvent` where it can be written.
    pub async fn run(&self, cancel: CancelToken) -> Result<RunOutcome> {
        self.writable()?;
        if self.0.running.borrow().is_some() {
            return Err(Error::new(
                ErrorCode::InvalidState,
                "a run is under way already; messages sent meanwhile are picked up by it",
            ));
        }
        *self.0.running.borrow_mut() = Some(cancel.clone());
        let running = Running(&self.0);
        let result = match self.run_until_done(&cancel).await {
            Ok(Pause::Done) => Ok(()),
            Ok(Pause::Cancelled) => self.record_interrupt().await,
            Err(error) => {
                self.record_error(&error).await;
                Err(error.into())
            }
        };
        drop(running);
        if !self.0.inbox.borrow().is_empty() {
            let _turn = self.0.turn.take().await;
            self.take_in_messages().await?;
        }
        result?;
        Ok(RunOutcome { status: self.execution_status(), final_response: self.final_response().await? })
    }

    async fn run_until_done(&self, cancel: &CancelToken) -> std::result::Result<Pause, RunError> {
        use ExecutionStatus::{
            Deleting, Error as Failed, Finished, Idle, Paused, Running, Stuck, WaitingForConfirmation,
        };
        let turn = self.0.turn.take().await;
        let drafts: Vec<Draft> = self.system_prompt_if_missing().await?.into_iter().collect();
        match self.execution_status() {
            Finished | Deleting => return Ok(Pause::Done),
            Idle | Paused | Failed | Stuck | Running | WaitingForConfirmation => {
                let change = Change::append(drafts).and_edit(|state| {
                    state.set_execution_status(Running);
                    self.keep_model_settings(state);
                    self.keep_concurrency(state);
                });
                self.append(change).await?;
            }
        }
        drop(turn);
        let mut iterations = 0;
        let mut empty_answers = 0;
        loop {
            let turn = self.0.turn.take().await;
            self.take_in_messages().await?;
            // What has come to its end by itself was not interrupted.
            if self.execution_status() != Running {
                return Ok(Pause::Done);
            }
            if cancel.is_cancelled() {
                return Ok(Pause::Cancelled);
            }
            let pending: Vec<Call> = self.pending_actions().await?.iter().filter_map(call_of).collect();
            let ended = if pending.is_empty() {
                self.leave_the_last_word().await?;
                drop(turn);
                self.ask_model(cancel, &mut empty_answers).await?
            } else {
                self.run_calls(pending, cancel).await?
            };
            if matches!(ended, Pause::Cancelled) {
                return Ok(Pause::Cancelled);
            }
            iterations += 1;
            if empty_answers >= MAX_EMPTY_ANSWERS {
                self.append(Change::edit(|state| state.set_execution_status(Stuck))).await?;
            }
            if iterations >= self.0.max_iterations && self.execution_status() == Running {
                self.record_iteration_limit().await?;
            }
        }
    }

    /// Asks the model once and runs what it calls.
    async fn ask_model(
        &self,
        cancel: &CancelToken,
        empty_answers: &mut u32,
    ) -> std::result::Result<Pause, RunError> {
        let messages = self.0.log.read(|branch| repair(branch.view.messages())).await?;
        let asked_with = self.state().last_user_message_id();
        let tools = self.0.agent.tool_schemas();
        let context = CallContext { conversation_id: Some(self.id().to_string()) };
        let answer = {
            let on_delta = self.0.on_delta.clone();
            let complete = pin!(self.0.agent.llm.complete(&messages, &tools, &context, &*on_delta));
            match select(complete, pin!(cancel.cancelled())).await {
                Either::Left((answer, _)) => answer,
                Either::Right(_) => return Ok(Pause::Cancelled),
            }
        };
        let _turn = self.0.turn.take().await;
        let completion = match answer {
            Ok(completion) => completion,
            Err(error)
                if error.code() == ErrorCode::LlmContentPolicy && self.may_nudge(CONTENT_POLICY).await? =>
            {
                self.nudge(CONTENT_POLICY).await?;
                return Ok(Pause::Done);
            }
            Err(error) => return Err(RunError::Llm(error)),
        };
        let reply = self.read_reply(&completion).await?;
        *empty_answers = if reply.kind == ReplyKind::Nothing { *empty_answers + 1 } else { 0 };
        let is_superseded = self.state().last_user_message_id() != asked_with;
        let has_parallel_calls =
            reply.drafts.iter().filter(|draft| matches!(draft.body, Body::ActionEvent(_))).count() > 1;
        let change = Change::append(reply.drafts).and_edit(|state| {
            if has_parallel_calls {
                keep_native_calls(state);
            }
            stats::record(state, self.0.agent.llm.options.usage_id(), &completion, self.0.log.host.now());
            // A message that came while the model answered is still to be read by it.
            if reply.kind == ReplyKind::Text && !is_superseded {
                state.set_execution_status(ExecutionStatus::Finished);
            }
        });
        self.append(change.strictly()).await?;
        // Nothing begins after a pause: if the page died in a tool, nobody would know that it had begun.
        if self.execution_status() != ExecutionStatus::Running {
            return Ok(Pause::Done);
        }
        self.run_calls(reply.calls, cancel).await
    }

    /// Providers refuse a history that ends with the model's own words, or let it continue them. Ours can end so: a
    /// message that came while the model answered stands before the answer.
    async fn leave_the_last_word(&self) -> Result<()> {
        let is_agents = |message: &Message| message.role == Role::Assistant;
        if self.0.log.read(|branch| branch.view.messages().last().is_some_and(is_agents)).await? {
            self.nudge(include_str!("../agent/prompts/go_on.md")).await?;
        }
        Ok(())
    }

    async fn read_reply(&self, completion: &Completion) -> Result<crate::agent::Reply> {
        let unavailable = unavailable_tools(&self.state(), &self.0.agent);
        let taken = self.0.log.read(|branch| branch.taken.clone()).await?;
        let mut new_id = || self.0.log.new_id();
        let mut known =
            Known { tools: &self.0.agent.tools, unavailable: &unavailable, taken, new_id: &mut new_id };
        Ok(read_response(&completion.message, &completion.response_id, &mut known))
    }

    /// Runs calls in their order, as many at a time as the agent allows, and appends each result when it is there.
    /// `finish` waits for those before it. The turn is held by the caller.
    async fn run_calls(
        &self,
        calls: Vec<Call>,
        cancel: &CancelToken,
    ) -> std::result::Result<Pause, RunError> {
        let agent = &self.0.agent;
        let is_finish = |call: &Call| {
            agent.tools.get(&call.tool_name).is_some_and(|tool| tool.definition().kind == ToolKind::Finish)
        };
        let _marker = ToolsRun::begin(&self.0);
        let mut waiting: VecDeque<Call> = calls.into();
        let mut running = Together::default();
        loop {
            while let Some(call) = waiting.front() {
                let must_wait = is_finish(call) && !running.is_empty();
                if must_wait || running.len() >= agent.tool_concurrency_limit.max(1) {
                    break;
                }
                let Some(call) = waiting.pop_front() else { break };
                let ends_run = is_finish(&call);
                let id = self.id();
                let execution = execute(call, &agent.tools, id, cancel.clone());
                running.push(Box::pin(async move { (execution.await, ends_run) }));
            }
            if running.is_empty() {
                return Ok(Pause::Done);
            }
            let (result, ends_run) = match select(pin!(running.any()), pin!(cancel.cancelled())).await {
                Either::Left((Some(ended), _)) => ended,
                Either::Left((None, _)) => return Ok(Pause::Done),
                Either::Right(_) => return Ok(Pause::Cancelled),
            };
            let is_success = matches!(result.body, Body::ObservationEvent(_));
            let change = Change::append(vec![result]).and_edit(|state| {
                if ends_run && is_success {
                    state.set_execution_status(ExecutionStatus::Finished);
                }
                if waiting.is_empty() {
                    state.set_in_agent_state(INTERRUPTED, None);
                }
            });
            self.append(change).await?;
        }
    }

    async fn record_interrupt(&self) -> Result<()> {
        let _turn = self.0.turn.take().await;
        let stopped = include_str!("../agent/prompts/stopped.md");
        let mut drafts: Vec<Draft> =
            self.pending_actions().await?.iter().filter_map(|event| interruption(event, stopped)).collect();
        drafts.push(Draft::new(Source::User, InterruptEvent {}));
        let change = Change::append(drafts).and_edit(|state| {
            state.set_execution_status(ExecutionStatus::Paused);
            state.set_in_agent_state(INTERRUPTED, None);
        });
        self.append(change.strictly()).await.map(drop)
    }

    async fn record_iteration_limit(&self) -> Result<()> {
        let detail = format!("Agent reached maximum iterations limit ({}).", self.0.max_iterations);
        let event = ConversationErrorEvent::new("MaxIterationsReached", detail);
        let change = Change::append(vec![Draft::new(Source::Environment, event)])
            .and_edit(|state| state.set_execution_status(ExecutionStatus::Error));
        self.append(change).await.map(drop)
    }

    /// The log is where a failed run is looked up later. Where it cannot be written, the status at least is shown.
    async fn record_error(&self, error: &RunError) {
        let (code, detail) = match error {
            RunError::Llm(error) => (error.sdk_class(), error.to_string()),
            RunError::Other(error) => (error.code().as_str(), error.message().to_owned()),
        };
        let event = ConversationErrorEvent::new(code, detail);
        let change = Change::append(vec![Draft::new(Source::Environment, event)])
            .and_edit(|state| state.set_execution_status(ExecutionStatus::Error));
        let _turn = self.0.turn.take().await;
        if self.append(change).await.is_err() {
            self.0.unsaved_status.set(Some(ExecutionStatus::Error));
        }
    }

    /// Once per event: a provider that holds back the same answer again is reported as an error.
    async fn may_nudge(&self, text: &str) -> Result<bool> {
        let text = text.trim_end();
        let last = self.0.log.read(|branch| branch.view.events().last().cloned()).await?;
        Ok(!last.is_some_and(|event| match event.body() {
            Body::MessageEvent(message) => message.llm_message.text() == text,
            _ => false,
        }))
    }

    async fn nudge(&self, text: &str) -> Result<()> {
        let message = Message::new(Role::User, vec![Content::text(text.trim_end())]);
        let draft = Draft::new(Source::Environment, MessageEvent::new(message));
        self.append(Change::append(vec![draft])).await.map(drop)
    }
}

const CONTENT_POLICY: &str = include_str!("../agent/prompts/content_policy.md");

/// The last `finish` or agent message of these events (`conversation/response_utils.py`).
pub(super) fn final_response(events: &[Event]) -> Option<String> {
    events.iter().rev().find_map(|event| match event.body() {
        Body::ActionEvent(action) if action.tool_name == "finish" => Some(
            action.action.as_ref().and_then(|action| action.as_json().field("message")).unwrap_or_default(),
        ),
        Body::MessageEvent(message) if event.source() == Source::Agent => Some(message.llm_message.text()),
        _ => None,
    })
}

/// Marks the time in which tools run, however it ends.
struct ToolsRun<'a>(&'a Rc<Shared>);

impl<'a> ToolsRun<'a> {
    fn begin(shared: &'a Rc<Shared>) -> Self {
        shared.runs_tools.set(true);
        Self(shared)
    }
}

impl Drop for ToolsRun<'_> {
    fn drop(&mut self) {
        self.0.runs_tools.set(false);
    }
}

/// Marks the run as over, however it ends.
struct Running<'a>(&'a Rc<Shared>);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        *self.0.running.borrow_mut() = None;
        self.0.run_ends.borrow_mut().clear();
    }
}

enum RunError {
    Llm(LlmError),
    Other(Error),
}

impl From<Error> for RunError {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

impl From<RunError> for Error {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Llm(error) => error.into(),
            RunError::Other(error) => error,
        }
    }
}
