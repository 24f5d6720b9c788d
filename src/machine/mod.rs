//! The state machine of a conversation. It is pure: it reads no store, calls no hook, model or tool, and awaits nothing.
//!
//! A [`Command`] is applied to a copy of the state and to the ledger of calls. The resulting [`Change`] is stored in one
//! transaction with that copy, which then becomes the state. A command that is refused changes nothing.
//! `handle/driver.rs` executes one command after the other, and does everything that takes time.

pub mod answers;
pub mod assessment;
pub mod background;
pub mod calls;
pub mod change;
pub mod command;
pub mod drafts;
pub mod ended;
pub mod hook_answers;
pub mod imported;
pub mod inbox;
pub mod limits;
pub mod next;
pub mod page;
pub mod settings;
pub mod status;
pub mod stored_agent;
pub mod stored_usage;
pub mod stuck_detector;
pub mod undecided;

pub use assessment::Assessment;
pub use calls::Calls;
pub use change::{Change, Effect, HeadMove};
pub use command::{Asked, Command, Leftovers, Place, Rewrite, WaitingCalls};
pub use drafts::{Remains, Resume, StoredDraft};
pub use ended::{Ended, RunError};
pub use hook_answers::HookAnswers;
pub use limits::RunLimits;
pub use next::Next;
pub use page::{Page, Phase};
pub use settings::Setting;
pub use status::{StatusChange, Transition};

use crate::{
    agent::{Agent, Call, CutOff, NewEvent, Reply, ReplyKind},
    error::{Error, ErrorCode, Result},
    event::{Body, Event, InterruptEvent, PauseEvent, Source},
    format::{
        agent_state::REFINEMENT_ITERATION,
        base_state::{BaseState, ExecutionStatus},
    },
    id::EventId,
    json::RawJson,
    llm::Llm,
    skills::AgentContext,
    tool::FileChange,
};
use background::forget_response;
use stored_agent::{enable_native_calls, store_concurrency, store_model_settings};
use undecided::mark_decided;

/// The state of a conversation at the moment of a command.
pub struct Machine<'a> {
    /// A copy, which becomes the state when the change is stored.
    pub state: BaseState,
    /// The calls without a result.
    pub calls: Calls,
    /// The in-memory state of this page.
    pub page: &'a Page,
    /// Tools and instructions.
    pub agent: &'a Agent,
    /// Skills and texts that are added to messages.
    pub context: Option<&'a dyn AgentContext>,
    /// The current model.
    pub llm: &'a Llm,
    /// The system prompt event, if the active branch has none yet.
    pub instructions: Option<NewEvent>,
    /// The last message of the user on the active branch.
    pub last_user_message: Option<EventId>,
    /// The last event that the model sees, if it is a message that a hook denied.
    pub denied_message: Option<EventId>,
    /// Why the answer that the active branch ends with is not whole.
    pub cut_answer: Option<CutOff>,
    /// Whether the active branch ends with an answer in text.
    pub ends_with_answer: bool,
}

