//! Conversion of heads, rows and keys to JavaScript values, and back with every field checked.

use super::fields::{Field, Record};
use crate::{
    id::{ConversationId, EventId, StorePath},
    store::{
        StoreError, StoredEvent,
        rows::{Head, LastRow, Patch, Row},
    },
};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::IdbKeyRange;

/// The largest index that is a JavaScript number without loss.
const MAX_INDEX: u64 = 1 << 53;

/// The key of a conversation.
pub(super) fn key(conversation: ConversationId) -> JsValue {
    conversation.hex().into()
}

/// The key of a row, page or file of a conversation.
pub(super) fn key_of(conversation: &JsValue, part: &JsValue) -> JsValue {
    js_sys::Array::of2(conversation, part).into()
}

/// The keys of positions or pages `from..to`; an empty range has no keys.
pub(super) fn keys_between(conversation: &JsValue, from: u64, to: u64) -> Option<IdbKeyRange> {
    let (from, to) = (from.min(MAX_INDEX), to.min(MAX_INDEX));
    if from >= to {
        return None;
    }
    let (lower, upper) = (key_of(conversation, &number(from)), key_of(conversation, &number(to)));
    IdbKeyRange::bound_with_lower_open_and_upper_open(&lower, &upper, false, true).ok()
}

/// All keys of a conversation: an array comes after every number and every text.
pub(super) fn keys_of(conversation: &JsValue) -> Result<IdbKeyRange, StoreError> {
    let lower = js_sys::Array::of1(conversation);
    let upper = key_of(conversation, &js_sys::Array::new());
    IdbKeyRange::bound(&lower, &upper).map_err(|thrown| super::failure::failure(&thrown))
}

/// The keys of the files below this folder. `0` is the character after `/`.
pub(super) fn keys_below(conversation: &JsValue, folder: &StorePath) -> Result<IdbKeyRange, StoreError> {
    let bound = |end: &str| key_of(conversation, &[folder.as_str(), end].concat().into());
    IdbKeyRange::bound_with_lower_open_and_upper_open(&bound("/"), &bound("0"), true, true)
        .map_err(|thrown| super::failure::failure(&thrown))
}

pub(super) fn number(index: u64) -> JsValue {
    JsValue::from_f64(index as f64)
}

/// The value of a tombstone.
pub(super) const TOMBSTONE: JsValue = JsValue::NULL;

pub(super) fn row_object(row: &Row) -> JsValue {
    let object = Record::new();
    object.number(Field::Index, row.index as f64);
    object.text(Field::Id, row.id.as_str());
    object.text(Field::Json, &row.json);
    object.number(Field::At, row.at);
    object.number(Field::Written, row.written);
    if let Some(writer) = row.writer {
        object.number(Field::Writer, writer as f64);
    }
    if let Some(patch) = &row.patch {
        object.number(Field::KeepStart, patch.keep_start as f64);
        object.number(Field::KeepEnd, patch.keep_end as f64);
        object.text(Field::Middle, &patch.middle);
    }
    object.into()
}

/// A complete row.
pub(super) fn row(value: &JsValue) -> Result<Row, StoreError> {
    let StoredEvent { index, id, json } = stored_event(value)?;
    let patch = match Record::get(value, Field::Middle).is_undefined() {
        true => None,
        false => Some(Patch {
            keep_start: integer(value, Field::KeepStart)? as usize,
            keep_end: integer(value, Field::KeepEnd)? as usize,
            middle: text(value, Field::Middle)?.into(),
        }),
    };
    let (at, written) = (float(value, Field::At)?, float(value, Field::Written)?);
    Ok(Row { index, id, json, at, written, writer: writer(value)?, patch })
}

/// The number of the writer, which records of an earlier version of the library do not have.
fn writer(value: &JsValue) -> Result<Option<u64>, StoreError> {
    match Record::get(value, Field::Writer).is_undefined() {
        true => Ok(None),
        false => integer(value, Field::Writer).map(Some),
    }
}

/// The row or tombstone at a position.
pub(super) fn last_row(position: &JsValue, value: &JsValue) -> Result<LastRow, StoreError> {
    if is_tombstone(value) {
        return Ok(LastRow::Tombstone { index: number_in_key(position)? });
    }
    row(value).map(LastRow::Event)
}

pub(super) fn is_tombstone(value: &JsValue) -> bool {
    !value.is_object()
}

/// The time at which a row was written; a tombstone has none.
pub(super) fn written(value: &JsValue) -> Option<f64> {
    Record::get(value, Field::Written).as_f64()
}

