//! The only way from a conversation to its store, in four steps.
//!
//! The first two find out what the commit is and change nothing. After the third it is stored, and the fourth takes it over
//! into memory. If a step fails, nothing has changed.

use super::{
    EventLog,
    active_branch::{ActiveBranch, BranchPart, RECENT, walk_back},
    file_versions::FilesChange,
};
use crate::{
    agent::NewEvent,
    context::{beginning::note_beginning, branch},
    error::Result,
    event::{Body, Event, Head, Source},
    fair_mutex::FairGuard,
    format::{
        file_versions::{Moment, has_versions},
        tree::{Leaf, becomes_head},
    },
    id::EventId,
    machine::{Change, HeadMove, undecided::forget_imported_time},
    store::{Commit, FileChanges, FilesOf, StoreError},
    tool::FileChange,
};

/// A move of HEAD in a commit, for the branch in memory.
struct Moved {
    /// The number of events before it.
    after: usize,
    /// See [`EventLog::way_to`]; `None` if HEAD moves before the first event.
    way: Option<(EventId, Vec<Event>)>,
}

/// A change on its way to the store.
struct Writing {
    change: Change,
    /// The number of answers at its beginning that have waited for a commit.
    held: usize,
    moved: Option<Moved>,
    events: Vec<Event>,
    /// The length of the log after them.
    length: u64,
    /// HEAD after them.
    head: Option<EventId>,
    /// The first of them that comes with files, if one does. All files of the commit are stored with it.
    changed_files: Option<Moment>,
    changes_state: bool,
}

impl EventLog {
    /// Stores a change, and returns the appended events. Does not write if nothing has changed. The first commit of a new
    /// conversation stores it. `is_stored` is called before listeners hear of the events.
    ///
    /// # Errors
    /// Those of the store; nothing has changed then, and the answers in `change.held` go into the next commit.
    pub async fn write(
        &self,
        _lock: &FairGuard,
        change: Change,
        is_stored: &mut dyn FnMut(),
    ) -> Result<Vec<Event>> {
        let mut writing = self.prepare(change).await?;
        self.place(&mut writing)?;
        if writing.is_empty() {
            is_stored();
            return Ok(writing.events);
        }
        self.store(&mut writing).await?;
        Ok(self.adopt(writing, is_stored))
    }

    /// Adds the answers that wait for a commit, and finds the way to where HEAD moves.
    async fn prepare(&self, mut change: Change) -> Result<Writing> {
        self.hold(std::mem::take(&mut change.held));
        let mut events = Vec::new();
        if change.state.is_some() {
            events.clone_from(&*self.held.borrow());
        }
        let held = events.len();
        events.append(&mut change.events);
        change.events = events;
        let mut moved = None;
        if let Some(head_move) = &mut change.head_move {
            head_move.after += held;
            let way = match &head_move.to {
                Some(event) => Some(self.way_to(event.clone()).await?),
                None => None,
            };
            moved = Some(Moved { after: head_move.after, way });
        }
        Ok(Writing {
            held,
            moved,
            events: Vec::new(),
            length: change.truncate_to.or(change.stored_length).unwrap_or(self.length()),
            head: self.head(),
            changed_files: None,
            changes_state: false,
            change,
        })
    }

    /// Makes the new events, gives them their places in the tree, and notes in the state what follows from them.
    fn place(&self, writing: &mut Writing) -> Result<()> {
        let Writing { change, events, length, head, changed_files, changes_state, .. } = writing;
        let Some(state) = &mut change.state else { return Ok(()) };
        let mut head_move = change.head_move.as_ref();
        for (place, mut new_event) in std::mem::take(&mut change.events).into_iter().enumerate() {
            if let Some(HeadMove { to, .. }) = head_move.take_if(|head_move| head_move.after == place) {
                head.clone_from(to);
            }
            if let (Some(context), Body::ObservationEvent(observation)) = (&self.context, &mut new_event.body)
            {
                self.with_branch(|branch| {
                    let is_answered = |action: &&Event| action.id().as_str() == observation.action_id;
                    let action = branch.pending.iter().find(is_answered);
                    context.extend_observation(observation, action, state);
                });
            }
            let has_files = new_event.files.iter().any(|file| !file.is_owners && has_versions(&file.path));
            change.files.append(&mut new_event.files);
            let event = self.event_of(new_event, head.as_ref(), *length)?;
            if becomes_head(event.kind()) {
                *head = Some(event.id().clone());
            }
            if event.source() == Source::User && matches!(event.body(), Body::MessageEvent(_)) {
                state.set_last_user_message_id(Some(event.id()));
                note_beginning(state, &*self.host, *length, [&event]);
            }
            *length += 1;
            if has_files && changed_files.is_none() {
                *changed_files = Some(Moment { event: Some(event.id().clone()), length: *length });
            }
            events.push(event);
        }
        match head_move {
            Some(HeadMove { to, .. }) => {
                head.clone_from(to);
                state.note_head_move(head.as_ref().map(|head| (head, *length)));
            }
            None if *head == self.head() => {}
            None => state.note_head_move(None),
        }
        if *head != self.head() || *length > 0 {
            state.set_leaf(&head.clone().map_or(Leaf::Empty, Leaf::Event));
        }
        *changes_state = *state != *self.state();
        Ok(())
    }

