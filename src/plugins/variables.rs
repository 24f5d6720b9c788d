//! `${VAR}` and `${VAR:-default}` in configurations (`skills/utils.py`, `expand_variable_references`).
//!
//! A value that is filled in is not searched again, so what it contains cannot name another variable.

use crate::json::{FromJson as _, ListWriter, ObjectWriter, elements, members, quoted};

/// The value of a variable.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The JSON with the values of variables in its texts and names. A variable without a value gets its default, if defaults count, and
/// otherwise stays as it is written.
pub fn expanded(json: &str, with_defaults: bool, value: Lookup<'_>) -> String {
    if let Some(text) = String::from_json(json) {
        return if text.contains("${") {
            quoted(&filled(&text, with_defaults, value))
        } else {
            json.trim().to_owned()
        };
    }
    if let Some(items) = elements(json) {
        let mut out = ListWriter::new();
        out.items(items.into_iter().map(|item| expanded(item, with_defaults, value)));
        return out.finish();
    }
    if let Ok(fields) = members(json) {
        let mut out = ObjectWriter::new();
        for (name, field) in fields {
            out.raw(&filled(&name, with_defaults, value), &expanded(field, with_defaults, value));
        }
        return out.finish();
    }
    json.trim().to_owned()
}

fn filled(text: &str, with_defaults: bool, value: Lookup<'_>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${") {
        out.push_str(before);
        let Some((name, default, after)) = reference(behind) else {
            out.push_str("${");
            rest = behind;
            continue;
        };
        match value(name).or_else(|| default.filter(|_| with_defaults).map(str::to_owned)) {
            Some(value) => out.push_str(&value),
            None => {
                out.push_str("${");
                out.push_str(behind.strip_suffix(after).unwrap_or_default());
            }
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The name, the default and the text behind a reference whose `${` is read.
fn reference(text: &str) -> Option<(&str, Option<&str>, &str)> {
    let (inside, after) = text.split_once('}')?;
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    let is_name = name.bytes().enumerate().all(|(place, byte)| {
        byte == b'_' || byte.is_ascii_alphabetic() || place > 0 && byte.is_ascii_digit()
    });
    (is_name && !name.is_empty()).then_some((name, default, after))
}

/// The names of all variables in the texts of this JSON, each once, in order.
pub fn names(json: &str) -> Vec<String> {
    let found = std::cell::RefCell::new(std::collections::BTreeSet::new());
    expanded(json, false, &|name| {
        found.borrow_mut().insert(name.to_owned());
        None
    });
    found.into_inner().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found_as_the_sdk_finds_them() {
        let value = |name: &str| (name == "A").then(|| "1${B}\"".to_owned());
        for (given, with, without) in [
            (r#""x${A}y""#, r#""x1${B}\"y""#, r#""x1${B}\"y""#),
            (r#""${B:-d}${B}${B:-}""#, r#""d${B}""#, r#""${B:-d}${B}${B:-}""#),
            (r#""${1A}${}${A""#, r#""${1A}${}${A""#, r#""${1A}${}${A""#),
            (r#""$A ${A:-}${${A}""#, r#""$A 1${B}\"${1${B}\"""#, r#""$A 1${B}\"${1${B}\"""#),
            (
                r#"{"${A}":[1, "${A}", null], "b":{"c":true}}"#,
                r#"{"1${B}\"":[1,"1${B}\"",null],"b":{"c":true}}"#,
                r#"{"1${B}\"":[1,"1${B}\"",null],"b":{"c":true}}"#,
            ),
            (" 1.50 ", "1.50", "1.50"),
        ] {
            assert_eq!(expanded(given, true, &value), with, "{given}");
            assert_eq!(expanded(given, false, &value), without, "{given}");
        }
        assert_eq!(names(r#"{"a":["${X}","${A:-${Y}"],"${K}":1}"#), ["A", "K", "X"]);
    }
}
