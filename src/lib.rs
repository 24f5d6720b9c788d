//! Agent conversations that live in the browser and survive it.

pub mod agent;
pub mod cancel;
pub mod conversation;
pub mod error;
pub mod host;
pub mod id;
pub mod json;
pub mod llm;
pub mod store;
pub mod tool;
