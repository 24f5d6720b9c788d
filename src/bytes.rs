//! Finds bytes in a text, eight at a time: every byte of an answer is looked at several times, and a compiler that wants
//! little code looks at each alone.

const ONES: u64 = u64::MAX / 0xff;
const HIGHS: u64 = ONES << 7;

/// The place of the first byte that `found` marks in a word of eight bytes. It must not mark `0xff`.
pub fn first(bytes: &[u8], found: impl Fn(u64) -> u64) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = bytes.get(at..)?;
        let word = match rest.first_chunk() {
            Some(word) => u64::from_le_bytes(*word),
            // Bytes behind the end are not found.
            None => rest.iter().rev().fold(u64::MAX, |word, byte| word << 8 | u64::from(*byte)),
        };
        let marks = found(word);
        if marks != 0 {
            return Some(at + marks.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
}

/// Marks the bytes of a word that equal this one. Behind the first of them it may mark others, too.
pub fn equal(word: u64, byte: u8) -> u64 {
    less(word ^ (ONES * u64::from(byte)), 1)
}

/// Marks the bytes of a word that are less than this one, which is at most `0x80`. Behind the first of them it may mark
/// others, too, because a byte that is less borrows from the next one.
pub fn less(word: u64, byte: u8) -> u64 {
    word.wrapping_sub(ONES * u64::from(byte)) & !word & HIGHS
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_byte_is_found_wherever_it_is(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), 0x1e..0x24_u8, Just(b'\\')], 0..30),
        ) {
            let place = first(&bytes, |word| less(word, 0x20) | equal(word, b'"') | equal(word, b'\\'));
            prop_assert_eq!(place, bytes.iter().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\')));
        }
    }
}
