//! The run loop (`conversation/impl/local_conversation.py`, `arun`) around the agent's step (`agent/agent.py`).
//!
//! The state machine decides the next part of a run (`machine/next.rs`). The loop executes it: it asks the model
//! (`step.rs`), runs calls (`calls.rs`), or asks a hook. A step is one answer of the model with its calls, or the calls
//! that were waiting.

mod calls;
mod limits;
mod outcome;
mod step;
mod stop;
mod stored_errors;

pub use outcome::RunOutcome;
pub use stored_errors::{StoredError, stored_errors};

use crate::{
    agent::NewEvent,
    cancel::CancelToken,
    error::{ErrorCode, Result},
    event::{ConversationErrorEvent, Source},
    format::base_state::ExecutionStatus,
    handle::{Conversation, condensing::Condensed},
    id::EventId,
    log::active_branch::BranchPart,
    machine::{
        Command, Ended, Next, Phase, RunError, StatusChange, Transition,
        next::{Passed, Progress},
        stuck_detector::{Finding, find},
    },
};
use limits::RunUsage;

/// Where a run begins.
#[derive(Clone, Copy)]
enum Beginning<'a> {
    /// At HEAD, with these of the calls that wait, or with all.
    Here(Option<&'a [EventId]>),
    /// At the last message of the user.
    LastMessage,
}

impl Conversation {
    /// Runs until there is nothing more to do. This approves calls that wait for confirmation.
    ///
    /// Cancelling `cancel` stops the run at once: the request is aborted, running tools get the signal and are not
    /// waited for, their calls are answered, and the run returns with status `paused`.
    ///
    /// # Errors
    /// `invalid_state` if a run is under way or the conversation is closed, `locked_elsewhere`; those of the model and
    /// of the store, which are also stored as a `ConversationErrorEvent` if possible.
    pub async fn run(&self, cancel: CancelToken) -> Result<RunOutcome> {
        self.run_with(Beginning::Here(None), cancel).await
    }

    /// Approves and runs only these of the calls that wait. If others are left, the conversation waits again before the
    /// model is asked; otherwise it continues as [`Conversation::run`] does.
    ///
    /// # Errors
    /// As for [`Conversation::run`]; `not_found` for an action that does not wait, `invalid_state` for a `finish`
    /// without the calls before it.
    pub async fn run_approved(&self, actions: &[EventId], cancel: CancelToken) -> Result<RunOutcome> {
        self.run_with(Beginning::Here(Some(actions)), cancel).await
    }

    /// Moves HEAD back to the last message of the user and answers it again, as [`Conversation::run`] does. The earlier
    /// answer stays in the log as a branch. No message that is sent later comes between the two.
    ///
    /// # Errors
    /// As for [`Conversation::run`]; `invalid_state` if there is no such message and while calls wait for the user, and
    /// nothing has changed then.
    pub async fn regenerate(&self, cancel: CancelToken) -> Result<RunOutcome> {
        self.run_with(Beginning::LastMessage, cancel).await
    }

    async fn run_with(&self, beginning: Beginning<'_>, cancel: CancelToken) -> Result<RunOutcome> {
        self.ensure_writable()?;
        // This comes before the first `await`, so that a pause or an interrupt finds the run.
        let running = self.begin_run(&cancel, Phase::Begins)?;
        let (mut usage, began) = (self.begin_usage(), self.0.log.host.now());
        let result = match self.run_until_done(beginning, &cancel, &mut usage).await {
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
            self.append_inbox().await?;
            // Another run may have begun meanwhile. Its status is not that of this run.
            if !self.0.page.borrow().is_running() {
                status = self.execution_status();
            }
        }
        result.map_err(|error| self.without_secrets(error))?;
        Ok(RunOutcome {
            status,
            final_response: self.final_response().await?,
            finish_reason: self.finish_reason().await?,
            steps: usage.steps(),
            usage: usage.spent(self.total_usage()),
            duration: (self.0.log.host.now() - began).max(0.0),
        })
    }

