//! The further files of a conversation, which are not events: the files of its workspace, and those of tools.

use super::Conversation;
use crate::{error::Result, fair_mutex::FairGuard, machine::Command, store::Durability, tool::FileChange};

impl Conversation {
    /// Stores files in one transaction. They are durable when this returns. Files that belong to the result of a call are
    /// stored with that ([`crate::tool::ToolOutput::files`]).
    ///
    /// # Errors
    /// `locked_elsewhere`, `invalid_state` once the conversation is closed, and those of the store.
    pub async fn write_files(&self, files: Vec<FileChange>) -> Result<()> {
        let command = Command::WriteFiles { files, durability: Durability::Strict };
        self.perform(command).await.map(drop)
    }

    /// The right to change files, if this tool may do so: held until the result is stored, and one for a conversation and all its
    /// sub-agents, which change its files, too.
    pub(crate) async fn file_changes(&self, tool_name: &str) -> Option<FairGuard> {
        self.0.agent.tools.get(tool_name).filter(|tool| tool.changes_files())?;
        Some(self.0.file_changes.lock().await)
    }
}
