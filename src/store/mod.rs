//! Where conversations live: names and bytes, no meanings.
//!
//! A store keeps, for each conversation, what the SDK keeps in one directory: the text of `base_state.json`, the
//! event files by index, and any further files by path. The contract:
//!
//! * **A commit is one transaction.** All of a [`Commit`] is kept or none of it, also when the process dies.
//!   `commit` returns only after the transaction has completed; nobody is told earlier.
//! * **One log, compared and swapped.** `expected_length` is the length of the log that the writer knows. If the
//!   log has another length the commit fails with [`StoreError::Conflict`] and changes nothing, so two writers can
//!   never interleave.
//! * **The log has no gaps**: the events of a conversation are `0..length`, and an event never changes.
//! * **A conversation exists once it has a base state.** Before that, `load` and `list` do not know it; this is how
//!   an import stays invisible until its last commit. `delete` removes what has been committed until then, and a
//!   store may clear away what got no base state for a day.
//! * **Reading what is not there** is no error: an unknown conversation has no events and no files.
//! * **A deleted conversation has a log of length 0**, so a writer that knew more of it gets a conflict.
//! * **Cost.** `load`, `commit`, `events` and `index_of` cost what they carry, not what the log holds.
//! * **Durability.** After a [`Durability::Strict`] commit the data is on the disk, as far as the platform can say;
//!   after a relaxed one it survives the death of the process, but perhaps not a power cut.
//!
//! The suite that every store must pass is in `conformance`.

mod memory;
pub mod rows;

#[cfg(any(test, feature = "testing"))]
pub mod conformance;

pub use memory::MemoryStore;

use crate::{
    error::{Error, ErrorCode},
    id::{ConversationId, EventId, StorePath},
};
use futures_util::future::LocalBoxFuture;
use std::{fmt, ops::Range, rc::Rc};

/// What a store operation resolves to.
pub type StoreFuture<'a, T> = LocalBoxFuture<'a, Result<T, StoreError>>;

/// Keeps conversations. See the module for the contract.
pub trait Store {
    /// Every conversation, the most recently updated first and equal times by id, without reading events.
    fn list(&self) -> StoreFuture<'_, Vec<Listing>>;

    /// The base state and the log's length, or `None` if there is no such conversation.
    fn load(&self, conversation: ConversationId) -> StoreFuture<'_, Option<Listing>>;

    /// The events in `range`, ascending; indices beyond the end are left out.
    fn events(&self, conversation: ConversationId, range: Range<u64>) -> StoreFuture<'_, Vec<StoredEvent>>;

    /// The index of the first event with this id.
    fn index_of<'a>(
        &'a self,
        conversation: ConversationId,
        event: &'a EventId,
    ) -> StoreFuture<'a, Option<u64>>;

    /// Applies all of `commit` or nothing.
    fn commit(&self, conversation: ConversationId, commit: Commit) -> StoreFuture<'_, ()>;

    /// The further files' paths, sorted.
    fn files(&self, conversation: ConversationId) -> StoreFuture<'_, Vec<StorePath>>;

    /// One further file.
    fn read_file<'a>(
        &'a self,
        conversation: ConversationId,
        path: &'a StorePath,
    ) -> StoreFuture<'a, Option<Vec<u8>>>;

    /// Removes the conversation with its log and its files, in one transaction; nothing happens if there is none.
    fn delete(&self, conversation: ConversationId) -> StoreFuture<'_, ()>;

    /// What it found when it was opened, as far as it knows.
    fn found(&self) -> Found {
        Found::Something
    }

    /// Lets go of connections. Later calls fail with [`StoreError::Closed`]; calls under way complete or fail.
    fn close(&self);
}

/// What a store found when it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Found {
    /// Itself, with whatever is in it.
    #[default]
    Something,
    /// Nothing: it was made.
    Nothing,
    /// Nothing, and the platform says that it has removed what was there because it was damaged.
    Damage,
}

/// A conversation without its events.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// Whose it is.
    pub conversation: ConversationId,
    /// The text of `base_state.json`.
    pub base_state: Rc<str>,
    /// How many events the log has.
    pub length: u64,
    /// `at` of the first commit, in milliseconds since the Unix epoch.
    pub created_at: f64,
    /// `at` of the last commit.
    pub updated_at: f64,
}

/// An event as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredEvent {
    /// Its place in the log.
    pub index: u64,
    /// The id in its file name.
    pub id: EventId,
    /// The exact text of its file.
    pub json: Rc<str>,
}

