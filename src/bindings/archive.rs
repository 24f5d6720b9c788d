//! Import and export over a zip library in JavaScript: the library reads and writes the container, the core decides.
//!
//! It uses a store through its JavaScript interface, and takes write locks through JavaScript, where all locks are managed.

use super::{
    error::message_of,
    imported::claimed,
    listing::descendants,
    options::{Options, function, property},
    values::{ExportObject, ImportedObject, MirrorPlanObject, NestedObject, WritingObject},
};
use crate::{
    archive::{
        self, Archive, Claim, EntryHeader, Failure, ImportOptions, Progress, Source, Unreadable, Writing,
        at_other_place, import, in_order, is_searched, portable,
    },
    error::{Error, ErrorCode, Result},
    format::{
        base_state::BaseState,
        layout::{COMMANDS, DRAFTS, nested_persistence_dir},
    },
    id::{ConversationId, EventId, StorePath},
    llm::option_table::OptionSource as _,
    store::{Store, StoreError},
    web::{
        host::WebHost,
        host_store::{CALL_TIMEOUT, HostStore, store_error_of},
        store_values::{CommitObject, to_js},
    },
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Float64Array, Int32Array, Uint8Array, Uint32Array};
use std::fmt::Display;
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_file::wasm_file;

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
/** The conversation of a sub-agent, and the folder in which it is exported. */
export interface CoreNested { id: string; folder: string }
/**
 * The start of an export. `nested` are the conversations of its sub-agents. `baseState` is the text to be exported, without secrets; the files in `searched` have to pass
 * through `withoutSecrets`. `callTimeout` is how long the host's store may take for one call, in milliseconds.
 */
export interface CoreExport {
  id: string; folder: string; nested: CoreNested[]; baseState: string; length: number; updatedAt: number; files: string[]; searched: string[]; callTimeout: number;
}
/** `MirrorPlan` of `src/archive/mirror.rs`. */
export interface CoreMirrorPlan {
  moves: { name: string; number: number }[]; stale: string[]; writes: { index: number; number: number }[];
  hasState: boolean; hasMore: boolean; isSameOrder: boolean; next: number;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// See `ZipSource` in the types.
    #[wasm_bindgen(typescript_type = "ZipSource")]
    pub type ZipSource;

    #[wasm_bindgen(method, getter, structural)]
    fn size(this: &ZipSource) -> f64;

    #[wasm_bindgen(method, structural, catch, js_name = nextEntries)]
    async fn next_entries(this: &ZipSource) -> std::result::Result<JsValue, JsValue>;

    #[wasm_bindgen(method, structural, catch)]
    async fn read(this: &ZipSource, positions: Uint32Array) -> std::result::Result<JsValue, JsValue>;

    #[wasm_bindgen(method, structural, catch)]
    async fn check(this: &ZipSource, positions: Uint32Array) -> std::result::Result<JsValue, JsValue>;

    #[wasm_bindgen(method, structural, catch)]
    async fn commit(
        this: &ZipSource,
        conversation: String,
        writing: JsValue,
    ) -> std::result::Result<JsValue, JsValue>;

    type ZipEntries;

    #[wasm_bindgen(method, getter, structural)]
    fn names(this: &ZipEntries) -> Array;

    #[wasm_bindgen(method, getter, structural)]
    fn numbers(this: &ZipEntries) -> Float64Array;

    type ZipUnreadable;

    #[wasm_bindgen(method, getter, structural)]
    fn position(this: &ZipUnreadable) -> f64;

    #[wasm_bindgen(method, getter, structural)]
    fn reason(this: &ZipUnreadable) -> String;
}

/// Imports every conversation of an archive into a `Store`, all or none.
#[wasm_file(formats)]
#[wasm_bindgen(js_name = importArchive, unchecked_return_type = "Promise<CoreImported[]>")]
pub async fn import_archive(
    #[wasm_bindgen(unchecked_param_type = "CoreArchiveImport")] options: JsValue,
) -> Result<JsValue> {
    let source = Zip(property(&options, "source").unchecked_into());
    let (claim, on_progress) = (function(&options, "claim")?, function(&options, "onProgress")?);
    let now = Options::new(&options, "an import").number("now")?.unwrap_or_default();
    let report = |Progress { done, total }: Progress| {
        // The TypeScript side catches errors of its listeners.
        let _ = on_progress.call2(&JsValue::UNDEFINED, &(done as f64).into(), &(total as f64).into());
    };
    let claim = |id| -> LocalBoxFuture<'_, Option<Claim>> { claimed(&claim, id) };
    let store = store_of(&options);
    let import_options = ImportOptions { host: &WebHost, now, on_progress: &report, claim: &claim };
    let imported = import(&source, &store, &import_options).await?;
    Ok(to_js(&imported.iter().map(ImportedObject::from).collect::<Vec<_>>())?)
}

