//! The wasm-bindgen command line as this crate's own binary: `wbt --target web … file.wasm`.
//! Built from the library's Cargo.lock, so the tool always has the same version as the wasm-bindgen crate.

fn main() -> anyhow::Result<()> {
    wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(std::env::args_os())
}
