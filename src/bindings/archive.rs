//! Import and export over a zip library in JavaScript: the library reads and writes the container, the core decides.
//!
//! What JavaScript calls; what is done is in a chunk ([`super::archive_chunk`]), which comes with the first call.

use super::{archive_chunk::ZipSource, chunks, host_store::meaning};
use crate::{error::Result, web::guard::promise};
use futures_util::future::LocalBoxFuture;
use js_sys::{Function, Object, Promise};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** An open zip archive, as the core reads it. A rejection's message is the reason that the user is told. */
export interface ZipSource {
  readonly size: number;
  /** The next entries of the directory, none after the last. */
  nextEntries(): Promise<ZipEntries>;
  /** The contents at these positions of the directory, one after the other. */
  read(positions: Uint32Array): Promise<Uint8Array | ZipUnreadable>;
  check(positions: Uint32Array): Promise<ZipUnreadable | undefined>;
  /** Rejects with what the store threw. */
  commit(conversation: string, writing: ZipWriting): Promise<ZipUnreadable | undefined>;
}
/** For each name three numbers: its bytes in the archive, its bytes, and its method with bit 16 for an encrypted one, 17 for a link. */
export interface ZipEntries { names: string[]; numbers: Float64Array }
export interface ZipUnreadable { position: number; reason: string }
/**
 * A commit without its events and files. Ids and paths are joined by line feeds. A source is a position in the directory,
 * or, below 0, what is left to 0 from one after a place in `given`: -1 is the first.
 */
export interface ZipWriting {
  commit: object; ids: string; paths: string; eventSources: Int32Array; fileSources: Int32Array; given: Uint8Array[];
}
/** What an export begins with. `baseState` is as it leaves; those of the files that are `searched` leave as `withoutSecrets`. */
export interface CoreExport {
  id: string; folder: string; baseState: string; length: number; updatedAt: number; files: string[]; searched: string[];
}
"#;

/// What the chunk does.
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

/// Imports every conversation of an archive into a `Store`, all or none. `claim(id)` takes the right to write a
/// conversation until the import has settled, and resolves to whether it could. `now` is the time in milliseconds
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

/// What an export of a conversation of a `Store` begins with, as it is now.
#[wasm_bindgen(js_name = openExport, unchecked_return_type = "Promise<CoreExport>")]
pub fn open_export(store: Object, conversation: String) -> Promise {
    promise(async move { chunks::archive().await?.open_export(store, conversation).await })
}

/// The content of a further file as it may leave. A path that a store would refuse is searched for nothing.
#[wasm_bindgen(js_name = withoutSecrets, unchecked_return_type = "Promise<Uint8Array>")]
pub fn without_secrets(path: String, content: Vec<u8>) -> Promise {
    promise(async move { Ok(chunks::archive().await?.without_secrets(&path, content).into()) })
}

/// Rejects with what a store meant by throwing this.
#[wasm_bindgen(js_name = storeFailed, unchecked_return_type = "Promise<never>")]
pub fn store_failed(thrown: JsValue) -> Promise {
    promise(async move { Err(meaning(&thrown).into()) })
}
