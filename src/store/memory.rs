//! A store that lasts as long as the page: for tests, for Node, and for conversations that should not be stored.
//!
//! `commit` applies the whole commit when it is called, not when its future is polled, so no other operation can come in
//! between.

use super::{Commit, Listing, Store, StoreError, StoreFuture, StoredEvent};
use crate::id::{ConversationId, EventId, StorePath};
use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, HashMap},
    future::ready,
    ops::Range,
    rc::Rc,
};

/// Conversations in memory.
#[derive(Default)]
pub struct MemoryStore {
    conversations: Rc<RefCell<Conversations>>,
    closed: Cell<bool>,
}

type Conversations = HashMap<ConversationId, Stored>;

#[derive(Default)]
struct Stored {
    base_state: Option<Rc<str>>,
    events: Vec<(EventId, Rc<str>)>,
    /// The index of the first event with each id.
    first_index: HashMap<EventId, usize>,
    files: BTreeMap<StorePath, Vec<u8>>,
    created_at: f64,
    updated_at: f64,
    writer: u64,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Another handle on the same conversations, which stays open when this one is closed.
    #[must_use]
    pub fn another(&self) -> Self {
        Self { conversations: Rc::clone(&self.conversations), closed: Cell::new(false) }
    }

    fn read<'a, T: 'a>(&self, read: impl FnOnce(&Conversations) -> T) -> StoreFuture<'a, T> {
        let result =
            if self.closed.get() { Err(StoreError::Closed) } else { Ok(read(&self.conversations.borrow())) };
        Box::pin(ready(result))
    }

    fn apply(&self, conversation: ConversationId, commit: Commit) -> Result<(), StoreError> {
        if self.closed.get() {
            return Err(StoreError::Closed);
        }
        let mut conversations = self.conversations.borrow_mut();
        let known = conversations.get(&conversation);
        let is_same_log = known.map_or(0, Stored::length) == commit.expected_length
            && commit.created_at.is_none_or(|at| known.is_some_and(|known| known.created_at == at));
        let number = known.map_or(0, |known| known.writer);
        let is_writer = commit.writer.is_none_or(|writer| writer.expected == number);
        let is_other_known = commit.files_of.as_ref().is_none_or(|other| {
            let known = conversations.get(&other.conversation).filter(|known| known.base_state.is_some());
            known.is_some_and(|known| {
                known.created_at == other.created_at
                    && other.writer.is_none_or(|expected| expected == known.writer)
            })
        });
        if !is_same_log || !is_writer || !is_other_known {
            return Err(StoreError::Conflict { expected: commit.expected_length });
        }
        let created = || Stored { created_at: commit.at, updated_at: commit.at, ..Stored::default() };
        let stored = conversations.entry(conversation).or_insert_with(created);
        stored.writer = commit.writer.map_or(number, |writer| writer.next);
        if let Some(end) = commit.truncate_to {
            stored.events.truncate(position(end));
            stored.first_index.retain(|_, index| *index < stored.events.len());
        }
        for (id, json) in commit.events {
            stored.first_index.entry(id.clone()).or_insert(stored.events.len());
            stored.events.push((id, json));
        }
        if commit.base_state.is_some() {
            stored.base_state = commit.base_state;
        }
        stored.write(commit.files);
        stored.updated_at = stored.updated_at.max(commit.at);
        if let Some(other) = commit.files_of
            && let Some(stored) = conversations.get_mut(&other.conversation)
        {
            stored.write(other.files);
        }
        Ok(())
    }
}

impl Stored {
    fn length(&self) -> u64 {
        self.events.len() as u64
    }

    fn write(&mut self, files: Vec<(StorePath, Option<Vec<u8>>)>) {
        for (path, content) in files {
            match content {
                Some(content) => self.files.insert(path, content),
                None => self.files.remove(&path),
            };
        }
    }

    fn listing(&self, conversation: ConversationId) -> Option<Listing> {
        Some(Listing {
            conversation,
            base_state: Rc::clone(self.base_state.as_ref()?),
            length: self.length(),
            created_at: self.created_at,
            updated_at: self.updated_at,
            writer: Some(self.writer),
        })
    }

    fn events(&self, range: Range<u64>) -> Vec<StoredEvent> {
        let events = self.events.iter().enumerate().take(position(range.end)).skip(position(range.start));
        events
            .map(|(index, (id, json))| StoredEvent {
                index: index as u64,
                id: id.clone(),
                json: Rc::clone(json),
            })
            .collect()
    }
}

/// An index into a log as a position in memory; an index that does not fit is beyond every end.
fn position(index: u64) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

impl Store for MemoryStore {
    fn list(&self) -> StoreFuture<'_, Vec<Listing>> {
        self.read(|conversations| {
            let listings = conversations.iter().filter_map(|(id, stored)| stored.listing(*id));
            super::newest_first(listings.collect())
        })
    }

    fn load(&self, conversation: ConversationId) -> StoreFuture<'_, Option<Listing>> {
        self.read(|conversations| conversations.get(&conversation)?.listing(conversation))
    }

    fn events(&self, conversation: ConversationId, range: Range<u64>) -> StoreFuture<'_, Vec<StoredEvent>> {
        self.read(|conversations| {
            conversations.get(&conversation).map(|stored| stored.events(range)).unwrap_or_default()
        })
    }

    fn index_of<'a>(
        &'a self,
        conversation: ConversationId,
        event: &'a EventId,
    ) -> StoreFuture<'a, Option<u64>> {
        self.read(|conversations| Some(*conversations.get(&conversation)?.first_index.get(event)? as u64))
    }

    fn commit(&self, conversation: ConversationId, commit: Commit) -> StoreFuture<'_, ()> {
        Box::pin(ready(self.apply(conversation, commit)))
    }

    fn files<'a>(
        &'a self,
        conversation: ConversationId,
        folder: Option<&'a StorePath>,
    ) -> StoreFuture<'a, Vec<StorePath>> {
        self.read(|conversations| {
            let paths = conversations.get(&conversation).into_iter().flat_map(|stored| stored.files.keys());
            paths.filter(|path| path.is_below(folder)).cloned().collect()
        })
    }

    fn read_file<'a>(
        &'a self,
        conversation: ConversationId,
        path: &'a StorePath,
    ) -> StoreFuture<'a, Option<Vec<u8>>> {
        self.read(|conversations| conversations.get(&conversation)?.files.get(path).cloned())
    }

    fn spans_conversations(&self) -> bool {
        true
    }

    fn delete(&self, conversation: ConversationId) -> StoreFuture<'_, ()> {
        let result = if self.closed.get() {
            Err(StoreError::Closed)
        } else {
            self.conversations.borrow_mut().remove(&conversation);
            Ok(())
        };
        Box::pin(ready(result))
    }

    fn close(&self) {
        self.closed.set(true);
    }
}

#[cfg(test)]
mod tests {
    use super::MemoryStore;
    use crate::store::{Store, conformance};
    use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

    #[test]
    fn passes_the_conformance_suite() {
        let positions: RefCell<BTreeMap<String, MemoryStore>> = RefCell::default();
        let open: &conformance::Open = &|place| {
            let handle = positions.borrow_mut().entry(place.to_owned()).or_default().another();
            Box::pin(std::future::ready(Ok(Rc::new(handle) as Rc<dyn Store>)))
        };
        let reports = futures_executor::block_on(conformance::run(open));
        assert_eq!(reports.len(), conformance::CASES.len());
        let failed: Vec<_> = reports.iter().filter(|report| report.failure.is_some()).collect();
        assert!(failed.is_empty(), "{failed:#?}");
    }
}
