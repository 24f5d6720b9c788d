//! The destination of a generated text: a file of its own, or a marked region of a file that is otherwise written by hand.

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::Mutex,
};

const HOW_TO_WRITE: &str = "THREADKEEP_WRITE=1 cargo test --locked --test generated";

/// Two tests may write regions of the same file.
static WRITING: Mutex<()> = Mutex::new(());

/// Checks, or writes, a TypeScript file that consists of this text and a comment that names its `source`.
pub fn typescript_file(path: &str, source: &str, text: &str) {
    let header = format!("// Generated from {source}. Change it there, then run `{HOW_TO_WRITE}`.\n");
    check(path, &(header + text));
}

/// Checks, or writes, the lines of a Markdown file between `<!-- generated: name -->` and `<!-- end -->`.
pub fn markdown_region(path: &str, name: &str, lines: &[String]) {
    let start = format!("<!-- generated: {name} -->\n");
    let _one_at_a_time = WRITING.lock().unwrap();
    let page = fs::read_to_string(absolute(path)).unwrap();
    let (before, rest) = page.split_once(&start).unwrap_or_else(|| panic!("{path} has no line {start}"));
    let (_, after) =
        rest.split_once("<!-- end -->\n").unwrap_or_else(|| panic!("{start} of {path} has no end"));
    check(path, &format!("{before}{start}\n{}\n\n<!-- end -->\n{after}", lines.join("\n")));
}

fn check(path: &str, expected: &str) {
    let file = absolute(path);
    let found = fs::read_to_string(&file).unwrap_or_default();
    if found == expected {
        return;
    }
    if env::var_os("THREADKEEP_WRITE").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        return fs::write(file, expected).unwrap();
    }
    let mut pairs = found.lines().zip(expected.lines());
    let different = pairs.find(|(found, expected)| found != expected);
    let (found, expected) = different.unwrap_or(("a different number of lines", ""));
    panic!("{path} is out of date: run `{HOW_TO_WRITE}`\n   found: {found}\nexpected: {expected}");
}

fn absolute(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A documentation comment of TypeScript. Links of rustdoc become plain code, and long lines are wrapped.
pub fn documentation(doc: &str, indent: &str) -> String {
    let mut lines = Vec::new();
    for paragraph in doc.trim().replace("[`", "`").replace("`]", "`").split("\n\n") {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && indent.len() + line.len() + word.len() > 115 {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line += word;
        }
        lines.extend([line, String::new()]);
    }
    lines.pop();
    match &lines[..] {
        [line] if line.is_empty() => String::new(),
        [line] => format!("{indent}/** {line} */\n"),
        lines => {
            let lines: Vec<String> =
                lines.iter().map(|line| format!("{indent} * {line}").trim_end().to_owned()).collect();
            format!("{indent}/**\n{}\n{indent} */\n", lines.join("\n"))
        }
    }
}

/// The files of Rust below a folder, with their texts.
pub fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![absolute(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push((path.clone(), fs::read_to_string(path).unwrap()));
            }
        }
    }
    found
}
