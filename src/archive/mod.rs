//! Import and export of archives: the layout of files, and the checks before anything is stored.
//!
//! The container is read and written in JavaScript; for this module an archive is a list of entries that can be read one
//! by one ([`Archive`]). Exports are made in JavaScript as well; this module decides which data is removed from them
//! ([`portable`], [`without_secrets`]). One folder per conversation, named by its id in 32 hex digits, has the contents of
//! the SDK's directory of a conversation:
//!
//! ```text
//! <32 hex digits>/base_state.json
//! <32 hex digits>/events/event-00000-<event id>.json
//! <32 hex digits>/…                                     further files
//! ```
//!
//! An import reads the archive twice: it checks everything first, so that a refused archive has not changed the store, and
//! then writes. Commits refer to entries of the archive, whose contents are copied into the store without passing through
//! this module again ([`Writing`]). In both directions only a few entries are in memory at a time.

mod base_state;
mod comparison;
mod contents;
mod event_text;
pub mod interchange;
pub mod history;
mod import;
mod limits;
mod mending;
mod merged_state;
mod mirror;
mod name;
mod pages;
mod plan;
mod reading;
mod secrets;
mod quarantine;
mod undecided;
mod union;
mod verify;
mod writing;

pub use base_state::portable;
pub use contents::{Contents, EntryHeader};
pub use import::{Claim, ImportOptions, Imported, Outcome, import};
pub use mirror::{MirrorPlan, at_other_place, in_order, plan as plan_mirror};
pub use secrets::{is_searched, masked, without_secrets};
pub use undecided::mark_undecided;
pub use writing::{Failure, Source, Unreadable, Writing};

use crate::{
    error::{Error, ErrorCode},
    id::ConversationId,
    store::Store,
};
use futures_util::future::LocalBoxFuture;

/// An archive whose container is read by the implementation.
pub trait Archive {
    /// The size of the archive itself, in bytes.
    fn size(&self) -> u64;

    /// The next entries of the archive's directory, in its order; none after the last. An error is the message of the
    /// reader of the container.
    fn next_entries(&self) -> LocalBoxFuture<'_, Result<Vec<EntryHeader>, String>>;

    /// The unpacked contents of the entries at these positions of the directory, concatenated. Checksum and size of each
    /// have been compared with its header.
    fn read<'a>(&'a self, positions: &'a [usize]) -> LocalBoxFuture<'a, Result<Vec<u8>, Unreadable>>;

    /// Fails as [`Archive::read`] would.
    fn check<'a>(&'a self, positions: &'a [usize]) -> LocalBoxFuture<'a, Result<(), Unreadable>>;

    /// Commits to the store, with the contents of the entries to which the writing refers.
    fn commit<'a>(
        &'a self,
        store: &'a dyn Store,
        conversation: ConversationId,
        writing: Writing,
    ) -> LocalBoxFuture<'a, Result<(), Failure>> {
        Box::pin(async move {
            let commit = writing.with_contents(async |position| self.read(&[position]).await).await?;
            store.commit(conversation, commit).await.map_err(Failure::Store)
        })
    }
}

/// The progress of an import, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The bytes that are done.
    pub done: u64,
    /// All bytes.
    pub total: u64,
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::ArchiveInvalid, message)
}

#[cfg(test)]
mod tests;
