//! Agent conversations that live in the browser and survive it.

pub mod agent;
pub mod archive;
pub mod cancel;
pub mod conversation;
pub mod error;
pub mod host;
pub mod id;
pub mod json;
pub mod llm;
pub mod store;
pub mod tool;

#[cfg(target_arch = "wasm32")]
mod bindings {
    //! What JavaScript sees.

    /// The version of this crate.
    #[wasm_bindgen::prelude::wasm_bindgen]
    pub fn version() -> String {
        env!("CARGO_PKG_VERSION").to_owned()
    }
}