/// One atomic change to a conversation. Applied in the order of the fields.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The log's length as the writer knows it; 0 for a conversation that does not exist.
    pub expected_length: u64,
    /// `created_at` of the conversation that the writer knows, so that it does not go on in another one, which was made
    /// under the same id when the first had been deleted.
    pub created_at: Option<f64>,
    /// Cuts the log to this length first, if it is longer. Only for setting aside a tail that cannot be read; its text must be
    /// kept by the same commit, as a file.
    pub truncate_to: Option<u64>,
    /// Appended in this order: id and exact text.
    pub events: Vec<(EventId, Rc<str>)>,
    /// Replaces the text of `base_state.json`.
    pub base_state: Option<Rc<str>>,
    /// Further files: new content, or `None` to remove.
    pub files: Vec<(StorePath, Option<Vec<u8>>)>,
    /// When this happened, in milliseconds since the Unix epoch; never moves `updated_at` backwards.
    pub at: f64,
    /// What the commit must survive.
    pub durability: Durability,
}

impl Commit {
    /// A strict commit that changes nothing but `updated_at`; the fields say the rest.
    pub fn new(expected_length: u64, at: f64) -> Self {
        Self {
            expected_length,
            created_at: None,
            truncate_to: None,
            events: Vec::new(),
            base_state: None,
            files: Vec::new(),
            at,
            durability: Durability::Strict,
        }
    }
}

/// What a completed commit survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// A power cut, as far as the platform can promise it.
    Strict,
    /// The death of the process.
    #[default]
    Relaxed,
}

/// Why a store could not do it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreError {
    /// The log is not as long as the writer thought: somebody else has written.
    Conflict {
        /// The writer's `expected_length`.
        expected: u64,
    },
    /// What was there is gone, and nobody deleted it here: the browser lost or cleared its data.
    Lost,
    /// The storage is full.
    Quota,
    /// Another connection stands in the way of opening or upgrading.
    Blocked,
    /// A newer version of the app has written the database.
    Newer,
    /// There is no storage here, or it may not be used; says why and what to do.
    Unavailable(String),
    /// The host's store has not answered this method in time.
    Silent(&'static str),
    /// The store, or the connection below it, is closed.
    Closed,
    /// What is stored breaks the contract; says what and where.
    Corrupt(String),
    /// Anything else: the platform's name of the error and its message.
    Failed {
        /// The platform's name, such as a DOMException's.
        name: String,
        /// The platform's message.
        message: String,
    },
}

/// What is said of a conversation that is not there any more.
const LOST: &str = "this conversation is no longer in the browser's database: the site's data was cleared, or the browser lost it; what you have exported can be imported again";

/// The order of [`Store::list`].
pub(crate) fn newest_first(mut listings: Vec<Listing>) -> Vec<Listing> {
    listings.sort_by(|a, b| {
        b.updated_at.total_cmp(&a.updated_at).then_with(|| a.conversation.hex().cmp(&b.conversation.hex()))
    });
    listings
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict { expected } => write!(
                f,
                "the conversation was changed elsewhere (its log no longer has {expected} events); open it again"
            ),
            Self::Lost => f.write_str(LOST),
            Self::Quota => {
                f.write_str("the storage is full; delete or export conversations, or free disk space")
            }
            Self::Blocked => f.write_str(
                "another tab keeps this database open in another version; close or reload the other tabs",
            ),
            Self::Newer => f.write_str(
                "a newer version of the app has written this database; reload the page to get that version",
            ),
            Self::Unavailable(words) => f.write_str(words),
            Self::Silent(method) => {
                write!(f, "{method}() of the host's store has not answered in time; try again")
            }
            Self::Closed => f.write_str("the store is closed; open the conversation again"),
            Self::Corrupt(what) => write!(f, "the store cannot be read: {what}"),
            Self::Failed { name, message } => write!(f, "the store failed with {name}: {message}"),
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let code = match error {
            StoreError::Conflict { .. } => ErrorCode::LockedElsewhere,
            StoreError::Lost => ErrorCode::StoreLost,
            StoreError::Quota => ErrorCode::StoreQuota,
            StoreError::Blocked | StoreError::Newer | StoreError::Silent(_) => ErrorCode::StoreBlocked,
            StoreError::Unavailable(_) => ErrorCode::StoreUnavailable,
            StoreError::Closed => ErrorCode::InvalidState,
            StoreError::Corrupt(_) | StoreError::Failed { .. } => ErrorCode::StoreCorrupt,
        };
        Error::new(code, error.to_string())
    }
}
