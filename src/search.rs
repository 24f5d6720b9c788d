//! Text in text. The standard library's own search takes no longer however the two are made, by three kilobytes of
//! code; what is searched here is short.

/// Where `part` begins for the first time.
pub fn find(text: &str, part: &str) -> Option<usize> {
    let end = text.len().checked_sub(part.len())?;
    (0..=end).find(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(part)))
}

/// Whether `part` is anywhere in `text`.
pub fn contains(text: &str, part: &str) -> bool {
    find(text, part).is_some()
}

/// Whether one of the parts, a line each, is anywhere in `text`.
pub fn contains_any(text: &str, parts: &str) -> bool {
    parts.split('\n').any(|part| !part.is_empty() && contains(text, part))
}

/// What follows the first `part`.
pub fn after<'a>(text: &'a str, part: &str) -> Option<&'a str> {
    text.get(find(text, part)?.saturating_add(part.len())..)
}

/// The text with `other` wherever it has `part`, which is not empty.
pub fn replaced(text: &str, part: &str, other: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = find(rest, part) {
        out.push_str(rest.get(..at).unwrap_or_default());
        out.push_str(other);
        rest = rest.get(at.saturating_add(part.len())..).unwrap_or_default();
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_several_are_replaced() {
        assert_eq!(replaced("aXXbXXX", "XX", "é"), "aébéX");
        assert_eq!((replaced("ab", "x", "y"), replaced("xx", "x", "xx")), ("ab".into(), "xxxx".into()));
    }

    #[test]
    fn one_of_several_is_enough_and_none_is_none() {
        assert!(contains_any("abc", "x\nbc\n"));
        assert_eq!(
            (contains_any("abc", "x\ny"), contains_any("abc", ""), contains_any("", "a")),
            (false, false, false)
        );
    }

    #[test]
    fn the_first_of_several_is_found() {
        assert_eq!((find("abcabc", "bc"), find("abc", "abc"), find("éa", "a")), (Some(1), Some(0), Some(2)));
        assert_eq!((find("ab", "abc"), find("abc", "x"), find("é", "\u{a9}")), (None, None, None));
        assert_eq!((find("", ""), after("a://b://c", "://")), (Some(0), Some("b://c")));
    }
}
