//! The rules of the house that a compiler does not know: which room may look into which, how long a file may be,
//! and what no file may hold.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test that cannot read its own sources has failed")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Each room and the rooms that it may use. `ARCHITECTURE.md` draws this.
const ROOMS: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("json", &[]),
    ("names", &[]),
    ("oneshot", &[]),
    ("order", &[]),
    ("search", &[]),
    ("together", &[]),
    ("turn", &["oneshot"]),
    ("cancel", &["oneshot"]),
    ("host", &[]),
    ("id", &["error"]),
    ("store", &["error", "id", "names", "order"]),
    ("llm", &["error", "host", "json", "names", "order", "search"]),
    ("secret", &["json", "order"]),
    ("event", &["error", "id", "json", "llm", "search"]),
    ("context", &["event", "id", "llm", "names"]),
    ("security", &["event", "json"]),
    ("hooks", &["event", "json"]),
    ("tool", &["cancel", "error", "event", "id", "json", "llm"]),
    ("agent", &["cancel", "event", "id", "json", "llm", "names", "secret", "tool"]),
    (
        "conversation",
        &[
            "agent", "cancel", "context", "error", "event", "hooks", "host", "id", "json", "llm", "names",
            "oneshot", "search", "secret", "security", "store", "together", "tool", "turn",
        ],
    ),
    (
        "archive",
        &["context", "error", "event", "host", "id", "json", "llm", "names", "order", "search", "store"],
    ),
    ("web", &["error", "host", "id", "llm", "oneshot", "order", "search", "store", "turn"]),
    (
        "bindings",
        &[
            "agent",
            "archive",
            "cancel",
            "conversation",
            "error",
            "event",
            "hooks",
            "host",
            "id",
            "json",
            "llm",
            "order",
            "security",
            "store",
            "tool",
            "web",
        ],
    ),
];

/// Split a file long before it is this long.
const LONGEST_FILE: usize = 600;

fn sources(folder: &str, ending: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !matches!(name.as_str(), "node_modules" | "dist" | "fixtures") {
                folders.push(path);
            } else if name.ends_with(ending) {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no {ending} in {folder}");
    found
}

fn room_of(path: &Path) -> String {
    let inner = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    inner.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_owned()
}

/// The rooms that a file names behind `crate::`, in its own code and not in its tests.
fn uses(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let name =
        |rest: &str| -> String { rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let Some(list) = rest.strip_prefix('{') else {
            found.insert(name(rest));
            continue;
        };
        let mut depth = 1;
        let mut is_start = true;
        for (place, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => is_start = true,
                c if is_start && depth == 1 && (c.is_alphabetic() || c == '_') => {
                    found.insert(name(&list[place..]));
                    is_start = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    found
}

#[test]
fn every_room_looks_only_into_the_rooms_below_it() {
    for (path, text) in sources("src", ".rs") {
        let room = room_of(&path);
        if room == "lib" {
            continue;
        }
        let allowed = ROOMS.iter().find(|(name, _)| *name == room);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("{} is in no known room", path.display()));
        for other in uses(&text) {
            assert!(
                other == room || allowed.contains(&other.as_str()),
                "{} uses crate::{other}, which room {room} may not",
                path.display()
            );
        }
    }
}

#[test]
fn of_the_models_an_event_knows_only_messages() {
    for (path, text) in sources("src/event", ".rs") {
        for line in
            text.lines().filter(|line| line.contains("crate::llm") || line.trim().starts_with("llm::"))
        {
            assert!(line.contains("llm::message"), "{}: {line}", path.display());
        }
    }
}

#[test]
fn browser_types_stay_in_web_and_bindings() {
    for (path, text) in sources("src", ".rs") {
        // A number's spelling is the one thing that the core asks JavaScript for.
        if matches!(room_of(&path).as_str(), "web" | "bindings") || path.ends_with("json/float.rs") {
            continue;
        }
        for browser in ["wasm_bindgen", "js_sys", "web_sys", "gloo_net", "idb::", "serde_wasm_bindgen"] {
            assert!(!text.contains(browser), "{} uses {browser}", path.display());
        }
    }
}

#[test]
fn every_file_says_what_it_is_for_and_can_be_read_in_one_sitting() {
    for (path, text) in sources("src", ".rs").into_iter().chain(sources("tests", ".rs")) {
        assert!(text.starts_with("//! "), "{} does not begin with what it is for", path.display());
    }
    let all = ["src", "tests"].map(|folder| sources(folder, ".rs"));
    let scripts = ["js", "www"].map(|folder| sources(folder, ".ts"));
    let modules = ["scripts", "tests"].map(|folder| sources(folder, ".mjs"));
    for (path, text) in all.into_iter().chain(scripts).chain(modules).flatten() {
        let length = text.lines().count();
        assert!(length <= LONGEST_FILE, "{} has {length} lines", path.display());
    }
}

/// Whether a file is only compiled for tests.
fn is_test(path: &Path) -> bool {
    let stem = path.file_stem().unwrap().to_string_lossy();
    let parent = fs::read_to_string(path.with_file_name("mod.rs")).unwrap_or_default();
    parent.contains(&format!("#[cfg(test)]\nmod {stem};"))
        || path.iter().any(|part| part == "tests" || part.to_string_lossy().starts_with("conformance"))
}

#[test]
fn nothing_unfinished_is_left_and_no_code_can_trap_on_purpose() {
    let unfinished = ["todo!(", "unimplemented!(", "dbg!(", "FIXME", "TODO", "XXX"];
    let traps = [".unwrap()", ".expect(", "panic!(", "unreachable!(", "#[ignore", "should_panic"];
    for (path, text) in sources("src", ".rs") {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for found in unfinished.iter().chain(if is_test(&path) { [].iter() } else { traps.iter() }) {
            for (at, line) in code.lines().enumerate() {
                let is_comment = line.trim_start().starts_with("//");
                assert!(is_comment || !line.contains(found), "{}:{}: {line}", path.display(), at + 1);
            }
        }
    }
}

/// What brings several kilobytes of the standard library along, and what there is instead.
#[test]
fn nothing_is_used_that_a_page_downloads_dearly() {
    let dear = [
        (":?}", "error::shown"),
        ("HashMap", "names::Names"),
        ("HashSet", "names::Names"),
        (".sort", "order::by_key"),
    ];
    for (path, text) in sources("src", ".rs") {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        if is_test(&path) || path.ends_with("names.rs") || path.ends_with("simulated.rs") {
            continue;
        }
        for (found, instead) in dear {
            let is_used = |line: &&str| line.contains(found) && !line.trim_start().starts_with("//");
            let line = code.lines().find(is_used);
            assert_eq!(line, None, "{}: use {instead}", path.display());
        }
        let line = code.lines().find(|line| searches_for_a_text(line));
        // What only models without tools of their own need is in a chunk.
        let line = line.filter(|_| !path.iter().any(|folder| folder == "text_tools"));
        assert_eq!(line, None, "{}: use the functions of search.rs", path.display());
    }
}

/// Whether a method of the standard library looks for a text, given as it is or by the name of a constant.
fn searches_for_a_text(line: &str) -> bool {
    ["contains", "find", "rfind", "split", "split_once", "rsplit_once", "replace", "matches"].iter().any(
        |method| {
            let call = format!(".{method}(");
            line.split(&call).skip(1).any(|text| {
                let name = text.split(')').next().unwrap_or_default();
                text.starts_with('"')
                    || name.len() > 1 && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
            })
        },
    )
}
