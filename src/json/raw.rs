//! One value of any kind as its text.

use super::{FromJson, Object, ObjectWriter, ToJson, is_json};

/// One JSON value as the text it came in.
#[derive(Clone, Debug, PartialEq)]
pub struct RawJson(Box<str>);

impl RawJson {
    /// The value of exactly this text, without the white space around it; `None` if the text is not one JSON value.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        is_json(text).then(|| Self(text.into()))
    }

    /// The value as this library spells it: compact, nothing escaped that need not be.
    pub fn of<T: ToJson + ?Sized>(value: &T) -> Self {
        Self(value.to_json_text().into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value as a `T`, or `None` if it is not one.
    pub fn read<T: FromJson>(&self) -> Option<T> {
        T::from_json(&self.0)
    }

    /// The field of this name, if the value is an object that has it. `null` counts as absent.
    pub fn field<T: FromJson>(&self, name: &str) -> Option<T> {
        Object::parse(self.as_str()).and_then(|object| object.read(name))
    }
}

/// An object with any fields.
pub type RawFields = RawJson;

impl From<ObjectWriter> for RawJson {
    fn from(object: ObjectWriter) -> Self {
        Self(object.finish().into())
    }
}

impl FromJson for RawJson {
    fn from_json(json: &str) -> Option<Self> {
        Self::parse(json)
    }
}

impl ToJson for RawJson {
    fn write_json(&self, out: &mut String) {
        out.push_str(&self.0);
    }
}
