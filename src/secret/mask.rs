//! The list of secrets, and the masking of texts.
//!
//! Percent escapes of secrets are found in upper and lower case (`%2f` is `%2F`), because a mixture has too many
//! spellings to list.
//!
//! Invariants: all bytes of all occurrences are removed, also where occurrences overlap; masking a masked text changes
//! nothing. Adjacent occurrences are replaced by one mask each.

use crate::json::plain_length;
use std::{borrow::Cow, cell::RefCell, ops::Range, rc::Rc};

/// The text that replaces a secret, as in the SDK.
pub const HIDDEN: &str = "<secret-hidden>";

/// The shortest secret that is masked, in bytes. Shorter ones occur in many words by chance.
const SHORTEST: usize = 4;

/// The list of secrets. Clones share the list.
#[derive(Clone, Default)]
pub struct Mask(Rc<RefCell<Texts>>);

struct Texts {
    /// The folded texts, sorted and without duplicates. They include the mask itself, so that a secret such as `secret`
    /// does not change it.
    all: Vec<Vec<u8>>,
    longest: usize,
    /// Whether one of them has a character that JSON text may not contain as it is.
    has_escaped: bool,
    /// The bytes that texts begin with, which rule out most places quickly.
    firsts: [bool; 256],
    /// A bit set of the pairs of bytes that texts begin with, four words for each first byte.
    pairs: Vec<u64>,
}

impl Default for Texts {
    fn default() -> Self {
        Self { all: Vec::new(), longest: 0, has_escaped: false, firsts: [false; 256], pairs: Vec::new() }
    }
}

impl Mask {
    /// Adds texts to the list. Those of fewer than four bytes are ignored.
    pub fn hide(&self, texts: Vec<String>) {
        let mut known = self.0.borrow_mut();
        for text in texts.iter().filter(|text| text.len() >= SHORTEST) {
            known.add(HIDDEN);
            known.add(text);
        }
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.borrow().all.is_empty()
    }

    /// The text with secrets masked.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let spans = self.spans(text, 0);
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        push_masked(text, &spans, 0..text.len(), &mut out);
        Cow::Owned(out)
    }

    /// As [`Self::text`], for an error message that may have been shortened in the middle of a secret: the beginning of
    /// a secret before an ellipsis is masked too.
    pub fn cut_text(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('…') {
            let start = self.possible_start(before);
            let is_begun = before.len() - start >= SHORTEST;
            let end = if is_begun { start } else { before.len() };
            out.push_str(&self.text(before.get(..end).unwrap_or_default()));
            out.push_str(if is_begun { HIDDEN } else { "" });
            out.push('…');
            rest = after;
        }
        out.push_str(&self.text(rest));
        out
    }

    /// Masks consecutive parts of one text, including secrets that extend over several parts.
    pub fn texts(&self, parts: &mut [&mut String]) {
        let mut joined = String::new();
        for part in &*parts {
            joined.push_str(part);
        }
        let spans = self.spans(&joined, 0);
        if spans.is_empty() {
            return;
        }
        let mut start = 0;
        for part in parts {
            let end = start + part.len();
            part.clear();
            push_masked(&joined, &spans, start..end, part);
            start = end;
        }
    }

    /// The ranges of secrets in order, overlapping ones joined. The first `covered` bytes belong to an occurrence that
    /// is known already.
    pub(super) fn spans(&self, text: &str, covered: usize) -> Vec<Range<usize>> {
        let texts = self.0.borrow();
        let mut spans: Vec<Range<usize>> = Vec::new();
        if texts.all.is_empty() {
            return spans;
        }
        if covered > 0 {
            spans.push(0..covered);
        }
        let mut from = 0;
        while let Some(at) = texts.next_place(text, from) {
            from = at + 1;
            let Some(length) = text.get(at..).and_then(|rest| texts.longest_at_start(rest)) else { continue };
            let end = at + length;
            match spans.last_mut() {
                Some(last) if at < last.end => last.end = last.end.max(end),
                _ => spans.push(at..end),
            }
        }
        spans
    }

    /// Whether no secret can begin anywhere in the text, not even at its last byte.
    pub(super) fn begins_nowhere_in(&self, text: &str) -> bool {
        self.0.borrow().next_place(text, 0).is_none()
    }

    /// Whether a JSON string contains every secret as it is, unless it has escapes for characters that need none.
    pub(super) fn needs_no_escapes(&self) -> bool {
        !self.0.borrow().has_escaped
    }

    /// The first place where an incomplete secret could begin; the end of the text if there is none.
    pub(super) fn possible_start(&self, text: &str) -> usize {
        let texts = self.0.borrow();
        let mut from = text.len().saturating_sub(texts.longest);
        while let Some(at) = texts.next_place(text, from) {
            from = at + 1;
            if text.get(at..).is_some_and(|rest| texts.has_longer(rest)) {
                return at;
            }
        }
        text.len()
    }
}

