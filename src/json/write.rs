//! Writing compact JSON, in which nothing is escaped that need not be.

use super::text::push_quoted;

/// A type whose values can be written as one JSON value.
pub trait ToJson {
    /// Appends the value's text.
    fn write_json(&self, out: &mut String);

    /// The value's text.
    fn to_json_text(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }
}

impl<T: ToJson + ?Sized> ToJson for &T {
    fn write_json(&self, out: &mut String) {
        (**self).write_json(out);
    }
}

impl ToJson for str {
    fn write_json(&self, out: &mut String) {
        push_quoted(out, self);
    }
}

impl ToJson for String {
    fn write_json(&self, out: &mut String) {
        self.as_str().write_json(out);
    }
}

impl ToJson for bool {
    fn write_json(&self, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

impl ToJson for u64 {
    fn write_json(&self, out: &mut String) {
        out.push_str(&self.to_string());
    }
}

impl ToJson for i64 {
    fn write_json(&self, out: &mut String) {
        out.push_str(&self.to_string());
    }
}

impl ToJson for u32 {
    fn write_json(&self, out: &mut String) {
        u64::from(*self).write_json(out);
    }
}

impl ToJson for usize {
    fn write_json(&self, out: &mut String) {
        (*self as u64).write_json(out);
    }
}

impl<T: ToJson> ToJson for [T] {
    fn write_json(&self, out: &mut String) {
        out.push('[');
        for (place, value) in self.iter().enumerate() {
            if place > 0 {
                out.push(',');
            }
            value.write_json(out);
        }
        out.push(']');
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn write_json(&self, out: &mut String) {
        self.as_slice().write_json(out);
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn write_json(&self, out: &mut String) {
        match self {
            Some(value) => value.write_json(out),
            None => out.push_str("null"),
        }
    }
}

/// A JSON text as a value, which is written as it is.
#[derive(Clone, Copy, Debug)]
pub struct Json<'a>(pub &'a str);

impl ToJson for Json<'_> {
    fn write_json(&self, out: &mut String) {
        out.push_str(self.0);
    }
}

/// An [`ObjectWriter`] with these fields: `object! { "type": "text", "text": text, "name"?: name }`, where one with `?` is
/// left out if there is no value. More fields may follow, and it may be the value of another object's field.
macro_rules! object {
    (@$object:ident) => {};
    (@$object:ident $name:tt: $value:expr $(, $($rest:tt)*)?) => {
        $object.field($name, &$value);
        $crate::json::object!(@$object $($($rest)*)?);
    };
    (@$object:ident $name:tt?: $value:expr $(, $($rest:tt)*)?) => {
        $object.optional($name, &$value);
        $crate::json::object!(@$object $($($rest)*)?);
    };
    ($($fields:tt)*) => {{
        let mut object = $crate::json::ObjectWriter::new();
        $crate::json::object!(@object $($fields)*);
        object
    }};
}
pub(crate) use object;

/// Writes one JSON object, field by field, compact.
#[derive(Debug)]
pub struct ObjectWriter {
    text: String,
}

impl Default for ObjectWriter {
    fn default() -> Self {
        Self::new()
    }
}

impl ObjectWriter {
    /// An object without fields.
    pub fn new() -> Self {
        Self { text: String::from("{") }
    }

    /// Adds a field. The caller does not repeat names.
    pub fn field<T: ToJson + ?Sized>(&mut self, name: &str, value: &T) {
        self.name(name);
        value.write_json(&mut self.text);
    }

    /// Adds a field if there is a value: the SDK drops nulls.
    pub fn optional<T: ToJson>(&mut self, name: &str, value: &Option<T>) {
        if let Some(value) = value {
            self.field(name, value);
        }
    }

    /// Adds a field whose value is this JSON text.
    pub fn raw(&mut self, name: &str, json: &str) {
        self.raw_of(name, &[json]);
    }

    /// Adds a field whose value is a JSON text in several pieces.
    pub fn raw_of(&mut self, name: &str, pieces: &[&str]) {
        self.name(name);
        self.text.reserve(pieces.iter().map(|piece| piece.len()).sum());
        for piece in pieces {
            self.text.push_str(piece);
        }
    }

    fn name(&mut self, name: &str) {
        if self.text.len() > 1 {
            self.text.push(',');
        }
        push_quoted(&mut self.text, name);
        self.text.push(':');
    }

    /// The object's text.
    pub fn finish(mut self) -> String {
        self.text.push('}');
        self.text
    }
}

impl ToJson for ObjectWriter {
    fn write_json(&self, out: &mut String) {
        out.push_str(&self.text);
        out.push('}');
    }
}

/// Writes one JSON array, element by element, compact.
#[derive(Debug)]
pub struct ListWriter {
    text: String,
}

impl Default for ListWriter {
    fn default() -> Self {
        Self::new()
    }
}

impl ListWriter {
    /// An array without elements.
    pub fn new() -> Self {
        Self { text: String::from("[") }
    }

    /// Whether there is no element yet.
    pub fn is_empty(&self) -> bool {
        self.text.len() == 1
    }

    /// Adds an element, which is this JSON text.
    pub fn item(&mut self, json: &str) {
        if !self.is_empty() {
            self.text.push(',');
        }
        self.text.push_str(json);
    }

    /// Adds elements.
    pub fn items(&mut self, items: impl IntoIterator<Item = String>) {
        items.into_iter().for_each(|json| self.item(&json));
    }

    /// The array's text.
    pub fn finish(mut self) -> String {
        self.text.push(']');
        self.text
    }
}

impl ToJson for ListWriter {
    fn write_json(&self, out: &mut String) {
        out.push_str(&self.text);
        out.push(']');
    }
}

impl FromIterator<ObjectWriter> for ListWriter {
    fn from_iter<I: IntoIterator<Item = ObjectWriter>>(objects: I) -> Self {
        let mut list = Self::new();
        list.items(objects.into_iter().map(ObjectWriter::finish));
        list
    }
}
