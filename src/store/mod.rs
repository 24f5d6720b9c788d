//! The storage of conversations, as names and bytes: a store does not interpret them.
//!
//! For each conversation a store has the contents of the SDK's directory: the text of `base_state.json`, the event
//! files by index, and any further files by path. The contract:
//!
//! * **A commit is one transaction.** All of a [`Commit`] is stored or none of it, also when the process dies.
//!   `commit` returns only after the transaction has completed.
//! * **Compare and swap.** `expected_length` is the length of the log that the writer knows. If the log has another
//!   length, the commit fails with [`StoreError::Conflict`] and changes nothing, so two writers can never interleave.
//! * **The number of the writer.** A commit with [`Commit::writer`] fails in the same way unless the conversation has the
//!   number that it expects; then the conversation has the next one. So a writer that another one has replaced changes
//!   nothing any more, also where the length of the log stays the same. Only commits change the number; it is 0 for a new
//!   conversation, and no part of what is exported.
//! * **The log has no gaps**: the events of a conversation are `0..length`, and an event never changes.
//! * **A conversation exists once it has a base state.** Before that, `load` and `list` do not return it; therefore an
//!   import stays invisible until its last commit. `delete` removes such a conversation as well, and a store may remove
//!   one that got no base state for a day.
//! * **Reading something absent is no error**: an unknown conversation has no events and no files.
//! * **A deleted conversation has a log of length 0**, so a writer that knew a longer one gets a conflict.
//! * **Cost.** The cost of `load`, `commit`, `events` and `index_of` depends on the data that they carry, not on the
//!   length of the log.
//! * **Files of another conversation.** A store that [spans conversations](Store::spans_conversations) stores
//!   [`Commit::files_of`] in the transaction of the commit, and nothing of the commit if that conversation does not exist.
//! * **Durability.** After a [`Durability::Strict`] commit the data is on the disk, as far as the platform promises it;
//!   after a relaxed one it survives the death of the process, but perhaps not a power cut.
//!
//! The suite that every store must pass is in `conformance`.

mod memory;
pub mod rows;

#[cfg(any(test, feature = "conformance"))]
pub mod conformance;

pub use memory::MemoryStore;

use crate::{
    error::{Error, ErrorCode},
    id::{ConversationId, EventId, StorePath},
};
use futures_util::future::LocalBoxFuture;
use std::{any::Any, fmt, ops::Range, rc::Rc};

/// The future of a store operation.
pub type StoreFuture<'a, T> = LocalBoxFuture<'a, Result<T, StoreError>>;

/// A storage of conversations. See the module for the contract.
pub trait Store {
    /// All conversations, the most recently updated first, equal times by id; reads no events.
    fn list(&self) -> StoreFuture<'_, Vec<Listing>>;

    /// The base state and the length of the log, or `None` if the conversation does not exist.
    fn load(&self, conversation: ConversationId) -> StoreFuture<'_, Option<Listing>>;

    /// Like `load`, for opening the conversation: with what opening reads next, where the store has all of it in one transaction.
    fn load_to_open<'a>(
        &'a self,
        conversation: ConversationId,
        _wanted: &'a FirstReads,
    ) -> StoreFuture<'a, Option<Loaded>> {
        Box::pin(async move {
            Ok(self.load(conversation).await?.map(|listing| Loaded { listing, end: None, files: None }))
        })
    }

    /// The events in `range`, ascending; the part of the range beyond the end is ignored.
    fn events(&self, conversation: ConversationId, range: Range<u64>) -> StoreFuture<'_, Vec<StoredEvent>>;

    /// The index of the first event with this id.
    fn index_of<'a>(
        &'a self,
        conversation: ConversationId,
        event: &'a EventId,
    ) -> StoreFuture<'a, Option<u64>>;

    /// Applies all of `commit` or nothing.
    fn commit(&self, conversation: ConversationId, commit: Commit) -> StoreFuture<'_, ()>;

    /// The paths of the further files, sorted: all of them, or those below this folder.
    fn files<'a>(
        &'a self,
        conversation: ConversationId,
        folder: Option<&'a StorePath>,
    ) -> StoreFuture<'a, Vec<StorePath>>;

    /// One further file.
    fn read_file<'a>(
        &'a self,
        conversation: ConversationId,
        path: &'a StorePath,
    ) -> StoreFuture<'a, Option<Vec<u8>>>;

    /// Whether a commit may carry files of another conversation, [`Commit::files_of`].
    fn spans_conversations(&self) -> bool {
        false
    }

    /// Removes the conversation with its log and its files, in one transaction; does nothing if it does not exist.
    fn delete(&self, conversation: ConversationId) -> StoreFuture<'_, ()>;

    /// The state in which the store was found when it was opened, as far as it is known.
    fn found(&self) -> Found {
        Found::Something
    }

    /// Begins to open the connection that the next call needs. A failure is left to that call.
    fn connect(&self) {}

    /// Closes connections. Later calls fail with [`StoreError::Closed`]; calls under way complete or fail.
    fn close(&self);

    /// The store itself, if it can do more than this trait.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }
}

