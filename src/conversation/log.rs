//! The event log and the base state, and the only way to change either.
//!
//! Invariant: the state in memory equals what the store has committed. A change is made on a copy, committed, and only
//! then becomes visible and is reported to listeners. A commit that fails changes nothing. A new conversation is stored by
//! its first commit: opening one and leaving it again leaves nothing in the store.

mod following;

use super::{
    Conversation,
    active_branch::{ActiveBranch, Part, RECENT, load, load_end, walk_back},
    file_versions::{FileVersions, FilesChange, LoadFileVersions},
    machine::{HeadMove, Plan},
    open::OpenOptions,
    repair::{self, decode},
    warning::{Warning, history_warnings},
    writer::Writer,
};
use crate::{
    agent::Draft,
    context::{
        beginning::{SEARCHED, note_beginning},
        branch,
        branches::Tree,
    },
    error::Result,
    event::{Body, Event, Head, Source},
    fair_mutex::{FairGuard, FairMutex},
    format::{
        base_state::BaseState,
        file_versions::{CURRENT, Moment, has_versions},
        tree::{Leaf, becomes_head},
    },
    host::Host,
    id::{ConversationId, EventId},
    secret::Mask,
    skills::AgentContext,
    store::{Commit, Durability, FileChanges, FilesOf, Store, StoreError},
    tool::FileChange,
};
use futures_util::future::LocalBoxFuture;
use std::{
    cell::{Cell, Ref, RefCell},
    rc::Rc,
};

/// Called with every committed event, in order, while no cell is borrowed.
pub type Listener = Rc<dyn Fn(&Event)>;

/// The log of one open conversation.
pub struct EventLog {
    pub(super) id: ConversationId,
    pub(super) store: Rc<dyn Store>,
    pub(super) host: Rc<dyn Host>,
    /// Removes secrets from all events except those of the user.
    pub(super) mask: Mask,
    /// Adds rules of skills to results.
    pub(super) context: Option<Rc<dyn AgentContext>>,
    /// The conversation above whose files calls change, and its `created_at`.
    pub(super) owner: Option<(Conversation, f64)>,
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
    held: RefCell<Vec<Draft>>,
    /// Held while files change, as their versions depend on what they were.
    pub(super) files: FairMutex,
    load_file_versions: LoadFileVersions,
    /// The paths of files that moves of HEAD have changed, each in a line, for the page.
    pub(super) moved_files: RefCell<String>,
    /// The tree of the events that have been read for [`super::Conversation::branches`].
    pub(super) tree: RefCell<Tree>,
}

/// A move of HEAD in a commit, for the branch in memory.
struct Moved {
    /// The number of events before it.
    after: usize,
    /// See [`EventLog::way_to`]; `None` if HEAD moves before the first event.
    way: Option<(EventId, Vec<Event>)>,
}

/// The events of a commit.
struct Placed {
    events: Vec<Event>,
    /// HEAD after them.
    head: Option<EventId>,
    /// The first of them that comes with files, if one does. All files of the commit are stored with it.
    changed_files: Option<Moment>,
}

