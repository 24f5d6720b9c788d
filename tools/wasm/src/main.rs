//! Makes the files of a build from the linked wasm.
//!
//!     wasm-tool split <wasm> <folder> <chunk>[+<chunk>]…    writes main.wasm, and <chunk>.wasm for each chunk
//!     wasm-tool bind <wasm> <folder> <name>                 writes <name>_bg.wasm, its JavaScript glue and the types of that
//!     wasm-tool pack <wasm>…                                replaces each file by an equivalent smaller one
//!
//! The wasm to be split must be linked with `--emit-relocs`, so that its functions and data can be separated.
//!
//! Code and data that two chunks share and the main wasm does not use is in the files of both. An instance that loads both
//! has these functions twice, of which the later ones replace the earlier ones in the table, and writes the same constants
//! to the same addresses. Variables would be overwritten, which is refused. To avoid large duplicates, a chunk can require
//! another: `messages+archive` means that `archive` is always loaded before `messages`.

mod locals;
mod pack;

use std::{collections::BTreeSet, env, error::Error, fs, path::Path, process::ExitCode, thread};
use wasm_bindgen_cli_support::Bindgen;
use wasm_split_cli_support::{Options, transform};

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let result = match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["split", wasm, folder, chunks @ ..] => split(Path::new(wasm), Path::new(folder), chunks),
        ["bind", wasm, folder, name] => bind(wasm, folder, name),
        ["pack", wasms @ ..] => pack_all(wasms),
        _ => Err("usage: wasm-tool split <wasm> <folder> <chunk>..., bind <wasm> <folder> <name>, or pack <wasm>...".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wasm-tool: {error:?}");
            ExitCode::FAILURE
        }
    }
}

fn split(wasm: &Path, folder: &Path, chunks: &[&str]) -> Result<(), Box<dyn Error>> {
    let bytes = fs::read(wasm)?;
    let (main, parts) = (folder.join("main.wasm"), folder.join("parts"));
    let mut options = Options::new(&bytes);
    options.output_dir = &parts;
    options.main_out_path = &main;
    let parts_by_chunk = transform(options)?.prefetch_map;
    let parts_of = |chunk: &str| -> Result<BTreeSet<&String>, Box<dyn Error>> {
        Ok(parts_by_chunk
            .get(chunk)
            .ok_or_else(|| format!("no function is marked for a chunk {chunk}"))?
            .iter()
            .collect())
    };
    let mut written = BTreeSet::new();
    for chunk in chunks {
        let (name, others) = chunk.split_once('+').unwrap_or((chunk, ""));
        let mut own = parts_of(name)?;
        for other in others.split_terminator('+') {
            own = own.difference(&parts_of(other)?).copied().collect();
        }
        let mut files = Vec::new();
        // The part that no other chunk has comes first; it always exists.
        for part in own.iter().rev() {
            let file = fs::read(parts.join(format!("{part}.wasm")))?;
            if !written.insert(*part) && pack::has_variables(&file)? {
                return Err(
                    format!("chunk {name} shares a variable with a chunk that it does not require; write {name}+<chunk>").into()
                );
            }
            files.push(file);
        }
        fs::write(folder.join(format!("{name}.wasm")), pack::packed(&files)?)?;
    }
    Ok(())
}

/// Does what `wasm-bindgen --target web` does. The loader (`js/wasm/wasm.ts`) knows the URL of the wasm; a default path in the glue would
/// make bundlers emit it twice. Chunks need exports of the linker: the table of functions and the stack.
fn bind(wasm: &str, folder: &str, name: &str) -> Result<(), Box<dyn Error>> {
    let mut bindgen = Bindgen::new();
    bindgen.web(true)?;
    bindgen
        .input_path(wasm)
        .out_name(name)
        .typescript(true)
        .omit_default_module_path(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .keep_lld_exports(true);
    Ok(bindgen.generate(folder)?)
}

/// Packs each in a thread of its own: the main wasm takes as long as all chunks.
fn pack_all(wasms: &[&str]) -> Result<(), Box<dyn Error>> {
    thread::scope(|scope| {
        let packing =
            |wasm| scope.spawn(move || pack(Path::new(wasm)).map_err(|error| format!("{wasm}: {error}")));
        let under_way: Vec<_> = wasms.iter().copied().map(packing).collect();
        for packed in under_way {
            packed.join().map_err(|_| "packing a file failed")??;
        }
        Ok(())
    })
}

fn pack(wasm: &Path) -> Result<(), Box<dyn Error>> {
    Ok(fs::write(wasm, pack::packed(&[fs::read(wasm)?])?)?)
}
