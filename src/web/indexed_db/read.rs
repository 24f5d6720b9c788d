//! Reading: each call is one read-only transaction, so its result is consistent.

use super::{
    connection::{Connection, Mode},
    encode,
    failure::failure,
    now,
    request::Answer,
    schema::{PAGES_BY_ID, Table},
    transaction::Transaction,
    write,
};
use crate::{
    id::{ConversationId, EventId, StorePath},
    store::{
        Durability, FirstReads, Listing, Loaded, StoreError, StoredEvent, newest_first,
        rows::{Head, LastRow, PAGE, TOMBSTONE_LIFETIME, Tip, UNFINISHED},
    },
    web::guard,
};
use js_sys::{Array, Uint8Array};
use std::ops::Range;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{IdbCursorDirection, IdbCursorWithValue, IdbKeyRange};

/// Requests for the head and the last row of a conversation, issued together.
pub(super) struct HeadAndLastRow {
    head: Answer,
    last: Answer,
}

impl HeadAndLastRow {
    pub(super) fn request(transaction: &Transaction, key: &JsValue) -> Result<Self, StoreError> {
        let head = Answer::of_request(transaction.table(Table::Conversations)?.get(key))?;
        Ok(Self { head, last: request_last_row(transaction, key)? })
    }

    pub(super) async fn read(self) -> Result<(Option<Head>, Option<LastRow>), StoreError> {
        let head = encode::head(&self.head.await?)?;
        Ok((head, last_row(self.last).await?))
    }
}

fn request_last_row(transaction: &Transaction, key: &JsValue) -> Result<Answer, StoreError> {
    let range = encode::keys_of(key)?;
    let events = transaction.table(Table::Events)?;
    Answer::of_request(events.open_cursor_with_range_and_direction(&range, IdbCursorDirection::Prev))
}

async fn last_row(cursor: Answer) -> Result<Option<LastRow>, StoreError> {
    let cursor = cursor.await?;
    if cursor.is_null() {
        return Ok(None);
    }
    let cursor: IdbCursorWithValue = cursor.unchecked_into();
    let position = cursor.key().map_err(|thrown| failure(&thrown))?;
    let value = cursor.value().map_err(|thrown| failure(&thrown))?;
    encode::last_row(&position, &value).map(Some)
}

pub(super) async fn load_to_open(
    connection: &Connection,
    conversation: ConversationId,
    wanted: &FirstReads,
) -> Result<Option<Loaded>, StoreError> {
    let tables: &[Table] = match wanted.folders.is_empty() {
        true => &[Table::Conversations, Table::Events],
        false => &[Table::Conversations, Table::Events, Table::Files],
    };
    let transaction = connection.transaction(tables, Mode::Read).await?;
    let key = encode::key(conversation);
    let listing = HeadAndLastRow::request(&transaction, &key)?;
    let mut keys = Vec::new();
    for folder in &wanted.folders {
        keys.push(request_keys(&transaction, &encode::keys_below(&key, folder)?)?);
    }
    let (head, last) = listing.read().await?;
    let Some(listing) = Tip::read(conversation, head, last)?.listing(conversation)? else { return Ok(None) };
    let end = listing.length.saturating_sub(wanted.last)..listing.length;
    let end = events_in(&transaction, conversation, end).await;
    let mut files = Vec::new();
    for keys in keys {
        files.append(&mut paths(keys).await?);
    }
    Ok(Some(Loaded { listing, end: Some(end), files: Some(files) }))
}

/// How many last rows a list requests at once: in one task of the page, and before requests of others that come meanwhile.
const LAST_ROWS_AT_ONCE: usize = 64;

pub(super) async fn list(connection: &Connection) -> Result<Vec<Listing>, StoreError> {
    let transaction = connection.transaction(&[Table::Conversations, Table::Events], Mode::Read).await?;
    let heads = Answer::of_request(transaction.table(Table::Conversations)?.get_all())?.await?;
    let (mut listings, mut leftovers) = (Vec::new(), Vec::new());
    for heads in heads.unchecked_into::<Array>().to_vec().chunks(LAST_ROWS_AT_ONCE) {
        let mut requested = Vec::new();
        for value in heads {
            let conversation = encode::owner(value)?;
            let Some(head) = encode::head(value)? else { continue };
            requested.push((conversation, head, request_last_row(&transaction, &encode::key(conversation))?));
        }
        for (conversation, head, last) in requested {
            let last = last_row(last).await?;
            if is_leftover(&head, last.as_ref()) {
                leftovers.push(conversation);
            } else {
                // A log that has lost events is listed from its head alone; opening it reports the damage.
                let tip = Tip::read(conversation, Some(head.clone()), last)
                    .or_else(|_| Tip::read(conversation, Some(Head { length: 0, ..head }), None))?;
                listings.extend(tip.listing(conversation)?);
            }
        }
    }
    if !leftovers.is_empty() {
        let connection = connection.clone();
        let _background = guard::promise(async move {
            for conversation in leftovers {
                // After a failure the next `list` tries again.
                let _ = sweep(&connection, conversation).await;
            }
            Ok(JsValue::UNDEFINED)
        });
    }
    Ok(newest_first(listings))
}

