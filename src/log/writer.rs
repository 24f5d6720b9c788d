//! The number by which a store knows the writer of a conversation: [`Commit::writer`](crate::store::Commit::writer).
//!
//! A handle reads the number when it opens the conversation, and makes it larger with its first commit, not before: opening
//! stores nothing. From then on it expects its own number, which grows with each change of the base state. So nothing is stored of
//! what a handle commits that another one has replaced, or that does not know the newest state, even where no lock has kept the
//! two apart.

use crate::store::WriterNumber;
use std::cell::Cell;

/// The number as a handle knows it.
pub struct Writer {
    /// `None` if the store does not keep it.
    stored: Cell<Option<u64>>,
    /// Whether this handle has stored it.
    is_own: Cell<bool>,
}

impl Writer {
    /// That of a conversation that another handle may be writing.
    pub fn of_another(stored: Option<u64>) -> Self {
        Self { stored: Cell::new(stored), is_own: Cell::new(false) }
    }

    /// The number that the conversation has, as far as this handle knows.
    pub fn number(&self) -> Option<u64> {
        self.stored.get()
    }

    /// The number that the next commit compares, and the one that it stores.
    pub fn next(&self, changes_state: bool) -> Option<WriterNumber> {
        let grows = u64::from(changes_state || !self.is_own.get());
        self.stored.get().map(|expected| WriterNumber { expected, next: expected + grows })
    }

    /// Notes that a commit with this has been stored.
    pub fn has_stored(&self, number: Option<WriterNumber>) {
        self.stored.set(number.map(|number| number.next));
        self.is_own.set(true);
    }

    /// Notes a number that was read. If it is not this handle's own, its next commit makes it larger.
    pub fn has_read(&self, stored: Option<u64>) {
        self.is_own.set(self.is_own.get() && self.stored.get() == stored);
        self.stored.set(stored);
    }
}
