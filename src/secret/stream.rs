//! Masks a text that arrives in pieces.
//!
//! Text that could be the beginning of a secret is held back until that is decided. The result does not depend on how a
//! text is divided into pieces.

use super::mask::{HIDDEN, Mask};

/// A text that is not complete yet.
pub struct MaskedStream {
    mask: Mask,
    held: String,
    /// The number of held bytes that belong to an occurrence whose mask has been returned.
    covered: usize,
}

impl MaskedStream {
    /// A stream without text.
    pub fn new(mask: &Mask) -> Self {
        Self { mask: mask.clone(), held: String::new(), covered: 0 }
    }

    /// Adds the next piece and returns the text that can be shown.
    pub fn push(&mut self, piece: String) -> String {
        if self.passes(&piece) {
            return piece;
        }
        self.held.push_str(&piece);
        self.release(self.mask.possible_start(&self.held))
    }

    /// Whether this piece is shown as it is, and leaves nothing behind.
    pub(super) fn passes(&self, piece: &str) -> bool {
        self.held.is_empty() && self.mask.begins_nowhere_in(piece)
    }

    /// Ends the text and returns the rest of it.
    pub fn end(&mut self) -> String {
        self.release(self.held.len())
    }

    /// Returns and drops the held text before `end`.
    fn release(&mut self, end: usize) -> String {
        let mut out = String::new();
        let mut at = 0;
        for span in self.mask.spans(&self.held, self.covered) {
            // The mask of this occurrence was returned earlier.
            let is_returned = span.start == 0 && self.covered > 0;
            if !is_returned {
                if span.start >= end {
                    break;
                }
                out.push_str(self.held.get(at..span.start).unwrap_or_default());
                out.push_str(HIDDEN);
            }
            at = span.end;
        }
        out.push_str(self.held.get(at..end).unwrap_or_default());
        self.covered = at.saturating_sub(end);
        self.held.drain(..end);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mask(texts: &[String]) -> Mask {
        let mask = Mask::default();
        mask.hide(texts.to_vec());
        mask
    }

    fn streamed(mask: &Mask, pieces: &[String]) -> String {
        let mut stream = MaskedStream::new(mask);
        let mut out: String = pieces.iter().map(|piece| stream.push(piece.clone())).collect();
        out.push_str(&stream.end());
        out
    }

    #[test]
    fn a_possible_beginning_is_held_back_and_released() {
        let mut stream = MaskedStream::new(&mask(&["sk-12345".into()]));
        assert_eq!(stream.push("key sk-1".into()), "key ");
        assert_eq!(stream.push("23".into()), "");
        assert_eq!(stream.push("45 and sk".into()), "<secret-hidden> and ");
        assert_eq!(stream.push("y, s".into()), "sky, ");
        assert_eq!(stream.end(), "s");
    }

    #[test]
    fn a_long_occurrence_does_not_accumulate_in_memory() {
        let mut stream = MaskedStream::new(&mask(&["aaaa".into()]));
        assert_eq!(
            (stream.push("aaaa".into()), stream.push("aaaaaaaa".into())),
            ("<secret-hidden>".into(), String::new())
        );
        assert!(stream.held.len() < 20);
        assert_eq!(stream.push("b".into()), "b");
    }

    proptest! {
        #[test]
        fn any_pieces_give_the_same_as_the_complete_text(
            texts in prop::collection::vec("[aA%\u{e9}]{4,9}", 0..5),
            pieces in prop::collection::vec("[aA%\u{e9}]{0,7}", 0..12),
        ) {
            let mask = mask(&texts);
            let text = pieces.concat();
            prop_assert_eq!(streamed(&mask, &pieces), mask.text(&text));
        }

        #[test]
        fn any_pieces_give_the_same_if_a_secret_is_part_of_the_mask(
            pieces in prop::collection::vec(prop::sample::select(vec!["<", "secret", "-hid", "den", ">", "se", "cret", "x<"]), 0..12),
        ) {
            let pieces: Vec<String> = pieces.into_iter().map(str::to_owned).collect();
            let mask = mask(&["secret".into(), "x<secret-hidden>x<".into(), "hidden><".into()]);
            let text = pieces.concat();
            prop_assert_eq!(streamed(&mask, &pieces), mask.text(&text));
        }
    }
}
