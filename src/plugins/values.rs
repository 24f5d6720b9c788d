//! Values of front matter and configurations, read as Python and pydantic read them.

use crate::json::{FromJson, elements, is_json, members, quoted};

/// A value as Python's `str` writes it.
pub fn spelled(json: &str) -> String {
    match json.trim() {
        "null" => "None".to_owned(),
        "true" => "True".to_owned(),
        "false" => "False".to_owned(),
        json => String::from_json(json).unwrap_or_else(|| represented(json)),
    }
}

/// A value as Python's `repr` writes it.
fn represented(json: &str) -> String {
    if let Some(text) = String::from_json(json) {
        let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
        let mut out = String::from(quote);
        for c in text.chars() {
            match c {
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                c if c == quote => out.extend(['\\', c]),
                c => out.push(c),
            }
        }
        out.push(quote);
        return out;
    }
    if let Some(items) = elements(json) {
        let items: Vec<String> = items.into_iter().map(represented).collect();
        return format!("[{}]", items.join(", "));
    }
    if let Ok(fields) = members(json) {
        let pair = |(name, value): &(std::borrow::Cow<'_, str>, &str)| {
            format!("{}: {}", represented(&quoted(name)), represented(value))
        };
        return format!("{{{}}}", fields.iter().map(pair).collect::<Vec<_>>().join(", "));
    }
    if matches!(json.trim(), "null" | "true" | "false") { spelled(json) } else { json.trim().to_owned() }
}

/// Whether Python's `bool` of the value is false.
pub fn is_falsy(json: &str) -> bool {
    matches!(json.trim(), "null" | "false" | "0" | "\"\"") || {
        let is_empty_list = elements(json).is_some_and(|items| items.is_empty());
        is_empty_list || members(json).is_ok_and(|fields| fields.is_empty())
    }
}

/// The elements of a list, each as Python's `str` writes it.
pub fn spelled_list(json: &str) -> Option<Vec<String>> {
    Some(elements(json)?.into_iter().map(spelled).collect())
}

/// A boolean as pydantic reads it: also from the words and numbers that mean one.
pub fn truth(json: &str) -> Option<bool> {
    if let Some(truth) = bool::from_json(json) {
        return Some(truth);
    }
    let word = String::from_json(json).unwrap_or_else(|| json.trim().to_owned()).to_lowercase();
    match word.as_str() {
        "1" | "on" | "t" | "true" | "y" | "yes" => Some(true),
        "0" | "off" | "f" | "false" | "n" | "no" => Some(false),
        _ => None,
    }
}

/// A whole number as pydantic reads it: also from a text, and from a number with zeros behind the point.
pub fn whole(json: &str) -> Option<i64> {
    let text = String::from_json(json).unwrap_or_else(|| json.trim().to_owned());
    let text = text.trim();
    let digits = match text.split_once('.') {
        Some((digits, zeros)) if zeros.bytes().all(|byte| byte == b'0') => digits,
        Some(_) => return None,
        None => text,
    };
    digits.parse().ok().or(match json.trim() {
        "true" => Some(1),
        "false" => Some(0),
        _ => None,
    })
}

/// The name of a value's type in a sentence.
pub fn kind(json: &str) -> &'static str {
    match json.trim().as_bytes().first() {
        Some(b'"') => "a text",
        Some(b'[') => "a list",
        Some(b'{') => "an object",
        Some(b't' | b'f') => "true or false",
        Some(b'n') => "null",
        _ if is_json(json) => "a number",
        _ => "nothing",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_spelled_as_python_spells_it() {
        for (json, spelling) in [
            ("null", "None"),
            ("true", "True"),
            ("7", "7"),
            ("\"a\\nb\"", "a\nb"),
            ("[\"a\",1,null,[true]]", "['a', 1, None, [True]]"),
            ("{\"a\":\"it's\",\"b\":\"\\\"'\"}", "{'a': \"it's\", 'b': '\"\\''}"),
        ] {
            assert_eq!(spelled(json), spelling);
        }
    }

    #[test]
    fn truth_and_numbers_are_read_as_pydantic_reads_them() {
        let read = |json| (truth(json), whole(json));
        assert_eq!(read("\"yes\""), (Some(true), None));
        assert_eq!(read("\"60\""), (None, Some(60)));
        assert_eq!(
            (read("1"), read("60.0"), read("1.5")),
            ((Some(true), Some(1)), (None, Some(60)), (None, None))
        );
        assert_eq!(
            (read("null"), read("[]"), read("true")),
            ((None, None), (None, None), (Some(true), Some(1)))
        );
        assert!(["null", "\"\"", "[ ]", "{}", "0", "false"].into_iter().all(is_falsy));
        assert!(!["\"a\"", "[0]", "1", "true"].into_iter().any(is_falsy));
    }
}