impl Texts {
    fn add(&mut self, text: &str) {
        let text: Vec<u8> = folded(text).collect();
        let Err(place) = self.all.binary_search(&text) else { return };
        self.longest = self.longest.max(text.len());
        self.has_escaped |= !text.is_ascii() || plain_length(&text) < text.len();
        if let Some(is_first) = text.first().and_then(|first| self.firsts.get_mut(usize::from(*first))) {
            *is_first = true;
        }
        self.pairs.resize(1 << 10, 0);
        let (word, bit) = place_of_pair(&text);
        if let Some(word) = self.pairs.get_mut(word) {
            *word |= bit;
        }
        self.all.insert(place, text);
    }

    /// The first place from `from` on where one of the texts may begin, also if the text ends there.
    fn next_place(&self, text: &str, from: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut at = from;
        loop {
            let is_first = |byte: &u8| self.firsts.get(usize::from(*byte)).is_some_and(|is_first| *is_first);
            at += bytes.get(at..)?.iter().position(is_first)?;
            let (word, bit) = place_of_pair(bytes.get(at..)?);
            if at + 1 == bytes.len() || self.pairs.get(word).is_some_and(|word| word & bit != 0) {
                return Some(at);
            }
            at += 1;
        }
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

    /// Whether a longer text in the list begins with this one.
    fn has_longer(&self, start: &str) -> bool {
        let next = self.all.partition_point(|hidden| hidden.iter().copied().le(folded(start)));
        self.all.get(next).is_some_and(|hidden| hidden.len() > start.len() && is_start(hidden, start))
    }
}

/// The bytes of a text, with the hex digits of percent escapes in upper case. The result for a byte depends only on the
/// bytes before it, so folding a prefix gives a prefix of the folded text.
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

/// Whether one of the two texts is a prefix of the other.
fn is_start(hidden: &[u8], text: &str) -> bool {
    hidden.iter().copied().zip(folded(text)).all(|(one, other)| one == other)
}

/// The word and the bit in [`Texts::pairs`] for the first two bytes of a text.
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

/// Appends this range of the text without the spans, and with the mask for each span that begins in the range.
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
    fn overlapping_secrets_give_one_mask_and_adjacent_ones_two() {
        let mask = mask(&["abcd", "cdef", "abcdefgh", "gh-é😀"]);
        assert_eq!(mask.text("xabcdefx"), "x<secret-hidden>x");
        assert_eq!(mask.text("abcdefgh-é😀."), "<secret-hidden>.");
        assert_eq!(mask.text("abcdabcd"), "<secret-hidden><secret-hidden>");
        assert_eq!(mask.text("abc bcd"), "abc bcd");
        assert_eq!(Mask::default().text("abcd"), "abcd");
    }

    #[test]
    fn a_secret_that_is_part_of_the_mask_does_not_change_the_mask() {
        let mask = mask(&["secret", "a<secret-hidden>b"]);
        assert_eq!(mask.text("my secret: <secret-hidden>"), "my <secret-hidden>: <secret-hidden>");
        assert_eq!(mask.text("a<secret-hidden>b"), "<secret-hidden>");
    }

    #[test]
    fn percent_escapes_are_found_in_upper_and_lower_case() {
        let mask = mask(&["a%2fb%C3%a9", "%aF12"]);
        for text in ["a%2Fb%c3%A9", "a%2fb%C3%A9", "a%2fb%c3%a9", "%af12", "%AF12"] {
            assert_eq!(mask.text(&format!("%{text}2")), "%<secret-hidden>2");
        }
        for text in ["A%2fb%C3%a9", "a%2fB%C3%a9", "%af1", "a%2"] {
            assert_eq!(mask.text(text), text);
        }
    }

    #[test]
    fn short_texts_are_not_masked() {
        let mask = mask(&["", "a", "abc"]);
        assert!(mask.is_empty());
        assert_eq!(mask.text("abc"), "abc");
    }

    #[test]
    fn the_beginning_of_a_secret_before_an_ellipsis_is_masked() {
        let mask = mask(&["0123456789"]);
        assert_eq!(mask.cut_text("a 012345…; 01… 0123456789"), "a <secret-hidden>…; 01… <secret-hidden>");
        assert_eq!(mask.cut_text("a 012345"), "a 012345");
    }

    #[test]
    fn parts_of_a_text_are_masked_as_one_text() {
        let mask = mask(&["0123456789"]);
        let mut parts = ["x01".to_owned(), "2345".to_owned(), "6789y0123456789".to_owned()];
        mask.texts(&mut parts.each_mut());
        assert_eq!(parts, ["x<secret-hidden>", "", "y<secret-hidden>"]);
    }

    proptest! {
        #[test]
        fn a_masked_text_contains_no_secret(texts in prop::collection::vec("[aA%\u{e9}]{4,7}", 1..5), text in "[aA%\u{e9}]{0,60}") {
            let mask = mask(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            let masked = mask.text(&text);
            for hidden in &texts {
                prop_assert!(!masked.contains(hidden.as_str()));
            }
            prop_assert_eq!(mask.text(&masked), &*masked);
        }

        #[test]
        fn masked_parts_joined_are_the_masked_text(texts in prop::collection::vec("[ab]{4,7}", 1..4), mut parts in prop::collection::vec("[ab]{0,6}", 0..9)) {
            let mask = mask(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            let masked = mask.text(&parts.concat()).into_owned();
            mask.texts(&mut parts.iter_mut().collect::<Vec<_>>());
            prop_assert_eq!(parts.concat(), masked);
        }
    }
}
