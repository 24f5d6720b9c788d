//! Conversations in the browser's database.
//!
//! `store::rows` says what is in the tables and why; here it is read and written. A commit whose tip is remembered
//! is one transaction without reading, told to commit at once. Every write is done when its transaction has
//! completed, never earlier. Giving up on a future leaves the database as it was or with the whole commit.

mod connection;
mod encode;
mod failure;
mod fields;
mod migrations;
mod platform;
mod read;
mod request;
mod schema;
mod transaction;
mod write;

use crate::{
    fair_mutex::{FairGuard, FairMutex},
    id::{ConversationId, EventId, StorePath},
    store::{
        Commit, Durability, Found, Listing, Store, StoreFuture, StoredEvent,
        rows::{TRUST, Tip},
    },
};
use connection::Connection;
use std::{cell::RefCell, ops::Range};
use wasm_bindgen::JsValue;

/// A store on an IndexedDB database, which is opened with the first call.
pub struct IndexedDbStore {
    connection: Connection,
    /// One commit at a time per conversation, in the order they were asked for: if the first of two under way at once
    /// failed, the second must not have been kept.
    locks: RefCell<Vec<(ConversationId, FairMutex)>>,
    tips: RefCell<Tips>,
}

/// Where conversations stand after this handle's last commits to them.
#[derive(Default)]
struct Tips {
    /// The opening of the database that they were seen in.
    generation: u32,
    /// The one remembered last at the end.
    known: Vec<(ConversationId, Remembered)>,
}

struct Remembered {
    /// The clock before the commit.
    seen: f64,
    tip: Tip,
    /// The conversation's id in keys.
    key: JsValue,
}

impl IndexedDbStore {
    /// A handle on the database called `name`. `durability` overrides that of every commit.
    pub fn new(name: &str, durability: Option<Durability>) -> Self {
        Self {
            connection: Connection::new(name, durability),
            locks: RefCell::default(),
            tips: RefCell::default(),
        }
    }
}

impl IndexedDbStore {
    /// Resolves when all locks taken before are over.
    async fn commit_lock(&self, conversation: ConversationId) -> FairGuard {
        let lock = {
            let mut locks = self.locks.borrow_mut();
            locks.retain(|(_, lock)| !lock.is_free());
            match locks.iter().find(|(of, _)| *of == conversation) {
                Some((_, lock)) => lock.clone(),
                None => {
                    let lock = FairMutex::default();
                    locks.push((conversation, lock.clone()));
                    lock
                }
            }
        };
        lock.lock().await
    }
}

impl Tips {
    /// How many conversations are remembered: each may hold a large base state.
    const MOST: usize = 16;

    /// Takes a tip that can still be trusted.
    fn take(&mut self, generation: u32, conversation: ConversationId, now: f64) -> Option<(Tip, JsValue)> {
        let Remembered { seen, tip, key } = self.forget(conversation)?;
        let is_trusted = self.generation == generation && (0.0..=TRUST).contains(&(now - seen));
        is_trusted.then_some((tip, key))
    }

    fn remember(&mut self, generation: u32, conversation: ConversationId, remembered: Remembered) {
        if self.generation != generation {
            self.generation = generation;
            self.known.clear();
        }
        self.forget(conversation);
        if self.known.len() >= Self::MOST {
            self.known.remove(0);
        }
        self.known.push((conversation, remembered));
    }

    fn forget(&mut self, conversation: ConversationId) -> Option<Remembered> {
        let place = self.known.iter().position(|(of, _)| *of == conversation)?;
        Some(self.known.remove(place).1)
    }
}

impl Store for IndexedDbStore {
    fn list(&self) -> StoreFuture<'_, Vec<Listing>> {
        Box::pin(read::list(&self.connection))
    }

    fn load(&self, conversation: ConversationId) -> StoreFuture<'_, Option<Listing>> {
        Box::pin(read::load(&self.connection, conversation))
    }

    fn events(&self, conversation: ConversationId, range: Range<u64>) -> StoreFuture<'_, Vec<StoredEvent>> {
        Box::pin(read::events(&self.connection, conversation, range))
    }

    fn index_of<'a>(
        &'a self,
        conversation: ConversationId,
        event: &'a EventId,
    ) -> StoreFuture<'a, Option<u64>> {
        Box::pin(read::index_of(&self.connection, conversation, event))
    }

    fn commit(&self, conversation: ConversationId, commit: Commit) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let _guard = self.commit_lock(conversation).await;
            if self.append(conversation, &commit).await? {
                return Ok(());
            }
            self.read_and_write(conversation, &commit).await
        })
    }

    fn files(&self, conversation: ConversationId) -> StoreFuture<'_, Vec<StorePath>> {
        Box::pin(read::files(&self.connection, conversation))
    }

    fn read_file<'a>(
        &'a self,
        conversation: ConversationId,
        path: &'a StorePath,
    ) -> StoreFuture<'a, Option<Vec<u8>>> {
        Box::pin(read::read_file(&self.connection, conversation, path))
    }

    fn delete(&self, conversation: ConversationId) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let _guard = self.commit_lock(conversation).await;
            self.tips.borrow_mut().forget(conversation);
            write::delete(&self.connection, conversation).await
        })
    }

    fn found(&self) -> Found {
        self.connection.found()
    }

    fn close(&self) {
        self.connection.close();
        self.tips.borrow_mut().known.clear();
    }
}

impl Drop for IndexedDbStore {
    fn drop(&mut self) {
        self.connection.close();
    }
}

/// The clock by which tips are trusted and graves kept.
fn now() -> f64 {
    js_sys::Date::now()
}
