//! Import and export over a zip library in JavaScript: the library reads and writes the container, the core decides.
//!
//! These are the exports that JavaScript calls. A chunk ([`super::chunks::archive`]), loaded with the first call, does the
//! work.

use super::chunks::{self, Answer};
use crate::web::guard::promise;
use js_sys::Promise;
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
 * `claim(id)` takes the write lock of a conversation until the import has settled, and resolves to whether it was free. `now` is
 * the time in milliseconds since the Unix epoch.
 */
export interface CoreArchiveImport {
  source: ZipSource; store: object; claim(id: string): Promise<boolean>; now: number; onProgress(done: number, total: number): void;
}
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
/** `MirrorPlan` of `src/archive/mirror.rs`. */
export interface CoreMirrorPlan {
  moves: [name: string, number: number][]; stale: string[]; writes: [index: number, number: number][];
  hasState: boolean; hasMore: boolean; isSameOrder: boolean; next: number;
}
"#;

/// The functions of the chunk. Each has the argument of its export.
pub trait Archives {
    /// See [`import_archive`].
    fn import(&self, options: JsValue) -> Answer;

    /// See [`open_export`].
    fn open_export(&self, options: JsValue) -> Answer;

    /// See [`without_secrets`].
    fn without_secrets(&self, file: JsValue) -> Answer;

    /// See [`store_failed`].
    fn store_failed(&self, thrown: JsValue) -> Answer;

    /// See [`plan_mirror`].
    fn plan_mirror(&self, options: JsValue) -> Answer;

    /// See [`order_mirrored`].
    fn order_mirrored(&self, options: JsValue) -> Answer;

    /// See [`mirrored`].
    fn mirrored(&self, options: JsValue) -> Answer;
}

/// Imports every conversation of an archive into a `Store`, all or none.
#[wasm_bindgen(js_name = importArchive, unchecked_return_type = "Promise<CoreImported[]>")]
pub fn import_archive(
    #[wasm_bindgen(unchecked_param_type = "CoreArchiveImport")] options: JsValue,
) -> Promise {
    in_archive(options, |chunk, options| chunk.import(options))
}

/// Begins an export of the current state of a stored conversation.
#[wasm_bindgen(js_name = openExport, unchecked_return_type = "Promise<CoreExport>")]
pub fn open_export(
    #[wasm_bindgen(unchecked_param_type = "{ store: object; conversation: string }")] options: JsValue,
) -> Promise {
    in_archive(options, |chunk, options| chunk.open_export(options))
}

/// The content of a further file without secrets. A path that a store would refuse gives its content unchanged.
#[wasm_bindgen(js_name = withoutSecrets, unchecked_return_type = "Promise<Uint8Array>")]
pub fn without_secrets(
    #[wasm_bindgen(unchecked_param_type = "{ path: string; content: Uint8Array }")] file: JsValue,
) -> Promise {
    in_archive(file, |chunk, file| chunk.without_secrets(file))
}

/// Rejects with the library's error for what a store threw.
#[wasm_bindgen(js_name = storeFailed, unchecked_return_type = "Promise<never>")]
pub fn store_failed(#[wasm_bindgen(unchecked_param_type = "unknown")] thrown: JsValue) -> Promise {
    in_archive(thrown, |chunk, thrown| chunk.store_failed(thrown))
}

/// Plans what a mirror of a conversation lacks. `ours` are the ids of the stored events and `theirs` the names of the mirror's event
/// files, joined by line feeds, `state` the mirror's base state.
#[wasm_bindgen(js_name = planMirror, unchecked_return_type = "Promise<CoreMirrorPlan>")]
pub fn plan_mirror(
    #[wasm_bindgen(
        unchecked_param_type = "{ conversation: string; ours: string; theirs: string; state: string | undefined }"
    )]
    options: JsValue,
) -> Promise {
    in_archive(options, |chunk, options| chunk.plan_mirror(options))
}

/// The order in which a mirror's events are taken in, as their indices. `ids` are theirs in the order of the files, `parents` those
/// that they name, empty where they name none, joined by line feeds; without `keepsAll`, some may be left out.
#[wasm_bindgen(js_name = orderMirrored, unchecked_return_type = "Promise<number[]>")]
pub fn order_mirrored(
    #[wasm_bindgen(unchecked_param_type = "{ ids: string; parents: string; keepsAll: boolean }")]
    options: JsValue,
) -> Promise {
    in_archive(options, |chunk, options| chunk.order_mirrored(options))
}

/// A text of a conversation as a mirror has it: its base state without secrets, as an export has it, or, with the id of an `event`,
/// the text of this event at another place of the log; `before` is the id of the event before it in the store.
#[wasm_bindgen(js_name = mirrored, unchecked_return_type = "Promise<string>")]
pub fn mirrored(
    #[wasm_bindgen(
        unchecked_param_type = "{ conversation: string; text: string; event?: string; before?: string | undefined }"
    )]
    options: JsValue,
) -> Promise {
    in_archive(options, |chunk, options| chunk.mirrored(options))
}

/// A function pointer, so that the main file has this code once and not for each export.
fn in_archive(argument: JsValue, act: fn(&dyn Archives, JsValue) -> Answer) -> Promise {
    promise(async move { act(&*chunks::archive().await?, argument).await })
}
