//! Agent conversations that live in the browser and survive it.

pub mod archive;
pub mod error;
pub mod host;
pub mod id;
pub mod llm;
pub mod store;
