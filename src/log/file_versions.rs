//! What the log asks of the code that records versions of files, which a page loads when a commit first needs it.

use super::EventLog;
use crate::{
    error::Result, fair_mutex::FairGuard, format::file_versions::Moment, id::EventId, store::FileChanges,
};
use futures_util::future::LocalBoxFuture;
use std::rc::Rc;

/// The part that a page loads with the code that changes files, or when HEAD moves and files have versions.
pub trait FileVersions {
    /// Adds to the changes of a commit those that record them.
    fn record<'a>(&'a self, log: &'a EventLog, change: &'a mut FilesChange)
    -> LocalBoxFuture<'a, Result<()>>;
}

/// A commit that changes files or moves HEAD.
#[derive(Default)]
pub struct FilesChange {
    /// The changes.
    pub files: FileChanges,
    /// Changes of files of the conversation above.
    pub owner_files: FileChanges,
    /// The event that HEAD moves to, if the files go to where they were there, before they change. If that is not known,
    /// they stay.
    pub goes_to: Option<Option<EventId>>,
    /// The moment before the changes.
    pub before: Moment,
    /// The moment that they belong to.
    pub after: Moment,
    /// The paths of the files that have gone, each in a line.
    pub moved: String,
    /// Held until the commit has ended.
    pub guards: Vec<FairGuard>,
}

/// Loads [`FileVersions`]; the next call after a failure tries again.
pub type LoadFileVersions = Rc<dyn Fn() -> LocalBoxFuture<'static, Result<Rc<dyn FileVersions>>>>;
