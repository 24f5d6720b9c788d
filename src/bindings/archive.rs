//! Import and export over a zip library in JavaScript: the library reads and writes the container, the core decides.
//!
//! These are the exports that JavaScript calls. A chunk ([`super::chunks::archive`]), loaded with the first call, does the
//! work.

use super::{
    chunks::{self, ZipSource},
    host_store::store_error_of,
};
use crate::{error::Result, web::guard::promise};
use futures_util::future::LocalBoxFuture;
use js_sys::{Function, Object, Promise};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** An open zip archive, as the core reads it. The message of a rejection is shown to the user as the reason. */
export interface ZipSource {
  readonly size: number;
  /** The next entries of the directory, none after the last. */
  nextEntries(): Promise<ZipEntries>;
  /** The contents at these positions of the directory, one after the other. */
  read(positions: Uint32Array): Promise<Uint8Array | ZipUnreadable>;
  /** Reads and discards these contents; resolves to the first that cannot be read. */
  check(positions: Uint32Array): Promise<ZipUnreadable | undefined>;
  /** Rejects with the error that the store threw. */
  commit(conversation: string, writing: ZipWriting): Promise<ZipUnreadable | undefined>;
}
/** For each name three numbers: compressed size, size, and compression method with bit 16 set if encrypted, 17 if a link. */
export interface ZipEntries { names: string[]; numbers: Float64Array }
export interface ZipUnreadable { position: number; reason: string }
/**
 * A commit without its events and files. Ids and paths are joined by line feeds. A source that is 0 or more is a position
 * in the archive's directory; a negative source `n` is the entry `-n - 1` of `given`.
 */
export interface ZipWriting {
  commit: object; ids: string; paths: string; eventSources: Int32Array; fileSources: Int32Array; given: Uint8Array[];
}
/**
 * The start of an export. `nested` are the conversations of its sub-agents. `baseState` is the text to be exported, without secrets; the files in `searched` have to pass
 * through `withoutSecrets`. `callTimeout` is how long the host's store may take for one call, in milliseconds.
 */
export interface CoreExport {
  id: string; folder: string; nested: [id: string, folder: string][]; baseState: string; length: number; updatedAt: number; files: string[]; searched: string[]; callTimeout: number;
}
"#;

/// The functions of the chunk.
pub trait Archives {
    /// See `importArchive`.
    fn import(
        &self,
        source: ZipSource,
        store: Object,
        claim: Function,
        now: f64,
        on_progress: Function,
    ) -> LocalBoxFuture<'static, Result<JsValue>>;

    /// See `openExport`.
    fn open_export(&self, store: Object, conversation: String) -> LocalBoxFuture<'static, Result<JsValue>>;

    /// See `withoutSecrets`.
    fn without_secrets(&self, path: &str, content: Vec<u8>) -> Vec<u8>;
}

/// Imports every conversation of an archive into a `Store`, all or none. `claim(id)` takes the write lock of a
/// conversation until the import has settled, and resolves to whether it was free. `now` is the time in milliseconds
/// since the Unix epoch.
#[wasm_bindgen(js_name = importArchive, unchecked_return_type = "Promise<CoreImported[]>")]
pub fn import_archive(
    source: ZipSource,
    store: Object,
    claim: Function,
    now: f64,
    on_progress: Function,
) -> Promise {
    promise(async move { chunks::archive().await?.import(source, store, claim, now, on_progress).await })
}

/// Begins an export of the current state of a stored conversation.
#[wasm_bindgen(js_name = openExport, unchecked_return_type = "Promise<CoreExport>")]
pub fn open_export(store: Object, conversation: String) -> Promise {
    promise(async move { chunks::archive().await?.open_export(store, conversation).await })
}

/// The content of a further file without secrets. A path that a store would refuse gives its content unchanged.
#[wasm_bindgen(js_name = withoutSecrets, unchecked_return_type = "Promise<Uint8Array>")]
pub fn without_secrets(path: String, content: Vec<u8>) -> Promise {
    promise(async move { Ok(chunks::archive().await?.without_secrets(&path, content).into()) })
}

/// Rejects with the library's error for what a store threw.
#[wasm_bindgen(js_name = storeFailed, unchecked_return_type = "Promise<never>")]
pub fn store_failed(thrown: JsValue) -> Promise {
    promise(async move { Err(store_error_of(&thrown).into()) })
}
