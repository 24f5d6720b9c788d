//! What an import writes: commits whose contents stay in the archive until they are stored.

use crate::{
    error::Error,
    id::{EventId, StorePath},
    store::{Commit, StoreError},
};

/// A commit, and where the contents of its events and files are.
#[derive(Debug)]
pub struct Writing {
    /// All but events and files.
    pub commit: Commit,
    /// Appended in this order. Each content is UTF-8.
    pub events: Vec<(EventId, Source)>,
    /// Further files.
    pub files: Vec<(StorePath, Source)>,
}

/// Where a content is.
#[derive(Debug)]
pub enum Source {
    /// In the archive, at this position of its directory.
    Entry(usize),
    /// Here.
    Given(Vec<u8>),
}

/// An entry that cannot be unpacked.
#[derive(Debug)]
pub struct Unreadable {
    /// Its place in the archive's directory.
    pub position: usize,
    /// Why, in the words of whoever reads the container.
    pub reason: String,
}

/// Why a [`Writing`] was not committed.
#[derive(Debug)]
pub enum Failure {
    /// An entry could not be read.
    Unreadable(Unreadable),
    /// The store could not do it.
    Store(StoreError),
}

impl Writing {
    /// The commit with everything in it. `read` gives the content of the entry at a position.
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
            let text = String::from_utf8(content(source).await?).unwrap_or_default();
            commit.events.push((id, text.into()));
        }
        for (path, source) in files {
            commit.files.push((path, Some(content(source).await?)));
        }
        Ok(commit)
    }
}

impl Unreadable {
    /// As the user is told; `name` is what the entry is called.
    pub fn error(&self, name: &str) -> Error {
        super::invalid(format!(
            "entry {name} cannot be unpacked: {}; the archive is damaged, get it again",
            self.reason
        ))
    }
}
