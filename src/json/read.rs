//! Reading the text of a JSON value as a Rust value.
//!
//! Each type names its fields by hand. A derived reader would add two kilobytes to the download for each struct, and
//! more for each enum.

use super::{elements, string, text::wtf8};

/// A type that can be read from the text of one JSON value.
pub trait FromJson: Sized {
    /// `None` if the text is not such a value. The text must be valid JSON: not every implementation checks that.
    fn from_json(json: &str) -> Option<Self>;
}

impl FromJson for String {
    fn from_json(json: &str) -> Option<Self> {
        Self::from_utf8(wtf8(string(json)?)).ok()
    }
}

impl FromJson for bool {
    fn from_json(json: &str) -> Option<Self> {
        json.trim().parse().ok()
    }
}

impl FromJson for u64 {
    fn from_json(json: &str) -> Option<Self> {
        integer(json)?.parse().ok()
    }
}

impl FromJson for usize {
    fn from_json(json: &str) -> Option<Self> {
        u64::from_json(json)?.try_into().ok()
    }
}

impl FromJson for i64 {
    fn from_json(json: &str) -> Option<Self> {
        integer(json)?.parse().ok()
    }
}

/// The text without white space, unless it begins with a plus sign, which Rust would accept and JSON does not.
fn integer(json: &str) -> Option<&str> {
    Some(json.trim()).filter(|json| !json.starts_with('+'))
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(json: &str) -> Option<Self> {
        let mut values = Self::new();
        for element in elements(json)? {
            values.push(T::from_json(element)?);
        }
        Some(values)
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(json: &str) -> Option<Self> {
        if is_null(json) { Some(None) } else { T::from_json(json).map(Some) }
    }
}

fn is_null(json: &str) -> bool {
    json.trim() == "null"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_another_kind_is_not_read() {
        assert_eq!(String::from_json(r#""a\u00e9""#).as_deref(), Some("aé"));
        assert_eq!(Vec::<Option<u64>>::from_json("[1, null]"), Some(vec![Some(1), None]));
        assert_eq!(Vec::<u64>::from_json("[1, \"2\"]"), None);
        assert_eq!((u64::from_json("1.0"), u64::from_json("-1"), u64::from_json("+1")), (None, None, None));
        assert_eq!(
            (i64::from_json("-7"), f64::from_json("1"), f64::from_json("\"1\"")),
            (Some(-7), Some(1.0), None)
        );
        assert_eq!((bool::from_json("true"), bool::from_json("1")), (Some(true), None));
    }
}
