//! How a database of ordered keys keeps a conversation so that an append is one write.
//!
//! In IndexedDB every request costs about a quarter of a whole transaction, so an append that also updated an index
//! and a head record would cost half as much again. Therefore a commit writes its events and, in the common case,
//! nothing else:
//!
//! * **events** `[conversation, index]`: one [`Row`] per event. The last row of a commit also carries what changed
//!   of the base state since the head was written (a [`Patch`]) and `updated_at`, so the last row of a log tells
//!   all that the head does not.
//! * **conversations**: the [`Head`], with the whole base state. It is written with the first commit, with a commit
//!   without events, and when the patches since the last time have cost as much as writing it.
//! * **pages** `[conversation, page]`: the ids of each full [`PAGE`] of events, for finding an event by id. The
//!   events after the last full page are looked through.
//! * **files** `[conversation, path]`: bytes.
//!
//! Compare-and-swap: *adding* a row fails if there is one, so a writer that remembers the [`Tip`] of a log appends
//! blindly and learns from the failure that the log is longer. What changes a conversation without making its log
//! longer must make such an append fail as well: deletion, truncation, and a commit that has no events. So these
//! leave graves: empty rows at every position where a remembered tip could still append. A tip may be remembered
//! for [`TRUST`] only, which bounds how many graves a deletion needs and how long they must stay. Without a
//! remembered tip, or when its append fails, a commit reads the head and the last row in its own transaction.
//!
//! Everything here is a pure function of what was read; the reading and writing is done by the database's store.

mod patch;
mod plan;
#[cfg(test)]
mod simulated;
mod tip;

pub use patch::Patch;
pub use plan::{Plan, Planned, Write, bury, plan};
pub use tip::{LastRow, Tip};

use crate::id::EventId;
use std::rc::Rc;

/// How many ids a page has.
pub const PAGE: u64 = 64;

/// How long a remembered tip may be used for appending blindly, in milliseconds.
pub const TRUST: f64 = 60_000.0;

/// Rows written longer ago than this need no grave, and graves this old can go, in milliseconds: twice [`TRUST`],
/// because the clock that is read may be adjusted in between.
pub const MOURNING: f64 = 2.0 * TRUST;

/// How long rows may wait for a base state, in milliseconds: a day.
pub const UNFINISHED: f64 = 86_400_000.0;

/// A conversation's own record.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// `at` of the first commit.
    pub created_at: f64,
    /// `at` of the last commit, when the head was written.
    pub updated_at: f64,
    /// The clock when the head was written.
    pub written: f64,
    /// The log's length, when the head was written.
    pub length: u64,
    /// Positions below this may be graves.
    pub used: u64,
    /// The text of `base_state.json`, when the head was written.
    pub base_state: Option<Rc<str>>,
    /// Whether the conversation was deleted and only its graves are left.
    pub deleted: bool,
}

/// An event, and what its commit changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its place in the log.
    pub index: u64,
    /// The event's id.
    pub id: EventId,
    /// The event's text.
    pub json: Rc<str>,
    /// The conversation's `updated_at` since this commit.
    pub at: f64,
    /// The clock when it was written.
    pub written: f64,
    /// In the last row of a commit: the base state, as what differs from the head's.
    pub patch: Option<Patch>,
}
