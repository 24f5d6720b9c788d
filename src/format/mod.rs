//! The stored form of a conversation: the files of its directory and the facts about them that several rooms need. The
//! directory is the SDK's:
//!
//! ```text
//! base_state.json                          settings, HEAD, tags …        base_state.rs, fields.rs
//! events/event-00000-<event id>.json       the log                       layout.rs, tree.rs
//! inbox/, quarantine/                      threadkeep's own files        layout.rs
//! drafts/                                  answers on their way          drafts.rs
//! file_versions/                           earlier versions of files     file_versions.rs
//! ```
//!
//! Each fact has one place here. `conversation` works on what is stored, `archive` carries it between programs. The
//! fields of each kind of event are declared in `event`.

pub mod agent_state;
pub mod base_state;
pub mod commands;
pub mod drafts;
pub mod fields;
pub mod file_versions;
pub mod import_mark;
pub mod layout;
pub mod secrets;
pub mod server_mark;
pub mod subagent_tasks;
pub mod tree;
