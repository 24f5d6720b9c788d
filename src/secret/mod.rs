//! Masks the values of secrets in other texts.
//!
//! Does not know the names and sources of secrets: the code that resolves a secret registers the spellings to mask.

mod arguments;
mod json;
mod mask;
mod stream;

pub use arguments::MaskedArguments;
pub use mask::{HIDDEN, Mask};
pub use stream::MaskedStream;