/// Begins an export of the current state of a stored conversation.
#[wasm_file(formats)]
#[wasm_bindgen(js_name = openExport, unchecked_return_type = "Promise<CoreExport>")]
pub async fn open_export(
    #[wasm_bindgen(unchecked_param_type = "{ store: object; conversation: string }")] options: JsValue,
) -> Result<JsValue> {
    let store = store_of(&options);
    let conversation = Options::new(&options, "an export").required_text("conversation")?;
    let conversation: ConversationId = conversation.parse()?;
    // Length and base state are read together, so they fit each other.
    let Some(listing) = store.load(conversation).await? else {
        return Err(Error::new(ErrorCode::NotFound, format!("there is no conversation {conversation}")));
    };
    let mut files = store.files(conversation, None).await?;
    for folder in [COMMANDS, DRAFTS] {
        let folder = folder.parse()?;
        files.retain(|path| !path.is_below(Some(&folder)));
    }
    let searched = files.iter().map(StorePath::as_str).filter(|path| is_searched(path));
    let mut nested = Vec::new();
    for id in descendants(&store, conversation).await? {
        let Some(listing) = store.load(id).await? else { continue };
        let Ok(state) = BaseState::parse(&listing.base_state) else { continue };
        let path = nested_persistence_dir(&state.ancestors(), id);
        let start = path.find(&conversation.hex()).and_then(|start| path.get(start..));
        nested.push(NestedObject { id: id.to_string(), folder: start.unwrap_or(&path).to_owned() });
    }
    let export = ExportObject {
        nested,
        id: conversation.to_string(),
        folder: conversation.hex(),
        base_state: &portable(&listing.base_state, conversation),
        length: listing.length,
        updated_at: listing.updated_at,
        files: files.iter().map(StorePath::as_str).collect(),
        searched: searched.collect(),
        call_timeout: CALL_TIMEOUT.as_secs_f64() * 1000.0,
    };
    Ok(to_js(&export)?)
}

/// The content of a further file without secrets. A path that a store would refuse gives its content unchanged.
#[wasm_file(formats)]
#[wasm_bindgen(js_name = withoutSecrets, unchecked_return_type = "Promise<Uint8Array>")]
pub async fn without_secrets(
    #[wasm_bindgen(unchecked_param_type = "{ path: string; content: Uint8Array }")] file: JsValue,
) -> Result<JsValue> {
    let content = Uint8Array::new(&property(&file, "content")).to_vec();
    let content = match Options::new(&file, "a file").required_text("path")?.parse() {
        Ok(path) => archive::without_secrets(&path, content),
        Err(_) => content,
    };
    Ok(content.into())
}

/// Rejects with the library's error for what a store threw.
#[wasm_file(formats)]
#[wasm_bindgen(js_name = storeFailed, unchecked_return_type = "Promise<never>")]
pub async fn store_failed(
    #[wasm_bindgen(unchecked_param_type = "unknown")] thrown: JsValue,
) -> Result<JsValue> {
    Err(store_error_of(&thrown).into())
}

/// Plans what a mirror of a conversation lacks. `ours` are the ids of the stored events and `theirs` the names of the mirror's event
/// files, joined by line feeds, `state` the mirror's base state.
#[wasm_file(formats)]
#[wasm_bindgen(js_name = planMirror, unchecked_return_type = "Promise<CoreMirrorPlan>")]
pub async fn plan_mirror(
    #[wasm_bindgen(
        unchecked_param_type = "{ conversation: string; ours: string; theirs: string; state: string | undefined }"
    )]
    options: JsValue,
) -> Result<JsValue> {
    let given = Options::new(&options, "a mirror");
    let conversation: ConversationId = given.required_text("conversation")?.parse()?;
    let (ours, theirs) = (given.required_text("ours")?, given.required_text("theirs")?);
    let ours = ours.split_terminator('\n').map(str::parse).collect::<Result<Vec<EventId>>>()?;
    let theirs: Vec<&str> = theirs.split_terminator('\n').collect();
    let state = property(&options, "state").as_string();
    let state = state.and_then(|state| BaseState::of(conversation, &state));
    let plan = archive::plan_mirror(&ours, &theirs, state.as_ref());
    Ok(to_js(&MirrorPlanObject::from(&plan))?)
}

/// The order in which a mirror's events are taken in, as their indices. `ids` are theirs in the order of the files, `parents` those
/// that they name, empty where they name none, joined by line feeds; without `keepsAll`, some may be left out.
#[wasm_file(formats)]
#[wasm_bindgen(js_name = orderMirrored, unchecked_return_type = "Promise<number[]>")]
pub async fn order_mirrored(
    #[wasm_bindgen(unchecked_param_type = "{ ids: string; parents: string; keepsAll: boolean }")]
    options: JsValue,
) -> Result<JsValue> {
    let given = Options::new(&options, "a mirror");
    let (ids, parents) = (given.required_text("ids")?, given.required_text("parents")?);
    let events: Vec<(&str, &str)> = ids.split('\n').zip(parents.split('\n')).collect();
    Ok(to_js(&in_order(&events, property(&options, "keepsAll").is_truthy()))?)
}

