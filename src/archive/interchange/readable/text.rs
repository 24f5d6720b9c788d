//! Characters that hide something, blocks of code, and pictures, as both forms have to tell them apart.

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub enum Block<'a> {
    /// Lines outside of code.
    Text(Vec<&'a str>),
    /// The language and the lines of a fenced block.
    Code(String, Vec<&'a str>),
}

/// The text as blocks. Line breaks have to be line feeds only, see [`plain_lines`]. A block of code that nothing ends goes to
/// the end of the text.
pub fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut fence = None;
    for line in text.split('\n') {
        match (&fence, &mut blocks[..]) {
            (Some(open), _) if closes(line, open) => fence = None,
            (Some(_), [.., Block::Code(_, lines)]) => lines.push(line),
            (_, found) => {
                if let Some((mark, length, language)) = opening(line) {
                    fence = Some((mark, length));
                    blocks.push(Block::Code(language, Vec::new()));
                } else if let [.., Block::Text(lines)] = found {
                    lines.push(line);
                } else {
                    blocks.push(Block::Text(vec![line]));
                }
            }
        }
    }
    blocks
}

/// The mark, the length and the language of the fence that this line is.
fn opening(line: &str) -> Option<(char, usize, String)> {
    let mark = without_indent(line)?.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = without_indent(line)?.trim_start_matches(mark);
    let length = without_indent(line)?.len() - rest.len();
    if length < 3 || (mark == '`' && rest.contains('`')) {
        return None;
    }
    let is_of_name =
        |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '#' | '.' | '_');
    Some((mark, length, rest.trim().chars().take_while(is_of_name).collect()))
}

fn closes(line: &str, (mark, length): &(char, usize)) -> bool {
    without_indent(line).is_some_and(|line| {
        let line = line.trim_end_matches([' ', '\t']);
        line.len() >= *length && line.chars().all(|letter| letter == *mark)
    })
}

/// A line that is not indented so far that it would be code for that.
fn without_indent(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    (line.len() - text.len() < 4).then_some(text)
}

/// The text with line feeds as its only line breaks.
pub fn plain_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Whether a character has no look of its own and hides or reorders what is beside it: controls, and those that turn the
/// direction of a text. Joiners of letters and emoji, and marks of right-to-left languages, are not among them.
pub fn is_hiding(letter: char) -> bool {
    matches!(letter,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{200b}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// The number of a character: `U+202E`.
pub fn number_of(letter: char) -> String {
    format!("U+{:04X}", u32::from(letter))
}

/// The text of a data URL with a picture that a page can show without running anything; `None` for every other URL.
pub fn picture(url: &str) -> Option<&str> {
    let (kind, data) = url.strip_prefix("data:image/")?.split_once(";base64,")?;
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    (matches!(kind, "png" | "jpeg" | "jpg" | "gif" | "webp" | "avif") && data.bytes().all(is_base64))
        .then_some(url)
}

/// The address of a picture that is not shown, without the data of one that could not be.
pub fn address(url: &str) -> &str {
    match url.split_once(',') {
        Some((head, _)) if url.starts_with("data:") => head,
        _ => url,
    }
}
