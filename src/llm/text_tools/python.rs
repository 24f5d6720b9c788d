//! Values as Python's `str` writes them, the form in which they occur in the text.

use crate::json::{FromJson as _, ToJson as _, float, python_dumps};

/// `str(json.loads(json))` for texts, numbers, `null`, `true` and `false`; `json.dumps` for lists and objects.
pub(super) fn str_of(json: &str) -> String {
    let json = json.trim();
    match json {
        "true" => return "True".into(),
        "false" => return "False".into(),
        "null" => return "None".into(),
        _ => {}
    }
    if let Some(text) = String::from_json(json) {
        return text;
    }
    match float(json).filter(|_| json.contains(['.', 'e', 'E'])) {
        Some(number) if number.is_infinite() => if number > 0.0 { "inf" } else { "-inf" }.into(),
        Some(number) => float_str(&number.to_json_text()),
        None => python_dumps(json),
    }
}

/// `repr` of a float, from the text of the SDK's serializer: exponents have two digits, and -5 is written as one.
fn float_str(spelled: &str) -> String {
    if let Some((mantissa, exponent)) = spelled.split_once('e') {
        let (sign, digits) = exponent.split_at(exponent.len().min(1));
        return format!("{mantissa}e{sign}{digits:0>2}");
    }
    let (sign, plain) = spelled.strip_prefix('-').map_or(("", spelled), |plain| ("-", plain));
    let digits = plain.strip_prefix("0.0000").unwrap_or_default();
    let mut rest = digits.chars();
    match rest.next() {
        None => spelled.into(),
        Some(first) if rest.as_str().is_empty() => format!("{sign}{first}e-05"),
        Some(first) => format!("{sign}{first}.{}e-05", rest.as_str()),
    }
}

/// `str(int(text))`, or `None` where that raises: a sign, and digits with single underscores between them.
pub(super) fn int(text: &str) -> Option<String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let is_number = digits.split('_').all(|run| !run.is_empty() && run.bytes().all(|b| b.is_ascii_digit()));
    let plain = digits.replace('_', "");
    let plain = plain.trim_start_matches('0');
    is_number.then(|| if plain.is_empty() { "0".into() } else { format!("{sign}{plain}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_by_python() {
        for (json, spelled) in [
            ("\"a\\n\\u00e9\"", "a\né"),
            ("true", "True"),
            ("null", "None"),
            ("-12", "-12"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("1.50", "1.5"),
            ("1e3", "1000.0"),
            ("-0.0", "-0.0"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
            ("-0.0000123", "-1.23e-05"),
            ("1e-7", "1e-07"),
            ("1e16", "1e+16"),
            ("1e999", "inf"),
            ("[1,\"é\",{\"a\":null}]", "[1, \"\\u00e9\", {\"a\": null}]"),
        ] {
            assert_eq!(str_of(json), spelled, "{json}");
        }
    }

    #[test]
    fn integers_are_read_as_in_python() {
        let read = |text| int(text).unwrap();
        assert_eq!((read("+0_12"), read("-0"), read("-007")), ("12".into(), "0".into(), "-7".into()));
        for other in ["", "+", "--1", "1__2", "_1", "1_", "1.0", "1e3", "0x1", "one"] {
            assert_eq!(int(other), None, "{other}");
        }
    }
}
