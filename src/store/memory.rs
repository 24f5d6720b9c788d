//! A store that lives as long as the page: for tests, for Node, and for conversations that should leave no trace.
//!
//! A commit is applied when it is called, not when its future is polled, so nothing can fall between its parts.

use super::{Commit, Listing, Store, StoreError, StoreFuture, StoredEvent};
use crate::{
    id::{ConversationId, EventId, StorePath},
    names::Names,
};
use std::{
    cell::{Cell, RefCell},
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

#[derive(Default)]
struct Conversations(Vec<(ConversationId, Kept)>);

#[derive(Default)]
struct Kept {
    base_state: Option<Rc<str>>,
    events: Vec<(EventId, Rc<str>)>,
    first_index: Names,
    /// The places of files in `files`.
    places: Names,
    /// A file that was removed has no content.
    files: Vec<(StorePath, Option<Vec<u8>>)>,
    created_at: f64,
    updated_at: f64,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Another handle on the same conversations, open also if this one is closed.
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
        let length = conversations.get(conversation).map_or(0, Kept::length);
        if length != commit.expected_length {
            return Err(StoreError::Conflict { expected: commit.expected_length });
        }
        let created_at = conversations.get(conversation).map(|kept| kept.created_at);
        if commit.created_at.is_some() && commit.created_at != created_at {
            return Err(StoreError::Conflict { expected: commit.expected_length });
        }
        let created = || Kept { created_at: commit.at, updated_at: commit.at, ..Kept::default() };
        let mut kept = conversations.take(conversation).unwrap_or_else(created);
        if let Some(end) = commit.truncate_to {
            kept.events.truncate(position(end));
            kept.first_index = Names::default();
            for (index, (id, _)) in kept.events.iter().enumerate() {
                kept.first_index.add(id.as_str(), index);
            }
        }
        for (id, json) in commit.events {
            kept.first_index.add(id.as_str(), kept.events.len());
            kept.events.push((id, json));
        }
        if commit.base_state.is_some() {
            kept.base_state = commit.base_state;
        }
        for (path, content) in commit.files {
            match kept.places.get(path.as_str()).and_then(|place| kept.files.get_mut(place)) {
                Some((_, known)) => *known = content,
                None => {
                    kept.places.add(path.as_str(), kept.files.len());
                    kept.files.push((path, content));
                }
            }
        }
        kept.updated_at = kept.updated_at.max(commit.at);
        conversations.0.push((conversation, kept));
        Ok(())
    }
}

impl Conversations {
    fn get(&self, conversation: ConversationId) -> Option<&Kept> {
        self.0.iter().find(|(id, _)| *id == conversation).map(|(_, kept)| kept)
    }

    fn take(&mut self, conversation: ConversationId) -> Option<Kept> {
        let place = self.0.iter().position(|(id, _)| *id == conversation)?;
        Some(self.0.swap_remove(place).1)
    }
}

impl Kept {
    fn length(&self) -> u64 {
        self.events.len() as u64
    }

    fn listing(&self, conversation: ConversationId) -> Option<Listing> {
        Some(Listing {
            conversation,
            base_state: Rc::clone(self.base_state.as_ref()?),
            length: self.length(),
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }

    fn events(&self, range: Range<u64>) -> Vec<StoredEvent> {
        let end = position(range.end).min(self.events.len());
        let start = position(range.start).min(end);
        let tail = self.events.get(start..end).unwrap_or_default();
        (range.start..)
            .zip(tail)
            .map(|(index, (id, json))| StoredEvent { index, id: id.clone(), json: Rc::clone(json) })
            .collect()
    }
}

/// An index into a log as a position in memory; one that memory cannot have is beyond every end.
fn position(index: u64) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

impl Store for MemoryStore {
    fn list(&self) -> StoreFuture<'_, Vec<Listing>> {
        self.read(|conversations| {
            let listings = conversations.0.iter().filter_map(|(id, kept)| kept.listing(*id));
            super::newest_first(listings.collect())
        })
    }

    fn load(&self, conversation: ConversationId) -> StoreFuture<'_, Option<Listing>> {
        self.read(|conversations| conversations.get(conversation)?.listing(conversation))
    }

    fn events(&self, conversation: ConversationId, range: Range<u64>) -> StoreFuture<'_, Vec<StoredEvent>> {
        self.read(|conversations| {
            conversations.get(conversation).map(|kept| kept.events(range)).unwrap_or_default()
        })
    }

    fn index_of<'a>(
        &'a self,
        conversation: ConversationId,
        event: &'a EventId,
    ) -> StoreFuture<'a, Option<u64>> {
        self.read(|conversations| {
            Some(conversations.get(conversation)?.first_index.get(event.as_str())? as u64)
        })
    }

    fn commit(&self, conversation: ConversationId, commit: Commit) -> StoreFuture<'_, ()> {
        Box::pin(ready(self.apply(conversation, commit)))
    }

    fn files(&self, conversation: ConversationId) -> StoreFuture<'_, Vec<StorePath>> {
        self.read(|conversations| {
            conversations
                .get(conversation)
                .map(|kept| kept.files.iter().filter(|(_, content)| content.is_some()))
                .map(|files| files.map(|(path, _)| path.clone()).collect())
                .map(|mut paths: Vec<StorePath>| {
                    paths.sort();
                    paths
                })
                .unwrap_or_default()
        })
    }

    fn read_file<'a>(
        &'a self,
        conversation: ConversationId,
        path: &'a StorePath,
    ) -> StoreFuture<'a, Option<Vec<u8>>> {
        self.read(|conversations| {
            let kept = conversations.get(conversation)?;
            let (_, content) = kept.files.get(kept.places.get(path.as_str())?)?;
            content.clone()
        })
    }

    fn delete(&self, conversation: ConversationId) -> StoreFuture<'_, ()> {
        let result = if self.closed.get() {
            Err(StoreError::Closed)
        } else {
            drop(self.conversations.borrow_mut().take(conversation));
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
    fn keeps_the_contract() {
        let places: RefCell<BTreeMap<String, MemoryStore>> = RefCell::default();
        let open: &conformance::Open = &|place| {
            let handle = places.borrow_mut().entry(place.to_owned()).or_default().another();
            Box::pin(std::future::ready(Ok(Rc::new(handle) as Rc<dyn Store>)))
        };
        let reports = futures_executor::block_on(conformance::run(open));
        assert_eq!(reports.len(), conformance::CASES.len());
        let failed: Vec<_> = reports.iter().filter(|report| report.failure.is_some()).collect();
        assert!(failed.is_empty(), "{failed:#?}");
    }
}
