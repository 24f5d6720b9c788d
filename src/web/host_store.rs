//! A [`Store`] that the host has written in JavaScript.
//!
//! Every value that the host returns is checked: one of another shape than `js/store/types.ts` documents is
//! [`StoreError::Corrupt`] with the method and the field. What it throws is a [`StoreError`] by its `code`.

use super::{
    host::WebHost,
    store_values::{CommitObject, to_js},
};
use crate::{
    error::ErrorCode,
    host::Host as _,
    id::{ConversationId, EventId, StorePath},
    store::{
        Commit, Durability, FileChanges, FilesOf, Listing, Store, StoreError, StoreFuture, StoredEvent,
        WriterNumber, newest_first,
    },
};
use futures_util::future::{Either, select};
use js_sys::{Array, Function, Object, Promise, Reflect, Uint8Array};
use std::{cell::Cell, ops::Range, rc::Rc, time::Duration};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

/// `Number.MAX_SAFE_INTEGER`.
pub const MAX_INDEX: u64 = (1 << 53) - 1;

/// How long the host may take for one call.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(30);

/// How much longer it may take for each event and file of a commit: a file of its own takes Firefox thirty milliseconds.
const WRITE_TIMEOUT: Duration = Duration::from_millis(100);

/// The adapter of a host's object.
pub struct HostStore {
    object: Object,
    closed: Cell<bool>,
}

impl HostStore {
    /// A store that calls the methods of `object`, which are looked up with each call.
    pub fn new(object: Object) -> Self {
        Self { object, closed: Cell::new(false) }
    }

    async fn call(&self, method: &'static str, arguments: &[JsValue]) -> Result<JsValue, StoreError> {
        self.call_within(CALL_TIMEOUT, method, arguments).await
    }

    async fn call_within(
        &self,
        timeout: Duration,
        method: &'static str,
        arguments: &[JsValue],
    ) -> Result<JsValue, StoreError> {
        if self.closed.get() {
            return Err(StoreError::Closed);
        }
        let arguments: Array = arguments.iter().collect();
        let function = get(&self.object, method)?
            .dyn_into::<Function>()
            .map_err(|_| corrupt(method, "is not a function"))?;
        let answer = function.apply(&self.object, &arguments).map_err(|thrown| store_error_of(&thrown))?;
        let answer = JsFuture::from(Promise::resolve(&answer));
        match select(answer, WebHost.sleep(timeout)).await {
            Either::Left((answer, _)) => answer.map_err(|thrown| store_error_of(&thrown)),
            Either::Right(_) => Err(StoreError::Silent(method)),
        }
    }
}

