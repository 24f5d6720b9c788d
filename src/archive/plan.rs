//! Writing one conversation of an archive, and taking it back.

use super::{
    Archive, Claim, Imported, Outcome, base_state,
    contents::{Conversation, Part},
    export::without_secrets,
    invalid, limits,
    name::BASE_STATE,
    read_ahead::ReadAhead,
    undecided::marked,
    verify::{Head, Verified, position},
};
use crate::{
    error::{Error, ErrorCode, Result},
    id::StorePath,
    store::{Commit, Durability, Listing, Store},
};
use std::{cell::Cell, rc::Rc};

/// What is to be done with one conversation, and how much of it has been.
pub struct Plan<'a> {
    archive: &'a dyn Archive,
    store: &'a dyn Store,
    now: f64,
    conversation: &'a Conversation,
    verified: Verified,
    stored: Option<Listing>,
    /// What will have been done.
    pub outcome: Outcome,
    /// How long the stored log is by what this plan has committed; `None` before its first commit.
    written: Cell<Option<u64>>,
    /// Held until everything is written, or taken back.
    claim: Option<Claim>,
}

impl<'a> Plan<'a> {
    /// Decides what to do with a conversation of which `stored` is there already.
    pub fn new(
        archive: &'a dyn Archive,
        store: &'a dyn Store,
        now: f64,
        conversation: &'a Conversation,
        verified: Verified,
        stored: Option<Listing>,
    ) -> Self {
        let outcome = match &stored {
            None => Outcome::Created,
            Some(stored) if stored.length < verified.length => Outcome::Continued { from: stored.length },
            Some(_) => Outcome::UpToDate,
        };
        Self {
            archive,
            store,
            now,
            conversation,
            verified,
            stored,
            outcome,
            written: Cell::new(None),
            claim: None,
        }
    }

    /// The plan with the right to write the conversation, which it needs if it changes anything.
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

    /// Writes everything but the last commit, which makes it visible, and returns that.
    pub async fn write(&self, progress: &mut dyn FnMut(u64)) -> Result<Commit> {
        let from = match self.outcome {
            Outcome::Continued { from } => from,
            Outcome::Created | Outcome::UpToDate => 0,
        };
        if self.outcome == Outcome::Created {
            // What an import left that died before its last commit.
            self.store.delete(self.verified.id).await?;
        }
        let batch_bytes = if self.is_one_commit(from) { usize::MAX } else { limits::BATCH_BYTES };
        let mut batch = Batch { commit: self.new_commit(from), bytes: 0 };
        let mut base_state: Option<Rc<str>> = None;
        let mut set_aside = SetAside::new(self.conversation);
        let parts = self.conversation.parts(0, &|part| match part {
            Part::Event(index) => index as u64 >= from,
            Part::BaseState | Part::File(_) => true,
        });
        let mut reader = ReadAhead::new(self.archive, parts);
        while let Some(read) = reader.next(&|(_, part)| self.conversation.entry_name(part)).await {
            let ((_, part), content) = read?;
            progress(content.len() as u64);
            match part {
                Part::BaseState => {
                    let (text, torn) = self.base_state(content)?;
                    base_state = Some(text.into());
                    batch.files(torn.and_then(|content| set_aside.keep(BASE_STATE, content)));
                }
                Part::Event(index) if index < position(self.verified.length) => {
                    let Some((id, _)) = self.conversation.events.get(index) else { continue };
                    let text = String::from_utf8(content).map_err(|_| self.changed(part))?;
                    batch.bytes = batch.bytes.saturating_add(text.len());
                    batch.commit.events.push((id.clone(), text.into()));
                }
                Part::Event(index) => {
                    batch.files(set_aside.keep(&self.conversation.event_file_name(index), content));
                }
                Part::File(index) => {
                    let Some((path, _)) = self.conversation.files.get(index) else { continue };
                    batch.files(Some((path.clone(), without_secrets(path, content))));
                }
            }
            if batch.bytes >= batch_bytes {
                batch = self.next_batch(batch).await?;
            }
        }
        batch.commit.base_state = base_state;
        batch.commit.durability = Durability::Strict;
        Ok(batch.commit)
    }

    /// Commits, and remembers how far that went.
    pub async fn commit(&self, commit: Commit) -> Result<()> {
        let length = commit.expected_length.saturating_add(commit.events.len() as u64);
        if self.written.get().is_none() {
            self.written.set(Some(commit.expected_length));
        }
        self.store.commit(self.verified.id, commit).await?;
        self.written.set(Some(length));
        Ok(())
    }

