//! JSON kept as text: single values, and objects whose fields can be read and replaced one by one.
//!
//! Nothing here turns a value into another spelling of itself. Whatever is not replaced keeps its bytes:
//! number spellings, key order, escapes, white space.

use crate::{
    error::{Error, ErrorCode, Result},
    id::shortened,
};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeOwned, MapAccess, Visitor},
};
use serde_json::value::RawValue;
use std::{fmt, ops::Range};

/// One JSON value as the text it came in.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// The value of exactly this text, without white space around it.
    pub fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text).map(Self).map_err(|_| {
            Error::new(ErrorCode::InvalidOptions, format!("{:?} is not a JSON value", shortened(text)))
        })
    }

    /// The value as this library spells it: compact, nothing escaped that need not be.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Self {
        // Writing into memory cannot fail, and no type of this crate refuses to be written.
        Self(serde_json::value::to_raw_value(value).unwrap_or_default())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// The value as a `T`, or `None` if it is not one.
    pub fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.as_str()).ok()
    }

    /// The field of this name, if the value is an object that has it. `null` counts as absent.
    pub fn field<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        Object::parse(self.as_str()).and_then(|object| object.read(name))
    }
}

impl PartialEq for RawJson {
    /// Whether the texts are the same.
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

/// A JSON object as its text, with the places of its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object<'a> {
    text: &'a str,
    fields: Vec<Field>,
}

/// Where one field is in its object's text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Field {
    name: String,
    value: Range<usize>,
}

impl<'a> Object<'a> {
    /// Finds the fields. `None` if the text is not exactly one JSON object.
    pub fn parse(text: &'a str) -> Option<Self> {
        let Spans(spans) = serde_json::from_str(text).ok()?;
        let base = text.as_ptr() as usize;
        let fields = spans
            .into_iter()
            .map(|(name, value)| {
                let start = (value.get().as_ptr() as usize).saturating_sub(base);
                Field { name, value: start..start.saturating_add(value.get().len()) }
            })
            .collect();
        Some(Self { text, fields })
    }

    /// The text of a field's value. Of several fields with one name the last counts, as in Python.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        let field = self.fields.iter().rev().find(|field| field.name == name)?;
        self.text.get(field.value.clone())
    }

    /// A field's value as a `T`. `null` counts as absent; so does what is not a `T`.
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str::<Option<T>>(self.get(name)?).ok().flatten()
    }

    /// The fields' names in the order of the text.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| field.name.as_str())
    }
}

/// A JSON object whose fields can be replaced. Whatever is not replaced keeps its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditableObject {
    pieces: Vec<Piece>,
    /// What follows the last value, or the whole text if there is no field.
    tail: String,
}

/// One field: the text from the end of the value before it to its own value, then the value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    name: String,
    before: String,
    value: Box<str>,
}

impl Default for EditableObject {
    /// An object without fields.
    fn default() -> Self {
        Self { pieces: Vec::new(), tail: "{}".into() }
    }
}

impl EditableObject {
    /// `None` if the text is not exactly one JSON object.
    pub fn parse(text: &str) -> Option<Self> {
        let object = Object::parse(text)?;
        let mut end = 0;
        let mut pieces = Vec::with_capacity(object.fields.len());
        for Field { name, value } in object.fields {
            let before = text.get(end..value.start)?.to_owned();
            end = value.end;
            pieces.push(Piece { name, before, value: text.get(value)?.into() });
        }
        Some(Self { pieces, tail: text.get(end..)?.to_owned() })
    }

    /// The text of a field's value. Of several fields with one name the last counts, as in Python.
    pub fn get(&self, name: &str) -> Option<&str> {
        Some(&self.pieces.iter().rev().find(|piece| piece.name == name)?.value)
    }

    /// A field's value as a `T`. `null` counts as absent; so does what is not a `T`.
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str::<Option<T>>(self.get(name)?).ok().flatten()
    }

    /// Gives a field this value. A new field is placed behind those that precede it in `order`.
    pub fn set(&mut self, name: &str, value: &RawJson, order: &[&str]) {
        let value: Box<str> = value.as_str().into();
        if let Some(piece) = self.pieces.iter_mut().rev().find(|piece| piece.name == name) {
            piece.value = value;
            return;
        }
        let key = RawJson::of(name);
        let place = self.place_for(name, order);
        let opening = if place == 0 { '{' } else { ',' };
        if place == 0 {
            match self.pieces.first_mut() {
                Some(first) => first.before = first.before.replacen('{', ",", 1),
                None => self.tail = "}".into(),
            }
        }
        let before = format!("{opening}{}:", key.as_str());
        self.pieces.insert(place, Piece { name: name.to_owned(), before, value });
    }

    /// Removes a field.
    pub fn remove(&mut self, name: &str) {
        while let Some(place) = self.pieces.iter().position(|piece| piece.name == name) {
            self.pieces.remove(place);
            match self.pieces.first_mut() {
                Some(first) if place == 0 => first.before = first.before.replacen(',', "{", 1),
                Some(_) => {}
                None => self.tail = "{}".into(),
            }
        }
    }

    /// The place of a new field of this name: behind the last field that `order` puts before it, or else the end.
    fn place_for(&self, name: &str, order: &[&str]) -> usize {
        let Some(rank) = order.iter().position(|ordered| *ordered == name) else {
            return self.pieces.len();
        };
        let before = order.get(..rank).unwrap_or_default();
        let last = self.pieces.iter().rposition(|piece| before.contains(&piece.name.as_str()));
        last.map_or(0, |last| last.saturating_add(1))
    }
}

impl fmt::Display for EditableObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            f.write_str(&piece.before)?;
            f.write_str(&piece.value)?;
        }
        f.write_str(&self.tail)
    }
}

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
    pub fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) {
        self.raw(name, RawJson::of(value).as_str());
    }

    /// Adds a field if there is a value: the SDK drops nulls.
    pub fn optional<T: Serialize>(&mut self, name: &str, value: &Option<T>) {
        if let Some(value) = value {
            self.field(name, value);
        }
    }

    /// Adds a field whose value is this JSON text.
    pub fn raw(&mut self, name: &str, json: &str) {
        if self.text.len() > 1 {
            self.text.push(',');
        }
        self.text.push_str(RawJson::of(name).as_str());
        self.text.push(':');
        self.text.push_str(json);
    }

    /// The object's text.
    pub fn finish(mut self) -> String {
        self.text.push('}');
        self.text
    }

    /// The object as a value.
    pub fn into_raw(self) -> RawJson {
        // The text is an object by construction.
        RawValue::from_string(self.finish()).map_or_else(|_| RawJson::of(&()), RawJson)
    }
}

/// The fields of an object, as they follow each other.
struct Spans<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Spans<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_map(SpansVisitor)
    }
}

struct SpansVisitor;

impl<'de> Visitor<'de> for SpansVisitor {
    type Value = Spans<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
        let mut fields = Vec::with_capacity(16);
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Spans(fields))
    }
}
