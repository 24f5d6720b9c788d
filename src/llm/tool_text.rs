//! Clips long texts of tools for requests.

/// The SDK's `DEFAULT_TEXT_CONTENT_LIMIT`, in code points.
const TOOL_TEXT_LIMIT: usize = 50_000;

/// The replacement for the middle. `event/clip.rs` has the same text.
const CLIPPED: &str = "\n[The middle is left out here: the whole is too long to be read at once.]\n";

/// The text of a tool, its middle replaced by a notice if it is too long. Lengths are in code points, as in Python.
pub(super) fn clipped(text: &str) -> String {
    // A text has at most as many code points as bytes.
    if text.len() <= TOOL_TEXT_LIMIT || text.chars().count() <= TOOL_TEXT_LIMIT {
        return text.to_owned();
    }
    let remaining = TOOL_TEXT_LIMIT - CLIPPED.chars().count();
    let head = remaining.div_ceil(2);
    let tail = remaining - head;
    let head_end = text.char_indices().nth(head).map_or(text.len(), |(at, _)| at);
    let tail_start = text.char_indices().nth_back(tail - 1).map_or(0, |(at, _)| at);
    [text.split_at(head_end).0, CLIPPED, text.split_at(tail_start).1].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_clipped_to_the_limit_in_code_points() {
        assert_eq!(clipped(&"é".repeat(50_000)), "é".repeat(50_000));
        let cut = clipped(&format!("{}{}", "é".repeat(30_000), "x".repeat(30_000)));
        assert_eq!(cut.chars().count(), 50_000);
        assert!(cut.starts_with("éé") && cut.contains(CLIPPED) && cut.ends_with("xx"));
        assert_eq!(cut.chars().take_while(|c| *c == 'é').count(), 24_963);
    }
}
