//! JSON as text. It is read, changed and written with:
//!
//! * [`Object`], a view: it finds values in a text that it borrows;
//! * [`EditableObject`], an owned object whose fields can be replaced while the rest keeps its bytes;
//! * [`ObjectWriter`] and [`ListWriter`], which write a new object or array.
//!
//! [`RawJson`] is the owned text of one value of any kind. [`FromJson`] and [`ToJson`] say how a Rust value is read
//! and written. Nothing here changes the spelling of a value, with the exception of the functions in `respell.rs` and
//! `python.rs`, which are there for that.

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
pub use scan::Broken;
pub(crate) use string_enum::string_enum;
pub use text::{quoted, string_length, wtf8};
pub use view::{
    Member, Object, complete_members, elements, is_json, members, objects, range_in, string, with_replaced,
};
pub use write::{ListWriter, ObjectWriter, ToJson};
