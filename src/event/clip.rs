//! Texts that are too long for a model: the middle goes, a notice says so.
//!
//! Cuts where `utils/truncate.py` does for a notice of this length, and names the file that it names; the sentences
//! are our own. All lengths are in characters.

use sha2::{Digest, Sha256};

/// How a text is cut.
pub(super) struct Clip<'a> {
    /// The most characters that are left, with the notice.
    pub limit: usize,
    /// Where the SDK keeps the whole text.
    pub directory: Option<&'a str>,
    /// What the file's name begins with.
    pub tool: &'a str,
}

/// Also in `llm/tool_text.rs`, which cuts the results of all tools.
const NOTICE: &str = "\n[The middle is left out here: the whole is too long to be read at once.]\n";

impl Clip<'_> {
    /// The text as it is if it is short enough, else its head, the notice, and its tail.
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

/// Where a text's character of this number begins; at its end if it has fewer.
fn place(text: &str, characters: usize) -> usize {
    text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at)
}

/// So many of a text's characters.
fn start(text: &str, characters: usize) -> &str {
    text.get(..place(text, characters)).unwrap_or_default()
}

/// The text without so many of its characters.
fn end(text: &str, characters: usize) -> &str {
    text.get(place(text, characters)..).unwrap_or_default()
}

/// Where the SDK saves this content: a name made of its hash, in a directory spelled as Python spells it.
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

/// How many lines Python's `splitlines` finds.
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