/// Whether the rows can be removed: tombstones that have served their time, or an import that was not finished.
fn is_leftover(head: &Head, last: Option<&LastRow>) -> bool {
    let age = now() - head.written;
    let touched = match last {
        Some(LastRow::Event(row)) => row.written.max(head.written),
        _ => head.written,
    };
    if head.deleted {
        age > TOMBSTONE_LIFETIME
    } else {
        head.base_state.is_none() && now() - touched > UNFINISHED
    }
}

async fn sweep(connection: &Connection, conversation: ConversationId) -> Result<(), StoreError> {
    let transaction = connection.transaction(Table::ALL, Mode::Write(Durability::Relaxed)).await?;
    let key = encode::key(conversation);
    let (head, last) = HeadAndLastRow::request(&transaction, &key)?.read().await?;
    if head.is_some_and(|head| is_leftover(&head, last.as_ref())) {
        let mut requests = Vec::new();
        write::drop_all(&transaction, &key, &mut requests)?;
        transaction.complete(&requests).await?;
    }
    Ok(())
}

pub(super) async fn events(
    connection: &Connection,
    conversation: ConversationId,
    range: Range<u64>,
) -> Result<Vec<StoredEvent>, StoreError> {
    let transaction = connection.transaction(&[Table::Events], Mode::Read).await?;
    events_in(&transaction, conversation, range).await
}

async fn events_in(
    transaction: &Transaction,
    conversation: ConversationId,
    range: Range<u64>,
) -> Result<Vec<StoredEvent>, StoreError> {
    let key = encode::key(conversation);
    let mut events = Vec::new();
    for value in rows(transaction, &key, range.start, range.end).await? {
        let event = encode::stored_event(&value)?;
        let index = range.start + events.len() as u64;
        if event.index != index {
            return Err(StoreError::Corrupt(format!(
                "event {index} of conversation {conversation} is missing"
            )));
        }
        events.push(event);
    }
    Ok(events)
}

/// The rows at `from..to` that are not tombstones. Tombstones come after all events.
pub(super) async fn rows(
    transaction: &Transaction,
    key: &JsValue,
    from: u64,
    to: u64,
) -> Result<Vec<JsValue>, StoreError> {
    let Some(range) = encode::keys_between(key, from, to) else { return Ok(Vec::new()) };
    let events = transaction.table(Table::Events)?;
    let mut rows =
        Answer::of_request(events.get_all_with_key(&range))?.await?.unchecked_into::<Array>().to_vec();
    let events_end = rows.iter().position(encode::is_tombstone).unwrap_or(rows.len());
    rows.truncate(events_end);
    Ok(rows)
}

pub(super) async fn index_of(
    connection: &Connection,
    conversation: ConversationId,
    event: &EventId,
) -> Result<Option<u64>, StoreError> {
    let transaction = connection.transaction(&[Table::Pages, Table::Events], Mode::Read).await?;
    let key = encode::key(conversation);
    let pages = transaction.table(Table::Pages)?;
    let by_id = pages.index(PAGES_BY_ID).map_err(|thrown| failure(&thrown))?;
    let found = Answer::of_request(by_id.get_all_keys_with_key(&JsValue::from_str(event.as_str())))?;
    let last_page = pages
        .open_key_cursor_with_range_and_direction(&encode::keys_of(&key)?.into(), IdbCursorDirection::Prev);
    let last_page = Answer::of_request(last_page)?;

    // The pages of all conversations with this event, such as forks; those of one conversation are in order.
    for page in found.await?.unchecked_into::<Array>() {
        let page: Array = page.unchecked_into();
        if page.get(0) == key {
            let ids = Answer::of_request(pages.get(&page))?.await?;
            return Ok(Some(encode::number_in_key(&page)? * PAGE + encode::position_on_page(&ids, event)?));
        }
    }
    let last_page = last_page.await?;
    let paged = if last_page.is_null() {
        0
    } else {
        let position =
            last_page.unchecked_into::<web_sys::IdbCursor>().key().map_err(|thrown| failure(&thrown))?;
        (encode::number_in_key(&position)? + 1) * PAGE
    };
    for (offset, value) in rows(&transaction, &key, paged, u64::MAX).await?.iter().enumerate() {
        if encode::id_of(value)? == *event {
            return Ok(Some(paged + offset as u64));
        }
    }
    Ok(None)
}

