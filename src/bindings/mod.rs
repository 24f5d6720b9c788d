//! The exports of wasm-bindgen: they parse, call the core and serialise, and decide nothing.

mod archive;
mod archive_chunk;
#[cfg(feature = "testing")]
mod bench;
mod branches_chunk;
mod chunks;
mod condensing;
mod condensing_chunk;
#[cfg(feature = "testing")]
mod conformance;
mod control;
mod conversation;
mod error;
#[cfg(feature = "testing")]
mod fetch_probe;
mod given;
mod hooks;
mod host_store;
mod imported;
mod listing;
mod messages;
mod messages_chunk;
mod options;
mod side_calls;
mod side_calls_chunk;
mod store;
mod stores_chunk;
mod tool;
mod tree;
mod values;
mod wire_apis;
