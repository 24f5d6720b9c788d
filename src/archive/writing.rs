//! The commits of an import, whose contents stay in the archive until they are stored.

use crate::{
    error::Error,
    id::{EventId, StorePath},
    store::{Commit, StoreError},
};

/// A commit, and the sources of the contents of its events and files.
#[derive(Debug)]
pub struct Writing {
    /// The commit without events and files.
    pub commit: Commit,
    /// Events, appended in this order.
    pub events: Vec<(EventId, Source)>,
    /// Further files.
    pub files: Vec<(StorePath, Source)>,
}

/// The source of a content.
#[derive(Debug)]
pub enum Source {
    /// The entry at this position of the archive's directory.
    Entry(usize),
    /// The content itself.
    Given(Vec<u8>),
}

/// An entry that cannot be unpacked.
#[derive(Debug)]
pub struct Unreadable {
    /// Its position in the archive's directory.
    pub position: usize,
    /// The message of the reader of the container.
    pub reason: String,
}

/// The reason why a [`Writing`] was not committed.
#[derive(Debug)]
pub enum Failure {
    /// An entry could not be read.
    Unreadable(Unreadable),
    /// The store failed.
    Store(StoreError),
}

impl Writing {
    /// The complete commit. `read` returns the content of the entry at a position.
    pub(super) async fn with_contents(
        self,
        read: impl AsyncFn(usize) -> std::result::Result<Vec<u8>, Unreadable>,
    ) -> std::result::Result<Commit, Failure> {
        let content = async |source| match source {
            Source::Entry(position) => read(position).await.map_err(Failure::Unreadable),
            Source::Given(content) => Ok(content),
        };
        let Self { mut commit, events, files } = self;
        for (id, source) in events {
            // An event that breaks off inside of a character gets a replacement character, as in JavaScript.
            let content = content(source).await?;
            commit.events.push((id, String::from_utf8_lossy(&content).into()));
        }
        for (path, source) in files {
            commit.files.push((path, Some(content(source).await?)));
        }
        Ok(commit)
    }
}

impl Unreadable {
    /// The error for the user; `name` is the name of the entry.
    pub fn error(&self, name: &str) -> Error {
        super::invalid(format!(
            "entry {name} cannot be unpacked: {}; the archive is damaged; download or create it again",
            self.reason
        ))
    }
}
