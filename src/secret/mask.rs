//! Texts that are hidden, and the hiding of them.
//!
//! A hidden text is found whichever letters its percent escapes are written with: `%2f` is `%2F`, and a mixture has more
//! spellings than could be listed.
//!
//! Invariants: what belongs to any occurrence of a hidden text is gone, also where occurrences overlap; masking what
//! is masked changes nothing. Occurrences that follow each other make one mask each.

use std::{borrow::Cow, cell::RefCell, ops::Range, rc::Rc};

/// What stands where a secret was, as in the SDK.
pub const HIDDEN: &str = "<secret-hidden>";

/// Shorter texts are in every other word: hiding them would hide nothing and spoil everything.
const SHORTEST: usize = 4;

/// The texts to hide. Clones are the same list.
#[derive(Clone, Default)]
pub struct Mask(Rc<RefCell<Texts>>);

#[derive(Default)]
struct Texts {
    /// Folded, sorted, each once. The mask itself is one of them, so that a secret such as `secret` does not spoil it.
    all: Vec<Vec<u8>>,
    longest: usize,
    /// One bit for each pair of bytes that a text begins with: at most places nothing begins.
    pairs: Vec<u64>,
}

impl Mask {
    /// Hides these texts from now on, as well as those before. What is too short stays to be seen.
    pub fn hide(&self, texts: Vec<String>) {
        let mut texts: Vec<Vec<u8>> = texts.iter().map(|text| folded(text).collect()).collect();
        texts.retain(|text| text.len() >= SHORTEST);
        if texts.is_empty() {
            return;
        }
        texts.push(HIDDEN.into());
        let mut known = self.0.borrow_mut();
        texts.append(&mut known.all);
        texts.sort();
        texts.dedup();
        let mut pairs = vec![0_u64; 1 << 10];
        let mut longest = 0;
        for text in &texts {
            longest = longest.max(text.len());
            let (word, bit) = place_of_pair(text);
            if let Some(word) = pairs.get_mut(word) {
                *word |= bit;
            }
        }
        *known = Texts { all: texts, longest, pairs };
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.0.borrow().all.is_empty()
    }

    /// The text without what is hidden.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let spans = self.spans(text, 0);
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        push_masked(text, &spans, 0..text.len(), &mut out);
        Cow::Owned(out)
    }

    /// An error's words without what is hidden. Such words may have been cut already, in the middle of a secret, which
    /// an ellipsis then shows.
    pub fn cut_text(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((words, after)) = rest.split_once('…') {
            let start = self.possible_start(words);
            let is_begun = words.len() - start >= SHORTEST;
            let end = if is_begun { start } else { words.len() };
            out.push_str(&self.text(words.get(..end).unwrap_or_default()));
            out.push_str(if is_begun { HIDDEN } else { "" });
            out.push('…');
            rest = after;
        }
        out.push_str(&self.text(rest));
        out
    }

    /// Takes what is hidden out of texts that are read one behind the other: what begins in one and ends in a later
    /// one is hidden too.
    pub fn texts(&self, parts: &mut [&mut String]) {
        let mut whole = String::new();
        for part in &*parts {
            whole.push_str(part);
        }
        let spans = self.spans(&whole, 0);
        if spans.is_empty() {
            return;
        }
        let mut start = 0;
        for part in parts {
            let end = start + part.len();
            part.clear();
            push_masked(&whole, &spans, start..end, part);
            start = end;
        }
    }

    /// Where something hidden is, in order, overlapping places as one. The first `covered` bytes belong to a place
    /// that is known already.
    pub(super) fn spans(&self, text: &str, covered: usize) -> Vec<Range<usize>> {
        let texts = self.0.borrow();
        let mut spans: Vec<Range<usize>> = Vec::new();
        if texts.all.is_empty() {
            return spans;
        }
        if covered > 0 {
            spans.push(0..covered);
        }
        let mut bytes = text.as_bytes();
        while let [_, rest @ ..] = bytes {
            let at = text.len() - bytes.len();
            let may_begin = texts.may_begin(bytes);
            bytes = rest;
            if !may_begin {
                continue;
            }
            let Some(length) = text.get(at..).and_then(|rest| texts.longest_at_start(rest)) else { continue };
            let end = at + length;
            match spans.last_mut() {
                Some(last) if at < last.end => last.end = last.end.max(end),
                _ => spans.push(at..end),
            }
        }
        spans
    }

    /// Where a hidden text could begin that is not whole yet; the end of the text if nowhere.
    pub(super) fn possible_start(&self, text: &str) -> usize {
        let texts = self.0.borrow();
        for at in text.len().saturating_sub(texts.longest)..text.len() {
            let Some(rest) = text.get(at..) else { continue };
            if (rest.len() < 2 || texts.may_begin(rest.as_bytes())) && texts.has_longer(rest) {
                return at;
            }
        }
        text.len()
    }
}

impl Texts {
    // Asked at every byte.
    #[inline(always)]
    fn may_begin(&self, text: &[u8]) -> bool {
        let (word, bit) = place_of_pair(text);
        self.pairs.get(word).is_some_and(|word| word & bit != 0)
    }

    fn longest_at_start(&self, text: &str) -> Option<usize> {
        let mut key = [0; SHORTEST];
        for (place, byte) in key.iter_mut().zip(folded(text)) {
            *place = byte;
        }
        let from = self.all.partition_point(|hidden| **hidden < key[..]);
        let with_key = self.all.iter().skip(from).take_while(|hidden| hidden.starts_with(&key));
        with_key.filter(|hidden| hidden.len() <= text.len() && is_start(hidden, text)).map(Vec::len).max()
    }

