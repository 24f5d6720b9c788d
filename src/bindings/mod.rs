//! What JavaScript sees.

mod archive;
mod error;
mod store;

/// The version of this crate.
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
