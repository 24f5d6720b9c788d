//! What opening costs: the end of the log, however long the log is.

use crate::support::{World, say};
use futures_executor::block_on;
use std::{cell::Cell, ops::Range, rc::Rc};
use threadkeep::{
    id::{ConversationId, EventId, StorePath},
    store::{Commit, Listing, MemoryStore, Store, StoreFuture, StoredEvent},
};

/// Counts the events that were asked for.
struct CountingStore {
    inner: MemoryStore,
    read: Rc<Cell<u64>>,
}

impl Store for CountingStore {
    fn list(&self) -> StoreFuture<'_, Vec<Listing>> {
        self.inner.list()
    }
    fn load(&self, conversation: ConversationId) -> StoreFuture<'_, Option<Listing>> {
        self.inner.load(conversation)
    }
    fn events(&self, conversation: ConversationId, range: Range<u64>) -> StoreFuture<'_, Vec<StoredEvent>> {
        self.read.set(self.read.get() + range.end.saturating_sub(range.start));
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
        self.inner.commit(conversation, commit)
    }
    fn files(&self, conversation: ConversationId) -> StoreFuture<'_, Vec<StorePath>> {
        self.inner.files(conversation)
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

#[test]
fn opening_a_long_conversation_reads_its_end_and_not_the_log() {
    let (inner, read) = (MemoryStore::new(), Rc::new(Cell::new(0)));
    let open = || {
        let store = CountingStore { inner: inner.another(), read: read.clone() };
        World::new(Rc::new(store), Vec::new(), [])
    };
    block_on(async {
        let conversation = open().open().await.unwrap();
        for place in 0..300 {
            say(&conversation, &format!("Message {place}.")).await;
        }
        conversation.close().await;
        read.set(0);
        let conversation = open().open().await.unwrap();
        assert!(conversation.length() > 300);
        // One page of it.
        assert!(read.get() <= 64, "{} events were read", read.get());
    });
}
