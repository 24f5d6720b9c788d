//! Does what a conversation is told: one command after the other, in the order in which they came. A command is applied
//! to the state that the one before it has left, is stored, and only then is anybody told.

use super::{
    Access, Conversation, closed,
    limits::Used,
    machine::{Calls, Command, Effect, Machine, Next, Phase, Plan, calls::InPage, next::Progress},
    stuck_detector::{Finding, find},
};
use crate::{
    agent::Draft,
    cancel::CancelToken,
    error::{Error, ErrorCode, Result},
    event::{Event, Source, SystemPromptEvent},
    fair_mutex::FairGuard,
    format::base_state::BaseState,
    llm::message::Content,
    tool::record_of_tool,
};

impl Conversation {
    /// Does a command when it is its turn. Returns the events that it appended.
    pub(super) async fn perform(&self, command: Command) -> Result<Vec<Event>> {
        let queue = self.0.log.queue().await;
        self.perform_now(&queue, command).await
    }

    /// Does a command whose turn it is.
    pub(super) async fn perform_now(&self, queue: &FairGuard, command: Command) -> Result<Vec<Event>> {
        if command.is_of_the_user() {
            self.writable()?;
        }
        if let Err(error) = self.0.log.load_branch(queue).await
            // That it failed is written down even where the history cannot be read.
            && !matches!(command, Command::Fail { .. })
        {
            return Err(error);
        }
        let (state, plan) = self.with_machine(|mut machine| {
            let plan = machine.apply(command)?;
            Ok::<_, Error>((machine.state, plan))
        })?;
        self.commit(queue, state, plan).await
    }

    /// Stores what does not depend on where the calls stand, when it is its turn.
    pub(super) async fn store(&self, plan: Plan, edit: &mut dyn FnMut(&mut BaseState)) -> Result<Vec<Event>> {
        let queue = self.0.log.queue().await;
        let mut state = self.state().clone();
        edit(&mut state);
        self.commit(&queue, state, plan).await
    }

    /// Appends events, whatever the conversation is doing.
    pub(super) async fn append(&self, drafts: Vec<Draft>) -> Result<()> {
        self.store(Plan::append(drafts), &mut |_| {}).await.map(drop)
    }

    /// Stores a plan and the state that goes with it, and does its effects. What was spent is counted in the same
    /// transaction.
    pub(super) async fn commit(
        &self,
        queue: &FairGuard,
        mut state: BaseState,
        mut plan: Plan,
    ) -> Result<Vec<Event>> {
        let effects = std::mem::take(&mut plan.effects);
        let counted = self.count_spending(&mut state);
        let events = self.0.log.commit(queue, state, plan).await?;
        self.are_counted(&counted);
        let page = &mut *self.0.page.borrow_mut();
        page.unsaved_status = None;
        for effect in effects {
            match effect {
                Effect::Keep(message) => page.inbox.push(message),
                Effect::TakenIn(messages) => page.inbox.retain(|message| !messages.contains(message)),
            }
        }
        Ok(events)
    }

    /// Looks at where the conversation stands.
    pub(super) async fn look<T>(&self, look: impl FnOnce(Machine<'_>) -> T) -> Result<T> {
        self.0.log.read(|_| ()).await?;
        Ok(self.with_machine(look))
    }

    /// Decides what the run does next. It does that from now on: a message that comes has its place accordingly.
    /// `is_done` says that nobody denies that the agent is done.
    pub(super) async fn next(&self, cancel: &CancelToken, used: &Used, is_done: bool) -> Result<Next> {
        let queue = self.0.log.queue().await;
        self.0.log.load_branch(&queue).await?;
        let stuck = || match self.stuck_thresholds() {
            Some(thresholds) => self.0.log.with_branch(|branch| find(&branch.recent, &thresholds)),
            None => Finding::None,
        };
        let progress = Progress {
            is_cancelled: cancel.is_cancelled(),
            is_done,
            has_stepped: used.has_stepped(),
            limit: &|| self.limit_reached(used),
            stuck: &stuck,
        };
        let next = self.with_machine(|machine| machine.next(&progress));
        self.enter(match next {
            Next::AskModel => Phase::AsksModel,
            Next::RunCalls(_) => Phase::RunsTools,
            _ => Phase::Decides,
        });
        Ok(next)
    }

    /// The run does this now.
    pub(super) fn enter(&self, phase: Phase) {
        if let Some(run) = &mut self.0.page.borrow_mut().run {
            run.phase = phase;
        }
    }

    /// The branch has to be loaded.
    fn with_machine<T>(&self, act: impl FnOnce(Machine<'_>) -> T) -> T {
        let log = &self.0.log;
        let page = self.0.page.borrow();
        let state = self.state().clone();
        let in_page =
            InPage { begun: page.begun(), is_answered: &|tool_call_id| log.holds_answer_to(tool_call_id) };
        let (calls, is_empty) = log.with_branch(|branch| {
            (Calls::of(&branch.pending, &state, &in_page), branch.view.events().is_empty())
        });
        let llm = self.llm();
        let instructions = is_empty.then(|| self.instructions(&state));
        act(Machine { state, calls, page: &page, agent: &self.0.agent, llm: &llm, instructions })
    }

    /// The instructions come first in the log, and only there: in the middle of a history they would be lost on
    /// the SDK and refused by providers.
    fn instructions(&self, state: &BaseState) -> Draft {
        let agent = &self.0.agent;
        // A conversation that was made elsewhere, or by an earlier page, may have instructions that were never given.
        let stored = state.agent().and_then(|agent| agent.field::<String>("system_prompt"));
        let event = SystemPromptEvent {
            system_prompt: Content::text(stored.unwrap_or_else(|| agent.system_prompt.to_string())),
            tools: agent.tools.iter().map(|tool| record_of_tool(tool.definition())).collect(),
            dynamic_context: None,
        };
        Draft::new(Source::Agent, event)
    }

    pub(super) fn still_open(&self) -> Result<()> {
        if self.0.page.borrow().is_closed { Err(closed()) } else { Ok(()) }
    }

    /// Whether this handle may write.
    ///
    /// # Errors
    /// `invalid_state` once it is closed, `locked_elsewhere`.
    pub(super) fn writable(&self) -> Result<()> {
        self.still_open()?;
        match self.0.access {
            Access::Writer => Ok(()),
            Access::Follower => Err(Error::new(
                ErrorCode::LockedElsewhere,
                "this conversation is open for writing in another tab or handle; close it there, then open it again",
            )),
        }
    }
}
