//! Masking of a text that comes in pieces.
//!
//! What could be the beginning of something hidden is held back until it is known not to be. Any division of a text
//! into pieces gives what the whole text would give.

use super::mask::{HIDDEN, Mask};

/// One text that is still coming.
pub struct MaskedStream {
    mask: Mask,
    held: String,
    /// So much of what is held belongs to a place whose mask has been given out.
    covered: usize,
}

impl MaskedStream {
    /// A text of which nothing has come.
    pub fn new(mask: &Mask) -> Self {
        Self { mask: mask.clone(), held: String::new(), covered: 0 }
    }

    /// Takes the next piece and gives what can be shown.
    pub fn push(&mut self, piece: &str) -> String {
        if self.mask.is_empty() && self.held.is_empty() {
            return piece.to_owned();
        }
        self.held.push_str(piece);
        self.release(self.mask.possible_start(&self.held))
    }

    /// Gives what was held back. The text is over.
    pub fn end(&mut self) -> String {
        self.release(self.held.len())
    }

    /// Gives out everything before `end`.
    fn release(&mut self, end: usize) -> String {
        let mut out = String::new();
        let mut at = 0;
        for span in self.mask.spans(&self.held, self.covered) {
            // The place that is known already comes first, whatever is given out.
            let is_known = span.start == 0 && self.covered > 0;
            if !is_known {
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
        let mut out: String = pieces.iter().map(|piece| stream.push(piece)).collect();
        out.push_str(&stream.end());
        out
    }

    #[test]
    fn a_possible_beginning_is_held_back_and_released() {
        let mut stream = MaskedStream::new(&mask(&["sk-12345".into()]));
        assert_eq!(stream.push("key sk-1"), "key ");
        assert_eq!(stream.push("23"), "");
        assert_eq!(stream.push("45 and sk"), "<secret-hidden> and ");
        assert_eq!(stream.push("y, s"), "sky, ");
        assert_eq!(stream.end(), "s");
    }

    #[test]
    fn a_place_that_goes_on_and_on_is_not_kept_in_memory() {
        let mut stream = MaskedStream::new(&mask(&["aaaa".into()]));
        assert_eq!((stream.push("aaaa"), stream.push("aaaaaaaa")), ("<secret-hidden>".into(), String::new()));
        assert!(stream.held.len() < 20);
        assert_eq!(stream.push("b"), "b");
    }

    proptest! {
        #[test]
        fn any_pieces_give_what_the_whole_gives(
            texts in prop::collection::vec("[aA%\u{e9}]{4,9}", 0..5),
            pieces in prop::collection::vec("[aA%\u{e9}]{0,7}", 0..12),
        ) {
            let mask = mask(&texts);
            let whole = pieces.concat();
            prop_assert_eq!(streamed(&mask, &pieces), mask.text(&whole));
        }

        #[test]
        fn also_where_the_secret_is_part_of_the_mask(
            pieces in prop::collection::vec(prop::sample::select(vec!["<", "secret", "-hid", "den", ">", "se", "cret", "x<"]), 0..12),
        ) {
            let pieces: Vec<String> = pieces.into_iter().map(str::to_owned).collect();
            let mask = mask(&["secret".into(), "x<secret-hidden>x<".into(), "hidden><".into()]);
            let whole = pieces.concat();
            prop_assert_eq!(streamed(&mask, &pieces), mask.text(&whole));
        }
    }
}
