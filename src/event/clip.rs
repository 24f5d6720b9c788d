//! Shortens texts that are too long for a model: the middle is replaced by a notice.
//!
//! Cuts at the same places as `utils/truncate.py` would for a notice of this length, and names the same file; the
//! wording is our own. All lengths are in characters.

use sha2::{Digest, Sha256};

/// The parameters for shortening a text.
pub(super) struct Clip<'a> {
    /// The maximum length of the result, including the notice.
    pub limit: usize,
    /// The directory in which the SDK saves the complete text.
    pub directory: Option<&'a str>,
    /// The prefix of the file's name.
    pub tool: &'a str,
}

/// Also in `llm/tool_text.rs`, which cuts the results of all tools.
const NOTICE: &str = "\n[The middle is left out here: the whole is too long to be read at once.]\n";

impl Clip<'_> {
    /// The text itself if it is short enough, otherwise its start, the notice, and its end.
    pub(super) fn clipped(&self, text: String) -> String {
        let length = text.chars().count();
        if length <= self.limit {
            return text;
        }
        let head = self.limit.saturating_sub(NOTICE.chars().count()).div_ceil(2);
        let notice = self.notice(&text, head);
        let remaining = self.limit.saturating_sub(notice.chars().count());
        let head = head.min(remaining);
        let tail = remaining.saturating_sub(head);
        let clipped = format!("{}{notice}{}", start(&text, head), end(&text, length.saturating_sub(tail)));
        start(&clipped, self.limit).to_owned()
    }

    fn notice(&self, text: &str, head: usize) -> String {
        let Some(directory) = self.directory else { return NOTICE.to_owned() };
        let file = file_name(directory, &format!("{}_output", self.tool), text, "txt");
        let lines = lines(start(text, head));
        format!(
            "\n[The middle, from about line {} on, is left out here: the whole is too long to be read at once. \
             It is in the file {file}.]\n",
            lines.saturating_add(1)
        )
    }
}

/// The byte offset of the character with this index; the length of the text if it has fewer.
fn place(text: &str, characters: usize) -> usize {
    text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at)
}

/// The first characters of a text.
fn start(text: &str, characters: usize) -> &str {
    text.get(..place(text, characters)).unwrap_or_default()
}

/// The text without its first characters.
fn end(text: &str, characters: usize) -> &str {
    text.get(place(text, characters)..).unwrap_or_default()
}

/// The path at which the SDK saves this content: the name contains its hash, the directory is normalized as by Python.
pub(super) fn file_name(directory: &str, prefix: &str, content: &str, extension: &str) -> String {
    let hash = Sha256::digest(content.as_bytes());
    let mut file = String::from(if directory.starts_with('/') { "/" } else { "" });
    for part in directory.split('/') {
        if !matches!(part, "" | ".") {
            file.push_str(part);
            file.push('/');
        }
    }
    file.push_str(prefix);
    file.push('_');
    for byte in hash.iter().take(4) {
        file.push_str(&format!("{byte:02x}"));
    }
    file.push('.');
    file + extension
}

/// The number of lines that Python's `splitlines` returns.
fn lines(text: &str) -> usize {
    let mut count = 0_usize;
    let mut last = '\n';
    for c in text.chars() {
        let is_start = is_line_end(last) && !(last == '\r' && c == '\n');
        count = count.saturating_add(usize::from(is_start));
        last = c;
    }
    count
}

fn is_line_end(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}' | '\u{1d}' | '\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}
