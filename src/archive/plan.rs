//! Writes one conversation of an archive, and undoes it after a failure.

use super::{
    Archive, Claim, ImportOptions, Imported, Outcome,
    base_state::{self, ReadBaseState},
    comparison::Comparison,
    contents::{ArchiveFile, Conversation, Entry},
    invalid, limits, merged_state,
    quarantine::Quarantine,
    secrets::{is_searched, without_secrets},
    undecided::{LastEvent, mark},
    verify::{Verified, position},
    writing::{Failure, Source, Unreadable, Writing},
};
use crate::{
    context::beginning,
    error::{Error, ErrorCode, Result},
    event::Event,
    format::{
        base_state::{BEGINNING, BaseState},
        file_versions,
        layout::{BASE_STATE, nested_persistence_dir},
    },
    host::Host,
    id::{ConversationId, StorePath},
    store::{Commit, Durability, Listing, Store},
};
use std::{cell::Cell, rc::Rc};

/// The plan for the import of one conversation, and its progress.
pub struct Plan<'a> {
    archive: &'a dyn Archive,
    store: &'a dyn Store,
    host: &'a dyn Host,
    now: f64,
    conversation: &'a Conversation,
    /// The conversations in whose folders it is, the nearest first.
    ancestors: Vec<ConversationId>,
    verified: Verified,
    stored: Option<(Listing, Comparison)>,
    /// The change of the store that the plan makes.
    pub outcome: Outcome,
    /// The state to store where the stored one is kept; `None` if it does not change.
    merged: Option<BaseState>,
    /// The length of the stored log after the commits of this plan; `None` before its first commit.
    written: Cell<Option<u64>>,
    /// Held until everything is written or undone.
    claim: Option<Claim>,
}

impl<'a> Plan<'a> {
    /// The plan for a conversation, of which `stored` may exist already.
    pub async fn new<'o: 'a>(
        archive: &'a dyn Archive,
        store: &'a dyn Store,
        options: &ImportOptions<'o>,
        conversation: &'a Conversation,
        ancestors: Vec<ConversationId>,
        verified: Verified,
        stored: Option<(Listing, Comparison)>,
    ) -> Result<Self> {
        let mut plan = Self {
            archive,
            store,
            host: options.host,
            now: options.now,
            conversation,
            ancestors,
            verified,
            stored,
            outcome: Outcome::Created,
            merged: None,
            written: Cell::new(None),
            claim: None,
        };
        let Some((listing, comparison)) = &plan.stored else { return Ok(plan) };
        let from = listing.length;
        let has_new = comparison.new_events() > 0;
        let state = BaseState::of(plan.verified.id, &listing.base_state);
        let Some(state) = state.filter(|_| !(has_new && comparison.goes_on)) else {
            // The archive goes on from the stored HEAD, or the stored state cannot be read: the archive's state replaces it.
            plan.outcome = Outcome::Continued { from };
            return Ok(plan);
        };
        let merged = plan.merged_state(state, comparison).await?;
        let is_changed = *merged.json() != *listing.base_state;
        plan.outcome = if has_new || is_changed { Outcome::Merged { from } } else { Outcome::UpToDate };
        plan.merged = is_changed.then_some(merged);
        Ok(plan)
    }

    /// This stored state, with what the archive's has to add.
    async fn merged_state(&self, mut state: BaseState, comparison: &Comparison) -> Result<BaseState> {
        let theirs = self.read_base_state().await?.state;
        let is_only_there = |id: &str| comparison.is_only_in_archive(id);
        let wins = |ours: Option<&str>, theirs: Option<&str>| match (ours, theirs) {
            // An older copy knows nothing that the stored conversation does not.
            _ if comparison.is_older => false,
            (None, _) => true,
            (Some(_), None) => false,
            (Some(ours), Some(theirs)) => comparison.by_last_event.then(theirs.cmp(ours)).is_gt(),
        };
        merged_state::add(&mut state, &theirs, &is_only_there, &wins);
        if comparison.new_events() > 0 {
            merged_state::stricter(&mut state, &theirs);
            comparison.pin_head(&mut state);
        }
        Ok(state)
    }

