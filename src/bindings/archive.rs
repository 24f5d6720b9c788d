//! Import and export over a zip library in JavaScript: the library reads and writes the container, the core decides.
//!
//! A wasm of its own, which a page loads with its first import or export. Stores and locks stay with the wasm that
//! runs conversations: this one sees a store as JavaScript does, and asks JavaScript for the right to write.

use super::{
    error::words_of,
    host_store::HostStore,
    imported::{claimed, imported_to_js, object},
};
use crate::{
    archive::{Archive, Claim, EntryHeader, Export, ExportEntry, ImportOptions, Progress, import},
    error::{Error, ErrorCode},
    id::ConversationId,
    web::guard::promise,
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Function, Object, Promise, Uint8Array};
use std::{cell::RefCell, rc::Rc};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** An open zip archive, as the core reads it. A rejection's message is the reason that the user is told. */
export interface ZipSource {
  readonly size: number;
  nextEntry(): Promise<ZipEntry | undefined>;
  read(position: number): Promise<Uint8Array>;
  forget(position: number): void;
}
export interface ZipEntry {
  name: string; compressedSize: number; size: number;
  isDirectory: boolean; isSymlink: boolean; isEncrypted: boolean; method: number;
}
export interface CoreExportEntry { name: string; content: Uint8Array }
"#;

#[wasm_bindgen]
extern "C" {
    /// See `ZipSource` in the types.
    #[wasm_bindgen(typescript_type = "ZipSource")]
    pub type ZipSource;

    #[wasm_bindgen(method, getter, structural)]
    fn size(this: &ZipSource) -> f64;

    #[wasm_bindgen(method, structural, catch, js_name = nextEntry)]
    async fn next_entry(this: &ZipSource) -> std::result::Result<JsValue, JsValue>;

    #[wasm_bindgen(method, structural, catch)]
    async fn read(this: &ZipSource, position: f64) -> std::result::Result<JsValue, JsValue>;

    #[wasm_bindgen(method, structural)]
    fn forget(this: &ZipSource, position: f64);

    type ZipEntry;

    #[wasm_bindgen(method, getter, structural)]
    fn name(this: &ZipEntry) -> String;

    #[wasm_bindgen(method, getter, structural, js_name = compressedSize)]
    fn compressed_size(this: &ZipEntry) -> f64;

    #[wasm_bindgen(method, getter, structural)]
    fn size(this: &ZipEntry) -> f64;

    #[wasm_bindgen(method, getter, structural, js_name = isDirectory)]
    fn is_directory(this: &ZipEntry) -> bool;

    #[wasm_bindgen(method, getter, structural, js_name = isSymlink)]
    fn is_symlink(this: &ZipEntry) -> bool;

    #[wasm_bindgen(method, getter, structural, js_name = isEncrypted)]
    fn is_encrypted(this: &ZipEntry) -> bool;

    #[wasm_bindgen(method, getter, structural)]
    fn method(this: &ZipEntry) -> u16;
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
    promise(async move {
        let (source, store) = (Zip(source), HostStore::new(store));
        let report = |Progress { done, total }: Progress| {
            // The TypeScript side catches what its listeners throw.
            let _ = on_progress.call2(&JsValue::UNDEFINED, &(done as f64).into(), &(total as f64).into());
        };
        let claim = |id| -> LocalBoxFuture<'_, Option<Claim>> { claimed(&claim, id) };
        let options = ImportOptions { now, on_progress: &report, claim: &claim };
        let imported = import(&source, &store, &options).await?;
        Ok(imported.iter().map(imported_to_js).collect::<Array>().into())
    })
}

/// An export under way.
#[wasm_bindgen]
pub struct CoreExport {
    export: Rc<RefCell<Option<Export>>>,
    modified_at: f64,
}

#[wasm_bindgen]
impl CoreExport {
    /// Begins an export of a conversation of a `Store` as it is now.
    #[wasm_bindgen(unchecked_return_type = "Promise<CoreExport>")]
    pub fn open(store: Object, conversation: String) -> Promise {
        promise(async move {
            let conversation: ConversationId = conversation.parse()?;
            let export = Export::open(Rc::new(HostStore::new(store)), conversation).await?;
            let modified_at = export.modified_at();
            Ok(Self { export: Rc::new(RefCell::new(Some(export))), modified_at }.into())
        })
    }

    /// When the conversation was last changed, in milliseconds since the Unix epoch.
    #[wasm_bindgen(getter, js_name = modifiedAt)]
    pub fn modified_at(&self) -> f64 {
        self.modified_at
    }

    /// The next entry, or `undefined` after the last.
    #[wasm_bindgen(unchecked_return_type = "Promise<CoreExportEntry | undefined>")]
    pub fn next(&self) -> Promise {
        let place = Rc::clone(&self.export);
        promise(async move {
            // Taken out for as long as it works, so that nothing stays borrowed while it waits.
            let taken = place.borrow_mut().take();
            let Some(mut export) = taken else {
                return Err(Error::new(ErrorCode::Internal, "an export was asked for two entries at once"));
            };
            let entry = export.next().await;
            place.replace(Some(export));
            Ok(entry?.as_ref().map_or(JsValue::UNDEFINED, entry_to_js))
        })
    }

    /// How many files have been given out, and how many there are.
    #[wasm_bindgen(unchecked_return_type = "[done: number, total: number]")]
    pub fn progress(&self) -> Array {
        let progress = self.export.borrow().as_ref().map(Export::progress);
        let Progress { done, total } = progress.unwrap_or(Progress { done: 0, total: 0 });
        [done, total].into_iter().map(|n| JsValue::from(n as f64)).collect()
    }
}

struct Zip(ZipSource);

impl Archive for Zip {
    fn size(&self) -> u64 {
        self.0.size() as u64
    }

    fn next_entry(&self) -> LocalBoxFuture<'_, std::result::Result<Option<EntryHeader>, String>> {
        Box::pin(async {
            let entry = self.0.next_entry().await.map_err(|thrown| words_of(&thrown))?;
            if entry.is_undefined() {
                return Ok(None);
            }
            let entry: ZipEntry = entry.unchecked_into();
            Ok(Some(EntryHeader {
                name: entry.name(),
                compressed_size: entry.compressed_size() as u64,
                size: entry.size() as u64,
                is_directory: entry.is_directory(),
                is_symlink: entry.is_symlink(),
                is_encrypted: entry.is_encrypted(),
                method: entry.method(),
            }))
        })
    }

    fn read(&self, position: usize) -> LocalBoxFuture<'_, std::result::Result<Vec<u8>, String>> {
        Box::pin(async move {
            let content = self.0.read(position as f64).await.map_err(|thrown| words_of(&thrown))?;
            match content.dyn_ref::<Uint8Array>() {
                Some(bytes) => Ok(bytes.to_vec()),
                None => Err("the zip library gave no bytes".to_owned()),
            }
        })
    }

    fn forget(&self, position: usize) {
        self.0.forget(position as f64);
    }
}

fn entry_to_js(entry: &ExportEntry) -> JsValue {
    let content = Uint8Array::from(entry.content.as_bytes());
    object(&[("name", entry.name.as_str().into()), ("content", content.into())])
}
