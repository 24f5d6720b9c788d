//! Conversations as the rest of the library and its tests know them: opening, following, closing and listing them, and all that the
//! rooms below can do with an open one. The verbs are free of browser types and run natively in tests.

mod calls;
mod close;
mod follower;
mod limits;
mod listing;
mod open;
mod outcome;
mod recover;
mod run;
mod step;
mod stop;
mod stored_errors;

pub use crate::features::branches::{ForkOptions, OtherBranch};
pub use crate::features::condensing::{Summarizing, compiled_in};
pub use crate::features::file_versions::{
    ChangeKind, ChangedFile, FileHistory, FilesAt, PruneLimits, file_versions,
};
pub use crate::features::partial_answers::{DraftFiles, compiled_in_drafts};
pub use crate::features::send::Attached;
pub use crate::{
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
};
pub use listing::{change_tags, imported_time, title_in_list};
pub use open::{OpenOptions, write_lock};
pub use outcome::RunOutcome;
pub use stored_errors::{StoredError, stored_errors};