    /// The plan with the write lock of the conversation, which it needs if it changes anything.
    pub fn claimed(mut self, claim: Option<Claim>) -> Result<Self> {
        if claim.is_none() && self.outcome != Outcome::UpToDate {
            return Err(Error::new(
                ErrorCode::LockedElsewhere,
                format!(
                    "conversation {} is open elsewhere, and the archive would change it; close it there, then import \
                     again",
                    self.verified.id
                ),
            ));
        }
        self.claim = claim;
        Ok(self)
    }

    /// Writes everything except the last commit, which makes the conversation visible, and returns that commit.
    pub async fn write(&self, progress: &mut dyn FnMut(u64)) -> Result<Writing> {
        let from = self.stored.as_ref().map_or(0, |(listing, _)| listing.length);
        if self.outcome == Outcome::Created {
            // Removes the remains of an import that ended before its last commit.
            self.store.delete(self.verified.id).await?;
        }
        let is_one_commit = self.is_one_commit();
        let mut batch = Batch { writing: self.new_writing(from), bytes: 0 };
        let keeps_state = self.keeps_state();
        if keeps_state && !is_one_commit {
            batch.writing.commit.base_state = self.merged.as_ref().map(BaseState::json);
        }
        let takes_versions = self.takes_file_versions();
        if takes_versions && self.outcome != Outcome::Created {
            self.remove_file_versions(from).await?;
        }
        let mut current_version = None;
        let mut quarantine = Quarantine::new(self.conversation);
        let base_state = match keeps_state {
            true => None,
            false => Some(self.base_state().await?),
        };
        let parts = self.conversation.all_files(0, &|part| match part {
            ArchiveFile::Event(index) => self.takes_event(index),
            ArchiveFile::BaseState => base_state.as_ref().is_some_and(|read| read.is_rebuilt),
            // A merge without new events changes the state only.
            ArchiveFile::File(_) | ArchiveFile::NotInLog(_) => !keeps_state || self.has_new_events(),
        });
        for ((_, part), entry) in parts {
            let source = Source::Entry(entry.position);
            match part {
                ArchiveFile::BaseState => batch.writing.files.push((quarantine.path(BASE_STATE)?, source)),
                ArchiveFile::Event(index) if index < position(self.verified.length) => {
                    let Some(event) = self.conversation.events.get(index) else { continue };
                    let id = event.id.clone();
                    let mut given = None;
                    if let Some(repair) = self.verified.repair(index) {
                        let repaired = repair.content(&self.content(&entry).await?, &id);
                        given = Some(repaired.ok_or_else(|| self.changed(ArchiveFile::Event(index)))?);
                        let path = quarantine.path(&self.conversation.event_file_name(index))?;
                        batch.writing.files.push((path, source));
                    }
                    if let Some((_, comparison)) = &self.stored
                        && let Some(place) = comparison.needs_parent(index)
                    {
                        let text = match given {
                            Some(text) => text,
                            None => self.content(&entry).await?,
                        };
                        given = Some(comparison.with_parent(place, &text));
                    }
                    let source = given.map_or(Source::Entry(entry.position), Source::Given);
                    batch.writing.events.push((id, source));
                }
                ArchiveFile::Event(index) => {
                    let path = quarantine.path(&self.conversation.event_file_name(index))?;
                    batch.writing.files.push((path, source));
                }
                ArchiveFile::File(index) => {
                    let Some((path, _)) = self.conversation.files.get(index) else { continue };
                    if file_versions::is_version(path) && !takes_versions {
                        continue;
                    }
                    if keeps_state && !self.is_missing(path).await? {
                        continue;
                    }
                    if path.as_str() == file_versions::CURRENT {
                        // Without it there are no versions, so the others count from the last commit on.
                        current_version = Some((path.clone(), source));
                        continue;
                    }
                    let source = match is_searched(path.as_str()) {
                        true => Source::Given(without_secrets(path, self.content(&entry).await?)),
                        false => source,
                    };
                    batch.writing.files.push((path.clone(), source));
                }
                ArchiveFile::NotInLog(index) => {
                    let Some((name, _)) = self.conversation.not_in_log.get(index) else { continue };
                    batch.writing.files.push((quarantine.path(name)?, source));
                }
            }
            batch.bytes = batch.bytes.saturating_add(entry.size);
            if !is_one_commit && batch.is_full() {
                progress(batch.bytes);
                batch = self.next_batch(batch).await?;
            }
        }
        batch.writing.files.extend(current_version);
        batch.writing.commit.base_state = match base_state {
            Some(read) => Some(read.state.json()),
            None => self.merged.as_ref().map(BaseState::json),
        };
        batch.writing.commit.durability = Durability::Strict;
        Ok(batch.writing)
    }

