//! What a tool says, as long as a model is shown it.

/// The SDK's `DEFAULT_TEXT_CONTENT_LIMIT`, in code points.
const TOOL_TEXT_LIMIT: usize = 50_000;

/// What stands in the place of the middle. `event/clip.rs` says the same.
const CLIPPED: &str = "\n[The middle is left out here: the whole is too long to be read at once.]\n";

/// A tool's text, its middle replaced by a notice where it is too long. Lengths are code points, as in Python.
pub(super) fn clipped(text: &str) -> String {
    // No text has more code points than bytes.
    if text.len() <= TOOL_TEXT_LIMIT || text.chars().count() <= TOOL_TEXT_LIMIT {
        return text.to_owned();
    }
    let kept = TOOL_TEXT_LIMIT - CLIPPED.chars().count();
    let head = kept.div_ceil(2);
    let tail = kept - head;
    let head_end = text.char_indices().nth(head).map_or(text.len(), |(at, _)| at);
    let tail_start = text.char_indices().nth_back(tail - 1).map_or(0, |(at, _)| at);
    let (head, tail) = (text.get(..head_end), text.get(tail_start..));
    [head.unwrap_or_default(), CLIPPED, tail.unwrap_or_default()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_text_is_cut_to_the_limit_in_code_points() {
        assert_eq!(clipped(&"é".repeat(50_000)), "é".repeat(50_000));
        let cut = clipped(&format!("{}{}", "é".repeat(30_000), "x".repeat(30_000)));
        assert_eq!(cut.chars().count(), 50_000);
        assert!(cut.starts_with("éé") && cut.contains(CLIPPED) && cut.ends_with("xx"));
        assert_eq!(cut.chars().take_while(|c| *c == 'é').count(), 24_963);
    }
}
