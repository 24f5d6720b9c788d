//! What a conversation promises, seen through its verbs, against a model that checks every request.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs, reason = "tests")]

mod crash;
mod loop_;
mod stopping;
mod support;
