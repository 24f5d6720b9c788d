//! Facts that are declared in Rust and repeated in TypeScript and in the documentation.
//!
//! Each test generates one of these repetitions from its declaration, and fails if the repository has a different text.
//! `THREADKEEP_WRITE=1 cargo test --locked --test generated` writes the expected text.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test that cannot read its own repository has failed")]

mod agent_state;
mod cut_marks;
mod defaults;
mod error_codes;
mod events;
mod llm_options;
mod place;
mod providers;
mod samples;
mod state;
mod statuses;