    /// Stores the change in one transaction, with the versions of the files that it changes.
    async fn store(&self, writing: &mut Writing) -> Result<()> {
        let Writing { change, events, length, head, changed_files, changes_state, .. } = writing;
        let expected_length = change.stored_length.unwrap_or(self.length());
        let at = match &mut change.state {
            Some(state) if !change.keeps_time => {
                *changes_state |= forget_imported_time(state);
                self.host.now()
            }
            // The time of a conversation never goes back.
            _ => 0.0,
        };
        let (created_at, writer) = (self.created_at.get(), self.writer.next(*changes_state));
        let changes_files = change.files.iter().any(|file| has_versions(&file.path));
        let has_moved = change.head_move.is_some() || change.truncate_to.is_some();
        let files_follow = change.head_move.as_ref().filter(|head_move| head_move.files_follow);
        let mut files = FilesChange {
            goes_to: files_follow.map(|head_move| head_move.to.clone()),
            before: Moment { event: self.head(), length: self.length() },
            after: changed_files.take().unwrap_or_else(|| Moment { event: head.clone(), length: *length }),
            ..FilesChange::default()
        };
        for FileChange { path, content, is_owners } in std::mem::take(&mut change.files) {
            if is_owners { &mut files.owner_files } else { &mut files.files }.push((path, content));
        }
        if let Some(versions) = self.file_versions(changes_files, has_moved).await? {
            versions.record(self, &mut files).await?;
        }
        let state = change.state.as_ref().filter(|_| *changes_state || created_at.is_none());
        self.store_first_or_next(Commit {
            expected_length,
            created_at,
            writer,
            truncate_to: change.truncate_to,
            events: events.iter().map(|event| (event.id().clone(), event.json().clone())).collect(),
            base_state: state.map(|state| state.json()),
            files: std::mem::take(&mut files.files),
            files_of: self.files_of(std::mem::take(&mut files.owner_files)),
            at,
            durability: change.durability,
        })
        .await?;
        self.created_at.set(created_at.or(state.map(|_| at)));
        self.writer.has_stored(writer);
        self.moved_files.borrow_mut().push_str(&files.moved);
        Ok(())
    }

    /// Commits. In the way of the first commit may be what an import or a copy has left that has died: without a base state it is
    /// no conversation, and is removed.
    async fn store_first_or_next(&self, mut commit: Commit) -> Result<()> {
        let mut first = commit.created_at.is_none().then(|| commit.clone());
        loop {
            match (self.store.commit(self.id, commit).await, first.take()) {
                (Err(StoreError::Conflict { .. }), Some(again))
                    if self.store.load(self.id).await?.is_none() =>
                {
                    self.store.delete(self.id).await?;
                    commit = again;
                }
                (stored, _) => return Ok(stored?),
            }
        }
    }

    /// Takes over what is stored, and notifies the listeners.
    fn adopt(&self, writing: Writing, is_stored: &mut dyn FnMut()) -> Vec<Event> {
        let Writing { change, events, length, head, held, moved, .. } = writing;
        let Some(state) = change.state else { return events };
        self.held.borrow_mut().drain(..held);
        *self.state.borrow_mut() = state;
        self.length.set(length);
        *self.head.borrow_mut() = head;
        self.extend_branch(&events, moved);
        is_stored();
        for event in &events {
            (self.listener)(event);
        }
        events
    }

    /// Brings the loaded branch to where a commit has moved HEAD, and appends the events behind that.
    fn extend_branch(&self, events: &[Event], moved: Option<Moved>) {
        let mut start = 0;
        if let Some(Moved { after, way }) = moved {
            start = after;
            let left = self.branch.take();
            let branch = match way {
                Some((event, way)) => left.and_then(|left| left.back_to(&event, &way)),
                None => Some(ActiveBranch::of(&[], BranchPart::All)),
            };
            // If the way back is not known, there is no branch in memory, and it is loaded when it is needed.
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
        let writer = owner.writer.number();
        Some(FilesOf { conversation: owner.id, created_at: *created_at, writer, files })
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
        if self.has(BranchPart::All) {
            walk_back(&*self.store, self.id, Some(root.clone()), visit).await?;
        }
        Ok(match parts_at {
            Some(event) => (event, way),
            None => (root, Vec::new()),
        })
    }

    /// The new event that follows `head` at place `length`, without secrets.
    fn event_of(&self, new_event: NewEvent, head: Option<&EventId>, length: u64) -> Result<Event> {
        let head = Head {
            id: new_event.id.unwrap_or_else(|| self.new_id()),
            timestamp: new_event.timestamp.unwrap_or_else(|| self.host.local_time()),
            source: new_event.source,
            parent: branch::parent_for_next(head, length == 0),
        };
        let event = Event::new(head, new_event.body)?;
        if new_event.source == Source::User {
            return Ok(event);
        }
        Ok(match self.mask.event(event.json()) {
            Some(json) => Event::decode(event.id().clone(), json.into()),
            None => event,
        })
    }
}

impl Writing {
    /// Whether there is nothing to store. A change beside the log is stored even if it only claims the log.
    fn is_empty(&self) -> bool {
        let Change { state, truncate_to, files, .. } = &self.change;
        let changes_log = !self.events.is_empty() || truncate_to.is_some() || !files.is_empty();
        state.is_some() && !self.changes_state && !changes_log
    }
}
