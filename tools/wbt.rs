//! The wasm-bindgen command line as this crate's own binary: `wbt --target web … file.wasm`.
//! Built from our Cargo.lock, so the tool can never be of another version than the library.

fn main() -> anyhow::Result<()> {
    wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(std::env::args_os())
}
