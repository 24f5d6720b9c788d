//! The state machine of a conversation: what a command makes of where it stands. Pure: it reads no store, asks nobody
//! and waits for nothing.
//!
//! A [`Command`] is applied to a copy of the state and to the ledger of calls; the [`Plan`] that comes of it is stored
//! in one transaction with that copy, and only then is the copy the state. A command that cannot be done now changes
//! nothing. `conversation/driver.rs` does it one command after the other, and everything that takes time.

pub mod answers;
pub mod calls;
pub mod command;
pub mod next;
pub mod page;
pub mod status;

pub use calls::Calls;
pub use command::{Command, Effect, Plan, Rewrite, WaitingCalls};
pub use next::Next;
pub use page::{Page, Phase};
pub use status::{StatusChange, Transition};

use super::{
    background::forget_response,
    confirmation::Assessment,
    hooks::{HookAnswers, unblock_message},
    imported::decided,
    inbox,
    settings::{keep_concurrency, keep_model_settings, keep_native_calls},
};
use crate::{
    agent::{Agent, Call, Draft, Reply, ReplyKind},
    error::{Error, ErrorCode, Result},
    event::{Body, Event, InterruptEvent, PauseEvent, Source},
    format::base_state::{BaseState, ExecutionStatus},
    id::EventId,
    llm::Llm,
};

/// Where a conversation stands when a command comes.
pub struct Machine<'a> {
    /// A copy; it becomes the state when the plan is stored.
    pub state: BaseState,
    /// The calls without a result.
    pub calls: Calls,
    /// What this page is doing.
    pub page: &'a Page,
    /// Tools and instructions.
    pub agent: &'a Agent,
    /// The model that answers.
    pub llm: &'a Llm,
    /// The instructions, where the log has no events yet.
    pub instructions: Option<Draft>,
}