impl Store for HostStore {
    fn list(&self) -> StoreFuture<'_, Vec<Listing>> {
        Box::pin(async move {
            let mut listings = Vec::new();
            for value in array("list()", self.call("list", &[]).await?)? {
                listings.push(listing("list()", &value)?);
            }
            Ok(newest_first(listings))
        })
    }

    fn load(&self, conversation: ConversationId) -> StoreFuture<'_, Option<Listing>> {
        Box::pin(async move {
            let answer = self.call("load", &[id_text(conversation)]).await?;
            if is_absent(&answer) {
                return Ok(None);
            }
            let listing = listing("load()", &answer)?;
            if listing.conversation != conversation {
                return Err(corrupt("load()", "returned another conversation"));
            }
            Ok(Some(listing))
        })
    }

    fn events(&self, conversation: ConversationId, range: Range<u64>) -> StoreFuture<'_, Vec<StoredEvent>> {
        Box::pin(async move {
            let (start, end) = (range.start.min(MAX_INDEX), range.end.min(MAX_INDEX));
            if start >= end {
                return if self.closed.get() { Err(StoreError::Closed) } else { Ok(Vec::new()) };
            }
            let arguments = [id_text(conversation), number(start), number(end)];
            let mut events = Vec::new();
            for (place, value) in
                array("events()", self.call("events", &arguments).await?)?.into_iter().enumerate()
            {
                let index = start + place as u64;
                if index >= end {
                    return Err(corrupt("events()", "returned more events than requested"));
                }
                let event = event(&value)?;
                if event.index != index {
                    return Err(StoreError::Corrupt(format!(
                        "the host's store: events() did not return event {index} of conversation {conversation}"
                    )));
                }
                events.push(event);
            }
            Ok(events)
        })
    }

    fn index_of<'a>(
        &'a self,
        conversation: ConversationId,
        event: &'a EventId,
    ) -> StoreFuture<'a, Option<u64>> {
        Box::pin(async move {
            let arguments = [id_text(conversation), event.as_str().into()];
            let answer = self.call("indexOf", &arguments).await?;
            if is_absent(&answer) {
                return Ok(None);
            }
            index("indexOf()", "the result", &answer).map(Some)
        })
    }

    fn commit(&self, conversation: ConversationId, commit: Commit) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            if commit.files_of.is_some() && !self.spans_conversations() {
                return Err(corrupt("commit()", "cannot store files of another conversation"));
            }
            let arguments = [id_text(conversation), to_js(&CommitObject::from(&commit))?];
            let writes = (commit.events.len() + commit.files.len()) as u32;
            let timeout = CALL_TIMEOUT + WRITE_TIMEOUT * writes;
            self.call_within(timeout, "commit", &arguments).await.map(drop).map_err(|error| match error {
                StoreError::Conflict { .. } => StoreError::Conflict { expected: commit.expected_length },
                error => error,
            })
        })
    }

    fn files<'a>(
        &'a self,
        conversation: ConversationId,
        folder: Option<&'a StorePath>,
    ) -> StoreFuture<'a, Vec<StorePath>> {
        Box::pin(async move {
            let folder_text = folder.map_or(JsValue::UNDEFINED, |folder| folder.as_str().into());
            let answer = self.call("files", &[id_text(conversation), folder_text]).await?;
            let mut paths: Vec<StorePath> = Vec::new();
            for value in array("files()", answer)? {
                let path = value.as_string().and_then(|path| path.parse().ok());
                paths.push(path.ok_or_else(|| corrupt("files()", "returned something that is not a path"))?);
            }
            // A store of the host may ignore the folder and return all files of the conversation.
            paths.retain(|path| path.is_below(folder));
            paths.sort_unstable();
            Ok(paths)
        })
    }

    fn read_file<'a>(
        &'a self,
        conversation: ConversationId,
        path: &'a StorePath,
    ) -> StoreFuture<'a, Option<Vec<u8>>> {
        Box::pin(async move {
            let arguments = [id_text(conversation), path.as_str().into()];
            let answer = self.call("readFile", &arguments).await?;
            if is_absent(&answer) {
                return Ok(None);
            }
            match answer.dyn_into::<Uint8Array>() {
                Ok(bytes) => Ok(Some(bytes.to_vec())),
                Err(_) => Err(corrupt("readFile()", "returned something that is not a Uint8Array")),
            }
        })
    }

    fn spans_conversations(&self) -> bool {
        get(&self.object, "spansConversations").is_ok_and(|spans| spans.is_truthy())
    }

    fn delete(&self, conversation: ConversationId) -> StoreFuture<'_, ()> {
        Box::pin(async move { self.call("delete", &[id_text(conversation)]).await.map(drop) })
    }

    fn close(&self) {
        if !self.closed.replace(true)
            && let Ok(close) = get(&self.object, "close")
            && let Ok(close) = close.dyn_into::<Function>()
        {
            // Closing returns nothing, and a store that fails to close is not used any more either.
            let _ = close.apply(&self.object, &Array::new());
        }
    }
}

