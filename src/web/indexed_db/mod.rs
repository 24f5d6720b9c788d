//! The store of conversations in IndexedDB.
//!
//! `store::rows` describes the contents of the tables; this module reads and writes them. A commit whose tip is remembered
//! is one transaction without reading, which is told to commit at once. Every write is done when its transaction has
//! completed, never earlier. If a future is dropped, the database has the complete commit or nothing of it.

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
        Commit, Durability, FirstReads, Found, Listing, Loaded, Store, StoreError, StoreFuture, StoredEvent,
        rows::{TIP_LIFETIME, Tip},
    },
    web::guard,
};
use connection::Connection;
use js_sys::Array;
use std::{any::Any, cell::RefCell, ops::Range};
use wasm_bindgen::JsValue;

/// A store on an IndexedDB database, which is opened with the first call.
pub struct IndexedDbStore {
    connection: Connection,
    /// One commit at a time per conversation, in the order of the calls: if the first of two concurrent commits fails, the
    /// second must not have been stored.
    locks: RefCell<Vec<(ConversationId, FairMutex)>>,
    tips: RefCell<Tips>,
}

/// The tips of conversations after the last commits of this handle.
#[derive(Default)]
struct Tips {
    /// The opening of the database to which the tips belong.
    generation: u32,
    /// In the order in which they were remembered.
    known: Vec<(ConversationId, Remembered)>,
}

struct Remembered {
    /// The time before the commit.
    seen: f64,
    tip: Tip,
    /// The conversation's id, as a part of keys.
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
    /// The contents of the first of these files, `undefined` for one that does not exist: all of them, or about as many as
    /// `enough` bytes, and at least one. A transaction for each file would be too slow for a hundred thousand of them.
    pub async fn read_files(
        &self,
        conversation: ConversationId,
        paths: &[StorePath],
        enough: u32,
    ) -> Result<Array, StoreError> {
        undivided(Box::new(move || Box::pin(read::read_files(&self.connection, conversation, paths, enough))))
            .await
    }

    /// Resolves when all earlier commits to the conversation are done.
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
    /// The number of conversations that are remembered, because each may have a large base state.
    const CAPACITY: usize = 16;

    /// Takes a tip that may still be used.
    fn take(&mut self, generation: u32, conversation: ConversationId, now: f64) -> Option<(Tip, JsValue)> {
        let Remembered { seen, tip, key } = self.forget(conversation)?;
        let is_current = self.generation == generation && (0.0..=TIP_LIFETIME).contains(&(now - seen));
        is_current.then_some((tip, key))
    }

    fn remember(&mut self, generation: u32, conversation: ConversationId, remembered: Remembered) {
        if self.generation != generation {
            self.generation = generation;
            self.known.clear();
        }
        self.forget(conversation);
        if self.known.len() >= Self::CAPACITY {
            self.known.remove(0);
        }
        self.known.push((conversation, remembered));
    }

    fn forget(&mut self, conversation: ConversationId) -> Option<Remembered> {
        let position = self.known.iter().position(|(of, _)| *of == conversation)?;
        Some(self.known.remove(position).1)
    }
}

impl Store for IndexedDbStore {
    fn list(&self) -> StoreFuture<'_, Vec<Listing>> {
        undivided(Box::new(|| Box::pin(read::list(&self.connection))))
    }

    fn load(&self, conversation: ConversationId) -> StoreFuture<'_, Option<Listing>> {
        let listing = |loaded: Loaded| loaded.listing;
        Box::pin(async move {
            let loaded = read::load_to_open(&self.connection, conversation, &FirstReads::default()).await?;
            Ok(loaded.map(listing))
        })
    }

    fn load_to_open<'a>(
        &'a self,
        conversation: ConversationId,
        wanted: &'a FirstReads,
    ) -> StoreFuture<'a, Option<Loaded>> {
        undivided(Box::new(move || Box::pin(read::load_to_open(&self.connection, conversation, wanted))))
    }

    fn events(&self, conversation: ConversationId, range: Range<u64>) -> StoreFuture<'_, Vec<StoredEvent>> {
        Box::pin(read::events(&self.connection, conversation, range))
    }

    fn index_of<'a>(
        &'a self,
        conversation: ConversationId,
        event: &'a EventId,
    ) -> StoreFuture<'a, Option<u64>> {
        undivided(Box::new(move || Box::pin(read::index_of(&self.connection, conversation, event))))
    }

    fn commit(&self, conversation: ConversationId, commit: Commit) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let _guard = self.commit_lock(conversation).await;
            if self.append(conversation, &commit).await? {
                return Ok(());
            }
            undivided(Box::new(|| Box::pin(self.read_and_write(conversation, &commit)))).await
        })
    }

    fn files<'a>(
        &'a self,
        conversation: ConversationId,
        folder: Option<&'a StorePath>,
    ) -> StoreFuture<'a, Vec<StorePath>> {
        Box::pin(read::files(&self.connection, conversation, folder))
    }

    fn read_file<'a>(
        &'a self,
        conversation: ConversationId,
        path: &'a StorePath,
    ) -> StoreFuture<'a, Option<Vec<u8>>> {
        Box::pin(read::read_file(&self.connection, conversation, path))
    }

    fn spans_conversations(&self) -> bool {
        true
    }

    fn delete(&self, conversation: ConversationId) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let _guard = self.commit_lock(conversation).await;
            self.tips.borrow_mut().forget(conversation);
            undivided(Box::new(move || Box::pin(write::delete(&self.connection, conversation)))).await
        })
    }

    fn found(&self) -> Found {
        self.connection.found()
    }

    fn connect(&self) {
        let connection = self.connection.clone();
        let _background = guard::promise(async move {
            // A failure is not reported here: the next call of the store meets the same one.
            let _ = connection.link().await;
            Ok(JsValue::UNDEFINED)
        });
    }

    fn close(&self) {
        self.connection.close();
        self.tips.borrow_mut().known.clear();
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl Drop for IndexedDbStore {
    fn drop(&mut self) {
        self.connection.close();
    }
}

/// How often something is begun. Each attempt fails only if the page is stopped in the middle of it.
const ATTEMPTS: usize = 10;

/// Does in one transaction what needs several requests, each of which waits for the answer to another one.
///
/// In Firefox, `alert()`, `print()` and synchronous requests of the page deliver an answer, but let the future that waits for it
/// go on only when they are over; the transaction has committed by itself then. Chromium delivers nothing, and aborts a transaction
/// that keeps others waiting for a minute. In both cases nothing was written, because all writes are issued in one turn, and what
/// `begin` does is done from the start.
fn undivided<'a, T: 'a>(begin: Box<dyn Fn() -> StoreFuture<'a, T> + 'a>) -> StoreFuture<'a, T> {
    Box::pin(async move {
        let mut attempts = ATTEMPTS;
        loop {
            attempts -= 1;
            match begin().await {
                Err(StoreError::Failed { name, .. }) if attempts > 0 && has_ended(&name) => {}
                result => return result,
            }
        }
    })
}

/// Whether this is the name of the error of a request in a transaction that is over.
fn has_ended(name: &str) -> bool {
    ["InvalidStateError", "TransactionInactiveError", "AbortError"].contains(&name)
}

/// The clock for the lifetimes of tips and tombstones.
fn now() -> f64 {
    js_sys::Date::now()
}
