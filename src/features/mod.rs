//! What can be done with an open conversation beside running it: each feature with its verbs and its files.

pub mod send;
pub mod inbox;
pub mod hooks;
pub mod confirmation;
pub mod partial_answers;
pub mod condensing;
pub mod branches;
pub mod file_versions;
pub mod subagents;
pub mod side_calls;
pub mod execute_tool;
