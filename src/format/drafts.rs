//! The files of a draft: the text of an answer that is still streaming, `drafts/<message id>/<number>.json`.
//!
//! Each file has what was added since the one before. They are removed by the commit that stores the answer, and are no
//! part of an export or a copy.

use super::layout::DRAFTS;
use crate::{
    error::Result,
    id::{EventId, StorePath},
    json::{Object, object},
};

/// The content of a file of a draft.
pub struct DraftPiece {
    /// The last event that the model had seen. The draft is worth nothing after another one.
    pub after: String,
    /// A piece of the answer.
    pub text: String,
}

impl DraftPiece {
    /// The content of the file.
    pub fn json(&self) -> Vec<u8> {
        object! { "after": self.after, "text": self.text }.finish().into_bytes()
    }

    /// Reads the content of a file; `None` if it is of another form.
    pub fn parse(json: &[u8]) -> Option<Self> {
        let piece = Object::parse(std::str::from_utf8(json).ok()?)?;
        Some(Self { after: piece.read("after")?, text: piece.read("text")? })
    }
}

/// The path of a piece of the answer with this id. Sorting paths sorts the pieces.
///
/// # Errors
/// `invalid_options` for an id that is no file name.
pub fn path_of(answer: &EventId, number: usize) -> Result<StorePath> {
    format!("{DRAFTS}/{answer}/{number:06}.json").parse()
}

/// The answer that this file is a piece of.
pub fn answer_of(path: &StorePath) -> Option<EventId> {
    path.as_str().strip_prefix(DRAFTS)?.strip_prefix('/')?.split_once('/')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_read_as_it_is_written() {
        let id: EventId = "0f8fad5b-d9cb".parse().unwrap();
        let paths: Vec<StorePath> =
            [0, 9, 10, 99_999, 100_000].map(|number| path_of(&id, number).unwrap()).into();
        assert!(paths.is_sorted());
        assert!(paths.iter().all(|path| answer_of(path) == Some(id.clone())));
        let piece = DraftPiece { after: "x".into(), text: "a \"b\"\n\u{1f600}".into() };
        let read = DraftPiece::parse(&piece.json()).unwrap();
        assert_eq!((read.after, read.text), (piece.after, piece.text));
        for other in [&b"[]"[..], b"{}", b"\xff", br#"{"after":1,"text":""}"#] {
            assert!(DraftPiece::parse(other).is_none());
        }
    }
}
