//! The event log and the base state, and the only way to change either (`log/writing.rs`).
//!
//! Invariant: the state in memory equals what the store has committed. A change is made on a copy, committed, and only
//! then becomes visible and is reported to listeners. A commit that fails changes nothing. A new conversation is stored by
//! its first commit: opening one and leaving it again leaves nothing in the store.

pub mod active_branch;
pub mod file_versions;
mod following;
pub mod repair;
pub mod warning;
mod writer;
mod writing;

use crate::{
    agent::NewEvent,
    context::{
        beginning::{SEARCHED, note_beginning},
        branches::Tree,
    },
    error::Result,
    event::Event,
    fair_mutex::{FairGuard, FairMutex},
    format::{base_state::BaseState, file_versions::CURRENT},
    host::Host,
    id::{ConversationId, EventId, StorePath},
    secret::Mask,
    skills::AgentContext,
    store::{Store, StoreError},
};
use active_branch::{ActiveBranch, BranchPart, load, load_end};
use file_versions::{FileVersions, LoadFileVersions};
use futures_util::future::LocalBoxFuture;
use repair::decode;
use std::{
    cell::{Cell, Ref, RefCell},
    rc::Rc,
};
use warning::{Warning, history_warnings};
use writer::Writer;

/// Called with every committed event, in order, while no cell is borrowed.
pub type Listener = Rc<dyn Fn(&Event)>;

/// What a log is opened with.
pub struct LogOptions {
    /// The conversation.
    pub id: ConversationId,
    /// The store that holds it.
    pub store: Rc<dyn Store>,
    /// The source of time and random numbers.
    pub host: Rc<dyn Host>,
    /// Called with every committed event.
    pub listener: Listener,
    /// Loads the code with which files follow HEAD, once they have versions.
    pub load_file_versions: LoadFileVersions,
}

/// The log of one open conversation.
pub struct EventLog {
    pub(crate) id: ConversationId,
    pub(crate) store: Rc<dyn Store>,
    pub(crate) host: Rc<dyn Host>,
    /// Removes secrets from all events except those of the user.
    pub(crate) mask: Mask,
    /// Adds what skills say about a path to the results of calls that name it.
    pub(crate) context: Option<Rc<dyn AgentContext>>,
    /// The log of the conversation above whose files calls change, and its `created_at`.
    pub(crate) owner: Option<(Rc<EventLog>, f64)>,
    listener: Listener,
    commits: FairMutex,
    state: RefCell<BaseState>,
    length: Cell<u64>,
    /// Milliseconds since the epoch. Together with the id it identifies the conversation, as an id can be used again. `None`
    /// until the first commit, which stores the conversation.
    created_at: Cell<Option<f64>>,
    writer: Writer,
    head: RefCell<Option<EventId>>,
    branch: RefCell<Option<ActiveBranch>>,
    /// Problems of the active branch.
    damage: RefCell<Vec<Warning>>,
    /// See [`EventLog::hold`].
    held: RefCell<Vec<NewEvent>>,
    /// Held while files change, as their versions depend on what they were.
    pub(crate) files: FairMutex,
    load_file_versions: LoadFileVersions,
    /// The paths of files that moves of HEAD have changed, each in a line, for the page.
    pub(crate) moved_files: RefCell<String>,
    /// The tree of the events that have been read for lists of branches.
    pub(crate) tree: RefCell<Tree>,
}

impl EventLog {
    /// The log of a conversation. `head` is the event that `state` names, or the default one if it names
    /// none. Without a time at which it was created, the conversation is not stored yet.
    pub fn new(
        LogOptions { id, store, host, listener, load_file_versions }: LogOptions,
        state: BaseState,
        (length, created_at): (u64, Option<f64>),
        writer: Option<u64>,
        head: Option<EventId>,
    ) -> Self {
        Self {
            id,
            store,
            host,
            listener,
            load_file_versions,
            mask: Mask::default(),
            context: None,
            owner: None,
            commits: FairMutex::default(),
            state: RefCell::new(state),
            length: Cell::new(length),
            created_at: Cell::new(created_at),
            writer: Writer::of_another(writer),
            head: RefCell::new(head),
            branch: RefCell::new(None),
            damage: RefCell::default(),
            held: RefCell::default(),
            files: FairMutex::default(),
            moved_files: RefCell::default(),
            tree: RefCell::default(),
        }
    }

    /// Whether the conversation is stored, which its first commit does.
    pub fn is_stored(&self) -> bool {
        self.created_at.get().is_some()
    }

    /// Changes what the next commit of the base state will store: for what is derived, and for a conversation that is not
    /// stored yet.
    pub fn amend(&self, edit: &mut dyn FnMut(&mut BaseState)) {
        edit(&mut self.state.borrow_mut());
    }

