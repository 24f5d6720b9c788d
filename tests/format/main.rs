//! The stored format, tested with conversations that the SDK wrote and with random, mostly invalid data.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test that cannot read its fixture has failed")]

mod condensers;
mod fixtures;
mod hostile;
mod sdk_conversations;
mod strategies;
