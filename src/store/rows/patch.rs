//! The difference of two long texts that have much in common: the part between the common start and the common end.

/// The difference of a new text to an old one. Lengths are in bytes of UTF-8.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// The length of the common start.
    pub keep_start: usize,
    /// The length of the common end.
    pub keep_end: usize,
    /// The part of the new text between them.
    pub middle: Box<str>,
}

impl Patch {
    /// The patch from `old` to `new`.
    pub fn between(old: &str, new: &str) -> Self {
        let mut start = common_start(old.as_bytes(), new.as_bytes());
        while !new.is_char_boundary(start) || !old.is_char_boundary(start) {
            start -= 1;
        }
        let (old_rest, new_rest) = (old.split_at(start).1, new.split_at(start).1);
        let mut end = common_end(old_rest.as_bytes(), new_rest.as_bytes());
        while !new_rest.is_char_boundary(new_rest.len() - end)
            || !old_rest.is_char_boundary(old_rest.len() - end)
        {
            end -= 1;
        }
        let (middle, _) = new_rest.split_at(new_rest.len() - end);
        Self { keep_start: start, keep_end: end, middle: middle.into() }
    }

    /// The new text, or `None` if this patch does not fit `old`.
    pub fn apply(&self, old: &str) -> Option<String> {
        let end_at = old.len().checked_sub(self.keep_end).filter(|end_at| *end_at >= self.keep_start)?;
        let (start, end) = (old.get(..self.keep_start)?, old.get(end_at..)?);
        Some([start, &*self.middle, end].concat())
    }
}

/// Compares eight bytes at a time, because wasm has no fast comparison of memory.
fn common_start(a: &[u8], b: &[u8]) -> usize {
    let chunks = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    let equal = 8 * chunks.take_while(|(a, b)| u64::from_ne_bytes(**a) == u64::from_ne_bytes(**b)).count();
    let rest = a.iter().zip(b).skip(equal).take_while(|(a, b)| a == b).count();
    equal + rest
}

fn common_end(a: &[u8], b: &[u8]) -> usize {
    let chunks = a.as_rchunks::<8>().1.iter().rev().zip(b.as_rchunks::<8>().1.iter().rev());
    let equal = 8 * chunks.take_while(|(a, b)| u64::from_ne_bytes(**a) == u64::from_ne_bytes(**b)).count();
    let rest = a.iter().rev().zip(b.iter().rev()).skip(equal).take_while(|(a, b)| a == b).count();
    equal + rest
}

#[cfg(test)]
mod tests {
    use super::Patch;
    use proptest::prelude::*;

    #[test]
    fn a_patch_holds_only_the_changed_part() {
        let patch = Patch::between("{\"agent\":1,\"leaf\":\"aaa\"}", "{\"agent\":1,\"leaf\":\"bb\"}");
        assert_eq!(patch, Patch { keep_start: 19, keep_end: 2, middle: "bb".into() });
        assert_eq!(&*Patch::between("same", "same").middle, "");
    }

    #[test]
    fn a_patch_that_does_not_fit_is_refused() {
        let patch = Patch { keep_start: 3, keep_end: 3, middle: "x".into() };
        assert_eq!(patch.apply("12345"), None);
        assert_eq!(patch.apply("12\u{e9}456"), None);
        assert_eq!(patch.apply("123456").as_deref(), Some("123x456"));
    }

    proptest! {
        #[test]
        fn applying_a_patch_gives_the_new_text(
            start in "[aé\u{1F600}]{0,40}", old in "[aéü\u{1F600}\u{1F601}]{0,20}",
            new in "[aéü\u{1F600}\u{1F601}]{0,20}", end in "[aé\u{1F600}]{0,40}",
        ) {
            let (old, new) = (format!("{start}{old}{end}"), format!("{start}{new}{end}"));
            let patch = Patch::between(&old, &new);
            prop_assert_eq!(patch.apply(&old), Some(new.clone()));
            prop_assert!(patch.middle.len() + start.len() + end.len() <= new.len() + 8);
        }
    }
}
