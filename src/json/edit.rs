//! An object whose fields can be replaced one by one.

use super::{FromJson, Object, ToJson, members, quoted};
use std::rc::Rc;

/// A JSON object whose fields can be replaced. Everything else keeps its bytes: number spellings, the order of the
/// fields, escapes and white space. A clone shares its texts with the original.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditableObject {
    pieces: Vec<Piece>,
    /// The text after the last value, or the complete text if there is no field.
    tail: String,
}

/// One field. `before` is the text between the end of the previous value and the beginning of this one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    name: Rc<str>,
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
    /// The object in this text, with every byte of it. `None` if the text is not exactly one JSON object.
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

    /// The object in this text, without the white space between its fields. A repeated name keeps its first place and
    /// its last value, as in Python.
    pub fn compact(text: &str) -> Option<Self> {
        let mut object = Self::default();
        for (name, value) in members(text).ok()? {
            object.set(&name, value);
        }
        Some(object)
    }

    /// The text of a field's value. Of several fields with one name the last counts, as in Python.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.shared(name).map(|value| &**value)
    }

    /// Like [`Self::get`]. The result is the same allocation until the field is set.
    pub fn shared(&self, name: &str) -> Option<&Rc<str>> {
        Some(&self.pieces.iter().rev().find(|piece| *piece.name == *name)?.value)
    }

    /// A field's value as a `T`. `null` counts as absent; so does a value that is not a `T`.
    pub fn read<T: FromJson>(&self, name: &str) -> Option<T> {
        Option::from_json(self.get(name)?).flatten()
    }

    /// The names and values in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pieces.iter().map(|piece| (&*piece.name, &*piece.value))
    }

    /// Whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
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

    /// Sets a field to this JSON text. A new field is added at the end.
    pub fn set(&mut self, name: &str, json: &str) {
        self.set_at(self.pieces.len(), name, json.into());
    }

    /// Sets a field to this JSON text. A new field is added in front of the first one that follows it in `order`, or at
    /// the end.
    pub fn set_in_order(&mut self, name: &str, json: Rc<str>, order: &[&str]) {
        let rank = |name: &str| order.iter().position(|ordered| *ordered == name);
        let own = rank(name);
        let follows = |piece: &Piece| own.is_some() && rank(&piece.name) > own;
        let place = self.pieces.iter().position(follows).unwrap_or(self.pieces.len());
        self.set_at(place, name, json);
    }

    /// Sets a field to this JSON text. A new field is added in front of all others.
    pub fn set_first(&mut self, name: &str, json: &str) {
        self.set_at(0, name, json.into());
    }

    /// Sets a field to this JSON text. If there is no field of this name, it is added at this place.
    fn set_at(&mut self, place: usize, name: &str, json: Rc<str>) {
        if let Some(piece) = self.pieces.iter_mut().rev().find(|piece| *piece.name == *name) {
            // Keep the old allocation of an equal text, so that `shared` shows that nothing has changed.
            if piece.value != json {
                piece.value = json;
            }
            return;
        }
        let mut before = String::from(if place == 0 { "{" } else { "," });
        if place == 0 {
            match self.pieces.first_mut() {
                Some(first) => {
                    let (start, rest) = first.before.split_once('{').unwrap_or_default();
                    before.insert_str(0, start);
                    first.before = [",", rest].concat().into();
                }
                None => self.tail = "}".into(),
            }
        }
        before.push_str(&quoted(name));
        before.push(':');
        self.pieces.insert(place, Piece { name: name.into(), before: before.into(), value: json });
    }

    /// Removes a field, and returns the text of its value.
    pub fn remove(&mut self, name: &str) -> Option<Rc<str>> {
        let mut removed = None;
        while let Some(place) = self.pieces.iter().position(|piece| *piece.name == *name) {
            let piece = self.pieces.remove(place);
            match self.pieces.first_mut() {
                Some(first) if place == 0 => {
                    let (start, _) = piece.before.split_once('{').unwrap_or_default();
                    let (_, rest) = first.before.split_once(',').unwrap_or_default();
                    first.before = [start, "{", rest].concat().into();
                }
                Some(_) => {}
                None => self.tail = "{}".into(),
            }
            removed = Some(piece.value);
        }
        removed
    }

    /// Removes the fields for which `keeps`, given the name and the text of the value, is false.
    pub fn retain(&mut self, keeps: &dyn Fn(&str, &str) -> bool) {
        let removed = self.pieces.iter().filter(|piece| !keeps(&piece.name, &piece.value));
        let removed: Vec<Rc<str>> = removed.map(|piece| Rc::clone(&piece.name)).collect();
        for name in removed {
            self.remove(&name);
        }
    }
}

impl FromJson for EditableObject {
    /// As [`EditableObject::compact`].
    fn from_json(json: &str) -> Option<Self> {
        Self::compact(json)
    }
}

impl ToJson for EditableObject {
    fn write_json(&self, out: &mut String) {
        out.push_str(&self.text());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untouched_fields_keep_every_byte() {
        let text = " { \"a\" : 1.50,\"b\":{ \"z\":1 } ,\n \"c\\u0064\":null }\n";
        let mut object = EditableObject::parse(text).unwrap();
        assert_eq!(object.text(), text);
        assert_eq!((object.get("cd"), object.read::<u64>("cd")), (Some("null"), None));
        object.set("b", "2");
        object.set("d", "\"x\"");
        assert_eq!(object.text(), " { \"a\" : 1.50,\"b\":2 ,\n \"c\\u0064\":null,\"d\":\"x\" }\n");
        assert_eq!(object.remove("d").as_deref(), Some("\"x\""));
        object.set("b", "{ \"z\":1 }");
        assert_eq!(object.text(), text);
    }

    #[test]
    fn a_new_first_field_that_is_removed_again_leaves_the_text_as_it_was() {
        for text in [" {\n  \"a\" : 1 ,\"b\":2 }\n", "{\"a\":1}", "{}"] {
            let mut object = EditableObject::parse(text).unwrap();
            object.set_first("first", "0");
            assert!(object.text().trim_start().starts_with("{\"first\":0"), "{}", object.text());
            assert_eq!(EditableObject::parse(&object.text()).unwrap(), object);
            object.remove("first");
            assert_eq!(object.text(), text);
        }
    }

    #[test]
    fn a_new_field_is_added_in_front_of_those_that_follow_it_in_the_order() {
        let mut object = EditableObject::parse(r#"{"b":2,"x":0,"d":4,"y":0}"#).unwrap();
        for name in ["c", "a", "e", "z"] {
            object.set_in_order(name, "1".into(), &["a", "b", "c", "d", "e"]);
        }
        assert_eq!(object.text(), r#"{"a":1,"b":2,"x":0,"c":1,"d":4,"y":0,"e":1,"z":1}"#);
    }

    #[test]
    fn of_a_repeated_name_the_last_value_counts() {
        let text = r#"{"a":1, "b":2, "a":3}"#;
        let mut object = EditableObject::parse(text).unwrap();
        assert_eq!(object.get("a"), Some("3"));
        object.set("a", "4");
        assert_eq!(object.text(), r#"{"a":1, "b":2, "a":4}"#);
        assert_eq!(object.remove("a").as_deref(), Some("4"));
        assert_eq!(object.text(), r#"{ "b":2}"#);
        assert_eq!(EditableObject::compact(text).unwrap().text(), r#"{"a":3,"b":2}"#);
        assert_eq!(EditableObject::compact("[]"), None);
    }
}
