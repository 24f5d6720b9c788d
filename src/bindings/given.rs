//! JSON that JavaScript gives. All of it is read here, and nowhere else in `bindings`.
//!
//! JavaScript writes half of a character (`"😀".slice(0, 1)`) as an escape, `"\ud83d"`, which stands for no text, and
//! because of which Python refuses the file that contains it. U+FFFD takes its place, in values and names of fields, as
//! in `String.prototype.toWellFormed()`. Plain strings need nothing: the same happens to them on their way into the wasm.

use crate::json::{FromJson, well_formed};

/// A value; `None` if the text is not JSON of this kind.
pub fn value<T: FromJson>(json: &str) -> Option<T> {
    T::from_json(&well_formed(json))
}

/// The text of a value that is read later.
pub fn text(json: &str) -> String {
    well_formed(json).into_owned()
}
