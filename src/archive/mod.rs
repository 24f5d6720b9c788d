//! Conversations as files in an archive: the layout, and what is checked before anything is stored.
//!
//! The container is a library's work, in JavaScript; here an archive is a list of entries that can be read one by
//! one ([`Archive`]). An export is made in JavaScript as well; what may not leave is decided here ([`portable`],
//! [`without_secrets`]). One folder per conversation, named by its id in 32 hex digits, holds what the SDK keeps in a
//! conversation's directory:
//!
//! ```text
//! <32 hex digits>/base_state.json
//! <32 hex digits>/events/event-00000-<event id>.json
//! <32 hex digits>/…                                     further files
//! ```
//!
//! An import reads the whole archive twice: it checks everything first, so that an archive that is refused has not
//! touched the store, and then writes. What it writes are places in the archive: contents go from there into the store
//! without coming by here again ([`Writing`]). Neither direction holds more than a few entries in memory.

mod base_state;
mod contents;
mod event_text;
pub mod interchange;
pub mod history;
mod import;
mod limits;
mod name;
mod pages;
mod plan;
mod reading;
mod secrets;
mod quarantine;
mod undecided;
mod verify;
mod writing;

pub use base_state::portable;
pub use contents::{Contents, EntryHeader};
pub use import::{Claim, ImportOptions, Imported, Outcome, import};
pub use secrets::{is_searched, without_secrets};
pub use writing::{Failure, Source, Unreadable, Writing};

use crate::{
    error::{Error, ErrorCode},
    id::ConversationId,
    store::Store,
};
use futures_util::future::LocalBoxFuture;

/// An archive whose container somebody else understands.
pub trait Archive {
    /// How many bytes the archive itself has.
    fn size(&self) -> u64;

    /// The next entries of the archive's directory, in its order; none after the last. An error is a reason in the
    /// words of whoever reads the container.
    fn next_entries(&self) -> LocalBoxFuture<'_, Result<Vec<EntryHeader>, String>>;

    /// The unpacked contents of the entries at these positions of the directory, one after the other, each with its
    /// checksum compared and as long as its header says.
    fn read<'a>(&'a self, positions: &'a [usize]) -> LocalBoxFuture<'a, Result<Vec<u8>, Unreadable>>;

    /// Fails as [`Archive::read`] would.
    fn check<'a>(&'a self, positions: &'a [usize]) -> LocalBoxFuture<'a, Result<(), Unreadable>>;

    /// Commits to the store, with the contents of entries where the writing names them.
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

/// How far an import has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How much is done.
    pub done: u64,
    /// How much there is to do.
    pub total: u64,
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::ArchiveInvalid, message)
}

#[cfg(test)]
mod tests;
