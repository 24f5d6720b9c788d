//! What JavaScript sees.

#[cfg(feature = "testing")]
mod conformance;
mod host_store;
pub mod store;

/// The version of this crate.
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
