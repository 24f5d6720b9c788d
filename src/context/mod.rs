//! From the log to the messages of a request: the active branch, its view, and the view's messages.
//!
//! Pure functions of events, without access to stores or conversations.

pub mod beginning;
pub mod branch;
pub mod branches;
pub mod condenser;
pub mod final_response;
mod history;
pub mod messages;
mod pairs;
pub mod versions;
pub mod view;
