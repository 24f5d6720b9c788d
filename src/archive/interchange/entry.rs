//! Reads unchecked objects: a field has the expected type, is absent, or is an error that names it.

use super::super::invalid;
use crate::{
    error::{Error, Result},
    json::{FromJson as _, Object, elements},
};

/// An object, and its path for messages.
pub struct Entry<'a> {
    /// The path of the object in the file, such as `messages[3]`.
    pub name: String,
    fields: Object<'a>,
}

impl<'a> Entry<'a> {
    /// The object in this text.
    pub fn read(name: String, text: &'a str) -> Result<Self> {
        match Object::parse(text) {
            Some(fields) => Ok(Self { name, fields }),
            None => Err(invalid(format!("{name} is not an object"))),
        }
    }

    /// The JSON of a field's value; `None` for `null`.
    pub fn get(&self, field: &str) -> Option<&'a str> {
        self.fields.get(field).filter(|value| *value != "null")
    }

    /// A field with a string.
    pub fn text(&self, field: &str) -> Result<Option<String>> {
        let Some(value) = self.get(field) else { return Ok(None) };
        match String::from_json(value) {
            Some(text) => Ok(Some(text)),
            None => Err(self.refused(field, "is not a text")),
        }
    }

    /// A field with a string that is not blank.
    pub fn name_in(&self, field: &str) -> Result<Option<String>> {
        Ok(self.text(field)?.filter(|text| !text.trim().is_empty()))
    }

    /// A field with a list, as the JSON of its elements.
    pub fn list(&self, field: &str) -> Result<Vec<&'a str>> {
        let Some(value) = self.get(field) else { return Ok(Vec::new()) };
        elements(value).ok_or_else(|| self.refused(field, "is not a list"))
    }

    /// A field with an object.
    pub fn object(&self, field: &str) -> Result<Option<Entry<'a>>> {
        self.get(field).map(|value| Entry::read(format!("{}.{field}", self.name), value)).transpose()
    }

    /// A field with a list of objects.
    pub fn objects(&self, field: &str) -> Result<Vec<Entry<'a>>> {
        let mut objects = Vec::new();
        for (index, element) in self.list(field)?.into_iter().enumerate() {
            objects.push(Entry::read(format!("{}.{field}[{index}]", self.name), element)?);
        }
        Ok(objects)
    }

    /// A field with a list of strings.
    pub fn texts(&self, field: &str) -> Result<Vec<String>> {
        let mut texts = Vec::new();
        for element in self.list(field)? {
            texts.push(
                String::from_json(element).ok_or_else(|| self.refused(field, "must contain only texts"))?,
            );
        }
        Ok(texts)
    }

    /// The names of the fields that are neither in `known` nor null.
    pub fn others(&self, known: &[&str]) -> Vec<String> {
        let mut others = Vec::new();
        for (name, _) in self.fields.iter() {
            if !known.contains(&name) && self.get(name).is_some() {
                others.push(name.to_owned());
            }
        }
        others
    }

    /// The error for a field.
    pub fn refused(&self, field: &str, problem: &str) -> Error {
        invalid(format!("{}.{field} {problem}", self.name))
    }
}
