//! Splits a linked wasm into chunks by the marks of its functions, and makes a wasm smaller.
//!
//!     splitter split <wasm> <folder> <chunk>[+<chunk>]…    writes main.wasm, and <chunk>.wasm for each chunk
//!     splitter pack <wasm>                                 replaces the file by an equivalent smaller one
//!
//! The wasm to be split must be linked with `--emit-relocs`, so that its functions and data can be separated.
//!
//! Code and data that two chunks share and the main wasm does not use is in the files of both. An instance that loads both
//! has these functions twice, of which the later ones replace the earlier ones in the table, and writes the same constants
//! to the same addresses. Variables would be overwritten, which is refused. To avoid large duplicates, a chunk can require
//! another: `messages+archive` means that `archive` is always loaded before `messages`.

mod locals;
mod pack;

use std::{collections::BTreeSet, env, error::Error, fs, path::Path, process::ExitCode};
use wasm_split_cli_support::{Options, transform};

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let result = match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["split", wasm, folder, chunks @ ..] => split(Path::new(wasm), Path::new(folder), chunks),
        ["pack", wasm] => pack(Path::new(wasm)),
        _ => Err("usage: splitter split <wasm> <folder> <chunk>..., or splitter pack <wasm>".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("splitter: {error:?}");
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

fn pack(wasm: &Path) -> Result<(), Box<dyn Error>> {
    Ok(fs::write(wasm, pack::packed(&[fs::read(wasm)?])?)?)
}
