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
        file_versions::{ChangeKind, ChangedFile, FileHistory, FilesAt, PruneLimits},
        send::Attached,
    },
    handle::{Access, Changing, Conversation, OnDelta, TotalUsage, condensing::ContextUsage},
    log::{
        Listener,
        warning::{Warning, WarningCode},
    },
    machine::{Asked, Resume, RunLimits, WaitingCalls, imported::is_undecided, status, stuck_detector},
    run::{RunOutcome, StoredError, stored_errors},
};
pub use listing::{change_tags, imported_time, title_in_list};
pub use open::{OpenOptions, write_lock};
