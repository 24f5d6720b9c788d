//! Markdown, in which the texts of a conversation keep their Markdown but no HTML, no pictures from elsewhere, and no links
//! that run something.

use super::{
    Call, INSTRUCTIONS, Item, Kind, Readable,
    text::{Block, address, blocks, is_hiding, number_of, picture, plain_lines},
};
use crate::llm::{beside::WebSource, message::Content};

/// The text of the file.
pub fn markdown(readable: &Readable) -> String {
    let Readable { title, model, items } = readable;
    let mut file = format!("# {}\n", inline(title));
    let about: Vec<String> = items
        .first()
        .map(|item| inline(&item.time))
        .into_iter()
        .chain(model.as_deref().map(inline))
        .collect();
    if !about.is_empty() {
        file.push_str(&format!("\n{}\n", about.join(" · ")));
    }
    // The system prompt is long, and cannot be folded here.
    let is_read = |item: &&Item| !matches!(item.kind, Kind::Aside(INSTRUCTIONS, _));
    for Item { time, kind, .. } in items.iter().filter(is_read) {
        file.push('\n');
        match kind {
            Kind::Message(_, name, content) => {
                file.push_str(&format!("## {} · {}\n\n", inline(name), inline(time)));
                for (place, part) in content.iter().enumerate() {
                    file.push_str(if place == 0 { "" } else { "\n" });
                    match part {
                        Content::Text { text, .. } => file.push_str(&safe(text)),
                        Content::File(named) => file.push_str(&safe(&named.text)),
                        Content::Image { image_urls, .. } => add_images(&mut file, image_urls),
                    }
                }
            }
            Kind::Aside(name, text) => {
                file.push_str(&format!("> **{name}**\n>\n"));
                for line in safe(text).trim_end().split('\n') {
                    file.push_str(&format!("> {line}\n"));
                }
            }
            Kind::Sources(sources) => add_sources(&mut file, sources),
            Kind::Call(call) => add_call(&mut file, call),
            Kind::Note(text) => file.push_str(&format!("*{}*\n", inline(text))),
        }
    }
    file
}

fn add_sources(file: &mut String, sources: &[WebSource]) {
    file.push_str("Sources:\n\n");
    for (place, WebSource { url, title }) in sources.iter().enumerate() {
        let title = title.as_deref().map(|title| format!("{}: ", inline(title))).unwrap_or_default();
        // In angle brackets an address ends nowhere else.
        match url.contains(['<', '>', '\\']) || url.chars().any(is_hiding) {
            true => file.push_str(&format!("{}. {title}{}\n", place + 1, inline(url))),
            false => file.push_str(&format!("{}. {title}<{url}>\n", place + 1)),
        }
    }
}

fn add_call(file: &mut String, Call { tool, purpose, arguments, result }: &Call) {
    file.push_str(&format!("**{}**", inline(tool)));
    if let Some(purpose) = purpose {
        file.push_str(&format!(" · {}", inline(purpose)));
    }
    file.push('\n');
    let mut texts = Vec::new();
    for (name, value) in arguments {
        match value.contains('\n') {
            _ if name.is_empty() => texts.push(value.clone()),
            true => texts.push(format!("{name}:\n{value}")),
            false => texts.push(format!("{name}: {value}")),
        }
    }
    if !texts.is_empty() {
        add_code(file, &texts.join("\n"));
    }
    let Some((outcome, content)) = result else { return file.push_str("\n*No result.*\n") };
    file.push_str(&format!("\n{outcome}:\n"));
    for part in content {
        match part {
            Content::Text { text, .. } => add_code(file, text),
            Content::File(named) => add_code(file, &named.text),
            Content::Image { image_urls, .. } => {
                file.push('\n');
                add_images(file, image_urls);
            }
        }
    }
}

/// Adds a text between fences that are longer than any in it.
fn add_code(file: &mut String, text: &str) {
    let text = visible(&plain_lines(text));
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    file.push_str(&format!("\n{fence}\n{}\n{fence}\n", text.trim_end_matches('\n')));
}

fn add_images(file: &mut String, urls: &[String]) {
    for url in urls {
        match picture(url) {
            Some(url) => file.push_str(&format!("![Image]({url})\n")),
            None => file.push_str(&format!("*Image: {}*\n", inline(address(url)))),
        }
    }
}

/// The text with hiding characters by their numbers.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_hiding(letter) {
            true => shown.push_str(&format!("⟨{}⟩", number_of(letter))),
            false => shown.push(letter),
        }
    }
    shown
}

