//! A store whose commits succeed late, fail, or never return, as a test scripts them.

use crate::support::{ID, yield_once};
use std::{cell::Cell, ops::Range, rc::Rc};
use threadkeep::{
    id::{ConversationId, EventId, StorePath},
    store::{Commit, Listing, MemoryStore, Store, StoreError, StoreFuture, StoredEvent},
};

/// The outcome of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The commit is applied after that many polls of other futures, and reported after that many more.
    Applied { after: u8, reported_after: u8 },
    /// The commit fails because the storage is full.
    Full,
    /// The page dies: the commit is applied or not, and never returns.
    Dead { is_applied: bool },
}

impl Outcome {
    /// The commit is applied and reported at once.
    pub const DONE: Self = Self::Applied { after: 0, reported_after: 0 };
}

/// A store that gives each commit the [`Outcome`] that a test has scripted.
pub struct ScriptedStore {
    /// The store that holds the data.
    pub inner: MemoryStore,
    /// Called before each commit.
    pub outcome: Box<dyn Fn(&Commit) -> Outcome>,
    /// Called after each commit to the conversation of the test that was applied, and not for its forks.
    pub applied: Box<dyn Fn(&Commit)>,
    /// The number of events that were requested.
    pub events_read: Rc<Cell<u64>>,
    /// Called before events are read.
    pub reading: Box<dyn Fn()>,
    /// The number of polls of other futures before events are read.
    pub reads_after: u8,
    /// So many events at the beginning of a log are lost: what is read from there is empty.
    pub lost: u64,
    /// Whether it leaves the number of the writer out of commits.
    pub ignores_writers: bool,
}

impl ScriptedStore {
    /// A store whose commits all succeed at once.
    pub fn over(inner: MemoryStore) -> Self {
        Self {
            inner,
            outcome: Box::new(|_| Outcome::DONE),
            applied: Box::new(|_| {}),
            events_read: Rc::default(),
            reading: Box::new(|| {}),
            reads_after: 0,
            lost: 0,
            ignores_writers: false,
        }
    }
}

impl Store for ScriptedStore {
    fn list(&self) -> StoreFuture<'_, Vec<Listing>> {
        self.inner.list()
    }
    fn load(&self, conversation: ConversationId) -> StoreFuture<'_, Option<Listing>> {
        self.inner.load(conversation)
    }
    fn events(&self, conversation: ConversationId, range: Range<u64>) -> StoreFuture<'_, Vec<StoredEvent>> {
        self.events_read.set(self.events_read.get().saturating_add(range.end.saturating_sub(range.start)));
        (self.reading)();
        Box::pin(async move {
            for _ in 0..self.reads_after {
                yield_once().await;
            }
            if range.start < self.lost {
                return Ok(Vec::new());
            }
            self.inner.events(conversation, range).await
        })
    }
    fn index_of<'a>(
        &'a self,
        conversation: ConversationId,
        event: &'a EventId,
    ) -> StoreFuture<'a, Option<u64>> {
        self.inner.index_of(conversation, event)
    }
    fn commit(&self, conversation: ConversationId, commit: Commit) -> StoreFuture<'_, ()> {
        let outcome = (self.outcome)(&commit);
        let commit = Commit { writer: commit.writer.filter(|_| !self.ignores_writers), ..commit };
        Box::pin(async move {
            let (after, reported_after) = match outcome {
                Outcome::Full => return Err(StoreError::Quota),
                Outcome::Dead { is_applied: false } => return std::future::pending().await,
                Outcome::Dead { is_applied: true } => (0, 0),
                Outcome::Applied { after, reported_after } => (after, reported_after),
            };
            for _ in 0..after {
                yield_once().await;
            }
            self.inner.commit(conversation, commit.clone()).await?;
            if conversation.to_string() == ID {
                (self.applied)(&commit);
            }
            if matches!(outcome, Outcome::Dead { .. }) {
                return std::future::pending().await;
            }
            for _ in 0..reported_after {
                yield_once().await;
            }
            Ok(())
        })
    }
    fn files<'a>(
        &'a self,
        conversation: ConversationId,
        folder: Option<&'a StorePath>,
    ) -> StoreFuture<'a, Vec<StorePath>> {
        self.inner.files(conversation, folder)
    }
    fn read_file<'a>(
        &'a self,
        conversation: ConversationId,
        path: &'a StorePath,
    ) -> StoreFuture<'a, Option<Vec<u8>>> {
        self.inner.read_file(conversation, path)
    }
    fn delete(&self, conversation: ConversationId) -> StoreFuture<'_, ()> {
        self.inner.delete(conversation)
    }
    fn close(&self) {}
}
