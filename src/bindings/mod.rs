//! What wasm-bindgen exports: parse, call, serialise, and no decisions.

#[cfg(feature = "archive")]
mod archive;
#[cfg(feature = "testing")]
mod bench;
#[cfg(feature = "testing")]
mod conformance;
#[cfg(feature = "agent")]
mod control;
#[cfg(feature = "agent")]
mod conversation;
#[cfg(any(feature = "agent", feature = "archive", feature = "messages"))]
mod error;
#[cfg(any(feature = "responses", feature = "anthropic", feature = "text_tools"))]
mod far_end;
#[cfg(feature = "testing")]
mod fetch_probe;
#[cfg(feature = "agent")]
mod hooks;
#[cfg(any(feature = "agent", feature = "archive", feature = "messages"))]
mod host_store;
#[cfg(any(feature = "archive", feature = "messages"))]
mod imported;
#[cfg(feature = "agent")]
mod listing;
#[cfg(feature = "messages")]
mod messages;
#[cfg(feature = "agent")]
mod options;
#[cfg(feature = "agent")]
mod store;
#[cfg(feature = "agent")]
mod tool;
#[cfg(feature = "agent")]
mod wire_apis;
