//! The objects of the database, field by field.
//!
//! All objects are written and read with the same few functions, because one for each field would be an import each. The
//! name of a field is a JavaScript text that is made once: making one for each use measurably slows an append.

use wasm_bindgen::{JsCast as _, prelude::*};

#[wasm_bindgen]
extern "C" {
    /// A plain object.
    pub(super) type Record;
    #[wasm_bindgen(method, indexing_getter)]
    fn read(this: &Record, name: &JsValue) -> JsValue;
    #[wasm_bindgen(method, indexing_setter)]
    fn write_text(this: &Record, name: &JsValue, value: &str);
    #[wasm_bindgen(method, indexing_setter)]
    fn write_number(this: &Record, name: &JsValue, value: f64);
    #[wasm_bindgen(method, indexing_setter)]
    fn write_value(this: &Record, name: &JsValue, value: &JsValue);
}

/// The fields of all objects.
#[derive(Clone, Copy)]
pub(super) enum Field {
    Index,
    Id,
    Json,
    At,
    Written,
    KeepStart,
    KeepEnd,
    Middle,
    Conversation,
    CreatedAt,
    UpdatedAt,
    Length,
    Used,
    BaseState,
    Deleted,
    Ids,
    Writer,
}

/// The names, in the order of [`Field`].
const NAMES: [&str; 17] = [
    "index",
    "id",
    "json",
    "at",
    "written",
    "keep_start",
    "keep_end",
    "middle",
    "conversation",
    "created_at",
    "updated_at",
    "length",
    "used",
    "base_state",
    "deleted",
    "ids",
    "writer",
];

thread_local! {
    static VALUES: [JsValue; 17] = NAMES.map(JsValue::from_str);
}

impl Field {
    /// The name, for messages.
    #[expect(clippy::indexing_slicing, reason = "there is one for each variant")]
    pub(super) fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    #[expect(clippy::indexing_slicing, reason = "there is one for each variant")]
    fn value(self) -> JsValue {
        VALUES.with(|values| values[self as usize].clone())
    }
}

impl Record {
    pub(super) fn new() -> Self {
        js_sys::Object::new().unchecked_into()
    }

    /// The value of a field; `undefined` if it is missing or `value` is not an object.
    pub(super) fn get(value: &JsValue, field: Field) -> JsValue {
        if !value.is_object() {
            return JsValue::UNDEFINED;
        }
        value.unchecked_ref::<Self>().read(&field.value())
    }

    pub(super) fn text(&self, field: Field, value: &str) {
        self.write_text(&field.value(), value);
    }

    pub(super) fn number(&self, field: Field, value: f64) {
        self.write_number(&field.value(), value);
    }

    pub(super) fn value(&self, field: Field, value: &JsValue) {
        self.write_value(&field.value(), value);
    }
}
