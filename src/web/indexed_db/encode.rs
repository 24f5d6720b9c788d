//! Heads, rows and keys as JavaScript values, and back with every field checked.

use crate::{
    id::{ConversationId, EventId},
    store::{
        StoreError,
        rows::{Head, LastRow, Patch, Row},
    },
};
use std::rc::Rc;
use wasm_bindgen::{JsCast as _, prelude::*};
use web_sys::IdbKeyRange;

#[wasm_bindgen]
extern "C" {
    /// The value in the table of events.
    type RowObject;
    #[wasm_bindgen(method, getter, structural)]
    fn index(this: &RowObject) -> JsValue;
    #[wasm_bindgen(method, setter, structural)]
    fn set_index(this: &RowObject, value: f64);
    #[wasm_bindgen(method, getter, structural)]
    fn id(this: &RowObject) -> JsValue;
    #[wasm_bindgen(method, setter, structural)]
    fn set_id(this: &RowObject, value: &str);
    #[wasm_bindgen(method, getter, structural)]
    fn json(this: &RowObject) -> JsValue;
    #[wasm_bindgen(method, setter, structural)]
    fn set_json(this: &RowObject, value: &str);
    #[wasm_bindgen(method, getter, structural)]
    fn at(this: &RowObject) -> JsValue;
    #[wasm_bindgen(method, setter, structural)]
    fn set_at(this: &RowObject, value: f64);
    #[wasm_bindgen(method, getter, structural)]
    fn written(this: &RowObject) -> JsValue;
    #[wasm_bindgen(method, setter, structural)]
    fn set_written(this: &RowObject, value: f64);
    #[wasm_bindgen(method, getter, structural)]
    fn keep_start(this: &RowObject) -> JsValue;
    #[wasm_bindgen(method, setter, structural)]
    fn set_keep_start(this: &RowObject, value: f64);
    #[wasm_bindgen(method, getter, structural)]
    fn keep_end(this: &RowObject) -> JsValue;
    #[wasm_bindgen(method, setter, structural)]
    fn set_keep_end(this: &RowObject, value: f64);
    #[wasm_bindgen(method, getter, structural)]
    fn middle(this: &RowObject) -> JsValue;
    #[wasm_bindgen(method, setter, structural)]
    fn set_middle(this: &RowObject, value: &str);

    /// The value in the table of conversations.
    type HeadObject;
    #[wasm_bindgen(method, getter, structural)]
    fn conversation(this: &HeadObject) -> JsValue;
    #[wasm_bindgen(method, setter, structural)]
    fn set_conversation(this: &HeadObject, value: &str);
    #[wasm_bindgen(method, getter, structural)]
    fn created_at(this: &HeadObject) -> JsValue;
    #[wasm_bindgen(method, setter, structural)]
    fn set_created_at(this: &HeadObject, value: f64);
    #[wasm_bindgen(method, getter, structural)]
    fn updated_at(this: &HeadObject) -> JsValue;
    #[wasm_bindgen(method, setter, structural)]
    fn set_updated_at(this: &HeadObject, value: f64);
    #[wasm_bindgen(method, getter, structural, js_name = written)]
    fn head_written(this: &HeadObject) -> JsValue;
    #[wasm_bindgen(method, setter, structural, js_name = written)]
    fn set_head_written(this: &HeadObject, value: f64);
    #[wasm_bindgen(method, getter, structural)]
    fn length(this: &HeadObject) -> JsValue;
    #[wasm_bindgen(method, setter, structural)]
    fn set_length(this: &HeadObject, value: f64);
    #[wasm_bindgen(method, getter, structural)]
    fn used(this: &HeadObject) -> JsValue;
    #[wasm_bindgen(method, setter, structural)]
    fn set_used(this: &HeadObject, value: f64);
    #[wasm_bindgen(method, getter, structural)]
    fn base_state(this: &HeadObject) -> JsValue;
    #[wasm_bindgen(method, setter, structural)]
    fn set_base_state(this: &HeadObject, value: &str);
    #[wasm_bindgen(method, getter, structural)]
    fn deleted(this: &HeadObject) -> JsValue;
    #[wasm_bindgen(method, setter, structural)]
    fn set_deleted(this: &HeadObject, value: bool);

    /// The value in the table of pages.
    type PageObject;
    #[wasm_bindgen(method, getter, structural)]
    fn ids(this: &PageObject) -> JsValue;
    #[wasm_bindgen(method, setter, structural)]
    fn set_ids(this: &PageObject, value: &JsValue);
}

/// The largest index that is a JavaScript number without loss.
const MAX_INDEX: u64 = 1 << 53;

/// A conversation's key.
pub(super) fn key(conversation: ConversationId) -> JsValue {
    conversation.hex().into()
}

/// The key of something of a conversation.
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

pub(super) fn number(index: u64) -> JsValue {
    JsValue::from_f64(index as f64)
}

/// A value that is no row: the position is a grave.
pub(super) const GRAVE: JsValue = JsValue::NULL;

pub(super) fn row_object(row: &Row) -> JsValue {
    let object: RowObject = js_sys::Object::new().unchecked_into();
    object.set_index(row.index as f64);
    object.set_id(row.id.as_str());
    object.set_json(&row.json);
    object.set_at(row.at);
    object.set_written(row.written);
    if let Some(patch) = &row.patch {
        object.set_keep_start(patch.keep_start as f64);
        object.set_keep_end(patch.keep_end as f64);
        object.set_middle(&patch.middle);
    }
    object.unchecked_into()
}