    /// Takes back what was committed, as far as it can be, after the import failed with `error`.
    pub async fn undo(&self, error: &Error) {
        let Some(written) = self.written.get() else { return };
        // What fails here leaves a conversation that is invisible, or longer than its head; either can be opened or
        // imported again. The error that led here is the one to report.
        match &self.stored {
            // Somebody else is creating the same conversation: then it is theirs.
            None if error.code() == ErrorCode::LockedElsewhere => {}
            None => drop(self.store.delete(self.verified.id).await),
            Some(stored) if written > stored.length => {
                let mut commit = self.new_commit(written);
                commit.truncate_to = Some(stored.length);
                commit.base_state = Some(Rc::clone(&stored.base_state));
                commit.durability = Durability::Strict;
                drop(self.store.commit(self.verified.id, commit).await);
            }
            Some(_) => {}
        }
    }

    /// What to tell the caller.
    pub fn imported(self) -> Imported {
        let length = self.stored.map_or(0, |stored| stored.length).max(self.verified.length);
        Imported {
            conversation: self.verified.id,
            outcome: self.outcome,
            length,
            warnings: self.verified.warnings,
        }
    }

    /// Whether all that is new fits into one commit that a store takes at once.
    fn is_one_commit(&self, from: u64) -> bool {
        let events = self.conversation.events.iter().skip(position(from)).map(|(_, entry)| entry.size);
        let files = self.conversation.files.iter().map(|(_, entry)| entry.size);
        self.stored.is_some()
            && events.chain(files).fold(0, u64::saturating_add) <= limits::FAST_FORWARD_BYTES
    }

    fn new_commit(&self, expected_length: u64) -> Commit {
        Commit { durability: Durability::Relaxed, ..Commit::new(expected_length, self.now) }
    }

    async fn next_batch(&self, batch: Batch) -> Result<Batch> {
        self.commit(batch.commit).await?;
        Ok(Batch { commit: self.new_commit(self.written.get().unwrap_or_default()), bytes: 0 })
    }

    /// The base state to store, and what of it is to be set aside.
    fn base_state(&self, content: Vec<u8>) -> Result<(String, Option<Vec<u8>>)> {
        let entry = self.conversation.entry_name(Part::BaseState);
        let read = base_state::read(&content, &entry, self.conversation.folder)?;
        if read.id != self.verified.id {
            return Err(self.changed(Part::BaseState));
        }
        let text = match &self.verified.head {
            Head::Kept => read.text,
            Head::Moved(head) => base_state::with_head(&read.text, head.as_ref()),
        };
        let stored = self.stored.as_ref().map(|stored| &*stored.base_state);
        Ok((marked(&text, stored), read.was_torn.then_some(content)))
    }

    fn changed(&self, part: Part) -> Error {
        invalid(format!(
            "entry {} changed while it was imported; try again",
            self.conversation.entry_name(part)
        ))
    }
}

/// A commit that is being filled.
struct Batch {
    commit: Commit,
    bytes: usize,
}

impl Batch {
    fn files(&mut self, file: Option<(StorePath, Vec<u8>)>) {
        if let Some((path, content)) = file {
            self.bytes = self.bytes.saturating_add(content.len());
            self.commit.files.push((path, Some(content)));
        }
    }
}

/// Where files that cannot be used are kept, so that their bytes are not lost.
struct SetAside {
    taken: Vec<StorePath>,
}

impl SetAside {
    fn new(conversation: &Conversation) -> Self {
        Self { taken: conversation.files.iter().map(|(path, _)| path.clone()).collect() }
    }

    /// The file with a path that no other file of the conversation has.
    fn keep(&mut self, name: &str, content: Vec<u8>) -> Option<(StorePath, Vec<u8>)> {
        // Each file there is can stand in the way of one of these.
        let mut candidates = (0..=self.taken.len()).map(|n| match n {
            0 => format!("set-aside/{name}"),
            n => format!("set-aside-{n}/{name}"),
        });
        let path: StorePath = candidates.find(|path| self.is_free(path))?.parse().ok()?;
        self.taken.push(path.clone());
        Some((path, content))
    }

    /// Whether there can be a file of this path beside those that there are.
    fn is_free(&self, path: &str) -> bool {
        let lies_in =
            |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
        self.taken
            .iter()
            .map(StorePath::as_str)
            .all(|taken| taken != path && !lies_in(taken, path) && !lies_in(path, taken))
    }
}
