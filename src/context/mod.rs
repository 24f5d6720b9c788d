//! From the log to what a model is sent: the active branch, the view of it, and the view's messages.
//!
//! Pure functions of events. Nothing here reads a store or knows which conversation it is about.

pub mod branch;
mod history;
pub mod messages;
mod pairs;
pub mod view;
