//! What wasm-bindgen exports: parse, call, serialise, and no decisions.

mod archive;
#[cfg(feature = "testing")]
mod bench;
#[cfg(feature = "testing")]
mod conformance;
mod conversation;
mod error;
#[cfg(feature = "testing")]
mod fetch_probe;
mod host_store;
mod listing;
mod options;
mod store;
mod tool;