/// A text within a line, in which nothing is a sign of Markdown.
fn inline(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let words: Vec<&str> = text.split_whitespace().collect();
    for letter in visible(&words.join(" ")).chars() {
        if matches!(
            letter,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '!' | '&' | '~' | '$'
        ) {
            line.push('\\');
        }
        line.push(letter);
    }
    line
}

/// The Markdown of a message without what a reader's program could act on. Its blocks of code get fences at the beginning of
/// their lines, so that every program sees the same blocks, and the last one is closed.
fn safe(text: &str) -> String {
    let text = visible(&plain_lines(text));
    let mut out = String::with_capacity(text.len());
    for block in blocks(&text) {
        match block {
            Block::Code(language, lines) => {
                let longest =
                    lines.iter().flat_map(|line| line.split(|letter| letter != '`')).map(str::len).max();
                let fence = "`".repeat(longest.unwrap_or_default().max(2) + 1);
                out.push_str(&format!("{fence}{language}\n"));
                for line in lines {
                    out.push_str(line);
                    out.push('\n');
                }
                out.push_str(&fence);
                out.push('\n');
            }
            Block::Text(lines) => {
                // Code within a line is left as it is, as long as it is certain where the line's programs see it begin.
                let mut is_certain = true;
                for line in lines {
                    is_certain =
                        line.trim_matches([' ', '\t']).is_empty() || (is_certain && has_closed_code(line));
                    add_line(&mut out, line, is_certain);
                    out.push('\n');
                }
            }
        }
    }
    out
}

/// The length of the run of backticks at the beginning.
fn ticks(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

/// The text behind code within a line whose opening run has this length; `None` if nothing closes it.
fn after_code(text: &str, length: usize) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.get(rest.find('`')?..)?;
        let run = ticks(rest);
        rest = rest.get(run..)?;
        if run == length {
            return Some(rest);
        }
    }
}

/// Whether each code that begins in this line ends in it. In a table it ends with its cell.
fn has_closed_code(line: &str) -> bool {
    let mut rest = line;
    while let Some(place) = rest.find(['`', '\\']) {
        let from = rest.get(place..).unwrap_or_default();
        rest = match from.strip_prefix('\\') {
            Some(after) => without_escaped(after),
            None => match after_code(from.get(ticks(from)..).unwrap_or_default(), ticks(from)) {
                Some(after) => after,
                None => return false,
            },
        };
    }
    !line.contains('|') || !line.contains('`')
}

/// The text without a sign at its beginning, which the backslash before it has made a letter.
fn without_escaped(text: &str) -> &str {
    text.strip_prefix(|letter: char| letter.is_ascii_punctuation()).unwrap_or(text)
}

/// Adds a line outside of blocks of code. What could be an element, a picture from elsewhere or a link that runs something is
/// spelled with character references, which are never signs of Markdown.
fn add_line(out: &mut String, line: &str, is_certain: bool) {
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        let after = rest.get(letter.len_utf8()..).unwrap_or_default();
        let next = after.chars().next();
        let mut kept = after;
        match letter {
            '`' if is_certain => {
                kept =
                    after_code(rest.get(ticks(rest)..).unwrap_or_default(), ticks(rest)).unwrap_or_default();
                out.push_str(rest.strip_suffix(kept).unwrap_or(rest));
            }
            '\\' if is_certain => {
                kept = without_escaped(after);
                out.push_str(rest.strip_suffix(kept).unwrap_or(rest));
            }
            '<' if next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')) => {
                out.push_str("&lt;");
            }
            '!' if next == Some('[') => out.push_str("&#33;"),
            ']' if next == Some('(') && !is_harmless(after.get(1..)) => {
                out.push_str("]&#40;");
                kept = after.get(1..).unwrap_or_default();
            }
            ']' if next == Some(':') && !is_harmless(after.get(1..)) => {
                out.push_str("]&#58;");
                kept = after.get(1..).unwrap_or_default();
            }
            letter => out.push(letter),
        }
        rest = kept;
    }
}

/// Whether the address at the beginning of this text is of the web, or within the file.
fn is_harmless(text: Option<&str>) -> bool {
    let address = text.unwrap_or_default().trim_start_matches([' ', '\t']);
    let end = address.find([' ', '\t', ')']).unwrap_or(address.len());
    let address = address.get(..end).unwrap_or_default().to_ascii_lowercase();
    let is_of_web = ["https://", "http://", "mailto:", "#"].iter().any(|start| address.starts_with(start));
    is_of_web || (!address.is_empty() && !address.contains([':', '&', '\\', '<', '%']))
}