/// The state in which a store was found when it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Found {
    /// It existed, empty or not.
    #[default]
    Something,
    /// It did not exist and was created.
    Nothing,
    /// It did not exist, because the platform had removed it as damaged.
    Damage,
}

/// A conversation without its events.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// The conversation's id.
    pub conversation: ConversationId,
    /// The text of `base_state.json`.
    pub base_state: Rc<str>,
    /// The number of events in the log.
    pub length: u64,
    /// `at` of the first commit, in milliseconds since the Unix epoch.
    pub created_at: f64,
    /// `at` of the last commit.
    pub updated_at: f64,
    /// The number of the writer: 0 until a commit with a number. `None` from a store of the host that does not keep it.
    pub writer: Option<u64>,
}

/// What opening a conversation reads after its listing.
#[derive(Default)]
pub struct FirstReads {
    /// The number of events at the end of the log.
    pub last: u64,
    /// The folders whose files are listed.
    pub folders: Vec<StorePath>,
}

/// A listing, and what a store has read with it in one transaction.
pub struct Loaded {
    /// The conversation without its events.
    pub listing: Listing,
    /// The events at the end of the log, or why they cannot be read; `None` if they were not read.
    pub end: Option<Result<Vec<StoredEvent>, StoreError>>,
    /// The paths of the files below the folders, folder by folder; `None` if they were not read.
    pub files: Option<Vec<StorePath>>,
}

/// An event as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredEvent {
    /// The event's position in the log.
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
    /// `created_at` of the conversation that the writer knows, so that it does not write into another one, created with
    /// the same id after the first was deleted.
    pub created_at: Option<f64>,
    /// The number of the writer; `None` neither compares nor changes it.
    pub writer: Option<WriterNumber>,
    /// Cuts the log to this length first, if it is longer. Only for quarantining a tail that cannot be read; the same commit
    /// must store its text as a file.
    pub truncate_to: Option<u64>,
    /// Appended in this order: id and exact text.
    pub events: Vec<(EventId, Rc<str>)>,
    /// Replaces the text of `base_state.json`.
    pub base_state: Option<Rc<str>>,
    /// Further files.
    pub files: FileChanges,
    /// Further files of another conversation.
    pub files_of: Option<FilesOf>,
    /// The time of the commit, in milliseconds since the Unix epoch; never moves `updated_at` backwards.
    pub at: f64,
    /// The failure that the commit must survive.
    pub durability: Durability,
}

impl Commit {
    /// A strict commit that changes nothing but `updated_at`; set fields to change more.
    pub fn new(expected_length: u64, at: f64) -> Self {
        Self {
            expected_length,
            created_at: None,
            writer: None,
            truncate_to: None,
            events: Vec::new(),
            base_state: None,
            files: Vec::new(),
            files_of: None,
            at,
            durability: Durability::Strict,
        }
    }
}

/// The number of a conversation's writer before and after a commit. A writer that takes another one's place makes it larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterNumber {
    /// The number that the conversation must have; 0 for one that does not exist.
    pub expected: u64,
    /// The number that it then gets.
    pub next: u64,
}

/// Changes of further files by path: new content, or `None` to remove.
pub type FileChanges = Vec<(StorePath, Option<Vec<u8>>)>;

/// Further files of a conversation other than that of the commit, whose log and base state stay as they are. If the
/// conversation does not exist, or has another writer, the commit fails with [`StoreError::Conflict`].
#[derive(Clone, Debug)]
pub struct FilesOf {
    /// The conversation.
    pub conversation: ConversationId,
    /// Its `created_at` as the writer knows it.
    pub created_at: f64,
    /// The number that its writer must have; `None` does not compare it.
    pub writer: Option<u64>,
    /// The changes.
    pub files: FileChanges,
}