    /// Whether the stored state stays, with what the archive's adds to it.
    fn keeps_state(&self) -> bool {
        matches!(self.outcome, Outcome::Merged { .. } | Outcome::UpToDate)
    }

    fn has_new_events(&self) -> bool {
        self.stored.as_ref().is_none_or(|(_, comparison)| comparison.new_events() > 0)
    }

    /// Whether the event at this index of the archive is stored, or quarantined because it cannot be in the log.
    fn takes_event(&self, index: usize) -> bool {
        let Some((_, comparison)) = &self.stored else { return true };
        comparison.is_new(index) || index >= position(self.verified.length) && self.has_new_events()
    }

    /// Whether a merge takes in this file of the archive: one that is not stored. Files that follow HEAD stay those of the stored
    /// branch.
    async fn is_missing(&self, path: &StorePath) -> Result<bool> {
        Ok(!file_versions::has_versions(path)
            && self.store.read_file(self.verified.id, path).await?.is_none())
    }

    /// Whether the versions of files are taken in: they refer to places in the log, which have to be those of the archive.
    fn takes_file_versions(&self) -> bool {
        let is_current = |path: &str| path == file_versions::CURRENT;
        // Versions name their place by the number of events in the log, so the stored log must be the beginning of the archive's.
        let is_beginning = self.stored.as_ref().is_none_or(|(_, comparison)| comparison.is_beginning);
        is_beginning
            && !self.keeps_state()
            && self.conversation.files.iter().any(|(path, _)| is_current(path.as_str()))
            && self.conversation.events.iter().all(|event| event.name.is_none())
    }

    /// Removes the stored versions, which do not fit to the files of the archive.
    async fn remove_file_versions(&self, length: u64) -> Result<()> {
        let folder = file_versions::FOLDER.parse()?;
        let stored = self.store.files(self.verified.id, Some(&folder)).await?;
        if !stored.is_empty() {
            let files = stored.into_iter().map(|path| (path, None)).collect();
            self.store.commit(self.verified.id, Commit { files, ..self.new_commit(length) }).await?;
        }
        Ok(())
    }

    /// Commits, and remembers the length of the stored log. Returns it.
    pub async fn commit(&self, writing: Writing) -> Result<u64> {
        let from = writing.commit.expected_length;
        let length = from.saturating_add(writing.events.len() as u64);
        if self.written.get().is_none() {
            self.written.set(Some(from));
        }
        let committed = self.archive.commit(self.store, self.verified.id, writing).await;
        committed.map_err(|failure| match failure {
            Failure::Unreadable(unreadable) => self.unreadable(&unreadable),
            Failure::Store(error) => error.into(),
        })?;
        self.written.set(Some(length));
        Ok(length)
    }

    /// Undoes the commits as far as possible, after the import failed with `error`.
    pub async fn undo(&self, error: &Error) {
        let Some(written) = self.written.get() else { return };
        // If this fails, the conversation stays invisible, or its log is longer than its HEAD; both can be opened or
        // imported again. The error to report is the first one.
        match &self.stored {
            // Another writer is creating the same conversation, which must not be deleted.
            None if error.code() == ErrorCode::LockedElsewhere => {}
            None => drop(self.store.delete(self.verified.id).await),
            Some((stored, _)) if written > stored.length => {
                let mut commit = self.new_commit(written);
                commit.truncate_to = Some(stored.length);
                commit.base_state = Some(Rc::clone(&stored.base_state));
                commit.durability = Durability::Strict;
                drop(self.store.commit(self.verified.id, commit).await);
            }
            Some(_) => {}
        }
    }

    /// The result for the caller.
    pub fn imported(self) -> Imported {
        let length = match &self.stored {
            Some((listing, comparison)) => listing.length.saturating_add(comparison.new_events() as u64),
            None => self.verified.length,
        };
        Imported {
            conversation: self.verified.id,
            outcome: self.outcome,
            length,
            warnings: self.verified.warnings,
        }
    }

    /// Whether what is added to a stored conversation fits into one commit.
    fn is_one_commit(&self) -> bool {
        let events = self.conversation.events.iter().enumerate();
        let events = events.filter(|(index, _)| self.takes_event(*index)).map(|(_, event)| event.entry.size);
        let files = self.conversation.files.iter().map(|(_, entry)| entry.size);
        self.stored.is_some()
            && events.chain(files).fold(0, u64::saturating_add) <= limits::FAST_FORWARD_BYTES
    }

