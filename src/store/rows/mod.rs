//! The layout of conversations in a database of ordered keys, in which an append is one write.
//!
//! In IndexedDB every request costs about a quarter of a whole transaction, so an append that also updated an index
//! and a head record would cost half as much again. Therefore a commit writes its events and, in the common case,
//! nothing else:
//!
//! * **events** `[conversation, index]`: one [`Row`] per event. The last row of a commit also carries the changes of the
//!   base state since the head was written (a [`Patch`]), `updated_at` and the number of the writer, so the last row of a
//!   log complements the head.
//! * **conversations**: the [`Head`], with the whole base state. It is written with the first commit, with a commit
//!   without events, and when the patches since the last time have cost as much as writing it. A commit of files that
//!   moves neither `updated_at` nor the number of the writer writes nothing but the files.
//! * **pages** `[conversation, page]`: the ids of each full [`PAGE`] of events, for finding an event by id. The
//!   events after the last full page are searched one by one.
//! * **files** `[conversation, path]`: bytes.
//! * **pictures** `conversation`: what a thread has shown last. Nothing here knows more of it; `js/ui/thread/picture.ts` writes it,
//!   and compares it with the head and the end of the log before it shows it.
//!
//! Compare-and-swap: *adding* a row fails if its key exists, so a writer that remembers the [`Tip`] of a log appends
//! without reading, and learns from the failure that the log is longer. A change that does not make the log longer must
//! make such an append fail as well: deletion, truncation, and a commit without events, also one of nothing but the number
//! of a writer. So these leave tombstones: empty rows at every position where a remembered tip could still append. A tip
//! may be remembered for [`TIP_LIFETIME`] only, which bounds how many tombstones a deletion needs and how long they must
//! stay. Without a remembered tip, or when its append fails, a commit reads the head and the last row in its own
//! transaction. A commit of nothing but files leaves the tip as it is; it tries the position at which the next event would
//! be added.
//!
//! Everything here is a pure function of data that was read; the store of the database reads and writes.

mod patch;
mod plan;
#[cfg(test)]
mod simulated;
mod tip;

pub use patch::Patch;
pub use plan::{Plan, Planned, Write, deletion, plan, plan_files_of};
pub use tip::{LastRow, Tip};

use crate::id::EventId;
use std::rc::Rc;

/// The number of ids on a full page.
pub const PAGE: u64 = 64;

/// How long a remembered tip may be used for appending without reading, in milliseconds.
pub const TIP_LIFETIME: f64 = 60_000.0;

/// How long tombstones must stay, in milliseconds; rows written longer ago need none. It is twice [`TIP_LIFETIME`],
/// because the clock may be adjusted in between.
pub const TOMBSTONE_LIFETIME: f64 = 2.0 * TIP_LIFETIME;

/// How long a conversation may stay without a base state before it is removed, in milliseconds: a day.
pub const UNFINISHED: f64 = 86_400_000.0;

/// The record of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// `at` of the first commit.
    pub created_at: f64,
    /// `at` of the last commit, when the head was written.
    pub updated_at: f64,
    /// The time at which the head was written.
    pub written: f64,
    /// The length of the log, when the head was written.
    pub length: u64,
    /// Positions below this may be tombstones.
    pub used: u64,
    /// The number of the writer, when the head was written.
    pub writer: u64,
    /// The text of `base_state.json`, when the head was written.
    pub base_state: Option<Rc<str>>,
    /// Whether the conversation was deleted and only its tombstones are left.
    pub deleted: bool,
}

/// An event, and the changes of its commit to the conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The event's position in the log.
    pub index: u64,
    /// The event's id.
    pub id: EventId,
    /// The event's text.
    pub json: Rc<str>,
    /// The conversation's `updated_at` after this commit.
    pub at: f64,
    /// The time at which the row was written.
    pub written: f64,
    /// In the last row of a commit: the number of the writer. Without one, the head's number holds.
    pub writer: Option<u64>,
    /// In the last row of a commit: the base state, as a difference to that of the head.
    pub patch: Option<Patch>,
}
