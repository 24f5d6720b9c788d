//! Executes commands one after the other, in the order in which they arrive. Each command is applied to the state that
//! the previous one left, and is stored before listeners are notified.

use super::{Access, Conversation, Shared, closed};
use crate::{
    agent::NewEvent,
    cancel::CancelToken,
    error::{Error, ErrorCode, Result},
    event::{Body, Event, Source, SystemPromptEvent},
    fair_mutex::FairGuard,
    format::base_state::BaseState,
    llm::{Llm, message::Content},
    log::active_branch::BranchPart,
    machine::{Calls, Change, Command, Machine, Page, Phase, calls::InPage, page::Run},
    store::{Durability, StoreError},
    tool::record_of_tool,
};

impl Conversation {
    /// Executes a command after all earlier ones. Returns the events that it appended.
    pub(crate) async fn perform(&self, command: Command) -> Result<Vec<Event>> {
        if command.is_from_caller() {
            self.ensure_writable()?;
        }
        // Nothing waits for a network while the lock is held.
        self.0.log.file_versions(false, command.moves_head()).await?;
        let lock = self.0.log.lock().await;
        if command.moves_head() {
            // The files of results belong to the branch that is left.
            self.append_held(&lock).await?;
        }
        self.perform_now(&lock, command).await
    }

    /// Executes a command while the caller holds the lock.
    pub(crate) async fn perform_now(&self, lock: &FairGuard, command: Command) -> Result<Vec<Event>> {
        if command.is_from_caller() {
            self.ensure_writable()?;
        }
        let part = if command.moves_head() { BranchPart::End } else { BranchPart::All };
        if command.needs_branch()
            && let Err(error) = self.0.log.load_branch(lock, part).await
            // A failure is recorded even where the history cannot be read.
            && !matches!(command, Command::Fail { .. })
        {
            return Err(error);
        }
        let asked = self.asked_with(&command);
        let mut change = self.with_machine(|machine| machine.apply(command))?;
        change.asked = asked;
        self.write(lock, change).await
    }

    /// Stores the results that wait for the next commit, before one that their calls must not meet without them.
    pub(crate) async fn append_held(&self, lock: &FairGuard) -> Result<()> {
        match self.0.log.has_held() {
            true => self.perform_now(lock, Command::AppendHeld).await.map(drop),
            false => Ok(()),
        }
    }

    /// Appends events in any status.
    pub(crate) async fn append(&self, events: Vec<NewEvent>, durability: Durability) -> Result<()> {
        self.perform(Command::Append { events, durability }).await.map(drop)
    }

    /// Stores a change, then executes its effects. Costs that are not counted yet are added to the state in the same
    /// transaction.
    async fn write(&self, lock: &FairGuard, mut change: Change) -> Result<Vec<Event>> {
        let Some(state) = &mut change.state else {
            self.ensure_writer()?;
            return self.unless_displaced(self.0.log.write(lock, change, &mut || {}).await);
        };
        // Of what was under way when it was closed, nothing follows: another handle may write by now.
        self.ensure_writable()?;
        self.learn_pending();
        // A command that changes nothing does not store a conversation that is not stored.
        let changes = self.is_stored() || !change.events.is_empty() || *state != *self.state();
        let counted = self.count_spending(state);
        let asked = change.asked.take();
        if let Some(asked) = asked.as_ref().filter(|_| changes) {
            change.files.push(self.record_of(asked).await?);
        }
        let draft_ends =
            self.0.page.borrow().draft.as_ref().is_some_and(|draft| draft.ends_with(&mut change));
        let effects = std::mem::take(&mut change.effects);
        let is_stored = &mut || self.0.page.borrow_mut().change_is_stored(&effects, draft_ends);
        let events = self.unless_displaced(self.0.log.write(lock, change, is_stored).await)?;
        self.mark_counted(&counted);
        if let Some(asked) = &asked {
            self.note_carried_out(asked);
        }
        self.report_commit(lock).await;
        Ok(events)
    }

    /// Inspects the current state machine without changing anything.
    pub(crate) async fn inspect<T>(&self, inspect: impl FnOnce(Machine<'_>) -> T) -> Result<T> {
        self.0.log.ensure_loaded(BranchPart::All).await?;
        Ok(self.with_machine(inspect))
    }

    /// Begins a run, which ends when the result is dropped.
    ///
    /// # Errors
    /// `invalid_state` if a run is under way already.
    pub(crate) fn begin_run(&self, cancel: &CancelToken, phase: Phase) -> Result<Running<'_>> {
        let page = &mut *self.0.page.borrow_mut();
        if page.is_running() {
            return Err(Error::new(
                ErrorCode::InvalidState,
                "a run is under way already; wait for its end, or send messages, which it picks up",
            ));
        }
        page.run = Some(Run {
            cancel: cancel.clone(),
            phase,
            is_paused: false,
            begun: Vec::new(),
            answer: None,
            ends: Vec::new(),
        });
        Ok(Running(&self.0))
    }

