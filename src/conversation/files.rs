//! The further files of a conversation, which are not events: the files of its workspace, and those of tools.

use super::{Conversation, machine::Plan};
use crate::{error::Result, id::StorePath};

impl Conversation {
    /// Stores files in one transaction: new content, or `None` to remove. They are durable when this returns. Files that
    /// belong to the result of a call are stored with that ([`crate::tool::ToolOutput::files`]).
    ///
    /// # Errors
    /// `locked_elsewhere`, `invalid_state` once the conversation is closed, and those of the store.
    pub async fn write_files(&self, files: Vec<(StorePath, Option<Vec<u8>>)>) -> Result<()> {
        self.store_files(files, Vec::new()).await
    }

    /// As [`Conversation::write_files`], with files of the owner.
    pub(super) async fn store_files(
        &self,
        files: Vec<(StorePath, Option<Vec<u8>>)>,
        owner_files: Vec<(StorePath, Option<Vec<u8>>)>,
    ) -> Result<()> {
        let plan = Plan { files, owner_files, ..Plan::default() };
        self.change_settings(plan.strictly(), &mut |_| {}).await
    }
}