/// A row with everything on it.
pub(super) fn row(value: JsValue) -> Result<Row, StoreError> {
    let object: RowObject = value.unchecked_into();
    let middle = object.middle();
    let patch = if middle.is_undefined() {
        None
    } else {
        Some(Patch {
            keep_start: whole(&object.keep_start(), "an event's keep_start")? as usize,
            keep_end: whole(&object.keep_end(), "an event's keep_end")? as usize,
            middle: text(&middle, "an event's middle")?.into(),
        })
    };
    Ok(Row {
        index: whole(&object.index(), "an event's index")?,
        id: event_id(&object.id())?,
        json: text(&object.json(), "an event's json")?.into(),
        at: float(&object.at(), "an event's at")?,
        written: float(&object.written(), "an event's written")?,
        patch,
    })
}

/// What is at a position: its number for a grave.
pub(super) fn last_row(position: &JsValue, value: JsValue) -> Result<LastRow, StoreError> {
    if !is_grave(&value) {
        return row(value).map(LastRow::Event);
    }
    let position = position.dyn_ref::<js_sys::Array>().map(|key| key.get(1)).unwrap_or_default();
    Ok(LastRow::Grave { index: whole(&position, "a position")? })
}

pub(super) fn is_grave(value: &JsValue) -> bool {
    !value.is_object()
}

/// When the row was written; a grave has no such time.
pub(super) fn written(value: &JsValue) -> Option<f64> {
    if is_grave(value) {
        return None;
    }
    value.unchecked_ref::<RowObject>().written().as_f64()
}

pub(super) fn head_object(conversation: &JsValue, head: &Head) -> JsValue {
    let object: HeadObject = js_sys::Object::new().unchecked_into();
    object.set_conversation(&conversation.as_string().unwrap_or_default());
    object.set_created_at(head.created_at);
    object.set_updated_at(head.updated_at);
    object.set_head_written(head.written);
    object.set_length(head.length as f64);
    object.set_used(head.used as f64);
    if let Some(base_state) = &head.base_state {
        object.set_base_state(base_state);
    }
    if head.deleted {
        object.set_deleted(true);
    }
    object.unchecked_into()
}

/// The head, or `None` for a key that has none.
pub(super) fn head(value: &JsValue) -> Result<Option<Head>, StoreError> {
    if value.is_undefined() {
        return Ok(None);
    }
    if !value.is_object() {
        return Err(corrupt("a conversation's record"));
    }
    let object: &HeadObject = value.unchecked_ref();
    let base_state = object.base_state();
    let base_state = if base_state.is_undefined() {
        None
    } else {
        Some(Rc::from(text(&base_state, "a conversation's base_state")?))
    };
    Ok(Some(Head {
        created_at: float(&object.created_at(), "a conversation's created_at")?,
        updated_at: float(&object.updated_at(), "a conversation's updated_at")?,
        written: float(&object.head_written(), "a conversation's written")?,
        length: whole(&object.length(), "a conversation's length")?,
        used: whole(&object.used(), "a conversation's used")?,
        base_state,
        deleted: object.deleted().is_truthy(),
    }))
}

/// Whose record this is.
pub(super) fn owner(value: &JsValue) -> Result<ConversationId, StoreError> {
    let owner = if value.is_object() {
        value.unchecked_ref::<HeadObject>().conversation()
    } else {
        JsValue::UNDEFINED
    };
    text(&owner, "a conversation's id")?.parse().map_err(|_| corrupt("a conversation's id"))
}

pub(super) fn page_object(ids: &[EventId]) -> JsValue {
    let object: PageObject = js_sys::Object::new().unchecked_into();
    let ids: js_sys::Array = ids.iter().map(|id| JsValue::from_str(id.as_str())).collect();
    object.set_ids(&ids);
    object.unchecked_into()
}

/// The place of `event` on a page.
pub(super) fn place_on_page(value: &JsValue, event: &EventId) -> Result<u64, StoreError> {
    let ids = if value.is_object() {
        value.unchecked_ref::<PageObject>().ids().dyn_into::<js_sys::Array>().ok()
    } else {
        None
    };
    let Some(ids) = ids else { return Err(corrupt("a page's ids")) };
    match ids.index_of(&JsValue::from_str(event.as_str()), 0) {
        place if place >= 0 => Ok(place as u64),
        _ => Err(corrupt("a page's ids")),
    }
}

pub(super) fn event_id(value: &JsValue) -> Result<EventId, StoreError> {
    text(value, "an event's id")?.parse().map_err(|_| corrupt("an event's id"))
}

/// An event's id without the rest of its row.
pub(super) fn id_of(value: &JsValue) -> Result<EventId, StoreError> {
    if is_grave(value) {
        return Err(corrupt("an event that must be there"));
    }
    event_id(&value.unchecked_ref::<RowObject>().id())
}

/// An event's index, id and text without the rest of its row.
pub(super) fn stored_event(value: &JsValue) -> Result<crate::store::StoredEvent, StoreError> {
    let object: &RowObject = value.unchecked_ref();
    Ok(crate::store::StoredEvent {
        index: whole(&object.index(), "an event's index")?,
        id: event_id(&object.id())?,
        json: text(&object.json(), "an event's json")?.into(),
    })
}

pub(super) fn text(value: &JsValue, what: &str) -> Result<String, StoreError> {
    value.as_string().ok_or_else(|| corrupt(what))
}

fn float(value: &JsValue, what: &str) -> Result<f64, StoreError> {
    value.as_f64().ok_or_else(|| corrupt(what))
}

pub(super) fn whole(value: &JsValue, what: &str) -> Result<u64, StoreError> {
    let number = float(value, what)?;
    if number >= 0.0 && number <= MAX_INDEX as f64 && number.fract() == 0.0 {
        return Ok(number as u64);
    }
    Err(corrupt(what))
}

pub(super) fn corrupt(what: &str) -> StoreError {
    StoreError::Corrupt(format!("{what} is missing or of another kind"))
}
