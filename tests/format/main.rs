//! The format against conversations that the SDK itself wrote, and against what nobody would write.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test that cannot read its fixture has failed")]

mod fixtures;
mod hostile;
mod sdk_conversations;
mod strategies;
