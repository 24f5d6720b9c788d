//! JSON as text. It is read, changed and written with:
//!
//! * [`Object`], a view: it finds values in a text that it borrows;
//! * [`EditableObject`], an owned object whose fields can be replaced while the rest keeps its bytes;
//! * [`ObjectWriter`] and [`ListWriter`], which write a new object or array, most of them with `object!`.
//!
//! [`RawJson`] is the owned text of one value of any kind. [`FromJson`] and [`ToJson`] say how a Rust value is read
//! and written. Nothing here changes the spelling of a value, with the exception of the functions in `respell.rs` and
//! `python.rs`, which are there for that.
//!
//! serde_json would do less for more. Its values forget repeated names and how a number was spelled, so what is stored
//! would need this view and editor all the same. A program that reads three nested objects of an event, replaces a field
//! and writes an object grows by 11 kB of compressed wasm with this module, and by 41 kB with serde_json. The price is
//! time: of a message of 1.2 MB with an escape every twenty bytes, compiled for size, the fields are found as fast
//! (0.8 ms), but its text is read four times as slowly (7 ms). Most texts have few escapes.

mod edit;
mod float;
mod python;
mod raw;
mod read;
mod respell;
mod same;
mod scan;
mod string_enum;
mod text;
mod view;
mod write;

pub use edit::EditableObject;
pub use float::float;
pub use python::repaired;
pub use raw::{RawFields, RawJson};
pub use read::FromJson;
pub use respell::{python_dumps, well_formed, without_constants};
pub use same::is_same;
pub use scan::{Broken, depths, string_length};
pub(crate) use string_enum::string_enum;
pub use text::{backslash, plain_length, quoted, unescaped_text, unquoted, wtf8};
pub use view::{
    Member, Object, complete_members, elements, is_json, members, objects, range_in, string, with_replaced,
};
pub(crate) use write::object;
pub use write::{Json, ListWriter, ObjectWriter, ToJson};