/// Reads a commit that JavaScript wrote.
pub fn commit(value: &JsValue) -> Result<Commit, StoreError> {
    const METHOD: &str = "commit()";
    let mut commit = Commit::new(
        index(METHOD, "expectedLength", &field(METHOD, value, "expectedLength")?)?,
        float(METHOD, value, "at")?,
    );
    if !is_absent(&field(METHOD, value, "createdAt")?) {
        commit.created_at = Some(float(METHOD, value, "createdAt")?);
    }
    let number = field(METHOD, value, "writer")?;
    if !is_absent(&number) {
        let part = |name| index(METHOD, name, &field(METHOD, &number, name)?);
        commit.writer = Some(WriterNumber { expected: part("expected")?, next: part("next")? });
    }
    let truncate_to = field(METHOD, value, "truncateTo")?;
    if !is_absent(&truncate_to) {
        commit.truncate_to = Some(index(METHOD, "truncateTo", &truncate_to)?);
    }
    for event in array(METHOD, field(METHOD, value, "events")?)? {
        let json = field(METHOD, &event, "json")?;
        // A long event of an archive comes as bytes: as a string it would need several times the memory on its way.
        let json = match json.dyn_into::<Uint8Array>() {
            Ok(bytes) => String::from_utf8(bytes.to_vec()).ok(),
            Err(text) => text.as_string(),
        };
        commit
            .events
            .push((event_id(METHOD, &event)?, json.ok_or_else(|| wrong_type(METHOD, "json"))?.into()));
    }
    let base_state = field(METHOD, value, "baseState")?;
    if !is_absent(&base_state) {
        commit.base_state = Some(text(METHOD, value, "baseState")?.into());
    }
    commit.files = files(METHOD, value)?;
    let other = field(METHOD, value, "filesOf")?;
    if !is_absent(&other) {
        commit.files_of = Some(FilesOf {
            conversation: text(METHOD, &other, "conversation")?
                .parse()
                .map_err(|_| wrong_type(METHOD, "conversation"))?,
            created_at: float(METHOD, &other, "createdAt")?,
            writer: writer(METHOD, &other)?,
            files: files(METHOD, &other)?,
        });
    }
    if text(METHOD, value, "durability")? == "relaxed" {
        commit.durability = Durability::Relaxed;
    }
    Ok(commit)
}

/// The changes in the list `files` of this value.
fn files(method: &str, value: &JsValue) -> Result<FileChanges, StoreError> {
    let mut files = Vec::new();
    for file in array(method, field(method, value, "files")?)? {
        let path = text(method, &file, "path")?.parse().map_err(|_| wrong_type(method, "path"))?;
        let content = field(method, &file, "content")?;
        let content = if content.is_null() {
            None
        } else {
            Some(content.dyn_into::<Uint8Array>().map_err(|_| wrong_type(method, "content"))?.to_vec())
        };
        files.push((path, content));
    }
    Ok(files)
}

/// Converts a value that the host's store threw.
pub fn store_error_of(thrown: &JsValue) -> StoreError {
    let property = |name: &str| {
        thrown.is_object().then(|| Reflect::get(thrown, &name.into()).ok()?.as_string()).flatten()
    };
    let message = || property("message").or_else(|| thrown.as_string()).unwrap_or_default();
    let code =
        property("code").and_then(|text| ErrorCode::ALL.iter().copied().find(|code| code.as_str() == text));
    match (code, property("name")) {
        (Some(ErrorCode::LockedElsewhere), _) => StoreError::Conflict { expected: 0 },
        (Some(ErrorCode::StoreLost), _) => StoreError::Lost,
        (Some(ErrorCode::StoreQuota), _) => StoreError::Quota,
        (Some(ErrorCode::StoreBlocked), _) => StoreError::Blocked,
        (Some(ErrorCode::InvalidState), _) => StoreError::Closed,
        (Some(ErrorCode::StoreUnavailable), _) => StoreError::Unavailable(message()),
        (Some(ErrorCode::PermissionRequired), _) => StoreError::Permission(message()),
        (Some(ErrorCode::StoreCorrupt), _) => {
            // If the host's store wraps one of the library's, the message has this prefix already.
            let message = message();
            StoreError::Corrupt(
                message.strip_prefix("the store cannot be read: ").unwrap_or(&message).to_owned(),
            )
        }
        (_, Some(name)) if name == "QuotaExceededError" => StoreError::Quota,
        (_, name) => {
            StoreError::Failed { name: name.unwrap_or_else(|| "Error".to_owned()), message: message() }
        }
    }
}