/// The failure that a completed commit survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// A power cut, as far as the platform can promise it.
    Strict,
    /// The death of the process.
    #[default]
    Relaxed,
}

/// The reason why a store operation failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreError {
    /// The conversation is not as the writer knows it: another one has changed it, or taken its place.
    Conflict {
        /// The writer's `expected_length`.
        expected: u64,
    },
    /// The conversation is gone without having been deleted: the browser lost or cleared its data.
    Lost,
    /// The storage is full.
    Quota,
    /// Another connection blocks opening or upgrading the database.
    Blocked,
    /// A newer version of the app has written the database.
    Newer,
    /// There is no storage, or it may not be used; the text gives the reason and the remedy.
    Unavailable(String),
    /// The user has to allow access to the storage, for the first time or again; the text says how the page asks for that.
    Permission(String),
    /// The host's store has not answered a call of this method in time.
    Silent(&'static str),
    /// The connection to the storage was lost, with the platform's message; the next call opens another.
    Disconnected(String),
    /// The store, or the connection below it, is closed.
    Closed,
    /// The stored data is invalid; the text names the data and the problem.
    Corrupt(String),
    /// Anything else: the platform's name of the error and its message.
    Failed {
        /// The platform's name, such as a DOMException's.
        name: String,
        /// The platform's message.
        message: String,
    },
}

/// The message of [`StoreError::Lost`].
const LOST: &str = "this conversation is no longer in the browser's database: the site's data was cleared, or the browser lost it; an exported copy can be imported again";

/// In the order of [`Store::list`]: by the last commit, the newest first; by id among those of the same time.
pub(crate) fn newest_first(mut listings: Vec<Listing>) -> Vec<Listing> {
    listings.sort_unstable_by(|a, b| {
        b.updated_at.total_cmp(&a.updated_at).then_with(|| a.conversation.cmp(&b.conversation))
    });
    listings
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict { expected } => write!(
                f,
                "the conversation was changed elsewhere, after this handle had read its {expected} events, or has another writer; open it again"
            ),
            Self::Lost => f.write_str(LOST),
            Self::Quota => {
                f.write_str("the storage is full; storageStatus() names the largest conversations: export and delete some, or free disk space")
            }
            Self::Blocked => f.write_str(
                "another tab has this database open in another version; close or reload the other tabs",
            ),
            Self::Newer => f.write_str(
                "a newer version of the app has written this database; reload the page to get that version",
            ),
            Self::Unavailable(reason) | Self::Permission(reason) => f.write_str(reason),
            Self::Silent(method) => {
                write!(f, "{method}() of the host's store has not answered in time; try again")
            }
            Self::Disconnected(message) => {
                write!(f, "the browser's database does not answer: {message}; try again, or reload the page")
            }
            Self::Closed => f.write_str("the store is closed; open the conversation again"),
            Self::Corrupt(problem) => write!(f, "the store cannot be read: {problem}"),
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
            StoreError::Unavailable(_) | StoreError::Disconnected(_) => ErrorCode::StoreUnavailable,
            StoreError::Permission(_) => ErrorCode::PermissionRequired,
            StoreError::Closed => ErrorCode::InvalidState,
            StoreError::Corrupt(_) | StoreError::Failed { .. } => ErrorCode::StoreCorrupt,
        };
        let is_retryable = code.is_retryable() || matches!(error, StoreError::Disconnected(_));
        Error::new(code, error.to_string()).with_retryable(is_retryable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_needs_permission_says_so_and_how_to_ask() {
        let error = Error::from(StoreError::Permission("ask in a click".into()));
        assert_eq!((error.code(), error.message()), (ErrorCode::PermissionRequired, "ask in a click"));
    }

    #[test]
    fn a_connection_that_was_lost_can_be_tried_again() {
        let lost = Error::from(StoreError::Disconnected("the server is lost".into()));
        assert_eq!((lost.code(), lost.is_retryable()), (ErrorCode::StoreUnavailable, true));
        assert!(lost.message().contains("the server is lost; try again"), "{lost}");
        let denied = Error::from(StoreError::Unavailable("denied".into()));
        assert_eq!((denied.code(), denied.is_retryable()), (ErrorCode::StoreUnavailable, false));
    }
}
