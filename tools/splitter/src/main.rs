//! Cuts a linked wasm into the files that its functions are marked for, and packs a wasm smaller.
//!
//!     splitter split <wasm> <folder> <chunk>[+<chunk>]…    main.wasm, and <chunk>.wasm for each
//!     splitter pack <wasm>                                 the same in fewer bytes
//!
//! The wasm to be cut has to be linked with `--emit-relocs`, by which its functions and data can be told apart.
//!
//! What two chunks share and the main wasm does not use is in the files of both. A machine that loads both has the same
//! functions twice, of which the later take the places of the earlier in the table, and writes the same constants to the
//! same places. What is no constant would be written over: that is refused. Where too much would be there twice, one chunk
//! can be loaded with another: `messages+archive` says that whoever has `messages` has `archive` too.

mod locals;
mod pack;

use std::{collections::BTreeSet, env, error::Error, fs, path::Path, process::ExitCode};
use wasm_split_cli_support::{Options, transform};

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let done = match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["split", wasm, folder, chunks @ ..] => split(Path::new(wasm), Path::new(folder), chunks),
        ["pack", wasm] => pack(Path::new(wasm)),
        _ => Err("splitter split <wasm> <folder> <chunk>..., or splitter pack <wasm>".into()),
    };
    match done {
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
    let made = transform(options)?.prefetch_map;
    let parts_of = |chunk: &str| -> Result<BTreeSet<&String>, Box<dyn Error>> {
        Ok(made
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
        // What is nobody else's comes first, and is always there.
        for part in own.iter().rev() {
            let file = fs::read(parts.join(format!("{part}.wasm")))?;
            if !written.insert(*part) && pack::has_variables(&file)? {
                return Err(
                    format!("{name} shares a variable with a chunk that is not loaded with it").into()
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