    fn new_commit(&self, expected_length: u64) -> Commit {
        Commit { durability: Durability::Relaxed, ..Commit::new(expected_length, self.now) }
    }

    fn new_writing(&self, expected_length: u64) -> Writing {
        Writing { commit: self.new_commit(expected_length), events: Vec::new(), files: Vec::new() }
    }

    async fn next_batch(&self, batch: Batch) -> Result<Batch> {
        let length = self.commit(batch.writing).await?;
        Ok(Batch { writing: self.new_writing(length), bytes: 0 })
    }

    /// The base state of the archive.
    async fn read_base_state(&self) -> Result<ReadBaseState> {
        let name = self.conversation.entry_name(ArchiveFile::BaseState);
        let content = match &self.conversation.base_state {
            Some(entry) => Some(self.content(entry).await?),
            None => None,
        };
        let mut read = base_state::read(
            content.as_deref(),
            &name,
            self.conversation.folder,
            self.conversation.is_download,
            self.host,
        )?;
        if read.state.id() != self.verified.id {
            return Err(self.changed(ArchiveFile::BaseState));
        }
        if !self.verified.lost_tasks.is_empty() {
            read.state.remove_subagent_tasks(&self.verified.lost_tasks);
        }
        Ok(read)
    }

    /// The base state to store, if it is that of the archive.
    async fn base_state(&self) -> Result<ReadBaseState> {
        let mut read = self.read_base_state().await?;
        if let Some(leaf) = &self.verified.new_leaf {
            read.state.set_leaf(leaf);
        }
        // Lists and deletions find the conversations of sub-agents by this directory.
        if read.state.ancestors() != self.ancestors {
            read.state.set_persistence_dir(&nested_persistence_dir(&self.ancestors, self.verified.id));
        }
        if let Some((listing, comparison)) = &self.stored
            && let Some(ours) = BaseState::of(self.verified.id, &listing.base_state)
        {
            let is_only_here = |id: &str| comparison.is_only_stored(id);
            merged_state::add(&mut read.state, &ours, &is_only_here, &|_, _| false);
        }
        self.note_beginning(&mut read.state).await?;
        let timestamp = self.verified.last_timestamp.clone();
        let last = timestamp.map(|timestamp| LastEvent { at: self.now, timestamp });
        mark(&mut read.state, self.stored.as_ref().map(|(stored, _)| &*stored.base_state), last.as_ref());
        Ok(read)
    }

    /// Stores the beginning of the first message, for lists.
    async fn note_beginning(&self, state: &mut BaseState) -> Result<()> {
        // Another program may have written such a field.
        state.set_field(BEGINNING, None);
        for (index, event) in
            (0..beginning::SEARCHED.min(self.verified.length)).zip(&self.conversation.events)
        {
            let content = self.content(&event.entry).await?;
            let repair = self.verified.repair(position(index));
            let repaired = repair.and_then(|repair| repair.content(&content, &event.id));
            let text = String::from_utf8_lossy(repaired.as_deref().unwrap_or(&content));
            beginning::note_beginning(
                state,
                self.host,
                index,
                [&Event::decode(event.id.clone(), (&*text).into())],
            );
            if state.beginning().is_some() {
                break;
            }
        }
        Ok(())
    }

    /// The error for an entry whose content differs from the one that was checked.
    fn changed(&self, part: ArchiveFile) -> Error {
        let name = self.conversation.entry_name(part);
        invalid(format!("entry {name} changed while it was imported; try again"))
    }

    async fn content(&self, entry: &Entry) -> Result<Vec<u8>> {
        let content = self.archive.read(&[entry.position]).await;
        content.map_err(|unreadable| self.unreadable(&unreadable))
    }

    fn unreadable(&self, unreadable: &Unreadable) -> Error {
        unreadable.error(&self.conversation.name_at(unreadable.position).unwrap_or_default())
    }
}

/// A commit that is being filled.
struct Batch {
    writing: Writing,
    bytes: u64,
}

impl Batch {
    fn is_full(&self) -> bool {
        let entries = self.writing.events.len().saturating_add(self.writing.files.len());
        self.bytes >= limits::BATCH_BYTES || entries >= limits::BATCH_ENTRIES
    }
}
