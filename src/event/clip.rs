//! Texts that are too long for a model: the middle goes, a notice says so.
//!
//! Mirrors `utils/truncate.py`. Its words are part of the format: a model that has read a result before must read
//! the same again. All lengths are in characters.

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

const NOTICE: &str = "<response clipped><NOTE>Due to the max output limit, only part of the full \
                      response has been shown to you.</NOTE>";

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
        let mut out: String = text.chars().take(head).collect();
        out.push_str(&notice);
        out.extend(text.chars().skip(length.saturating_sub(tail)));
        out.chars().take(self.limit).collect()
    }

    fn notice(&self, text: &str, head: usize) -> String {
        let Some(directory) = self.directory else { return NOTICE.to_owned() };
        let file = file_name(directory, &format!("{}_output", self.tool), text, "txt");
        let lines = lines(text.chars().take(head));
        format!(
            "<response clipped><NOTE>Due to the max output limit, only part of the full response has been shown to \
             you. The complete output has been saved to {file} - you can use other tools to view the full content \
             (truncated part starts around line {}).</NOTE>",
            lines.saturating_add(1)
        )
    }
}

/// Where the SDK saves this content: a name made of its hash, in a directory spelled as Python spells it.
pub(super) fn file_name(directory: &str, prefix: &str, content: &str, extension: &str) -> String {
    let hash = Sha256::digest(content.as_bytes());
    let hash: String = hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let root = if directory.starts_with('/') { "/" } else { "" };
    let parts: Vec<&str> = directory.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let separator = if parts.is_empty() { "" } else { "/" };
    format!("{root}{}{separator}{prefix}_{hash}.{extension}", parts.join("/"))
}

/// How many lines Python's `splitlines` finds.
fn lines(text: impl Iterator<Item = char>) -> usize {
    let mut count = 0_usize;
    let mut last = '\n';
    for c in text {
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
