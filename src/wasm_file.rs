//! Loads the files of the wasm before the functions that are in them: those with the attribute `wasm_file` (`tools/wasm-file`).

use crate::error::{Error, ErrorCode, Result};
use futures_util::future::LocalBoxFuture;
use std::{cell::RefCell, future::ready, rc::Rc};

/// Loads the file with this name; ready at once if it is there.
pub type LoadFile = Rc<dyn Fn(&'static str) -> LocalBoxFuture<'static, Result<()>>>;

thread_local! {
    static LOADER: RefCell<Option<LoadFile>> = const { RefCell::new(None) };
}

/// Sets what loads files.
pub fn load_with(loader: LoadFile) {
    LOADER.set(Some(loader));
}

/// Loads a file. Without a loader, only a program in one piece has it.
fn load(name: &'static str) -> LocalBoxFuture<'static, Result<()>> {
    match LOADER.with_borrow(Clone::clone) {
        Some(load) => load(name),
        None if cfg!(all(target_arch = "wasm32", feature = "bindings")) => {
            let message = "no loader for chunks is set; call loadChunksWith first";
            Box::pin(ready(Err(Error::new(ErrorCode::Internal, message))))
        }
        None => Box::pin(ready(Ok(()))),
    }
}

/// Calls a function once its file is loaded. Boxed, so that the main file has this code once and not for each function.
pub fn load_before<'a, T: 'a, E: From<Error> + 'a>(
    name: &'static str,
    call: Box<dyn FnOnce() -> LocalBoxFuture<'a, std::result::Result<T, E>> + 'a>,
) -> LocalBoxFuture<'a, std::result::Result<T, E>> {
    Box::pin(async move {
        load(name).await?;
        call().await
    })
}