/// A text of a conversation as a mirror has it: its base state without secrets, as an export has it, or, with the id of an `event`,
/// the text of this event at another place of the log; `before` is the id of the event before it in the store.
#[wasm_file(formats)]
#[wasm_bindgen(js_name = mirrored, unchecked_return_type = "Promise<string>")]
pub async fn mirrored(
    #[wasm_bindgen(
        unchecked_param_type = "{ conversation: string; text: string; event?: string; before?: string | undefined }"
    )]
    options: JsValue,
) -> Result<JsValue> {
    let given = Options::new(&options, "a mirror");
    let text = given.required_text("text")?;
    let Some(event) = property(&options, "event").as_string() else {
        return Ok(portable(&text, given.required_text("conversation")?.parse()?).into());
    };
    let before = property(&options, "before").as_string().map(|before| before.parse()).transpose()?;
    Ok(at_other_place(&event.parse()?, &text, before.as_ref()).into())
}

/// The store of these options.
pub(super) fn store_of(options: &JsValue) -> HostStore {
    HostStore::new(property(options, "store").unchecked_into())
}

struct Zip(ZipSource);

impl Archive for Zip {
    fn size(&self) -> u64 {
        self.0.size() as u64
    }

    fn next_entries(&self) -> LocalBoxFuture<'_, std::result::Result<Vec<EntryHeader>, String>> {
        Box::pin(async {
            let entries = self.0.next_entries().await.map_err(|thrown| message_of(&thrown))?;
            let entries: ZipEntries = entries.unchecked_into();
            let numbers = entries.numbers().to_vec();
            let mut headers = Vec::with_capacity(numbers.len() / 3);
            for (name, numbers) in entries.names().iter().zip(numbers.as_chunks::<3>().0) {
                let [compressed_size, size, bits] = *numbers;
                let bits = bits as u32;
                let name = name.as_string().ok_or("the name of an entry must be a string")?;
                headers.push(EntryHeader {
                    name,
                    compressed_size: compressed_size as u64,
                    size: size as u64,
                    is_encrypted: bits & 1 << 16 != 0,
                    is_symlink: bits & 1 << 17 != 0,
                    method: bits as u16,
                });
            }
            Ok(headers)
        })
    }

    fn read<'a>(
        &'a self,
        positions: &'a [usize],
    ) -> LocalBoxFuture<'a, std::result::Result<Vec<u8>, Unreadable>> {
        Box::pin(async move {
            let answer = self
                .0
                .read(numbers(positions))
                .await
                .map_err(|thrown| archive_unreadable(positions, &thrown))?;
            match answer.dyn_ref::<Uint8Array>() {
                Some(bytes) => Ok(bytes.to_vec()),
                None => Err(unreadable(answer)),
            }
        })
    }

    fn check<'a>(
        &'a self,
        positions: &'a [usize],
    ) -> LocalBoxFuture<'a, std::result::Result<(), Unreadable>> {
        Box::pin(async move {
            let answer = self
                .0
                .check(numbers(positions))
                .await
                .map_err(|thrown| archive_unreadable(positions, &thrown))?;
            if answer.is_undefined() { Ok(()) } else { Err(unreadable(answer)) }
        })
    }

    /// Commits in JavaScript, which has both the contents and the store.
    fn commit<'a>(
        &'a self,
        _: &'a dyn Store,
        conversation: ConversationId,
        writing: Writing,
    ) -> LocalBoxFuture<'a, std::result::Result<(), Failure>> {
        Box::pin(async move {
            let writing = writing_object(writing).map_err(Failure::Store)?;
            let answer = self.0.commit(conversation.to_string(), writing).await;
            let answer = answer.map_err(|thrown| Failure::Store(store_error_of(&thrown)))?;
            if answer.is_undefined() { Ok(()) } else { Err(Failure::Unreadable(unreadable(answer))) }
        })
    }
}

fn numbers(positions: &[usize]) -> Uint32Array {
    Uint32Array::from(positions.iter().map(|position| *position as u32).collect::<Vec<_>>().as_slice())
}

/// The archive itself has become unreadable; the first of the positions stands for all of them.
fn archive_unreadable(positions: &[usize], thrown: &JsValue) -> Unreadable {
    Unreadable { position: positions.first().copied().unwrap_or_default(), reason: message_of(thrown) }
}

fn unreadable(answer: JsValue) -> Unreadable {
    let answer: ZipUnreadable = answer.unchecked_into();
    Unreadable { position: answer.position() as usize, reason: answer.reason() }
}

fn writing_object(writing: Writing) -> std::result::Result<JsValue, StoreError> {
    let given = Array::new();
    let (ids, event_sources) = sources(writing.events, &given);
    let (paths, file_sources) = sources(writing.files, &given);
    let commit = CommitObject::from(&writing.commit);
    to_js(&WritingObject { commit, ids, paths, event_sources, file_sources, given })
}

fn sources<T: Display>(items: Vec<(T, Source)>, given: &Array) -> (String, Int32Array) {
    let mut names = String::new();
    let mut places = Vec::with_capacity(items.len());
    for (name, source) in items {
        if !places.is_empty() {
            names.push('\n');
        }
        names.push_str(&name.to_string());
        places.push(match source {
            Source::Entry(position) => position as i32,
            Source::Given(content) => -(given.push(&Uint8Array::from(content.as_slice())) as i32),
        });
    }
    (names, Int32Array::from(places.as_slice()))
}
