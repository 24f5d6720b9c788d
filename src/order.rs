//! One sort for everything that is sorted.
//!
//! The standard library's sort is compiled once for each type, several kilobytes each time. Nothing here is sorted
//! often, so keys are bytes, and what is downloaded is one sort for keys and a few lines for each type.

/// The items in the order of their keys; equal keys keep the order of the items.
pub fn by_key<T>(items: Vec<T>, key: impl Fn(&T) -> Vec<u8>) -> Vec<T> {
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    let mut keys = Vec::with_capacity(items.len());
    for (place, item) in items.iter().enumerate() {
        keys.push((item.as_ref().map(&key).unwrap_or_default(), place));
    }
    let mut ordered = Vec::with_capacity(items.len());
    for place in places(keys) {
        ordered.extend(items.get_mut(place).and_then(Option::take));
    }
    ordered
}

/// A number as a key: the smaller first.
pub fn number(number: u64) -> Vec<u8> {
    number.to_be_bytes().into()
}

/// A time or another number with fractions as a key: the smaller first, as `f64::total_cmp` has it.
pub fn float(number: f64) -> Vec<u8> {
    let bits = number.to_bits();
    self::number(if number.is_sign_negative() { !bits } else { bits | 1 << 63 })
}

/// A key that sorts the other way round.
pub fn descending(key: Vec<u8>) -> Vec<u8> {
    key.into_iter().map(|byte| !byte).collect()
}

fn places(mut keys: Vec<(Vec<u8>, usize)>) -> impl Iterator<Item = usize> {
    keys.sort_unstable();
    keys.into_iter().map(|(_, place)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_keep_their_order() {
        let items = vec![(300, 'a'), (2, 'b'), (300, 'c'), (0, 'd'), (2, 'e')];
        let ordered = by_key(items, |(n, _)| number(*n));
        assert_eq!(ordered.into_iter().map(|(_, c)| c).collect::<String>(), "dbeac");
    }

    #[test]
    fn floats_sort_as_floats() {
        let sorted = [f64::NEG_INFINITY, -2.0, -1.5, -0.0, 0.0, 0.5, 1.0, 1e300, f64::INFINITY];
        let mut shuffled = sorted.to_vec();
        shuffled.reverse();
        assert_eq!(by_key(shuffled, |n| float(*n)), sorted);
        assert_eq!(by_key(vec![1.0, 3.0, 2.0], |n| descending(float(*n))), [3.0, 2.0, 1.0]);
    }
}