pub(super) fn head_object(conversation: &JsValue, head: &Head) -> JsValue {
    let object = Record::new();
    object.value(Field::Conversation, conversation);
    object.number(Field::CreatedAt, head.created_at);
    object.number(Field::UpdatedAt, head.updated_at);
    object.number(Field::Written, head.written);
    object.number(Field::Length, head.length as f64);
    object.number(Field::Used, head.used as f64);
    object.number(Field::Writer, head.writer as f64);
    if let Some(base_state) = &head.base_state {
        object.text(Field::BaseState, base_state);
    }
    if head.deleted {
        object.value(Field::Deleted, &JsValue::TRUE);
    }
    object.into()
}

/// The head, or `None` for the value of a missing key.
pub(super) fn head(value: &JsValue) -> Result<Option<Head>, StoreError> {
    if value.is_undefined() {
        return Ok(None);
    }
    let base_state = match Record::get(value, Field::BaseState).is_undefined() {
        true => None,
        false => Some(text(value, Field::BaseState)?.into()),
    };
    Ok(Some(Head {
        created_at: float(value, Field::CreatedAt)?,
        updated_at: float(value, Field::UpdatedAt)?,
        written: float(value, Field::Written)?,
        length: integer(value, Field::Length)?,
        used: integer(value, Field::Used)?,
        writer: writer(value)?.unwrap_or_default(),
        base_state,
        deleted: Record::get(value, Field::Deleted).is_truthy(),
    }))
}

/// The conversation of a record.
pub(super) fn owner(value: &JsValue) -> Result<ConversationId, StoreError> {
    text(value, Field::Conversation)?.parse().map_err(|_| corrupt_field(Field::Conversation))
}

pub(super) fn page_object(ids: &[EventId]) -> JsValue {
    let texts = js_sys::Array::new();
    for id in ids {
        texts.push(&JsValue::from_str(id.as_str()));
    }
    let object = Record::new();
    object.value(Field::Ids, &texts);
    object.into()
}

/// The position of `event` on a page.
pub(super) fn position_on_page(value: &JsValue, event: &EventId) -> Result<u64, StoreError> {
    let ids = Record::get(value, Field::Ids);
    let position = ids.dyn_ref::<js_sys::Array>().map(|ids| ids.index_of(&event.as_str().into(), 0));
    match position {
        Some(position) if position >= 0 => Ok(position as u64),
        _ => Err(corrupt_field(Field::Ids)),
    }
}

/// The id of an event, without the rest of its row.
pub(super) fn id_of(value: &JsValue) -> Result<EventId, StoreError> {
    text(value, Field::Id)?.parse().map_err(|_| corrupt_field(Field::Id))
}

/// The index, id and text of an event, without the rest of its row.
pub(super) fn stored_event(value: &JsValue) -> Result<StoredEvent, StoreError> {
    Ok(StoredEvent {
        index: integer(value, Field::Index)?,
        id: id_of(value)?,
        json: text(value, Field::Json)?.into(),
    })
}

fn text(value: &JsValue, field: Field) -> Result<String, StoreError> {
    Record::get(value, field).as_string().ok_or_else(|| corrupt_field(field))
}

fn float(value: &JsValue, field: Field) -> Result<f64, StoreError> {
    Record::get(value, field).as_f64().ok_or_else(|| corrupt_field(field))
}

fn integer(value: &JsValue, field: Field) -> Result<u64, StoreError> {
    index_of(&Record::get(value, field)).ok_or_else(|| corrupt_field(field))
}

/// The part after the conversation in a key.
pub(super) fn part_of_key(key: &JsValue) -> JsValue {
    key.dyn_ref::<js_sys::Array>().map(|key| key.get(1)).unwrap_or_default()
}

/// The position or page in a key.
pub(super) fn number_in_key(key: &JsValue) -> Result<u64, StoreError> {
    index_of(&part_of_key(key)).ok_or_else(|| corrupt("the position"))
}

fn index_of(value: &JsValue) -> Option<u64> {
    let is_index = |number: &f64| *number >= 0.0 && *number <= MAX_INDEX as f64 && number.trunc() == *number;
    value.as_f64().filter(is_index).map(|number| number as u64)
}

fn corrupt_field(field: Field) -> StoreError {
    corrupt(field.name())
}

pub(super) fn corrupt(subject: &str) -> StoreError {
    StoreError::Corrupt(format!("{subject} of a row is missing or has the wrong type"))
}