fn listing(method: &str, value: &JsValue) -> Result<Listing, StoreError> {
    Ok(Listing {
        conversation: text(method, value, "conversation")?
            .parse()
            .map_err(|_| wrong_type(method, "conversation"))?,
        base_state: Rc::from(text(method, value, "baseState")?),
        length: index(method, "length", &field(method, value, "length")?)?,
        created_at: float(method, value, "createdAt")?,
        updated_at: float(method, value, "updatedAt")?,
        writer: writer(method, value)?,
    })
}

/// The number of a conversation's writer, if the value has one.
fn writer(method: &str, value: &JsValue) -> Result<Option<u64>, StoreError> {
    let number = field(method, value, "writer")?;
    if is_absent(&number) { Ok(None) } else { index(method, "writer", &number).map(Some) }
}

fn event(value: &JsValue) -> Result<StoredEvent, StoreError> {
    const METHOD: &str = "events()";
    Ok(StoredEvent {
        index: index(METHOD, "index", &field(METHOD, value, "index")?)?,
        id: event_id(METHOD, value)?,
        json: text(METHOD, value, "json")?.into(),
    })
}

fn event_id(method: &str, value: &JsValue) -> Result<EventId, StoreError> {
    text(method, value, "id")?.parse().map_err(|_| wrong_type(method, "id"))
}

/// The elements of an array. Each is read with `Reflect`, which reports what a proxy throws; one that was revoked cannot even be asked
/// whether it is an array.
fn array(method: &str, value: JsValue) -> Result<Vec<JsValue>, StoreError> {
    let unfit = || corrupt(method, "has a value that should be an array");
    Reflect::get(&value, &"length".into()).map_err(|_| unfit())?;
    let array: Array = value.dyn_into().map_err(|_| unfit())?;
    (0..array.length())
        .map(|at| Reflect::get_u32(&array, at).map_err(|thrown| store_error_of(&thrown)))
        .collect()
}

/// A property, which may be missing, of a value that must be an object.
fn field(method: &str, value: &JsValue, name: &str) -> Result<JsValue, StoreError> {
    if !value.is_object() {
        return Err(corrupt(method, "has a value that should be an object"));
    }
    Reflect::get(value, &name.into()).map_err(|thrown| store_error_of(&thrown))
}

fn text(method: &str, value: &JsValue, name: &str) -> Result<String, StoreError> {
    field(method, value, name)?.as_string().ok_or_else(|| wrong_type(method, name))
}

fn float(method: &str, value: &JsValue, name: &str) -> Result<f64, StoreError> {
    field(method, value, name)?
        .as_f64()
        .filter(|number| number.is_finite())
        .ok_or_else(|| wrong_type(method, name))
}

fn index(method: &str, name: &str, value: &JsValue) -> Result<u64, StoreError> {
    match value.as_f64() {
        Some(number) if number >= 0.0 && number <= MAX_INDEX as f64 && number.fract() == 0.0 => {
            Ok(number as u64)
        }
        _ => Err(wrong_type(method, name)),
    }
}

fn wrong_type(method: &str, name: &str) -> StoreError {
    StoreError::Corrupt(format!("the host's store: {name} of {method} is missing or has the wrong type"))
}

fn corrupt(method: &str, problem: &str) -> StoreError {
    StoreError::Corrupt(format!("the host's store: {method} {problem}"))
}

fn is_absent(value: &JsValue) -> bool {
    value.is_undefined() || value.is_null()
}

fn id_text(conversation: ConversationId) -> JsValue {
    conversation.to_string().into()
}

fn number(index: u64) -> JsValue {
    JsValue::from_f64(index as f64)
}

fn get(object: &Object, name: &str) -> Result<JsValue, StoreError> {
    Reflect::get(object, &name.into()).map_err(|thrown| store_error_of(&thrown))
}
