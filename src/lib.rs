//! Agent conversations that run in the browser and survive reloads and crashes.

// Texts and lists that others have sent are taken apart with `get` and `split_once`: a slice that does not fit ends the page.
#![cfg_attr(not(test), warn(clippy::string_slice, clippy::indexing_slicing))]

pub mod bytes;
pub mod error;
pub mod id;
pub mod json;
pub mod fair_mutex;
pub mod cancel;
pub mod host;
pub mod wasm_file;
pub mod format;
pub mod event;
pub mod llm;
pub mod secret;
pub mod context;
pub mod tool;
pub mod security;
pub mod hooks;
pub mod skills;
pub mod plugins;
pub mod store;
pub mod archive;
pub mod agent;
mod machine;
mod log;
mod handle;
mod features;
mod run;
pub mod conversation;
pub mod server;

#[cfg(target_arch = "wasm32")]
pub mod web;
#[cfg(all(target_arch = "wasm32", feature = "bindings"))]
mod bindings;
