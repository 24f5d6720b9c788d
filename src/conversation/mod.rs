//! Conversations: the SDK's verbs over one event log.
//!
//! Everything shown or sent is derived from events; only [`log::EventLog::commit`] writes them. The verbs are free
//! of browser types and run natively in tests.

pub mod base_state;

mod active_branch;
mod calls;
mod confirmation;
mod edit;
mod execute_tool;
mod hooks;
mod imported;
mod inbox;
mod kept_answer;
mod limits;
mod log;
mod open;
mod pending;
mod repair;
mod run;
mod secrets;
mod send;
mod stats;
pub mod status;
mod step;
mod stop;
pub mod stuck_detector;
mod switch_llm;
mod warning;

pub use imported::is_undecided;
pub use log::Listener;
pub use open::OpenOptions;
pub use run::RunOutcome;
pub use send::WaitingCalls;
pub use warning::{Warning, WarningCode};

use crate::oneshot;
use crate::{
    agent::Agent,
    cancel::CancelToken,
    conversation::base_state::{BaseState, ExecutionStatus},
    error::{Error, ErrorCode, Result, shown},
    event::{Event, RawJson},
    hooks::Hooks,
    id::{ConversationId, EventId},
    json::{FromJson as _, RawObject},
    llm::{Delta, Llm},
    security::SecurityAnalyzer,
    store::Found,
    turn::TurnLock,
};
use futures_util::future::{Either, LocalBoxFuture, select};
use log::{Change, EventLog};
use stats::Spending;
use std::{
    cell::{Cell, Ref, RefCell},
    pin::pin,
    rc::Rc,
};
use stuck_detector::StuckDetection;

/// What this library keeps in `agent_state`.
const OWN_STATE: &[&str] = &[
    pending::INTERRUPTED,
    pending::UNAPPROVED,
    pending::RISKS,
    pending::EDITED,
    confirmation::ALLOWED_TOOLS,
    repair::CONCURRENCY,
    kept_answer::KEPT_ANSWER,
];

/// An open conversation. Clones are the same conversation.
#[derive(Clone)]
pub struct Conversation(Rc<Shared>);

struct Shared {
    log: EventLog,
    agent: Agent,
    /// The model that answers: the agent's, until it is switched.
    llm: RefCell<Rc<Llm>>,
    access: Access,
    /// Runs the analyzers that are not the model's own word.
    security_analyzer: Option<Rc<dyn SecurityAnalyzer>>,
    hooks: Option<Rc<dyn Hooks>>,
    /// Whether the hook for the beginning of a session has been asked.
    has_session: Cell<bool>,
    max_iterations: u32,
    max_budget_per_run: Option<f64>,
    stuck_detection: Option<StuckDetection>,
    on_delta: Rc<dyn Fn(Delta)>,
    /// Held for each part of a step that must not be interleaved with other verbs.
    turn: TurnLock,
    /// Stops the run that is under way.
    running: RefCell<Option<CancelToken>>,
    /// Whether tools run, or a hook is asked, in whose time a message has no place.
    runs_tools: Cell<bool>,
    /// Whether the model is asked, behind whose answer a message has its place.
    asks_model: Cell<bool>,
    /// Dropped when tools begin.
    tools_begin: RefCell<Vec<oneshot::Sender<()>>>,
    /// The actions whose tools have begun, until their answers are held.
    under_way: RefCell<Vec<String>>,
    /// Whether a pause is being stored, so that nothing begins any more.
    is_pausing: Cell<bool>,
    /// Messages that arrived meanwhile.
    inbox: RefCell<Vec<Event>>,
    /// Dropped when the run ends.
    run_ends: RefCell<Vec<oneshot::Sender<()>>>,
    /// Shown instead of the stored status where that could not be written.
    unsaved_status: Cell<Option<ExecutionStatus>>,
    /// What answers have cost, also those that came to nothing.
    spending: RefCell<Spending>,
    warnings: Vec<Warning>,
    /// Whether it was made when it was opened.
    is_new: bool,
    is_closed: Cell<bool>,
    /// Cancelled when closing is over.
    closed: CancelToken,
}

/// Whether this handle may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It holds the conversation's lock.
    Writer,
    /// Another tab or handle does.
    Follower,
}

impl Conversation {
    /// Whose it is.
    pub fn id(&self) -> ConversationId {
        self.0.log.id
    }

    /// Whether this handle may write.
    pub fn access(&self) -> Access {
        self.0.access
    }

