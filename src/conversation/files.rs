//! The further files of a conversation, which are not events: the files of its workspace, and those of tools.

use super::{Conversation, machine::Plan};
use crate::{error::Result, id::StorePath};

impl Conversation {
    /// The paths of the files below this folder, sorted.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn files(&self, folder: &StorePath) -> Result<Vec<StorePath>> {
        Ok(self.0.log.store.files(self.id(), Some(folder)).await?)
    }

    /// The content of a file, or `None` if it does not exist.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn read_file(&self, path: &StorePath) -> Result<Option<Vec<u8>>> {
        Ok(self.0.log.store.read_file(self.id(), path).await?)
    }

    /// Stores files in one transaction: new content, or `None` to remove. They are durable when this returns. Files that
    /// belong to the result of a call are stored with that ([`crate::tool::ToolOutput::files`]).
    ///
    /// # Errors
    /// `locked_elsewhere`, `invalid_state` once the conversation is closed, and those of the store.
    pub async fn write_files(&self, files: Vec<(StorePath, Option<Vec<u8>>)>) -> Result<()> {
        self.change_settings(Plan { files, ..Plan::default() }.strictly(), &mut |_| {}).await
    }
}
