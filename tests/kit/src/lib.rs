//! What tests and `threadkeep/testing` need beyond the library: the suite of stores for JavaScript, what `web` does in a page, and
//! appends that a benchmark times. The code under test that can be reached through the library's own wasm is not linked here.
#![cfg(target_arch = "wasm32")]

mod appends;
mod page;
mod suite;