impl EventLog {
    /// The log of the conversation of these options. `head` is the event that `state` names, or the default one if it names
    /// none. Without a time at which it was created, the conversation is not stored yet.
    pub fn new(
        options: &OpenOptions,
        state: BaseState,
        (length, created_at): (u64, Option<f64>),
        writer: Option<u64>,
        head: Option<EventId>,
    ) -> Self {
        Self {
            id: options.id,
            store: options.store.clone(),
            host: options.host.clone(),
            listener: options.listener.clone(),
            load_file_versions: options.load_file_versions.clone(),
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
    pub fn prepare(&self, edit: &mut dyn FnMut(&mut BaseState)) {
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
            self.prepare(&mut |state| note_beginning(state, &*self.host, 0, &events));
        }
        Ok(())
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
    pub async fn queue(&self) -> FairGuard {
        self.commits.lock().await
    }

    /// Loads this part of the active branch, if it is not loaded. Commits update it from then on.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn load_branch(&self, _queue: &FairGuard, part: Part) -> Result<()> {
        if self.has(part) {
            return Ok(());
        }
        let branch = match part {
            Part::End => load_end(&*self.store, self.id, self.head()).await?,
            Part::All => {
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
    pub fn has(&self, part: Part) -> bool {
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
        self.ensure_loaded(Part::All).await?;
        Ok(self.with_branch(read))
    }

    /// Loads this part of the active branch.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn ensure_loaded(&self, part: Part) -> Result<()> {
        if self.has(part) {
            return Ok(());
        }
        // The queue is needed because a commit during the loading would be missed.
        self.load_branch(&self.queue().await, part).await
    }

    /// Reads the active branch, which has no events if it is not loaded.
    pub fn with_branch<T>(&self, read: impl FnOnce(&ActiveBranch) -> T) -> T {
        match &*self.branch.borrow() {
            Some(branch) => read(branch),
            None => read(&ActiveBranch::of(&[], Part::All)),
        }
    }

    /// Adds answers to calls to the next successful commit. So the result of a call is not lost if a commit fails, for
    /// example because the storage is full.
    pub fn hold(&self, answers: Vec<Draft>) {
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

    /// Stores a plan together with this state, and returns the appended events. Does not write if nothing has changed. The
    /// first commit of a new conversation stores it. `is_stored` is called before listeners hear of the events.
    ///
    /// # Errors
    /// Those of the store; nothing has changed then, and the answers in `plan.held` go into the next commit.
    pub async fn commit(
        &self,
        _queue: &FairGuard,
        mut state: BaseState,
        mut plan: Plan,
        is_stored: &mut dyn FnMut(),
    ) -> Result<Vec<Event>> {
        self.hold(plan.held);
        let held = self.held.borrow().len();
        let mut drafts = self.held.borrow().clone();
        drafts.append(&mut plan.drafts);
        let expected_length = self.length.get();
        let start = plan.truncate_to.unwrap_or(expected_length);
        let head_move =
            plan.head_move.map(|head_move| HeadMove { after: head_move.after + held, ..head_move });
        let moved = match &head_move {
            Some(HeadMove { after, to: Some(event), .. }) => {
                Some(Moved { after: *after, way: Some(self.way_to(event.clone()).await?) })
            }
            Some(HeadMove { after, to: None, .. }) => Some(Moved { after: *after, way: None }),
            None => None,
        };
        let files_follow = head_move.as_ref().filter(|head_move| head_move.files_follow);
        let files_at = files_follow.map(|head_move| head_move.to.clone());
        let has_moved = head_move.is_some() || plan.truncate_to.is_some();
        let Placed { events, head, changed_files } =
            self.place(drafts, head_move, start, &mut plan.files, &mut state)?;
        let length = start + events.len() as u64;
        let has_changed = state != *self.state.borrow();
        let changes_log = !events.is_empty() || plan.truncate_to.is_some() || !plan.files.is_empty();
        if !has_changed && !changes_log {
            is_stored();
            return Ok(events);
        }
        let changes_files = plan.files.iter().any(|file| has_versions(&file.path));
        let (mut files, mut owner_files) = (Vec::new(), Vec::new());
        for FileChange { path, content, is_owners } in plan.files {
            if is_owners { &mut owner_files } else { &mut files }.push((path, content));
        }
        let (created_at, at) = (self.created_at.get(), self.host.now());
        let writer = self.writer.next(has_changed);
        let mut change = FilesChange {
            files,
            owner_files,
            goes_to: files_at,
            before: Moment { event: self.head(), length: expected_length },
            after: changed_files.unwrap_or_else(|| Moment { event: head.clone(), length }),
            ..FilesChange::default()
        };
        if let Some(versions) = self.file_versions(changes_files, has_moved).await? {
            versions.record(self, &mut change).await?;
        }
        self.store_first_or_next(Commit {
            expected_length,
            created_at,
            writer,
            truncate_to: plan.truncate_to,
            events: events.iter().map(|event| (event.id().clone(), event.json().clone())).collect(),
            base_state: (has_changed || created_at.is_none()).then(|| state.json()),
            files: std::mem::take(&mut change.files),
            files_of: self.files_of(std::mem::take(&mut change.owner_files)),
            at,
            durability: plan.durability,
        })
        .await?;
        self.created_at.set(created_at.or(Some(at)));
        self.writer.has_stored(writer);
        self.held.borrow_mut().drain(..held);
        *self.state.borrow_mut() = state;
        self.length.set(length);
        *self.head.borrow_mut() = head;
        self.moved_files.borrow_mut().push_str(&change.moved);
        drop(change);
        self.extend_branch(&events, moved);
        is_stored();
        for event in &events {
            (self.listener)(event);
        }
        Ok(events)
    }

    /// Commits. In the way of the first commit may be what an import or a copy has left that has died: without a base state it is
    /// no conversation, and is removed.
    async fn store_first_or_next(&self, commit: Commit) -> Result<()> {
        if commit.created_at.is_some() {
            return Ok(self.store.commit(self.id, commit).await?);
        }
        match self.store.commit(self.id, commit.clone()).await {
            Err(StoreError::Conflict { .. }) if self.store.load(self.id).await?.is_none() => {
                self.store.delete(self.id).await?;
                Ok(self.store.commit(self.id, commit).await?)
            }
            stored => Ok(stored?),
        }
    }

    /// Stores files that are no part of what the conversation is, such as a draft: its log, its state and its times stay as
    /// they are, so that the cost depends on the files only.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) async fn store_beside(&self, _queue: &FairGuard, files: FileChanges) -> Result<()> {
        let writer = self.writer.next(false);
        let commit = Commit {
            created_at: self.created_at.get(),
            writer,
            files,
            durability: Durability::Relaxed,
            ..Commit::new(self.length.get(), 0.0)
        };
        self.store.commit(self.id, commit).await?;
        self.writer.has_stored(writer);
        Ok(())
    }

    /// The code for versions of files, if a commit needs it: one that changes files, or that moves HEAD where there are
    /// versions.
    pub(super) fn file_versions(
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

    /// Makes events of drafts, places them in the tree from number `start` on, and notes in the state what follows from
    /// them. Their files are added to `files`.
    fn place(
        &self,
        drafts: Vec<Draft>,
        mut head_move: Option<HeadMove>,
        start: u64,
        files: &mut Vec<FileChange>,
        state: &mut BaseState,
    ) -> Result<Placed> {
        let mut changed_files = None;
        let mut head = self.head();
        let mut length = start;
        let mut events = Vec::with_capacity(drafts.len());
        for (place, mut draft) in drafts.into_iter().enumerate() {
            if let Some(HeadMove { to, .. }) = head_move.take_if(|head_move| head_move.after == place) {
                head = to;
            }
            if let (Some(context), Body::ObservationEvent(observation)) = (&self.context, &mut draft.body) {
                self.with_branch(|branch| {
                    let is_answered = |action: &&Event| action.id().as_str() == observation.action_id;
                    let action = branch.pending.iter().find(is_answered);
                    context.extend_observation(observation, action, state);
                });
            }
            let has_files = draft.files.iter().any(|file| !file.is_owners && has_versions(&file.path));
            files.append(&mut draft.files);
            let event = self.event_of(draft, head.as_ref(), length)?;
            if becomes_head(event.kind()) {
                head = Some(event.id().clone());
            }
            if event.source() == Source::User && matches!(event.body(), Body::MessageEvent(_)) {
                state.set_last_user_message_id(Some(event.id()));
                note_beginning(state, &*self.host, length, [&event]);
            }
            length += 1;
            if has_files && changed_files.is_none() {
                changed_files = Some(Moment { event: Some(event.id().clone()), length });
            }
            events.push(event);
        }
        match head_move {
            Some(HeadMove { to, .. }) => {
                head = to;
                state.note_head_move(head.as_ref().map(|head| (head, length)));
            }
            None if head == self.head() => {}
            None => state.note_head_move(None),
        }
        if head != self.head() || length > 0 {
            state.set_leaf(&head.clone().map_or(Leaf::Empty, Leaf::Event));
        }
        Ok(Placed { events, head, changed_files })
    }

    /// Brings the loaded branch to where a commit has moved HEAD, and appends the events behind that.
    fn extend_branch(&self, events: &[Event], moved: Option<Moved>) {
        let mut start = 0;
        if let Some(Moved { after, way }) = moved {
            start = after;
            let left = self.branch.take();
            let branch = match way {
                Some((event, way)) => left.and_then(|left| left.back_to(&event, &way)),
                None => Some(ActiveBranch::of(&[], Part::All)),
            };
            // Otherwise it is loaded when it is needed.
            self.branch.replace(branch);
        }
        if let Some(branch) = self.branch.borrow_mut().as_mut() {
            for event in events.iter().skip(start) {
                branch.push(event);
            }
        }
    }

    /// Changes of the owner's files, which only calls that have got its files make.
    fn files_of(&self, files: FileChanges) -> Option<FilesOf> {
        let (owner, created_at) = self.owner.as_ref().filter(|_| !files.is_empty())?;
        let writer = owner.0.log.writer.number();
        Some(FilesOf { conversation: owner.id(), created_at: *created_at, writer, files })
    }

    /// The identity of the conversation, for [`EventLog::owner`] of another one; `None` until it is stored.
    pub fn identity(&self) -> Option<(ConversationId, f64)> {
        Some((self.id, self.created_at.get()?))
    }

    /// The way to `root` from the recent event of the loaded branch where the two part, and that event. The way is empty
    /// and the event is `root` if it is far away or no branch is loaded.
    async fn way_to(&self, root: EventId) -> Result<(EventId, Vec<Event>)> {
        let is_recent =
            |event: &EventId| self.branch.borrow().as_ref().is_some_and(|branch| branch.is_recent(event));
        let mut parts_at = None;
        let mut way = Vec::new();
        let visit = &mut |_, event: Event| {
            if is_recent(event.id()) {
                parts_at = Some(event.id().clone());
                return false;
            }
            way.push(event);
            way.len() < RECENT
        };
        if self.has(Part::All) {
            walk_back(&*self.store, self.id, Some(root.clone()), visit).await?;
        }
        Ok(match parts_at {
            Some(event) => (event, way),
            None => (root, Vec::new()),
        })
    }

    /// The event of a draft that follows `head` at place `length`, without secrets.
    fn event_of(&self, draft: Draft, head: Option<&EventId>, length: u64) -> Result<Event> {
        let head = Head {
            id: draft.id.unwrap_or_else(|| self.new_id()),
            timestamp: draft.timestamp.unwrap_or_else(|| self.host.local_time()),
            source: draft.source,
            parent: branch::parent_for_next(head, length == 0),
        };
        let event = Event::new(head, draft.body)?;
        if draft.source == Source::User {
            return Ok(event);
        }
        Ok(match self.mask.event(event.json()) {
            Some(json) => Event::decode(event.id().clone(), json.into()),
            None => event,
        })
    }
}
