//! The exports of wasm-bindgen: they parse, call the core and serialise, and decide nothing.

mod archive;
mod condensing;
mod control;
mod conversation;
mod error;
mod given;
mod hooks;
mod http;
mod imported;
mod listing;
mod messages;
mod options;
mod plugins;
mod server;
mod side_calls;
mod store;
mod tool;
mod tree;
mod values;
mod wasm_files;