    /// Derives the beginning of the first message where an earlier version has stored none. The next commit stores it.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn find_beginning(&self) -> Result<()> {
        if self.length() > 0 && self.state().beginning().is_none() {
            let events = self.store.events(self.id, 0..SEARCHED).await?;
            let events: Vec<Event> = events.iter().map(decode).collect();
            self.amend(&mut |state| note_beginning(state, &*self.host, 0, &events));
        }
        Ok(())
    }

    /// The paths of the files in a folder, from a list that contains them or from the store.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn files_in(&self, folder: &str, listed: Option<Vec<StorePath>>) -> Result<Vec<StorePath>> {
        let folder = folder.parse()?;
        Ok(match listed {
            Some(paths) => paths.into_iter().filter(|path| path.is_below(Some(&folder))).collect(),
            None => self.store.files(self.id, Some(&folder)).await?,
        })
    }

    /// The base state as last committed, or as the first commit will store it.
    pub fn state(&self) -> Ref<'_, BaseState> {
        self.state.borrow()
    }

    /// The number of events.
    pub fn length(&self) -> u64 {
        self.length.get()
    }

    /// The event that the next one follows.
    pub fn head(&self) -> Option<EventId> {
        self.head.borrow().clone()
    }

    /// A new event id.
    pub fn new_id(&self) -> EventId {
        EventId::from(self.host.random_uuid())
    }

    /// Problems of the active branch; empty until it has been read.
    pub fn damage(&self) -> Vec<Warning> {
        self.damage.borrow().clone()
    }

    /// The right to commit, given in the order of the calls. Dropping the guard passes it on.
    pub async fn lock(&self) -> FairGuard {
        self.commits.lock().await
    }

    /// Loads this part of the active branch, if it is not loaded. Commits update it from then on.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn load_branch(&self, _lock: &FairGuard, part: BranchPart) -> Result<()> {
        if self.has(part) {
            return Ok(());
        }
        let branch = match part {
            BranchPart::End => load_end(&*self.store, self.id, self.head()).await?,
            BranchPart::All => {
                let loaded = load(&*self.store, self.id, self.head(), usize::MAX).await?;
                let mut warnings = history_warnings(&loaded);
                warnings.extend(repair::cut_off_beginning(&*self.store, self.id, &loaded).await?);
                *self.damage.borrow_mut() = warnings;
                ActiveBranch::of(&loaded.events, part)
            }
        };
        *self.branch.borrow_mut() = Some(branch);
        Ok(())
    }

    /// Whether this part of the active branch is loaded.
    pub fn has(&self, part: BranchPart) -> bool {
        self.branch.borrow().as_ref().is_some_and(|branch| branch.has(part))
    }

    /// Lets the active branch be loaded again when it is needed.
    pub fn forget_branch(&self) {
        *self.branch.borrow_mut() = None;
    }

    /// Reads the active branch.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn read<T>(&self, read: impl FnOnce(&ActiveBranch) -> T) -> Result<T> {
        self.ensure_loaded(BranchPart::All).await?;
        Ok(self.with_branch(read))
    }

    /// Loads this part of the active branch.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn ensure_loaded(&self, part: BranchPart) -> Result<()> {
        if self.has(part) {
            return Ok(());
        }
        // The lock is needed because a commit during the loading would be missed.
        self.load_branch(&self.lock().await, part).await
    }

    /// Reads the active branch, which has no events if it is not loaded.
    pub fn with_branch<T>(&self, read: impl FnOnce(&ActiveBranch) -> T) -> T {
        match &*self.branch.borrow() {
            Some(branch) => read(branch),
            None => read(&ActiveBranch::of(&[], BranchPart::All)),
        }
    }

    /// Adds answers to calls to the next successful commit. So the result of a call is not lost if a commit fails, for
    /// example because the storage is full.
    pub fn hold(&self, answers: Vec<NewEvent>) {
        self.held.borrow_mut().extend(answers);
    }

    /// Drops the answers that wait for the next commit, and the branch in memory, which they may be about.
    pub fn forget_held(&self) {
        self.held.borrow_mut().clear();
        self.forget_branch();
    }

    /// Whether answers wait for the next commit.
    pub fn has_held(&self) -> bool {
        !self.held.borrow().is_empty()
    }

    /// Whether an answer to this call waits for the next commit.
    pub fn holds_answer_to(&self, tool_call_id: &str) -> bool {
        self.held.borrow().iter().any(|answer| answer.body.answered_call() == Some(tool_call_id))
    }

    /// Checks that the conversation is still stored. A caller that writes need not: the commit would fail.
    ///
    /// # Errors
    /// `store_lost`, and those of the store.
    pub async fn ensure_exists(&self) -> Result<()> {
        match self.store.load(self.id).await? {
            Some(_) => Ok(()),
            None => Err(StoreError::Lost.into()),
        }
    }

    /// The code for versions of files, if a commit needs it: one that changes files, or that moves HEAD where there are
    /// versions.
    pub(crate) fn file_versions(
        &self,
        changes_files: bool,
        moves_head: bool,
    ) -> LocalBoxFuture<'_, Result<Option<Rc<dyn FileVersions>>>> {
        Box::pin(async move {
            let follows = moves_head && self.store.read_file(self.id, &CURRENT.parse()?).await?.is_some();
            match changes_files || follows {
                true => (self.load_file_versions)().await.map(Some),
                false => Ok(None),
            }
        })
    }

    /// The identity of the conversation, for [`EventLog::owner`] of another one; `None` until it is stored.
    pub fn identity(&self) -> Option<(ConversationId, f64)> {
        Some((self.id, self.created_at.get()?))
    }
}
