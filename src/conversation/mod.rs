//! Conversations as the rest of the library and its tests know them: opening, following, closing and listing them, and all that the
//! rooms below can do with an open one. The verbs are free of browser types and run natively in tests.

mod close;
mod follower;
mod listing;
mod open;
mod recover;

pub use crate::{
    features::{
        branches::{ForkOptions, OtherBranch},
        condensing::{Summarizing, compiled_in},
        file_versions::{ChangeKind, ChangedFile, FileHistory, FilesAt, PruneLimits, file_versions},
        partial_answers::{DraftFiles, compiled_in_drafts},
        send::Attached,
    },
    handle::{
        Access, Changing, Condensed, Condensing, ContextUsage, Conversation, Drafts, LoadCondensing,
        LoadDrafts, OnDelta, Task, TotalUsage,
    },
    log::{
        Listener,
        file_versions::{FileVersions, LoadFileVersions},
        warning::{Warning, WarningCode},
    },
    machine::{Asked, Resume, RunLimits, WaitingCalls, imported::is_undecided, status, stuck_detector},
    run::{RunOutcome, StoredError, stored_errors},
};
pub use listing::{change_tags, imported_time, title_in_list};
pub use open::{OpenOptions, write_lock};
