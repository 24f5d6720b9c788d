//! One sort for everything that is sorted.
//!
//! The standard library's sort is compiled once for each type, several kilobytes each time. Nothing here is sorted
//! often, so keys are bytes, and what is downloaded is one sort for keys and a few lines for each type.

use std::{collections::BinaryHeap, mem};

/// The items in the order of their keys; equal keys keep the order of the items.
pub fn by_key<T>(mut items: Vec<T>, key: impl Fn(&T) -> Vec<u8>) -> Vec<T> {
    let mut keys = Vec::with_capacity(items.len());
    for item in &items {
        keys.push((key(item), keys.len()));
    }
    for pair in swaps(keys) {
        swap(&mut items, pair);
    }
    items
}

fn swap<T>(items: &mut [T], pair: [usize; 2]) {
    if let Ok([a, b]) = items.get_disjoint_mut(pair) {
        mem::swap(a, b);
    }
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
    let mut key = key;
    for byte in &mut key {
        *byte = !*byte;
    }
    key
}

/// What has to change places, one pair after the other, for the keys to be in order. Each key comes with its place.
fn swaps(keys: Vec<(Vec<u8>, usize)>) -> Vec<[usize; 2]> {
    // Where what is at a place has to go.
    let mut goals = vec![0; keys.len()];
    for (goal, (_, place)) in BinaryHeap::from(keys).into_sorted_vec().into_iter().enumerate() {
        if let Some(slot) = goals.get_mut(place) {
            *slot = goal;
        }
    }
    let mut swaps = Vec::new();
    for place in 0..goals.len() {
        while let Some(goal) = goals.get(place).copied().filter(|goal| *goal != place) {
            swaps.push([place, goal]);
            swap(&mut goals, [place, goal]);
        }
    }
    swaps
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
