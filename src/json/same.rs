//! Equality of JSON values regardless of their spelling.

use super::{EditableObject, FromJson, elements, python::MAX_DEPTH};

/// Whether both texts are equal values in Python: the order of an object's fields, escapes, white space, and `1` instead
/// of `1.0` make no difference. What is nested deeper than Python reads it is compared by its text.
pub fn is_same(one: &str, other: &str) -> bool {
    is_same_within(one, other, MAX_DEPTH)
}

fn is_same_within(one: &str, other: &str, depth: usize) -> bool {
    let (one, other) = (one.trim(), other.trim());
    if one == other {
        return true;
    }
    let inner = depth.checked_sub(1);
    match (one.bytes().next(), other.bytes().next()) {
        (Some(b'{'), Some(b'{')) => {
            inner.and_then(|inner| is_same_object(one, other, inner)).unwrap_or(false)
        }
        (Some(b'['), Some(b'[')) => inner.and_then(|inner| is_same_list(one, other, inner)).unwrap_or(false),
        (Some(b'"'), Some(b'"')) => is_equal::<String>(one, other),
        // A float is not exact enough for long integers.
        _ if i64::from_json(one).is_some() && i64::from_json(other).is_some() => is_equal::<i64>(one, other),
        _ => is_equal::<f64>(one, other),
    }
}

fn is_same_list(one: &str, other: &str, depth: usize) -> Option<bool> {
    let (one, other) = (elements(one)?, elements(other)?);
    let has_same = |(one, other): (&&str, &&str)| is_same_within(one, other, depth);
    Some(one.len() == other.len() && one.iter().zip(&other).all(has_same))
}

fn is_same_object(one: &str, other: &str, depth: usize) -> Option<bool> {
    let (one, other) = (EditableObject::compact(one)?, EditableObject::compact(other)?);
    let has_same = |(name, value)| other.get(name).is_some_and(|other| is_same_within(value, other, depth));
    Some(one.iter().count() == other.iter().count() && one.iter().all(has_same))
}

fn is_equal<T: FromJson + PartialEq>(one: &str, other: &str) -> bool {
    T::from_json(one).is_some_and(|one| T::from_json(other) == Some(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_nested_deep_are_compared_by_their_text() {
        let deep = |depth: usize, space: &str| format!("{}{space}{}", "[".repeat(depth), "]".repeat(depth));
        for depth in [MAX_DEPTH, 100_000] {
            assert!(is_same(&deep(depth, ""), &deep(depth, "")));
            assert_eq!(is_same(&deep(depth, ""), &deep(depth, " ")), depth == MAX_DEPTH);
        }
    }

    #[test]
    fn only_values_make_a_difference() {
        for (one, other) in [
            (r#"{"a":1,"b":[1, {"c":null}]}"#, "{\"b\":[1.0,{\"c\":null}],\n\"a\":1}"),
            (r#""é\u2028""#, "\"\\u00e9\u{2028}\""),
            ("-0", "0"),
            ("1e2", "100"),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
            (" true", "true"),
        ] {
            assert!(is_same(one, other) && is_same(other, one), "{one} {other}");
        }
        for (one, other) in [
            (r#"{"a":1}"#, r#"{"a":1,"b":null}"#),
            (r#"{"a":1}"#, r#"{"b":1}"#),
            ("[1,2]", "[2,1]"),
            ("[1]", "[1,1]"),
            ("1", "\"1\""),
            ("true", "1"),
            ("null", "false"),
            ("{}", "[]"),
            ("9007199254740993", "9007199254740992"),
        ] {
            assert!(!is_same(one, other) && !is_same(other, one), "{one} {other}");
        }
    }
}
