//! One hash table for everything that is looked up by a name or an id.
//!
//! The standard library's is compiled once for each pair of types, two kilobytes each time.

use std::{collections::HashMap, rc::Rc};

/// Names, each with a number: a place in a list, a count, or 0 where only the name matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(HashMap<Rc<str>, usize>);

impl Names {
    /// Adds a name. One that is there already stays as it is, and the answer is `false`.
    pub fn add(&mut self, name: &str, number: usize) -> bool {
        let is_new = !self.has(name);
        if is_new {
            self.set(name, number);
        }
        is_new
    }

    /// Adds a name, or gives it another number.
    pub fn set(&mut self, name: &str, number: usize) {
        self.0.insert(name.into(), number);
    }

    /// The number of a name.
    pub fn get(&self, name: &str) -> Option<usize> {
        self.0.get(name).copied()
    }

    /// Whether the name is there.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_added_once_and_can_be_set_again() {
        let mut names = Names::default();
        assert!(names.add("a", 1));
        assert!(!names.add("a", 2));
        assert_eq!((names.get("a"), names.get("b")), (Some(1), None));
        names.set("a", 3);
        assert_eq!(names.get("a"), Some(3));
    }
}
