//! The paths under which unusable files are stored, so that their contents are not lost.

use super::{contents::Conversation, invalid};
use crate::{
    error::{Result, shown},
    format::layout::QUARANTINE,
    id::StorePath,
};
use std::collections::HashSet;

/// The paths that are in use.
pub struct Quarantine {
    files: HashSet<String>,
    folders: HashSet<String>,
}

impl Quarantine {
    /// The quarantine of a conversation, with the paths of its files in use.
    pub fn new(conversation: &Conversation) -> Self {
        let mut quarantine = Self { files: HashSet::new(), folders: HashSet::new() };
        for (path, _) in &conversation.files {
            quarantine.take(path.as_str());
        }
        quarantine
    }

    /// A path for a file of this name that no other file of the conversation has.
    pub fn path(&mut self, name: &str) -> Result<StorePath> {
        // Only an archive that was made for this purpose needs more candidates.
        let mut candidates = (0..1000).map(|n| match n {
            0 => format!("{QUARANTINE}/{name}"),
            n => format!("{QUARANTINE}-{n}/{name}"),
        });
        let Some(path) = candidates.find(|path| self.is_free(path)) else {
            return Err(invalid(format!(
                "{} cannot be quarantined: all paths for it are in use; remove its folders named quarantine",
                shown(name)
            )));
        };
        self.take(&path);
        path.parse()
    }

    fn take(&mut self, path: &str) {
        self.files.insert(path.to_owned());
        let mut inner = path;
        while let Some((folder, _)) = inner.rsplit_once('/') {
            self.folders.insert(folder.to_owned());
            inner = folder;
        }
    }

    /// Whether a file can have this path, which is neither a file nor a folder nor inside of a file.
    fn is_free(&self, path: &str) -> bool {
        let mut inner = path;
        while let Some((folder, _)) = inner.rsplit_once('/') {
            if self.files.contains(folder) {
                return false;
            }
            inner = folder;
        }
        !self.files.contains(path) && !self.folders.contains(path)
    }
}
