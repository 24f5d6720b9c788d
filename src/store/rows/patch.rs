//! What changed in a large text that mostly stays the same: everything between the common start and the common end.

/// The difference of one text to another, in bytes of UTF-8.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// How much of the old text's start is kept.
    pub keep_start: usize,
    /// How much of the old text's end is kept.
    pub keep_end: usize,
    /// What stands between them.
    pub middle: Box<str>,
}

impl Patch {
    /// What makes `new` of `old`.
    pub fn between(old: &str, new: &str) -> Self {
        let mut start = common_start(old.as_bytes(), new.as_bytes());
        while !new.is_char_boundary(start) || !old.is_char_boundary(start) {
            start -= 1;
        }
        let (old_rest, new_rest) =
            (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
        let mut end = common_end(old_rest.as_bytes(), new_rest.as_bytes());
        while !new_rest.is_char_boundary(new_rest.len() - end)
            || !old_rest.is_char_boundary(old_rest.len() - end)
        {
            end -= 1;
        }
        let middle = new_rest.get(..new_rest.len() - end).unwrap_or_default();
        Self { keep_start: start, keep_end: end, middle: middle.into() }
    }

    /// The new text, or `None` if this is no patch of `old`.
    pub fn apply(&self, old: &str) -> Option<String> {
        let end_at = old.len().checked_sub(self.keep_end).filter(|end_at| *end_at >= self.keep_start)?;
        let (start, end) = (old.get(..self.keep_start)?, old.get(end_at..)?);
        Some([start, &*self.middle, end].concat())
    }
}

/// Eight bytes at a time: in wasm there is no fast comparison to call.
fn common_start(a: &[u8], b: &[u8]) -> usize {
    let words = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    let whole = 8 * words.take_while(|(a, b)| u64::from_ne_bytes(**a) == u64::from_ne_bytes(**b)).count();
    let rest = a.iter().zip(b).skip(whole).take_while(|(a, b)| a == b).count();
    whole + rest
}

fn common_end(a: &[u8], b: &[u8]) -> usize {
    let words = a.as_rchunks::<8>().1.iter().rev().zip(b.as_rchunks::<8>().1.iter().rev());
    let whole = 8 * words.take_while(|(a, b)| u64::from_ne_bytes(**a) == u64::from_ne_bytes(**b)).count();
    let rest = a.iter().rev().zip(b.iter().rev()).skip(whole).take_while(|(a, b)| a == b).count();
    whole + rest
}

#[cfg(test)]
mod tests {
    use super::Patch;
    use proptest::prelude::*;

    #[test]
    fn a_patch_holds_what_changed() {
        let patch = Patch::between("{\"agent\":1,\"leaf\":\"aaa\"}", "{\"agent\":1,\"leaf\":\"bb\"}");
        assert_eq!(patch, Patch { keep_start: 19, keep_end: 2, middle: "bb".into() });
        assert_eq!(&*Patch::between("same", "same").middle, "");
    }

    #[test]
    fn a_patch_of_another_text_is_refused() {
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