    /// Whether a hidden text begins with this one and goes on.
    fn has_longer(&self, start: &str) -> bool {
        let next = self.all.partition_point(|hidden| hidden.iter().copied().le(folded(start)));
        self.all.get(next).is_some_and(|hidden| hidden.len() > start.len() && is_start(hidden, start))
    }
}

/// The bytes of a text, with the hexadecimal digits of percent escapes in capitals. What a byte becomes depends on those
/// before it only, so that the folded text begins with the folded beginning.
fn folded(text: &str) -> impl Iterator<Item = u8> {
    let mut digits = 0;
    text.bytes().map(move |byte| {
        let is_digit = digits > 0 && byte.is_ascii_hexdigit();
        digits = match byte {
            b'%' => 2,
            _ if is_digit => digits - 1,
            _ => 0,
        };
        if is_digit { byte.to_ascii_uppercase() } else { byte }
    })
}

/// Whether one of the two begins with the other.
fn is_start(hidden: &[u8], text: &str) -> bool {
    hidden.iter().copied().zip(folded(text)).all(|(one, other)| one == other)
}

/// Which bit of which word stands for the pair of bytes that this begins with.
#[inline(always)]
fn place_of_pair(text: &[u8]) -> (usize, u64) {
    match text {
        [first, second, ..] => {
            let second = if *first == b'%' { second.to_ascii_uppercase() } else { *second };
            let pair = usize::from(*first) << 8 | usize::from(second);
            (pair >> 6, 1 << (pair & 63))
        }
        _ => (0, 0),
    }
}

/// Appends this range of the text with the mask where a place begins in it, and without what belongs to any.
fn push_masked(text: &str, spans: &[Range<usize>], range: Range<usize>, out: &mut String) {
    let mut at = range.start;
    for span in spans {
        if span.end <= at {
            continue;
        }
        if span.start >= range.end {
            break;
        }
        out.push_str(text.get(at..span.start).unwrap_or_default());
        if span.start >= range.start {
            out.push_str(HIDDEN);
        }
        at = span.end.min(range.end);
    }
    out.push_str(text.get(at..range.end).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    pub fn mask(texts: &[&str]) -> Mask {
        let mask = Mask::default();
        mask.hide(texts.iter().map(|text| (*text).to_owned()).collect());
        mask
    }

    #[test]
    fn what_overlaps_is_hidden_together_and_what_follows_is_not() {
        let mask = mask(&["abcd", "cdef", "abcdefgh", "gh-é😀"]);
        assert_eq!(mask.text("xabcdefx"), "x<secret-hidden>x");
        assert_eq!(mask.text("abcdefgh-é😀."), "<secret-hidden>.");
        assert_eq!(mask.text("abcdabcd"), "<secret-hidden><secret-hidden>");
        assert_eq!(mask.text("abc bcd"), "abc bcd");
        assert_eq!(Mask::default().text("abcd"), "abcd");
    }

    #[test]
    fn a_secret_that_is_part_of_the_mask_does_not_spoil_it() {
        let mask = mask(&["secret", "a<secret-hidden>b"]);
        assert_eq!(mask.text("my secret: <secret-hidden>"), "my <secret-hidden>: <secret-hidden>");
        assert_eq!(mask.text("a<secret-hidden>b"), "<secret-hidden>");
    }

    #[test]
    fn percent_escapes_are_found_in_any_letters() {
        let mask = mask(&["a%2fb%C3%a9", "%aF12"]);
        for text in ["a%2Fb%c3%A9", "a%2fb%C3%A9", "a%2fb%c3%a9", "%af12", "%AF12"] {
            assert_eq!(mask.text(&format!("%{text}2")), "%<secret-hidden>2");
        }
        for text in ["A%2fb%C3%a9", "a%2fB%C3%a9", "%af1", "a%2"] {
            assert_eq!(mask.text(text), text);
        }
    }

    #[test]
    fn what_is_short_stays() {
        let mask = mask(&["", "a", "abc"]);
        assert!(mask.is_empty());
        assert_eq!(mask.text("abc"), "abc");
    }

    #[test]
    fn what_was_cut_in_the_middle_is_hidden_too() {
        let mask = mask(&["0123456789"]);
        assert_eq!(mask.cut_text("a 012345…; 01… 0123456789"), "a <secret-hidden>…; 01… <secret-hidden>");
        assert_eq!(mask.cut_text("a 012345"), "a 012345");
    }

    #[test]
    fn parts_of_one_text_are_masked_as_one() {
        let mask = mask(&["0123456789"]);
        let mut parts = ["x01".to_owned(), "2345".to_owned(), "6789y0123456789".to_owned()];
        mask.texts(&mut parts.each_mut());
        assert_eq!(parts, ["x<secret-hidden>", "", "y<secret-hidden>"]);
    }

    proptest! {
        #[test]
        fn nothing_hidden_survives(texts in prop::collection::vec("[aA%\u{e9}]{4,7}", 1..5), text in "[aA%\u{e9}]{0,60}") {
            let mask = mask(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            let masked = mask.text(&text);
            for hidden in &texts {
                prop_assert!(!masked.contains(hidden.as_str()));
            }
            prop_assert_eq!(mask.text(&masked), &*masked);
        }

        #[test]
        fn parts_joined_are_the_whole_masked(texts in prop::collection::vec("[ab]{4,7}", 1..4), mut parts in prop::collection::vec("[ab]{0,6}", 0..9)) {
            let mask = mask(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            let whole = mask.text(&parts.concat()).into_owned();
            mask.texts(&mut parts.iter_mut().collect::<Vec<_>>());
            prop_assert_eq!(parts.concat(), whole);
        }
    }
}
