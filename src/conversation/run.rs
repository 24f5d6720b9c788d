//! The run loop (`conversation/impl/local_conversation.py`, `arun`) around the agent's step (`agent/agent.py`).
//!
//! A step is: run the calls that wait, or else ask the model once (`step.rs`) and run what it calls (`calls.rs`).
//! Before it stands what can stop a run that goes in circles (`stuck_detector.rs`), behind it what a run may use
//! (`limits.rs`). The turn is held except while the model answers. A message that arrives in the meantime is kept
//! beside the log, stands behind the answer, and is read by the model in its next request.

use super::{
    Change, Conversation, Shared,
    base_state::ExecutionStatus,
    imported::decided,
    kept_answer::forget_answer,
    pending::{call_of, forget_pending, is_among, set_unapproved},
    status::{Effect, Happening, effect, happens},
};
use crate::{
    agent::Draft,
    cancel::CancelToken,
    error::{Error, ErrorCode, Result},
    event::{ConversationErrorEvent, InterruptEvent, Source},
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

/// Why a part of a step came to its end.
pub(super) enum Pause {
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
        self.left_out(approved).await?;
        self.still_open()?;
        if self.0.running.borrow().is_some() {
            return Err(Error::new(
                ErrorCode::InvalidState,
                "a run is under way already; messages sent meanwhile are picked up by it",
            ));
        }
        *self.0.running.borrow_mut() = Some(cancel.clone());
        let running = Running(&self.0);
        let result = match self.run_until_done(approved, &cancel).await {
            Ok(Pause::Done) => Ok(()),
            Ok(Pause::Cancelled) => self.record_interrupt().await,
            Err(RunError::Refused(error)) => Err(error),
            Err(error) => {
                self.record_error(&error).await;
                Err(error.into())
            }
        };
        drop(running);
        let mut status = self.execution_status();
        if !self.0.inbox.borrow().is_empty() {
            let _turn = self.0.turn.take().await;
            self.take_in_messages().await?;
            // Another run may have begun meanwhile, whose status is its own affair.
            if self.0.running.borrow().is_none() {
                status = self.execution_status();
            }
        }
        result.map_err(|error| self.without_secrets(error))?;
        Ok(RunOutcome { status, final_response: self.final_response().await? })
    }

    async fn run_until_done(
        &self,
        approved: Option<&[EventId]>,
        cancel: &CancelToken,
    ) -> std::result::Result<Pause, RunError> {
        use ExecutionStatus::{Finished, Running};
        if matches!(self.begin_session(cancel).await?, Pause::Cancelled) {
            return Ok(Pause::Cancelled);
        }
        let turn = self.0.turn.take().await;
        // Until it was this run's turn, a call may have been decided about or edited.
        let left_out = self.left_out(approved).await.map_err(RunError::Refused)?;
        let drafts: Vec<Draft> = self.system_prompt_if_missing().await?.into_iter().collect();
        match effect(Happening::Run, self.execution_status()) {
            Effect::Stays => {
                self.0.log.must_be_there().await?;
                return Ok(Pause::Done);
            }
            // Where it runs already by what is stored, the store could not take the end of an earlier run.
            Effect::Becomes(_) | Effect::Refused | Effect::Never => {
                let change = Change::append(drafts).and_edit(|state| {
                    state.set_execution_status(Running);
                    self.keep_model_settings(state, &self.llm());
                    self.keep_concurrency(state);
                    set_unapproved(state, &left_out);
                    decided(state, &["calls"]);
                });
                self.append(change).await?;
            }
        }
        drop(turn);
        let mut used = self.used();
        loop {
            let turn = self.0.turn.take().await;
            let mut pending = self.pending_actions().await?;
            if pending.is_empty() {
                self.take_in_messages().await?;
            }
            if self.execution_status() == Finished
                && used.allows_more(self.0.max_iterations)
                && self.goes_on_after_finish(cancel).await?
            {
                continue;
            }
            // What has come to its end by itself was not interrupted.
            if self.execution_status() != Running {
                return Ok(Pause::Done);
            }
            if cancel.is_cancelled() {
                return Ok(Pause::Cancelled);
            }
            let ended = if pending.is_empty() {
                if self.end_at_blocked_message().await? {
                    continue;
                }
                self.stop_if_stuck().await?;
                self.stop_at_limit(&used).await?;
                if self.execution_status() != Running {
                    return Ok(Pause::Done);
                }
                self.0.asks_model.set(true);
                drop(turn);
                let ended = self.ask_model(cancel).await;
                self.0.asks_model.set(false);
                ended?
            } else {
                pending.retain(|event| !is_among(event, &left_out));
                self.run_calls(pending.iter().filter_map(call_of).collect(), cancel).await?
            };
            if matches!(ended, Pause::Cancelled) {
                return Ok(Pause::Cancelled);
            }
            self.wait_for_the_rest().await?;
            self.count_step(&mut used).await?;
        }
    }

    /// Calls that the user left out wait again when the approved ones have run, whatever else is the case.
    async fn wait_for_the_rest(&self) -> Result<()> {
        if !self.others_wait().await? {
            return Ok(());
        }
        self.append(Change::edit(|state| happens(state, Happening::OthersWait))).await.map(drop)
    }

    async fn others_wait(&self) -> Result<bool> {
        Ok(!self.unapproved_actions().is_empty() && !self.pending_actions().await?.is_empty())
    }

    async fn record_interrupt(&self) -> Result<()> {
        let _turn = self.0.turn.take().await;
        self.0.log.must_hold(self.answers_of_interrupt().await?);
        // Not before: until they have their answers, a pause tells that these calls have begun.
        self.0.under_way.borrow_mut().clear();
        let change = Change::append(vec![Draft::new(Source::User, InterruptEvent {})]).and_edit(|state| {
            happens(state, Happening::Interrupt);
            forget_pending(state);
            forget_answer(state);
        });
        self.append_and_count(change.strictly()).await
    }

    /// The log is where a failed run is looked up later. Where it cannot be written, the status at least is shown.
    async fn record_error(&self, error: &RunError) {
        let (code, detail) = match error {
            RunError::Llm(error) => (error.sdk_class(), error.to_string()),
            RunError::Other(error) | RunError::Refused(error) => {
                (error.code().as_str(), error.message().to_owned())
            }
        };
        let event = ConversationErrorEvent::new(code, self.0.log.mask.cut_text(&detail));
        let _turn = self.0.turn.take().await;
        let happening = match error {
            _ if self.others_wait().await.unwrap_or(false) => Happening::OthersWait,
            RunError::Llm(error) if error.code() == ErrorCode::LlmContextWindow => {
                self.after_context_window().await.unwrap_or(Happening::Failed)
            }
            _ => Happening::Failed,
        };
        let change = Change::append(vec![Draft::new(Source::Environment, event)])
            .and_edit(|state| happens(state, happening));
        if self.append_and_count(change).await.is_err() {
            let shown = effect(happening, self.execution_status()) != Effect::Stays;
            self.0.unsaved_status.set(shown.then_some(ExecutionStatus::Error));
        }
    }
}

/// Marks the run as over, however it ends.
struct Running<'a>(&'a Rc<Shared>);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        *self.0.running.borrow_mut() = None;
        self.0.asks_model.set(false);
        self.0.run_ends.borrow_mut().clear();
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
