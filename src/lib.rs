//! Agent conversations that live in the browser and survive it.

pub mod context;
pub mod conversation;
pub mod error;
pub mod event;
pub mod host;
pub mod id;
pub mod llm;
pub mod store;