    /// Sets the phase of the run.
    pub(crate) fn enter(&self, phase: Phase) {
        if let Some(run) = &mut self.0.page.borrow_mut().run {
            run.phase = phase;
        }
    }

    /// Builds the state machine of this moment. The branch, or its end, has to be loaded.
    pub(crate) fn with_machine<T>(&self, act: impl FnOnce(Machine<'_>) -> T) -> T {
        act(self.machine(&self.0.page.borrow(), &self.llm()))
    }

    /// Apart from [`Self::with_machine`], which is generic, so that the wasm has this code once.
    fn machine<'a>(&'a self, page: &'a Page, llm: &'a Llm) -> Machine<'a> {
        let log = &self.0.log;
        let state = self.state().clone();
        let in_page =
            InPage { begun: page.begun(), is_answered: &|tool_call_id| log.holds_answer_to(tool_call_id) };
        log.with_branch(|branch| {
            let events = branch.view.events();
            let is_empty = log.has(BranchPart::End) && events.is_empty();
            Machine {
                calls: Calls::of(&branch.pending, &state, &in_page),
                page,
                agent: &self.0.agent,
                context: log.context.as_deref(),
                llm,
                instructions: is_empty.then(|| self.instructions(&state)),
                last_user_message: branch.last_user_message.clone(),
                denied_message: branch.denied_message.clone(),
                cut_answer: branch.cut_answer(),
                ends_with_answer: events.last().is_some_and(|event| match event.body() {
                    Body::MessageEvent(answer) => event.source() == Source::Agent && answer.is_answer(),
                    _ => false,
                }),
                state,
            }
        })
    }

    /// The system prompt event. It has to be the first of its branch: elsewhere providers would refuse the request. A
    /// branch that begins before the first event of the log has its own, because the view contains only its branch.
    pub(crate) fn instructions(&self, state: &BaseState) -> NewEvent {
        let agent = &self.0.agent;
        // A conversation that another program or an earlier page created may store a prompt that no event holds yet.
        let stored = state.agent().and_then(|agent| agent.field::<String>("system_prompt"));
        let dynamic_context = self.0.log.context.as_ref().and_then(|context| {
            context.dynamic_context(&self.llm().options.model, state, &self.0.log.host.local_time())
        });
        let event = SystemPromptEvent {
            system_prompt: Content::text(stored.unwrap_or_else(|| agent.system_prompt.to_string())),
            tools: agent.tools.iter().map(|tool| record_of_tool(&*tool)).collect(),
            dynamic_context: dynamic_context.map(Content::text),
        };
        NewEvent::new(Source::Agent, event)
    }

    /// # Errors
    /// `invalid_state` once the conversation is closed, `store_lost` if that was because it was deleted.
    pub(crate) fn ensure_open(&self) -> Result<()> {
        let page = self.0.page.borrow();
        match page.is_closed {
            true if page.is_lost => Err(StoreError::Lost.into()),
            true => Err(closed()),
            false => Ok(()),
        }
    }

    /// # Errors
    /// `invalid_state` once the conversation is closed, `locked_elsewhere` for a follower.
    pub(crate) fn ensure_writable(&self) -> Result<()> {
        self.ensure_open()?;
        self.ensure_writer()
    }

    /// # Errors
    /// `locked_elsewhere` for a follower, and for a command that was asked of this handle before it was one.
    pub(crate) fn ensure_writer(&self) -> Result<()> {
        match self.access() {
            Access::Writer if !self.is_outdated() => Ok(()),
            _ => Err(Error::new(
                ErrorCode::LockedElsewhere,
                "another tab or handle writes this conversation; close it there, then open it here",
            )),
        }
    }

    /// The result of a commit. A refusal tells the host that another handle has taken the place of this one.
    pub(crate) fn unless_displaced<T>(&self, result: Result<T>) -> Result<T> {
        if let Err(error) = &result
            && error.code() == ErrorCode::LockedElsewhere
        {
            (self.0.on_displaced)();
        }
        result
    }
}

/// Removes the run from the page's state when dropped.
pub(crate) struct Running<'a>(&'a Shared);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let run = self.0.page.borrow_mut().end_run();
        // This wakes those who wait for the end of the run, so no cell may be borrowed any more.
        drop(run);
    }
}