    /// `base_state.json` as last committed.
    pub fn state(&self) -> Ref<'_, BaseState> {
        self.0.log.state()
    }

    /// Where the conversation stands.
    pub fn execution_status(&self) -> ExecutionStatus {
        self.0.unsaved_status.get().unwrap_or_else(|| self.state().execution_status())
    }

    /// What could not be used or was set aside when it was opened, and what is wrong with its history. Opening does not
    /// read that: whatever needs the history does.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.0.warnings.clone();
        warnings.append(&mut self.0.log.damage());
        warnings
    }

    /// Whether it was made when it was opened, and what its store had found then.
    pub fn found(&self) -> (bool, Found) {
        (self.0.is_new, self.0.log.store.found())
    }

    /// How many events the log has.
    pub fn length(&self) -> u64 {
        self.0.log.length()
    }

    /// The exact JSON of the events in this range.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn events(&self, range: std::ops::Range<u64>) -> Result<Vec<Rc<str>>> {
        let range = range.start..range.end.min(self.length());
        let count = range.end.saturating_sub(range.start);
        let events = self.0.log.store.events(self.id(), range).await?;
        if (events.len() as u64) < count {
            self.0.log.must_be_there().await?;
        }
        Ok(events.into_iter().map(|event| event.json).collect())
    }

    /// The index of the first event with this id.
    ///
    /// # Errors
    /// `not_found`, and those of the store.
    pub async fn index_of(&self, event: &EventId) -> Result<u64> {
        let index = self.0.log.store.index_of(self.id(), event).await?;
        index.ok_or_else(|| {
            Error::new(ErrorCode::NotFound, format!("there is no event {event} in this conversation"))
        })
    }

    /// The id of the event at this index, as its file has it.
    ///
    /// # Errors
    /// `not_found`, and those of the store.
    pub async fn id_of(&self, index: u64) -> Result<EventId> {
        let events = self.0.log.store.events(self.id(), index..index.saturating_add(1)).await?;
        let event = events.into_iter().next().filter(|_| index < self.length());
        event.map(|event| event.id).ok_or_else(|| {
            Error::new(ErrorCode::NotFound, format!("there is no event {index} in this conversation"))
        })
    }

    /// The message of the last `finish`, or the model's last text.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn final_response(&self) -> Result<Option<String>> {
        self.0.log.read(|branch| step::final_response(branch.view.events())).await
    }

    /// Replaces the tags. Keys are lower-case letters and digits, values at most 256 characters: anything else
    /// would make `base_state.json` unreadable for the SDK.
    ///
    /// # Errors
    /// `invalid_options` naming the tag, `locked_elsewhere`, and those of the store.
    pub async fn set_tags(&self, tags: &[(String, String)]) -> Result<()> {
        self.writable()?;
        self.state().clone().set_tags(tags)?;
        let change = Change::edit(|state| {
            // Checked above.
            let _ = state.set_tags(tags);
        });
        self.append(change).await.map(drop)
    }

    /// Sets these values of `agent_state`, where `null` removes one, and leaves the others alone.
    ///
    /// # Errors
    /// `invalid_options` for a name under which this library keeps something itself, `locked_elsewhere`, and those of
    /// the store.
    pub async fn set_agent_state(&self, values: &RawObject) -> Result<()> {
        self.writable()?;
        if let Some((name, _)) = values.iter().find(|(name, _)| OWN_STATE.contains(name)) {
            let text = format!(
                "{} in agent_state is what threadkeep itself remembers; choose another name",
                shown(name)
            );
            return Err(Error::new(ErrorCode::InvalidOptions, text));
        }
        let change = Change::edit(|state| {
            for (name, value) in values.iter() {
                let value = Some(value).filter(|value| *value != "null").and_then(RawJson::from_json);
                state.set_in_agent_state(name, value.as_ref());
            }
        });
        self.append(change.strictly()).await.map(drop)
    }

    /// Stops a run, lets go of the log, and refuses everything from then on. What was committed stays. Waits for what
    /// the host gave, such as its store, for as long as that takes: see [`Conversation::let_go`].
    pub async fn close(&self) {
        loop {
            self.stop_run().await;
            self.end_session().await;
            let turn = self.turn_between_tools().await;
            // A run may have begun while the session ended.
            if turn.is_some() && self.0.running.borrow().is_none() {
                self.0.is_closed.set(true);
                break;
            }
        }
        // Whoever opens it next must not find it still being written.
        self.0.log.is_at_rest().await;
        self.let_go();
    }

    /// Closes it now. A commit that the store still has in hand fails for whoever opens the conversation next, or for
    /// this handle, which nobody asks any more.
    pub fn let_go(&self) {
        self.0.is_closed.set(true);
        self.0.closed.cancel();
    }

    /// What a verb gives. One that still waits for the host when the conversation is closed does so no longer.
    ///
    /// # Errors
    /// Those of the verb, and `invalid_state`.
    pub async fn until_closed<T>(&self, verb: LocalBoxFuture<'_, Result<T>>) -> Result<T> {
        if self.0.closed.is_cancelled() {
            return verb.await;
        }
        match select(verb, pin!(self.0.closed.cancelled())).await {
            Either::Left((given, _)) => given,
            Either::Right(_) => Err(closed()),
        }
    }

    fn still_open(&self) -> Result<()> {
        if self.0.is_closed.get() { Err(closed()) } else { Ok(()) }
    }

    fn writable(&self) -> Result<()> {
        self.still_open()?;
        match self.0.access {
            Access::Writer => Ok(()),
            Access::Follower => Err(Error::new(
                ErrorCode::LockedElsewhere,
                "this conversation is open for writing in another tab or handle; close it there, then open it again",
            )),
        }
    }

    async fn append(&self, change: Change<'_>) -> Result<Vec<Event>> {
        let events = self.0.log.commit(change).await?;
        self.0.unsaved_status.set(None);
        Ok(events)
    }
}

fn closed() -> Error {
    Error::new(ErrorCode::InvalidState, "the conversation is closed; open it again")
}