pub(super) async fn files(
    connection: &Connection,
    conversation: ConversationId,
    folder: Option<&StorePath>,
) -> Result<Vec<StorePath>, StoreError> {
    let transaction = connection.transaction(&[Table::Files], Mode::Read).await?;
    let key = encode::key(conversation);
    let range: IdbKeyRange = match folder {
        Some(folder) => encode::keys_below(&key, folder)?,
        None => encode::keys_of(&key)?,
    };
    paths(request_keys(&transaction, &range)?).await
}

fn request_keys(transaction: &Transaction, range: &IdbKeyRange) -> Result<Answer, StoreError> {
    Answer::of_request(transaction.table(Table::Files)?.get_all_keys_with_key(range))
}

async fn paths(keys: Answer) -> Result<Vec<StorePath>, StoreError> {
    let mut paths: Vec<StorePath> = Vec::new();
    for key in keys.await?.unchecked_into::<Array>() {
        let path = encode::part_of_key(&key).as_string().and_then(|path| path.parse().ok());
        paths.push(path.ok_or_else(|| encode::corrupt("the path"))?);
    }
    // The database sorts by UTF-16 code units.
    paths.sort_unstable();
    Ok(paths)
}

pub(super) async fn read_file(
    connection: &Connection,
    conversation: ConversationId,
    path: &StorePath,
) -> Result<Option<Vec<u8>>, StoreError> {
    let transaction = connection.transaction(&[Table::Files], Mode::Read).await?;
    let key = encode::key_of(&encode::key(conversation), &JsValue::from_str(path.as_str()));
    let content = content(Answer::of_request(transaction.table(Table::Files)?.get(&key))?.await?)?;
    Ok(content.map(|bytes| bytes.to_vec()))
}

/// The content of a row, or `None` if there is no row.
fn content(row: JsValue) -> Result<Option<Uint8Array>, StoreError> {
    if row.is_undefined() {
        return Ok(None);
    }
    row.dyn_into().map(Some).map_err(|_| encode::corrupt("the content"))
}

/// How many files are read at once: as many are in memory even if each of them is large.
const FILES_AT_ONCE: usize = 16;

pub(super) async fn read_files(
    connection: &Connection,
    conversation: ConversationId,
    paths: &[StorePath],
    enough: u32,
) -> Result<Array, StoreError> {
    let transaction = connection.transaction(&[Table::Files], Mode::Read).await?;
    let files = transaction.table(Table::Files)?;
    let owner = encode::key(conversation);
    let contents = Array::new();
    let (mut rest, mut bytes) = (paths, 0_u32);
    while let (Some(first), true) = (rest.first(), bytes < enough) {
        // One request for files that follow each other in the database, which is the rule, is four times as fast as one
        // for each. The database sorts by UTF-16 code units, so some may follow each other only here.
        let last = rest.iter().take(FILES_AT_ONCE).next_back().unwrap_or(first);
        let key = |path: &StorePath| encode::key_of(&owner, &path.as_str().into());
        let range = IdbKeyRange::bound(&key(first), &key(last)).or_else(|_| IdbKeyRange::only(&key(first)));
        let range = range.map_err(|thrown| failure(&thrown))?;
        let rows = Answer::of_request(files.get_all_with_key_and_limit(&range, FILES_AT_ONCE as u32))?;
        let keys = Answer::of_request(files.get_all_keys_with_key_and_limit(&range, FILES_AT_ONCE as u32))?;
        let (rows, keys) = (rows.await?.unchecked_into::<Array>(), keys.await?.unchecked_into::<Array>());
        let is_at = |path: &StorePath, key: &JsValue| {
            encode::part_of_key(key).as_string().as_deref() == Some(path.as_str())
        };
        let count = rest.iter().zip(keys).take_while(|(path, key)| is_at(path, key)).count();
        for row in rows.iter().take(count) {
            let content = content(row)?;
            bytes = bytes.saturating_add(content.as_ref().map_or(0, Uint8Array::length));
            contents.push(&content.into());
        }
        if count == 0 {
            // No row has the first of these paths, so this file does not exist.
            contents.push(&JsValue::UNDEFINED);
        }
        rest = rest.get(count.max(1)..).unwrap_or_default();
    }
    Ok(contents)
}
