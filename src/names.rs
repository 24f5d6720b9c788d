//! The one hash table for lookups by a name or an id.
//!
//! `HashMap` is compiled again for each pair of types, which costs two kilobytes each time.

use std::{collections::HashMap, rc::Rc};

/// A map from names to numbers: an index, a count, or 0 where only the name matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(HashMap<Rc<str>, usize>);

impl Names {
    /// Adds a name. Returns `false` and changes nothing if it exists.
    pub fn add(&mut self, name: &str, number: usize) -> bool {
        let is_new = !self.has(name);
        if is_new {
            self.set(name, number);
        }
        is_new
    }

    /// Adds a name, or replaces its number.
    pub fn set(&mut self, name: &str, number: usize) {
        self.0.insert(name.into(), number);
    }

    /// The number of a name.
    pub fn get(&self, name: &str) -> Option<usize> {
        self.0.get(name).copied()
    }

    /// Whether the name exists.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adding_an_existing_name_does_not_replace_its_number_but_setting_does() {
        let mut names = Names::default();
        assert!(names.add("a", 1));
        assert!(!names.add("a", 2));
        assert_eq!((names.get("a"), names.get("b")), (Some(1), None));
        names.set("a", 3);
        assert_eq!(names.get("a"), Some(3));
    }
}
