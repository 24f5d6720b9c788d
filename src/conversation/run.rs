//! The run loop (`conversation/impl/local_conversation.py`, `arun`) around the agent's step (`agent/agent.py`).
//!
//! What is next says the state machine (`machine/next.rs`); here it is done: the model is asked (`step.rs`), calls are
//! run (`calls.rs`), a hook is asked. A step is one answer of the model and the calls that it makes, or the calls that
//! waited.

use super::{
    Conversation, Shared,
    machine::{Command, Next, Phase, StatusChange, Transition, page::Run},
};
use crate::{
    agent::Draft,
    cancel::CancelToken,
    error::{Error, ErrorCode, Result},
    event::{ConversationErrorEvent, Source},
    format::base_state::ExecutionStatus,
    id::EventId,
    llm::LlmError,
};
use std::rc::Rc;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOutcome {
    /// The status that it left.
    pub status: ExecutionStatus,
    /// The message of `finish`, or the model's last text.
    pub final_response: Option<String>,
}

/// How a part of a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
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
        self.run_with(None, cancel).await
    }

    /// Runs these of the calls that wait and no others. If some are left, the conversation waits again before the
    /// model is asked; if none are, it goes on as [`Conversation::run`] does.
    ///
    /// # Errors
    /// As for [`Conversation::run`]; `not_found` for an action that does not wait, `invalid_state` for a `finish`
    /// without the calls before it.
    pub async fn run_approved(&self, actions: &[EventId], cancel: CancelToken) -> Result<RunOutcome> {
        self.run_with(Some(actions), cancel).await
    }

    async fn run_with(&self, approved: Option<&[EventId]>, cancel: CancelToken) -> Result<RunOutcome> {
        self.writable()?;
        self.look(|mut machine| machine.calls.approve(approved, &machine.state)).await??;
        self.still_open()?;
        let running = self.begin_run(&cancel)?;
        let result = match self.run_until_done(approved, &cancel).await {
            Ok(Ended::Done) => Ok(()),
            Ok(Ended::Cancelled) => self.perform(Command::Interrupt).await.map(drop),
            Err(RunError::Refused(error)) => Err(error),
            Err(error) => {
                self.record_error(&error).await;
                Err(error.into())
            }
        };
        drop(running);
        let mut status = self.execution_status();
        if !self.0.page.borrow().inbox.is_empty() {
            self.take_in_messages().await?;
            // Another run may have begun meanwhile, whose status is its own affair.
            if !self.0.page.borrow().is_running() {
                status = self.execution_status();
            }
        }
        result.map_err(|error| self.without_secrets(error))?;
        Ok(RunOutcome { status, final_response: self.final_response().await? })
    }

    fn begin_run(&self, cancel: &CancelToken) -> Result<Running<'_>> {
        let page = &mut *self.0.page.borrow_mut();
        if page.is_running() {
            return Err(Error::new(
                ErrorCode::InvalidState,
                "a run is under way already; messages sent meanwhile are picked up by it",
            ));
        }
        page.run =
            Some(Run { cancel: cancel.clone(), phase: Phase::Decides, begun: Vec::new(), ends: Vec::new() });
        Ok(Running(&self.0))
    }

    async fn run_until_done(
        &self,
        approved: Option<&[EventId]>,
        cancel: &CancelToken,
    ) -> std::result::Result<Ended, RunError> {
        if self.begin_session(cancel).await? == Ended::Cancelled {
            return Ok(Ended::Cancelled);
        }
        // Until it was this run's turn, a call may have been decided about or edited.
        let begun = self.perform(Command::Run { approved: approved.map(<[EventId]>::to_vec) }).await;
        begun.map_err(RunError::of_beginning)?;
        if self.execution_status() == ExecutionStatus::Finished {
            self.0.log.must_be_there().await?;
            return Ok(Ended::Done);
        }
        let mut used = self.used();
        let mut is_done = false;
        loop {
            let next = self.next(cancel, &used, is_done).await?;
            is_done = false;
            match next {
                Next::End => return Ok(Ended::Done),
                Next::Break => return Ok(Ended::Cancelled),
                Next::TakeInMessages => self.take_in_messages().await?,
                Next::AskWhetherDone => {
                    let may_go_on = used.allows_more(self.0.max_iterations);
                    is_done = !may_go_on || !self.goes_on_after_finish(cancel).await?;
                }
                Next::EndAtBlockedMessage(message) => {
                    self.perform(Command::EndAtBlockedMessage { message }).await?;
                }
                Next::Nudge(text) => self.nudge(&text).await?,
                Next::GetStuck => {
                    self.perform(Command::GetStuck).await?;
                }
                Next::ReachLimit(error) => {
                    self.perform(Command::ReachLimit { error: *error }).await?;
                }
                Next::LetOthersWait => {
                    self.perform(Command::LetOthersWait).await?;
                    used.ran_calls();
                }
                Next::RunCalls(calls) => {
                    if self.run_calls(calls, cancel).await? == Ended::Cancelled {
                        return Ok(Ended::Cancelled);
                    }
                    used.ran_calls();
                }
                Next::AskModel => {
                    if self.ask_model(cancel).await? == Ended::Cancelled {
                        return Ok(Ended::Cancelled);
                    }
                    used.asked_model();
                }
            }
        }
    }

    /// The log is where a failed run is looked up later. Where it cannot be written, the status at least is shown.
    async fn record_error(&self, error: &RunError) {
        let (code, detail) = match error {
            RunError::Llm(error) => (error.sdk_class(), error.to_string()),
            RunError::Other(error) | RunError::Refused(error) => {
                (error.code().as_str(), error.message().to_owned())
            }
        };
        let is_stuck = match error {
            RunError::Llm(error) if error.code() == ErrorCode::LlmContextWindow => {
                self.is_stuck_after_context_window().await.unwrap_or(false)
            }
            _ => false,
        };
        let event = ConversationErrorEvent::new(code, self.0.log.mask.cut_text(&detail));
        let error = Draft::new(Source::Environment, event);
        if self.perform(Command::Fail { error, is_stuck }).await.is_err() {
            let would_become = Transition::Failed.change(self.execution_status());
            let is_shown = would_become != StatusChange::Stays;
            self.0.page.borrow_mut().unsaved_status = is_shown.then_some(ExecutionStatus::Error);
        }
    }
}

/// Marks the run as over, however it ends.
struct Running<'a>(&'a Rc<Shared>);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let run = self.0.page.borrow_mut().run.take();
        // Whoever waits for its end is woken when nothing is borrowed any more.
        drop(run);
    }
}

/// What ended a run that failed.
pub(super) enum RunError {
    /// The model's provider.
    Llm(LlmError),
    /// Anything else.
    Other(Error),
    /// It has not begun, and is nothing that the log would tell.
    Refused(Error),
}

impl RunError {
    /// What a run is told that cannot begin.
    fn of_beginning(error: Error) -> Self {
        match error.code() {
            ErrorCode::InvalidState | ErrorCode::NotFound | ErrorCode::LockedElsewhere => {
                Self::Refused(error)
            }
            _ => Self::Other(error),
        }
    }
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
            RunError::Other(error) | RunError::Refused(error) => error,
        }
    }
}
