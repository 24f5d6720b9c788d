//! What must not be seen: the texts of secrets, and how they are taken out of other texts.
//!
//! Knows no names and no sources of secrets: whoever resolves one says in which spellings it must not appear.

mod json;
mod mask;
mod stream;

pub use mask::{HIDDEN, Mask};
pub use stream::MaskedStream;
