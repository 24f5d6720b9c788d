//! JSON values that keep their text, and objects whose fields can be replaced one by one.
//!
//! Everything that is not replaced keeps its bytes: number spellings, key order, escapes, white space.

use crate::{
    error::{Error, ErrorCode, Result, shown},
    json::is_json,
};

pub use crate::json::{FromJson, Object, ObjectWriter, ToJson};
use std::rc::Rc;

/// A JSON value as its original text.
#[derive(Clone, Debug, PartialEq)]
pub struct RawJson(Box<str>);

impl RawJson {
    /// The value in this text, without white space around it.
    ///
    /// # Errors
    /// `invalid_options` if the text is not exactly one JSON value.
    pub fn parse(text: &str) -> Result<Self> {
        Self::from_json(text).ok_or_else(|| {
            Error::new(ErrorCode::InvalidOptions, format!("{} is not a JSON value", shown(text)))
        })
    }

    /// A value in the spelling of this library: compact, with necessary escapes only.
    pub fn of<T: ToJson + ?Sized>(value: &T) -> Self {
        Self(value.to_json_text().into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value as a `T`; `None` if it is not one.
    pub fn read<T: FromJson>(&self) -> Option<T> {
        T::from_json(&self.0)
    }

    /// The field with this name, if the value is an object that has it. `null` counts as absent.
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
        let json = json.trim();
        is_json(json).then(|| Self(json.into()))
    }
}

impl ToJson for RawJson {
    fn write_json(&self, out: &mut String) {
        out.push_str(&self.0);
    }
}

/// A JSON object whose fields can be replaced. Everything else keeps its bytes, which clones share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditableObject {
    pieces: Vec<Piece>,
    /// The text after the last value; the complete text if there are no fields.
    tail: String,
}

/// A field of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    name: Rc<str>,
    /// The text between the previous value and this one, which contains the name.
    before: Rc<str>,
    value: Rc<str>,
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
        let mut pieces = Vec::new();
        for (name, value) in object.places() {
            let before = text.get(end..value.start)?.into();
            end = value.end;
            pieces.push(Piece { name: name.into(), before, value: text.get(value)?.into() });
        }
        Some(Self { pieces, tail: text.get(end..)?.to_owned() })
    }

    /// The text of a field's value. Of several fields with the same name the last one counts, as in Python.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.shared(name).map(|value| &**value)
    }

    /// As [`Self::get`], as a pointer that stays the same until the field is set.
    pub fn shared(&self, name: &str) -> Option<&Rc<str>> {
        Some(&self.pieces.iter().rev().find(|piece| *piece.name == *name)?.value)
    }

    /// A field's value as a `T`. `null` and values that are not a `T` count as absent.
    pub fn read<T: FromJson>(&self, name: &str) -> Option<T> {
        Option::from_json(self.get(name)?).flatten()
    }

    /// The fields' names in the order of the text.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().map(|piece| &*piece.name)
    }

    /// The object as a value.
    pub fn to_raw(&self) -> RawJson {
        RawJson(self.text().into())
    }

    /// The object as text.
    pub fn text(&self) -> String {
        let lengths = self.pieces.iter().map(|piece| piece.before.len() + piece.value.len());
        let mut text = String::with_capacity(lengths.sum::<usize>() + self.tail.len());
        for piece in &self.pieces {
            text.push_str(&piece.before);
            text.push_str(&piece.value);
        }
        text.push_str(&self.tail);
        text
    }

    /// Sets a field. A new field is inserted after those that precede it in `order`.
    pub fn set(&mut self, name: &str, value: &RawJson, order: &[&str]) {
        self.set_shared(name, value.as_str().into(), order);
    }

    /// As [`Self::set`], with the text of a value.
    pub fn set_shared(&mut self, name: &str, value: Rc<str>, order: &[&str]) {
        if let Some(piece) = self.pieces.iter_mut().rev().find(|piece| *piece.name == *name) {
            // An equal value keeps its pointer: see `shared`.
            if piece.value != value {
                piece.value = value;
            }
            return;
        }
        let key = RawJson::of(name);
        let place = self.place_for(name, order);
        let opening = if place == 0 { '{' } else { ',' };
        if place == 0 {
            match self.pieces.first_mut() {
                Some(first) => first.before = first.before.replacen('{', ",", 1).into(),
                None => self.tail = "}".into(),
            }
        }
        let before = format!("{opening}{}:", key.as_str()).into();
        self.pieces.insert(place, Piece { name: name.into(), before, value });
    }

    /// Removes a field.
    pub fn remove(&mut self, name: &str) {
        while let Some(place) = self.pieces.iter().position(|piece| *piece.name == *name) {
            self.pieces.remove(place);
            match self.pieces.first_mut() {
                Some(first) if place == 0 => first.before = first.before.replacen(',', "{", 1).into(),
                Some(_) => {}
                None => self.tail = "{}".into(),
            }
        }
    }

    /// The place of a new field: after the last field that precedes it in `order`, or at the end if `order` lacks it.
    fn place_for(&self, name: &str, order: &[&str]) -> usize {
        let Some(rank) = order.iter().position(|ordered| *ordered == name) else {
            return self.pieces.len();
        };
        let before = order.get(..rank).unwrap_or_default();
        let last = self.pieces.iter().rposition(|piece| before.contains(&&*piece.name));
        last.map_or(0, |last| last.saturating_add(1))
    }
}
