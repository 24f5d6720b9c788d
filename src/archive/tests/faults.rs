//! Imports in which each commit in turn fails, or the process ends at it.

use super::*;
use crate::{
    id::EventId,
    store::{Commit, Listing, StoreError, StoreFuture},
};
use std::{cell::RefCell, ops::Range};

/// A store that fails at the commit with this number: only at that one, or at it and everything after (the process ended).
pub(super) struct Failing {
    inner: MemoryStore,
    at: usize,
    dies: bool,
    commits: Cell<usize>,
    sizes: RefCell<Vec<usize>>,
}

impl Failing {
    pub(super) fn new(inner: MemoryStore, at: usize, dies: bool) -> Self {
        Self { inner, at, dies, commits: Cell::new(0), sizes: RefCell::default() }
    }

    /// The store as the next process finds it.
    pub(super) fn survivor(self) -> MemoryStore {
        self.inner
    }

    fn is_dead(&self) -> bool {
        self.dies && self.commits.get() > self.at
    }

    fn closed<'a, T: 'a>() -> StoreFuture<'a, T> {
        Box::pin(ready(Err(StoreError::Closed)))
    }
}

impl Store for Failing {
    fn list(&self) -> StoreFuture<'_, Vec<Listing>> {
        self.inner.list()
    }
    fn load(&self, conversation: ConversationId) -> StoreFuture<'_, Option<Listing>> {
        self.inner.load(conversation)
    }
    fn events(&self, conversation: ConversationId, range: Range<u64>) -> StoreFuture<'_, Vec<StoredEvent>> {
        self.inner.events(conversation, range)
    }
    fn index_of<'a>(
        &'a self,
        conversation: ConversationId,
        event: &'a EventId,
    ) -> StoreFuture<'a, Option<u64>> {
        self.inner.index_of(conversation, event)
    }
    fn commit(&self, conversation: ConversationId, commit: Commit) -> StoreFuture<'_, ()> {
        let n = self.commits.get();
        self.commits.set(n + 1);
        if n == self.at {
            return Box::pin(ready(Err(StoreError::Quota)));
        }
        if self.is_dead() {
            return Self::closed();
        }
        let bytes = commit.events.iter().map(|(_, json)| json.len()).sum::<usize>();
        self.sizes.borrow_mut().push(bytes);
        self.inner.commit(conversation, commit)
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
        if self.is_dead() { Self::closed() } else { self.inner.delete(conversation) }
    }
    fn close(&self) {
        self.inner.close();
    }
}

/// Events of about 100 kB, so that an import takes several commits.
fn large(length: u64) -> Listed {
    let mut archive = Listed::conversation(length);
    for index in 0..length {
        let text = event(index).replace("ü", &"ü".repeat(50_000));
        archive = archive.replace(&event_path(index), text.as_bytes());
    }
    archive
}

#[test]
fn an_import_that_fails_at_any_commit_leaves_nothing() {
    let archive = large(90);
    let expected = snapshot(&stored(&archive));
    for dies in [false, true] {
        for at in 0.. {
            let store = Failing::new(MemoryStore::new(), at, dies);
            let Err(error) = run(&archive, &store) else {
                assert!(at >= 3, "an import of 9 MB took {at} commits");
                break;
            };
            assert_eq!(error.code().as_str(), "store_quota");
            assert!(snapshot(&store).is_empty(), "commit {at}");
            if !dies {
                assert!(block_on(store.inner.events(id(), 0..99)).unwrap().is_empty(), "commit {at}");
            }
            // The remains of an interrupted import do not affect the next one.
            run(&archive, &store.inner).unwrap();
            assert_eq!(snapshot(&store.inner), expected);
        }
    }
}

#[test]
fn an_import_is_written_in_batches_and_small_continuations_in_one_commit() {
    let store = Failing::new(MemoryStore::new(), usize::MAX, false);
    run(&large(90), &store).unwrap();
    let sizes = store.sizes.take();
    assert!(sizes.len() >= 3 && sizes.iter().all(|size| *size < 4_500_000), "{sizes:?}");
    run(&large(130), &store).unwrap();
    assert_eq!(store.sizes.take().len(), 1);
    run(&large(220), &store).unwrap();
    assert!(store.sizes.take().len() >= 3);
    assert_eq!(snapshot(&store), snapshot(&stored(&large(220))));
}

#[test]
fn a_long_continuation_that_fails_at_any_commit_is_undone() {
    let (before, after) = (large(3), large(100));
    for at in 0.. {
        let inner = stored(&before);
        let expected = snapshot(&inner);
        let store = Failing::new(inner, at, false);
        let Err(error) = run(&after, &store) else {
            assert!(at >= 3, "{at}");
            break;
        };
        assert_eq!(error.code().as_str(), "store_quota");
        assert_eq!(snapshot(&store), expected, "commit {at}");
    }
}

#[test]
fn the_first_of_two_conversations_is_removed_when_the_second_fails() {
    let other = "1f8fad5bd9cb469fa16570867728950e";
    let mut archive = Listed::conversation(3);
    archive.add(&format!("{other}/base_state.json"), base_state().replace("0f8fad5b", "1f8fad5b").as_bytes());
    for at in 0..2 {
        let store = Failing::new(MemoryStore::new(), at, false);
        assert!(run(&archive, &store).is_err());
        assert!(snapshot(&store).is_empty(), "commit {at}");
    }
}