impl Machine<'_> {
    /// Applies a command.
    ///
    /// # Errors
    /// `invalid_state` and `not_found`, where it cannot be done now.
    pub fn apply(&mut self, command: Command) -> Result<Plan> {
        match command {
            Command::SendMessage { message, hook_answers, waiting_calls } => {
                self.send_message(message, hook_answers, waiting_calls)
            }
            Command::Run { approved } => self.run(approved.as_deref()),
            Command::Pause => self.pause(),
            Command::Interrupt => self.interrupt(),
            Command::RejectPendingActions { reason, actions } => self.reject(reason, actions.as_deref()),
            Command::EditAction(rewrite) => self.edit(rewrite),
            Command::BeginSession { hook_event } => {
                Ok(Plan::append(self.instructions.take().into_iter().chain([hook_event]).collect()))
            }
            Command::TakeInMessages => self.take_in_messages(),
            Command::Answered { reply, assessment, hook_answers } => {
                self.answered(reply, &assessment, hook_answers)
            }
            Command::CallEnded { call, ends_run } => self.call_ended(&call, ends_run),
            Command::EndAtBlockedMessage { message } => {
                unblock_message(&mut self.state, &message);
                self.transition(Transition::MessageBlocked, Plan::default())
            }
            Command::AskedToStop { hook_events, is_denied: true } => {
                self.transition(Transition::StopDenied, Plan::append(hook_events))
            }
            Command::AskedToStop { hook_events, is_denied: false } => Ok(Plan::append(hook_events)),
            Command::LetOthersWait if !self.calls.others_wait() => Ok(Plan::default()),
            Command::LetOthersWait => self.transition(Transition::OthersWait, Plan::default()),
            Command::Fail { error, is_stuck } => {
                let failure = match is_stuck {
                    // Calls that the user left out wait again when the approved ones have run, whatever else is the case.
                    _ if self.calls.others_wait() => Transition::OthersWait,
                    true => Transition::Stuck,
                    false => Transition::Failed,
                };
                self.transition(failure, Plan::append(vec![error]))
            }
            Command::ReachLimit { error } => {
                self.transition(Transition::LimitReached, Plan::append(vec![error]))
            }
            Command::GetStuck => self.transition(Transition::Stuck, Plan::default()),
            Command::Recover { plan, unknown, is_to_be_asked } => {
                self.calls.are_unknown(&unknown);
                self.calls.store(&mut self.state);
                let died = if is_to_be_asked { Transition::PageDiesInCall } else { Transition::PageDies };
                self.transition(died, plan.strictly())
            }
        }
    }

    fn transition(&mut self, transition: Transition, plan: Plan) -> Result<Plan> {
        transition.apply(&mut self.state)?;
        Ok(plan)
    }

    /// A message stands behind the results of all calls: those that still wait are answered first. While the model
    /// answers or tools run it is kept beside the log: in the log it would stand before an answer that knows nothing of
    /// it, or between a call and its result.
    fn send_message(
        &mut self,
        message: Event,
        hook_answers: HookAnswers,
        waiting_calls: Option<WaitingCalls>,
    ) -> Result<Plan> {
        let has_undecided = self.check_message(waiting_calls)?;
        let transition = match waiting_calls {
            // What a dead page left is no question to the user: a message answers it.
            _ if !has_undecided => Transition::SendMessageRejecting,
            None => Transition::SendMessage,
            Some(WaitingCalls::Reject) => Transition::SendMessageRejecting,
            Some(WaitingCalls::Keep) => Transition::SendMessageKeeping,
        };
        hook_answers.block_message(&mut self.state);
        if self.page.is_busy() || transition == Transition::SendMessageKeeping {
            if !self.page.is_running() {
                transition.apply(&mut self.state)?;
            }
            let mut plan = Plan::append(hook_answers.drafts).strictly();
            plan.files.push((inbox::path_of(&message)?, Some(message.json().as_bytes().to_vec())));
            plan.effects.push(Effect::Keep(message));
            return Ok(plan);
        }
        let mut plan = self.append_kept()?;
        plan.drafts.splice(0..0, self.instructions.take());
        transition.apply(&mut self.state)?;
        plan.drafts.extend(hook_answers.drafts);
        plan.drafts.push(Draft {
            id: Some(message.id().clone()),
            ..Draft::new(Source::User, message.body().clone())
        });
        keep_model_settings(&mut self.state, self.agent, self.llm);
        Ok(plan.strictly())
    }

    /// Whether calls wait for the user to decide.
    ///
    /// # Errors
    /// `invalid_state` where it is not said what becomes of them, or what is said cannot be done.
    pub fn check_message(&self, waiting_calls: Option<WaitingCalls>) -> Result<bool> {
        let undecided: Vec<&Event> = self.calls.undecided().collect();
        let runs_tools = self.page.runs_tools();
        match waiting_calls {
            _ if undecided.is_empty() => Ok(false),
            Some(WaitingCalls::Keep) => Ok(true),
            Some(WaitingCalls::Reject) if !runs_tools => Ok(true),
            // What runs cannot be answered yet, so neither can the rest of its batch.
            _ if runs_tools => {
                Err(undecided_error(&undecided, "let the others end first, or pass pending: \"keep\""))
            }
            _ => Err(undecided_error(
                &undecided,
                "decide about them first, or pass pending: \"reject\" or \"keep\"",
            )),
        }
    }

    fn run(&mut self, approved: Option<&[EventId]>) -> Result<Plan> {
        self.calls.approve(approved, &self.state)?;
        if self.state.execution_status() == ExecutionStatus::Finished {
            return Ok(Plan::default());
        }
        Transition::Run.apply(&mut self.state)?;
        self.calls.store(&mut self.state);
        keep_model_settings(&mut self.state, self.agent, self.llm);
        keep_concurrency(&mut self.state, self.agent);
        decided(&mut self.state, &["calls"]);
        Ok(Plan::append(self.instructions.take().into_iter().collect()))
    }

    fn pause(&mut self) -> Result<Plan> {
        if Transition::Pause.change(self.state.execution_status()) == StatusChange::Stays {
            return Ok(Plan::default());
        }
        self.calls.record_begun();
        self.calls.store(&mut self.state);
        let plan = Plan::append(vec![Draft::new(Source::User, PauseEvent {})]);
        self.transition(Transition::Pause, plan.strictly())
    }

    fn interrupt(&mut self) -> Result<Plan> {
        let mut plan = Plan::append(vec![Draft::new(Source::User, InterruptEvent {})]).strictly();
        plan.held = self.calls.answers_of_interrupt(answers::STOPPED, answers::NOT_APPROVED);
        self.calls.settle();
        self.calls.store(&mut self.state);
        forget_response(&mut self.state);
        self.transition(Transition::Interrupt, plan)
    }

    fn reject(&mut self, reason: Option<String>, actions: Option<&[EventId]>) -> Result<Plan> {
        if self.page.runs_tools() {
            return Err(Error::new(ErrorCode::InvalidState, "tools are running; interrupt them first"));
        }
        let reason = reason.unwrap_or_else(|| "User rejected the action".to_owned());
        let unknown = format!("{reason}\n\n{}", answers::INTERRUPTED);
        let rejected = self.calls.named(actions)?;
        let reason_of = |stage| if stage == calls::Stage::Unknown { &unknown } else { &reason };
        let drafts = rejected
            .iter()
            .filter_map(|call| answers::rejection(&call.event, reason_of(call.stage)))
            .collect();
        if rejected.len() == self.calls.open().count() {
            Transition::RejectPendingActions.apply(&mut self.state)?;
            self.calls.settle();
            self.calls.store(&mut self.state);
        }
        Ok(Plan::append(drafts).strictly())
    }

    /// The action, if the user has to decide about it and nothing runs.
    ///
    /// # Errors
    /// `invalid_state` during a run, `not_found`.
    pub fn waiting_action(&self, action: &EventId) -> Result<&Event> {
        if self.page.is_running() {
            return Err(Error::new(ErrorCode::InvalidState, "the agent is working; interrupt it first"));
        }
        self.calls.undecided().find(|event| event.id() == action).ok_or_else(|| {
            let text = format!("no action {action} waits for the user; see pendingActions()");
            Error::new(ErrorCode::NotFound, text)
        })
    }

    fn edit(&mut self, rewrite: Rewrite) -> Result<Plan> {
        let Rewrite { old, drafts, root, renamed, edited, risk, denied } = rewrite;
        // Somebody may have decided about it while an analyzer looked at it.
        self.waiting_action(&old)?;
        let left: Vec<Draft> = self
            .calls
            .open()
            .filter_map(|call| answers::rejection(&call.event, answers::LEFT_BEHIND))
            .collect();
        let start = left.len();
        Transition::EditAction.apply(&mut self.state)?;
        renamed.rename_in(&mut self.state, &edited, risk);
        calls::deny(&mut self.state, &denied);
        let mut plan = Plan::append(left).strictly();
        plan.drafts.extend(drafts);
        plan.branch = Some((start, root));
        Ok(plan)
    }

    /// Unless they have to wait: until the model has answered, until tools are through, until the user has decided about
    /// calls, or for the next opening.
    fn take_in_messages(&mut self) -> Result<Plan> {
        let has_to_wait =
            self.page.is_busy() || self.page.is_closed || self.calls.undecided().next().is_some();
        match has_to_wait || self.page.inbox.is_empty() {
            true => Ok(Plan::default()),
            false => self.append_kept(),
        }
    }

    /// The messages that were kept, in the order in which they came, behind an answer to every call that waits.
    fn append_kept(&mut self) -> Result<Plan> {
        let mut plan = Plan::append(self.calls.answers(answers::INTERRUPTED, answers::SUPERSEDED));
        self.calls.settle();
        self.calls.store(&mut self.state);
        let kept = &self.page.inbox;
        if kept.is_empty() {
            return Ok(plan);
        }
        let taken_in = match self.page.is_running() {
            true => Transition::MessageTakenIn,
            false => Transition::SendMessageRejecting,
        };
        taken_in.apply(&mut self.state)?;
        for event in kept {
            plan.files.push((inbox::path_of(event)?, None));
            plan.drafts.push(Draft {
                id: Some(event.id().clone()),
                timestamp: Some(event.timestamp().to_owned()),
                source: Source::User,
                body: event.body().clone(),
            });
        }
        plan.effects.push(Effect::TakenIn(kept.clone()));
        Ok(plan.strictly())
    }

    fn answered(&mut self, reply: Reply, assessment: &Assessment, hook_answers: HookAnswers) -> Result<Plan> {
        hook_answers.block_actions(&mut self.state);
        let is_action = |draft: &&Draft| matches!(draft.body, Body::ActionEvent(_));
        if reply.drafts.iter().filter(is_action).count() > 1 {
            keep_native_calls(&mut self.state);
        }
        // A message that came while the model answered is still to be read by it.
        if reply.kind == ReplyKind::Text && self.page.inbox.is_empty() {
            Transition::Answered.apply(&mut self.state)?;
        }
        if assessment.waits_in(&self.state) {
            Transition::CallsWait.apply(&mut self.state)?;
        }
        assessment.keep_risks(&mut self.state);
        forget_response(&mut self.state);
        let mut plan = Plan::append(hook_answers.drafts).strictly();
        plan.drafts.extend(reply.drafts);
        Ok(plan)
    }

    fn call_ended(&mut self, call: &Call, ends_run: bool) -> Result<Plan> {
        calls::forget_denial(&mut self.state, &call.action_id);
        if ends_run {
            Transition::TaskFinished.apply(&mut self.state)?;
        }
        self.calls.store(&mut self.state);
        Ok(Plan::default())
    }
}

fn undecided_error(undecided: &[&Event], advice: &str) -> Error {
    let mut calls = String::new();
    for event in undecided {
        let Body::ActionEvent(action) = event.body() else { continue };
        let comma = if calls.is_empty() { "" } else { ", " };
        calls.push_str(&format!("{comma}{} ({})", action.tool_name, event.id()));
    }
    Error::new(ErrorCode::InvalidState, format!("calls wait for the user: {calls}; {advice}"))
}
