//! One page of HTML that needs nothing else, and in which nothing runs.

use super::{
    Call, Item, Kind, Readable, Speaker,
    text::{Block, address, blocks, is_hiding, number_of, picture, plain_lines},
};
use crate::llm::{beside::WebSource, message::Content};

/// The style of the page. Its policy names the style by its hash, so that no other can be in the page.
const STYLE: &str = include_str!("page.css");
/// SHA-256 of the style in base64, which a test compares.
const STYLE_HASH: &str = "oDV2sALshACLunXNQqFnN3prcbB/CB+gvTwEs59aJzs=";

/// The page.
pub fn html(readable: &Readable) -> String {
    let Readable { title, model, items } = readable;
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; \
         style-src 'sha256-{STYLE_HASH}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<header>\n<h1 dir=\"auto\">{shown}</h1>\n",
        title = plain(title),
        shown = escaped(title),
    );
    let about: Vec<String> =
        items.first().map(|item| plain(&item.time)).into_iter().chain(model.as_deref().map(plain)).collect();
    if !about.is_empty() {
        page.push_str(&format!("<p class=\"about\">{}</p>\n", about.join(" · ")));
    }
    page.push_str("</header>\n<main>\n");
    for item in items {
        add(&mut page, item);
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn add(page: &mut String, Item { event, time, kind }: &Item) {
    let id = plain(event);
    match kind {
        Kind::Message(speaker, name, content) => {
            let class = if *speaker == Speaker::Agent { "agent" } else { "user" };
            page.push_str(&format!(
                "<article class=\"{class}\" id=\"{id}\">\n<h2><bdi>{}</bdi> <time>{}</time></h2>\n",
                escaped(name),
                plain(time)
            ));
            add_content(page, content);
            page.push_str("</article>\n");
        }
        Kind::Aside(name, text) => {
            page.push_str(&format!("<details id=\"{id}\">\n<summary>{name}</summary>\n"));
            add_text(page, text);
            page.push_str("</details>\n");
        }
        Kind::Sources(sources) => add_sources(page, sources),
        Kind::Call(call) => add_call(page, &id, call),
        Kind::Note(text) => page.push_str(&format!("<p class=\"note\" id=\"{id}\">{}</p>\n", escaped(text))),
    }
}

/// Links that the reader follows, or not: nothing is loaded.
fn add_sources(page: &mut String, sources: &[WebSource]) {
    page.push_str("<ol class=\"sources\">\n");
    for WebSource { url, title } in sources {
        let title = title.as_deref().map(|title| format!("{}<br>", escaped(title))).unwrap_or_default();
        page.push_str(&format!(
            "<li dir=\"auto\">{title}<a href=\"{}\" rel=\"noopener noreferrer nofollow\">{}</a></li>\n",
            plain(url),
            escaped(url)
        ));
    }
    page.push_str("</ol>\n");
}

fn add_call(page: &mut String, id: &str, Call { tool, purpose, arguments, result }: &Call) {
    let failed = result.as_ref().filter(|(outcome, _)| *outcome != "Result");
    page.push_str(&format!("<details class=\"call\" id=\"{id}\">\n<summary><code>{}</code>", escaped(tool)));
    if let Some(purpose) = purpose {
        page.push_str(&format!(" <bdi>{}</bdi>", escaped(purpose)));
    }
    if let Some((outcome, _)) = failed {
        page.push_str(&format!(" <b class=\"failed\">{outcome}</b>"));
    }
    page.push_str("</summary>\n");
    for (name, value) in arguments {
        if !name.is_empty() {
            page.push_str(&format!("<h3><code>{}</code></h3>\n", escaped(name)));
        }
        add_code(page, &[value]);
    }
    match result {
        None => page.push_str("<p class=\"note\">No result.</p>\n"),
        Some((outcome, content)) => {
            page.push_str(&format!("<h3>{outcome}</h3>\n"));
            for part in content {
                match part {
                    Content::Text { text, .. } => add_code(page, &[text]),
                    Content::File(file) => add_code(page, &[&file.text]),
                    Content::Image { image_urls, .. } => add_images(page, image_urls),
                }
            }
        }
    }
    page.push_str("</details>\n");
}

fn add_content(page: &mut String, content: &[Content]) {
    for part in content {
        match part {
            Content::Text { text, .. } => add_text(page, text),
            Content::File(file) => add_text(page, &file.text),
            Content::Image { image_urls, .. } => add_images(page, image_urls),
        }
    }
}

/// Adds a text as it was written, with its blocks of code apart.
fn add_text(page: &mut String, text: &str) {
    for block in blocks(&plain_lines(text)) {
        match block {
            Block::Text(lines) => {
                let text = lines.join("\n");
                let text = text.trim_matches('\n');
                if !text.trim().is_empty() {
                    page.push_str(&format!("<div class=\"text\" dir=\"auto\">{}</div>\n", escaped(text)));
                }
            }
            Block::Code(_, lines) => add_code(page, &lines),
        }
    }
}

fn add_code<T: AsRef<str>>(page: &mut String, lines: &[T]) {
    page.push_str("<pre>");
    for (place, line) in lines.iter().enumerate() {
        // A line feed directly behind the tag would be dropped.
        page.push_str(if place == 0 { "" } else { "\n" });
        page.push_str(&escaped(&plain_lines(line.as_ref())));
    }
    page.push_str("</pre>\n");
}

fn add_images(page: &mut String, urls: &[String]) {
    for url in urls {
        match picture(url) {
            Some(url) => page.push_str(&format!("<p><img src=\"{url}\" alt=\"Image\"></p>\n")),
            // A page that loads something would tell others that it is read.
            None => page.push_str(&format!("<p class=\"note\">Image: {}</p>\n", escaped(address(url)))),
        }
    }
}

/// The text as HTML, with hiding characters by their numbers.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_hiding(letter) {
            html.push_str(&format!("<span class=\"hidden\">{}</span>", number_of(letter)));
        } else {
            push(&mut html, letter);
        }
    }
    html
}

/// The text for a place in which no elements can be: an attribute, or the title.
fn plain(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for letter in text.chars().filter(|letter| !is_hiding(*letter)) {
        push(&mut html, letter);
    }
    html
}

fn push(html: &mut String, letter: char) {
    match letter {
        '&' => html.push_str("&amp;"),
        '<' => html.push_str("&lt;"),
        '>' => html.push_str("&gt;"),
        '"' => html.push_str("&quot;"),
        '\'' => html.push_str("&#39;"),
        letter => html.push(letter),
    }
}
