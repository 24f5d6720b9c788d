//! The exports of wasm-bindgen: they parse, call the core and serialise, and decide nothing.

mod archive;
#[cfg(feature = "testing")]
mod bench;
mod chunks;
mod condensing;
#[cfg(feature = "testing")]
mod conformance;
mod control;
mod conversation;
mod error;
#[cfg(feature = "testing")]
mod fetch_probe;
mod given;
mod hooks;
mod http;
mod host_store;
mod imported;
mod listing;
mod messages;
mod options;
mod server;
mod side_calls;
mod store;
mod tool;
mod tree;
mod values;
mod wire_apis;
