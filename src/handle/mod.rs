//! An open conversation: what a page has of it in memory, and its commands, carried out one after the other. What it can do is in
//! `features`, `run` and `conversation`.
//!
//! Everything shown or sent is derived from events; only [`EventLog::write`] stores them.

mod asked;
pub mod condensing;
mod driver;
mod files;
pub mod live;
pub mod secrets;
pub mod settings;
pub mod stats;
pub mod warning;

pub use settings::Changing;
pub use stats::TotalUsage;

use crate::{
    agent::Agent,
    cancel::CancelToken,
    error::{Error, ErrorCode, Result},
    fair_mutex::FairMutex,
    format::base_state::{BaseState, ExecutionStatus},
    hooks::Hooks,
    id::{ConversationId, EventId},
    llm::{Delta, Llm, files::Files},
    log::{EventLog, warning::Warning},
    machine::{Page, Resume, RunLimits},
    security::SecurityAnalyzer,
    store::Found,
    wasm_file::LoadFile,
};
use asked::AskedCommand;
use live::Reported;
use stats::Spending;
use std::{
    cell::{Cell, Ref, RefCell},
    ops::Deref,
    rc::Rc,
};

/// Called with every piece of a streamed answer, and the id of the event that the answer begins with once it is stored.
pub type OnDelta = Rc<dyn Fn(&EventId, Delta)>;

/// An open conversation. Clones are the same conversation.
#[derive(Clone)]
pub struct Conversation(pub(crate) Rc<Handle>);

/// A handle of a conversation.
pub(crate) struct Handle {
    pub(crate) shared: Rc<Shared>,
    /// The command of another handle, if this one carries it out ([`Conversation::asked`]).
    pub(crate) asked: Option<AskedCommand>,
}

impl Deref for Handle {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

pub(crate) struct Shared {
    pub(crate) log: Rc<EventLog>,
    pub(crate) agent: Agent,
    /// The current model: the agent's own until [`Conversation::switch_llm`].
    pub(crate) llm: RefCell<Rc<Llm>>,
    pub(crate) access: Cell<Access>,
    /// The number of times that another handle has taken this one's place.
    pub(crate) displaced: Cell<u32>,
    /// The treatment of a draft that another page has left when it died.
    pub(crate) resume: Resume,
    /// Called when a commit was refused because another handle has taken this one's place.
    pub(crate) on_displaced: Rc<dyn Fn()>,
    /// Runs security analyzers other than the model itself.
    pub(crate) security_analyzer: Option<Rc<dyn SecurityAnalyzer>>,
    pub(crate) hooks: Option<Rc<dyn Hooks>>,
    pub(crate) limits: Cell<RunLimits>,
    pub(crate) on_delta: OnDelta,
    pub(crate) on_commit: Rc<dyn Fn(&str)>,
    pub(crate) reported: RefCell<Reported>,
    /// Loads the file of the wasm with which a run condenses, and may wait for the network.
    pub(crate) load_file: Option<LoadFile>,
    pub(crate) files: Option<Rc<Files>>,
    /// In-memory state of this page, such as the current run.
    pub(crate) page: RefCell<Page>,
    /// The cost of all answers, including failed and cancelled ones.
    pub(crate) spending: RefCell<Spending>,
    pub(crate) warnings: RefCell<Vec<Warning>>,
    /// Taken by a method that reads before it commits, until it has, so that none that is called later overtakes it.
    pub(crate) turns: FairMutex,
    /// Taken by the call that may change files of the conversation; shared by those that work on the same files.
    pub(crate) file_changes: FairMutex,
    /// Cancelled once the conversation is closed.
    pub(crate) closed: CancelToken,
}

/// Whether this handle may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// This handle holds the conversation's lock.
    Writer,
    /// Another tab or handle holds the lock; this one can only read.
    Follower,
}

impl Conversation {
    /// The conversation's id.
    pub fn id(&self) -> ConversationId {
        self.0.log.id
    }

    /// Whether this handle may write.
    pub fn access(&self) -> Access {
        self.0.access.get()
    }

    /// The base state as last committed.
    pub fn state(&self) -> Ref<'_, BaseState> {
        self.0.log.state()
    }

    /// The title that lists and views show: the tag, or else the beginning of the first message of the user.
    pub fn title(&self) -> Option<String> {
        self.state().shown_title()
    }

    /// The current status. Differs from the stored one only where a failure status could not be stored.
    pub fn execution_status(&self) -> ExecutionStatus {
        self.0.page.borrow().unsaved_status.unwrap_or_else(|| self.state().execution_status())
    }

    /// Problems found when opening, and problems in the history. The latter appear once something has read the history,
    /// which opening does not do.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.0.warnings.borrow().clone();
        warnings.append(&mut self.0.log.damage());
        warnings
    }

    /// Whether the conversation is stored: a new one is not before its first commit.
    pub fn is_stored(&self) -> bool {
        self.0.log.is_stored()
    }

    /// The state in which the store found its database when it was opened.
    pub fn found(&self) -> Found {
        self.0.log.store.found()
    }

    /// The number of events in the log.
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
            self.0.log.ensure_exists().await?;
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

    /// The id of the event at this index, taken from its file name.
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
}

pub(crate) fn closed() -> Error {
    Error::new(ErrorCode::InvalidState, "the conversation is closed; open it again")
}
