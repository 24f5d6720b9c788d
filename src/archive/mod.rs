//! Conversations as files in an archive: the layout, and what is checked before anything is stored.
//!
//! The container is a library's work, in JavaScript; here an archive is a list of entries that can be read one by
//! one ([`Archive`]), and an export is a series of named contents ([`Export`]). One folder per conversation, named
//! by its id in 32 hex digits, holds what the SDK keeps in a conversation's directory:
//!
//! ```text
//! <32 hex digits>/base_state.json
//! <32 hex digits>/events/event-00000-<event id>.json
//! <32 hex digits>/…                                     further files
//! ```
//!
//! An import reads the whole archive twice: it checks everything first, so that an archive that is refused has not
//! touched the store, and then writes. Neither direction holds more than a few entries in memory.

mod base_state;
mod contents;
mod event_text;
mod export;
pub mod foreign;
pub mod history;
mod import;
mod json;
mod kept;
mod limits;
mod name;
mod pages;
mod plan;
mod read_ahead;
mod secrets;
mod undecided;
mod verify;

pub use base_state::portable;
pub use contents::{Contents, EntryHeader};
pub use export::{Export, ExportEntry};
pub use import::{Claim, ImportOptions, Imported, Outcome, import};

use crate::error::{Error, ErrorCode};
use futures_util::future::LocalBoxFuture;

/// An archive whose container somebody else understands.
pub trait Archive {
    /// How many bytes the archive itself has.
    fn size(&self) -> u64;

    /// The next entry of the archive's directory, in its order; `None` after the last. An error is a reason in the
    /// words of whoever reads the container.
    fn next_entry(&self) -> LocalBoxFuture<'_, Result<Option<EntryHeader>, String>>;

    /// The unpacked content of the entry at this position of the directory, its checksum compared. Fails, without
    /// having unpacked all of it, if it is longer than its header says.
    fn read(&self, position: usize) -> LocalBoxFuture<'_, Result<Vec<u8>, String>>;

    /// Says that the entry at this position will not be read again, so that nothing about it need be held.
    fn forget(&self, position: usize);
}

/// How far an import or export has come.
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