    async fn run_until_done(
        &self,
        beginning: Beginning<'_>,
        cancel: &CancelToken,
        usage: &mut RunUsage,
    ) -> std::result::Result<Ended, RunError> {
        let (approved, turn) = match beginning {
            Beginning::Here(approved) => {
                let approves = self.inspect(|mut machine| machine.calls.approve(approved, &machine.state));
                approves.await.flatten().map_err(RunError::Refused)?;
                (approved, None)
            }
            Beginning::LastMessage => {
                let turn = self.return_to_last_message().await.map_err(RunError::Refused)?;
                // A hook answers when it likes, and may call other methods.
                (None, self.0.hooks.is_none().then_some(turn))
            }
        };
        self.enter(Phase::Decides);
        if self.begin_session(cancel).await? == Ended::Cancelled {
            return Ok(Ended::Cancelled);
        }
        // This can be refused, as earlier commands in the queue may have decided about or edited a call.
        let begun = self.perform(Command::Run { approved: approved.map(<[EventId]>::to_vec) }).await;
        begun.map_err(RunError::at_start)?;
        drop(turn);
        if self.execution_status() == ExecutionStatus::Finished {
            self.0.log.ensure_exists().await?;
            return Ok(Ended::Done);
        }
        usage.begins_after(self.refused_answers());
        let mut passed = self.nothing_passed();
        loop {
            let next = self.next(cancel, usage, passed).await?;
            passed = self.nothing_passed();
            match next {
                Next::End => return Ok(Ended::Done),
                Next::Break => return Ok(Ended::Cancelled),
                Next::AppendInbox => self.append_inbox().await?,
                Next::AskWhetherDone => {
                    let may_continue = usage.allows_more(&self.limits());
                    passed.is_done = !may_continue || !self.continues_after_finish(cancel).await?;
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
                Next::WaitForOthers => {
                    self.perform(Command::WaitForOthers).await?;
                    usage.ran_calls();
                }
                Next::RunCalls(calls) => {
                    if self.run_calls(calls, cancel).await? == Ended::Cancelled {
                        return Ok(Ended::Cancelled);
                    }
                    usage.ran_calls();
                }
                Next::Condense => match self.condense_view(usage.condensed_from(), cancel).await? {
                    Condensed::SendView => passed.is_condensed = true,
                    Condensed::Cancelled => return Ok(Ended::Cancelled),
                    Condensed::From(tokens) => usage.condensed(Some(tokens)),
                    Condensed::Done => usage.condensed(None),
                },
                Next::AskModel => {
                    if self.ask_model(cancel).await? == Ended::Cancelled {
                        return Ok(Ended::Cancelled);
                    }
                    usage.asked_model();
                }
            }
        }
    }

    /// Decides the next part of the run and enters its phase, which determines where a message that arrives from now on
    /// is placed.
    async fn next(&self, cancel: &CancelToken, used: &RunUsage, passed: Passed) -> Result<Next> {
        // The part before has stored the answer, or has given it up.
        if let Some(run) = &mut self.0.page.borrow_mut().run {
            run.answer = None;
        }
        let lock = self.0.log.lock().await;
        self.0.log.load_branch(&lock, BranchPart::All).await?;
        let stuck = || match self.stuck_thresholds() {
            Some(thresholds) => self.0.log.with_branch(|branch| find(branch.window(), &thresholds)),
            None => Finding::None,
        };
        let progress = Progress {
            is_cancelled: cancel.is_cancelled(),
            passed,
            has_stepped: used.has_stepped(),
            limit: &|| self.limit_reached(used),
            stuck: &stuck,
        };
        let next = self.with_machine(|machine| machine.next(&progress));
        self.enter(match next {
            Next::AskModel | Next::Condense => Phase::AsksModel,
            Next::RunCalls(_) => Phase::RunsTools,
            _ => Phase::Decides,
        });
        Ok(next)
    }

    /// A view that nothing condenses is sent as it is.
    fn nothing_passed(&self) -> Passed {
        Passed { is_done: false, is_condensed: !self.condenses() }
    }

    /// Stores the failure of a run in the log. If that fails too, the page at least shows the status.
    async fn record_error(&self, error: &RunError) {
        if self.ensure_open().is_err() {
            // The run has ended with the conversation.
            return;
        }
        let (code, detail) = match error {
            RunError::Llm(error, _) => (error.sdk_class(), error.to_string()),
            RunError::Other(error) | RunError::Refused(error) => {
                (error.code().as_str(), error.message().to_owned())
            }
        };
        let is_stuck = match error {
            RunError::Llm(error, _) if error.code() == ErrorCode::LlmContextWindow => {
                self.is_stuck_after_context_window().await.unwrap_or(false)
            }
            _ => false,
        };
        let event = ConversationErrorEvent::new(code, self.0.log.mask.cut_text(&detail));
        // In place of the answer of which pieces may have been shown, so that a view replaces them; unless their text
        // is kept.
        let id = match error {
            RunError::Llm(_, id) => id.clone(),
            _ => None,
        };
        let error = NewEvent { id, ..NewEvent::new(Source::Environment, event) };
        if self.perform(Command::Fail { error, is_stuck }).await.is_err() {
            let would_become = Transition::Failed.change(self.execution_status());
            let is_shown = would_become != StatusChange::Stays;
            self.0.page.borrow_mut().unsaved_status = is_shown.then_some(ExecutionStatus::Error);
            self.report();
        }
    }
}