impl Machine<'_> {
    fn transition(&mut self, transition: Transition, change: Change) -> Result<Change> {
        transition.apply(&mut self.state)?;
        Ok(change)
    }

    /// A message has to follow the results of all calls, so calls that still wait are answered first. While the model
    /// answers or tools run, the message goes to the inbox: in the log it would precede an answer that does not take it
    /// into account, or separate a call from its result.
    fn send_message(
        &mut self,
        message: Event,
        files: Vec<FileChange>,
        hook_answers: HookAnswers,
        waiting_calls: Option<WaitingCalls>,
    ) -> Result<Change> {
        let has_undecided = self.check_message(waiting_calls)?;
        let transition = match waiting_calls {
            // Calls that a dead page left do not wait for a decision: a message answers them.
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
            let mut change = Change::append(hook_answers.events).strictly();
            let content = message.json().as_bytes().to_vec();
            change.files = files;
            change.files.push(FileChange::new(inbox::path_of(&message)?, Some(content)));
            change.effects.push(Effect::AddToInbox(message));
            return Ok(change);
        }
        let mut change = self.append_inbox(answers::SUPERSEDED)?;
        if let Some(instructions) = self.instructions.take() {
            change.events.insert(0, instructions);
        }
        transition.apply(&mut self.state)?;
        self.append_message(&mut change, &message, files, hook_answers);
        Ok(change.strictly())
    }

    fn append_message(
        &mut self,
        change: &mut Change,
        message: &Event,
        files: Vec<FileChange>,
        hook_answers: HookAnswers,
    ) {
        change.events.extend(hook_answers.events);
        change.events.push(NewEvent {
            id: Some(message.id().clone()),
            files,
            ..NewEvent::new(Source::User, self.extended(message))
        });
        store_model_settings(&mut self.state, self.agent, self.llm);
    }

    /// Whether calls wait for a decision of the user.
    ///
    /// # Errors
    /// `invalid_state` if they do and `waiting_calls` is missing or not possible now.
    pub fn check_message(&self, waiting_calls: Option<WaitingCalls>) -> Result<bool> {
        let undecided: Vec<&Event> = self.calls.undecided().collect();
        let runs_tools = self.page.runs_tools();
        match waiting_calls {
            _ if undecided.is_empty() => Ok(false),
            Some(WaitingCalls::Keep) => Ok(true),
            Some(WaitingCalls::Reject) if !runs_tools => Ok(true),
            // Running calls cannot be answered yet, so the rest of their batch cannot either.
            _ if runs_tools => Err(undecided_error(
                &undecided,
                "wait until the running calls have ended, or pass pending: \"keep\"",
            )),
            _ => Err(undecided_error(
                &undecided,
                "approve or reject them first, or pass pending: \"reject\" or \"keep\"",
            )),
        }
    }

    fn run(&mut self, approved: Option<&[EventId]>) -> Result<Change> {
        self.calls.approve(approved, &self.state)?;
        let goes_on = self.cut_answer.is_some_and(CutOff::can_go_on);
        let was_paused = self.page.is_paused();
        match self.state.execution_status() {
            ExecutionStatus::Finished if !goes_on => return Ok(Change::default()),
            // The pause that came before it is stored already.
            ExecutionStatus::Paused if was_paused => return Ok(Change::default()),
            _ => {}
        }
        let transition = if goes_on { Transition::RunAfterCut } else { Transition::Run };
        transition.apply(&mut self.state)?;
        self.calls.store(&mut self.state);
        store_model_settings(&mut self.state, self.agent, self.llm);
        store_concurrency(&mut self.state, self.agent);
        mark_decided(&mut self.state, &["calls"]);
        let mut change = Change::append(self.instructions.take().into_iter().collect());
        if was_paused {
            Transition::Pause.apply(&mut self.state)?;
            change.events.push(NewEvent::new(Source::User, PauseEvent {}));
            change = change.strictly();
        }
        Ok(change)
    }

    fn pause(&mut self) -> Result<Change> {
        if Transition::Pause.change(self.state.execution_status()) == StatusChange::Stays {
            return Ok(Change::default());
        }
        self.calls.record_begun();
        self.calls.store(&mut self.state);
        let change = Change::append(vec![NewEvent::new(Source::User, PauseEvent {})]);
        self.transition(Transition::Pause, change.strictly())
    }

    fn interrupt(&mut self) -> Result<Change> {
        let interrupt = NewEvent::new(Source::User, InterruptEvent {});
        let partial = self.partial_answer(CutOff::Stopped);
        let mut change = Change::append(partial.into_iter().chain([interrupt]).collect()).strictly();
        change.held = self.calls.interrupt_answers(answers::STOPPED, answers::NOT_APPROVED);
        change.effects.push(Effect::EndAnswer);
        self.calls.settle();
        self.calls.store(&mut self.state);
        forget_response(&mut self.state);
        self.transition(Transition::Interrupt, change)
    }

    /// The text that was shown of the answer that the end of the run cuts off.
    fn partial_answer(&self, why: CutOff) -> Option<NewEvent> {
        self.page.run.as_ref()?.answer.as_ref()?.cut_off(why)
    }

    fn reject(&mut self, reason: Option<String>, actions: Option<&[EventId]>) -> Result<Change> {
        if self.page.runs_tools() {
            let text = "calls cannot be rejected while tools run; wait for them or interrupt() first";
            return Err(Error::new(ErrorCode::InvalidState, text));
        }
        let reason = reason.unwrap_or_else(|| "User rejected the action".to_owned());
        let unknown = format!("{reason}\n\n{}", answers::INTERRUPTED);
        let rejected = self.calls.named(actions)?;
        let reason_of = |stage| if stage == calls::Stage::Unknown { &unknown } else { &reason };
        let events = rejected
            .iter()
            .filter_map(|call| answers::rejection(&call.event, reason_of(call.stage)))
            .collect();
        if rejected.len() == self.calls.open().count() {
            Transition::RejectPendingActions.apply(&mut self.state)?;
            self.calls.settle();
            self.calls.store(&mut self.state);
        }
        Ok(Change::append(events).strictly())
    }

    /// The action with this id, if it waits for a decision of the user and no run is under way.
    ///
    /// # Errors
    /// `invalid_state` during a run, `not_found`.
    pub fn waiting_action(&self, action: &EventId) -> Result<&Event> {
        if self.page.is_running() {
            let text = "an action cannot be edited during a run; wait for its end or interrupt() first";
            return Err(Error::new(ErrorCode::InvalidState, text));
        }
        self.calls.undecided().find(|event| event.id() == action).ok_or_else(|| {
            let text =
                format!("action {action} does not wait for approval; pendingActions() lists pending ones");
            Error::new(ErrorCode::NotFound, text)
        })
    }

    fn edit(&mut self, rewrite: Rewrite) -> Result<Change> {
        let Rewrite { old, events, root, renamed, edited, risk, denied } = rewrite;
        // The user may have decided about it while an analyzer was asked.
        self.waiting_action(&old)?;
        let rejections: Vec<NewEvent> = self
            .calls
            .open()
            .filter_map(|call| answers::rejection(&call.event, answers::LEFT_BEHIND))
            .collect();
        let start = rejections.len();
        Transition::EditAction.apply(&mut self.state)?;
        renamed.rename_in(&mut self.state, &edited, risk);
        calls::deny(&mut self.state, &denied);
        let mut change = Change::append(rejections).strictly();
        change.events.extend(events);
        change.head_move = Some(HeadMove { after: start, to: root, files_follow: false });
        Ok(change)
    }

    /// Moves HEAD to another branch. Calls that are open get answers on the branch that is left, because a call that was
    /// begun must not run again when the user returns. Messages of the inbox were sent to that branch.
    fn enter_branch(&mut self, transition: Transition, head: Option<EventId>) -> Result<Change> {
        self.check_leaving()?;
        // Calls of the other branch wait only when HEAD is there.
        let leaving = match transition {
            Transition::NavigateToCalls => Transition::NavigateTo,
            transition => transition,
        };
        leaving.apply(&mut self.state)?;
        let mut change = self.append_inbox(answers::BRANCH_LEFT)?;
        // A message of the inbox changes the status of the branch that is left.
        transition.apply(&mut self.state)?;
        change.head_move = Some(HeadMove { after: change.events.len(), to: head, files_follow: true });
        Ok(change.strictly())
    }

    /// Checks that HEAD may move to another branch.
    ///
    /// # Errors
    /// `invalid_state` while a run is under way or calls wait for a decision of the user.
    pub fn check_leaving(&self) -> Result<()> {
        if self.page.has_begun() {
            let text = "another branch cannot be entered during a run; wait for its end or interrupt() first";
            return Err(Error::new(ErrorCode::InvalidState, text));
        }
        let undecided: Vec<&Event> = self.calls.undecided().collect();
        match undecided.is_empty() {
            true => Ok(()),
            false => {
                Err(undecided_error(&undecided, "approve or reject them before you enter another branch"))
            }
        }
    }

    /// Checks that the conversation may be copied. `includes_head`: with the end of the active branch.
    ///
    /// # Errors
    /// `invalid_state` during a run, and if calls would be copied that have no result: both conversations would run them.
    pub fn check_fork(&self, includes_head: bool) -> Result<()> {
        if self.page.is_running() {
            let text = "a conversation cannot be forked during a run; wait for its end or interrupt() first";
            return Err(Error::new(ErrorCode::InvalidState, text));
        }
        if !includes_head {
            return Ok(());
        }
        if !self.calls.is_settled() {
            let text = "calls have no result yet, and both conversations would run them; run or reject them first, or fork from an earlier event";
            return Err(Error::new(ErrorCode::InvalidState, text));
        }
        Transition::Fork.apply(&mut self.state.clone())
    }

    /// Messages have to wait while the model answers, while tools run, while calls wait for a decision of the user, and
    /// once the conversation is closed (the next opening appends them).
    fn append_inbox_if_possible(&mut self) -> Result<Change> {
        let has_to_wait =
            self.page.is_busy() || self.page.is_closed || self.calls.undecided().next().is_some();
        match has_to_wait || self.page.inbox.is_empty() {
            true => Ok(Change::default()),
            false => self.append_inbox(answers::SUPERSEDED),
        }
    }

    /// Appends an answer to every open call, which is a rejection with `refusal` if the call was not begun, then the
    /// messages of the inbox in the order of their arrival.
    fn append_inbox(&mut self, refusal: &str) -> Result<Change> {
        let mut change = Change::append(self.calls.answers(answers::INTERRUPTED, refusal));
        self.calls.settle();
        self.calls.store(&mut self.state);
        let page = self.page;
        let messages = &page.inbox;
        if messages.is_empty() {
            return Ok(change);
        }
        let transition = match self.page.has_begun() {
            true => Transition::InboxAppended,
            false => Transition::SendMessageRejecting,
        };
        transition.apply(&mut self.state)?;
        for event in messages {
            change.files.push(FileChange::new(inbox::path_of(event)?, None));
            let body = self.extended(event);
            change.events.push(NewEvent {
                id: Some(event.id().clone()),
                timestamp: Some(event.timestamp().to_owned()),
                ..NewEvent::new(Source::User, body)
            });
        }
        change.effects.push(Effect::RemoveFromInbox(messages.clone()));
        Ok(change.strictly())
    }

    /// The message with texts of the skills that it activates. They are active from the same commit on.
    fn extended(&mut self, message: &Event) -> Body {
        let mut body = message.body().clone();
        if let (Some(context), Body::MessageEvent(message)) = (self.context, &mut body) {
            context.extend_message(message, &mut self.state);
        }
        body
    }

    fn answered(
        &mut self,
        reply: Reply,
        assessment: &Assessment,
        hook_answers: HookAnswers,
    ) -> Result<Change> {
        hook_answers.block_actions(&mut self.state);
        let is_action = |new_event: &&NewEvent| matches!(new_event.body, Body::ActionEvent(_));
        if reply.events.iter().filter(is_action).count() > 1 {
            enable_native_calls(&mut self.state);
        }
        // The model has not read a message that arrived while it answered, so the run goes on.
        if reply.kind == ReplyKind::Text && self.page.inbox.is_empty() {
            Transition::Answered.apply(&mut self.state)?;
        }
        if assessment.waits_in(&self.state) {
            Transition::CallsWait.apply(&mut self.state)?;
        }
        assessment.store_risks(&mut self.state);
        forget_response(&mut self.state);
        let mut change = Change::append(hook_answers.events).strictly();
        change.events.extend(reply.events);
        Ok(change)
    }

    fn call_ended(&mut self, call: &Call, ends_run: bool) -> Result<Change> {
        calls::forget_denial(&mut self.state, &call.action_id);
        let mut change = Change::default();
        if ends_run {
            change.events.extend(self.refinement(call));
            let transition =
                if change.events.is_empty() { Transition::TaskFinished } else { Transition::Refined };
            transition.apply(&mut self.state)?;
        }
        self.calls.store(&mut self.state);
        Ok(change)
    }

    /// The message with which the critic demands another attempt at the task that this call has finished. It is stored
    /// together with the call's result and the number of attempts, so that no page demands the same attempt again.
    fn refinement(&mut self, call: &Call) -> Option<NewEvent> {
        let critic = self.agent.critic.as_ref()?;
        let Body::ActionEvent(action) = self.calls.action(&call.action_id)?.body() else { return None };
        let attempts: u64 = self.state.in_agent_state(REFINEMENT_ITERATION).unwrap_or(0);
        let message = critic.refine(attempts, action)?;
        let attempts = attempts.saturating_add(1);
        self.state.set_in_agent_state(REFINEMENT_ITERATION, Some(&RawJson::of(&attempts)));
        Some(message)
    }
}

fn undecided_error(undecided: &[&Event], advice: &str) -> Error {
    let mut calls = String::new();
    for event in undecided {
        let Body::ActionEvent(action) = event.body() else { continue };
        let comma = if calls.is_empty() { "" } else { ", " };
        calls.push_str(&format!("{comma}{} ({})", action.tool_name, event.id()));
    }
    Error::new(ErrorCode::InvalidState, format!("calls wait for approval: {calls}; {advice}"))
}
