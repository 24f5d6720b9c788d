//! The rules of the code base that the compiler does not check: the allowed dependencies between modules, the length of
//! files, and texts that no file may contain.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test that cannot read its own sources has failed")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Each top-level module and the modules that it may use. `ARCHITECTURE.md` contains a drawing.
const MODULES: &[(&str, &[&str])] = &[
    ("bytes", &[]),
    ("error", &[]),
    ("json", &["bytes"]),
    ("fair_mutex", &[]),
    ("cancel", &[]),
    ("host", &[]),
    ("wasm_file", &["error"]),
    ("id", &["error"]),
    ("format", &["error", "id", "json"]),
    ("store", &["error", "id"]),
    ("llm", &["bytes", "error", "format", "host", "json", "wasm_file"]),
    ("secret", &["json"]),
    ("event", &["error", "format", "id", "json", "llm"]),
    ("context", &["event", "format", "host", "id", "json", "llm"]),
    ("security", &["event", "json"]),
    ("hooks", &["event", "json"]),
    ("tool", &["cancel", "error", "event", "id", "json", "llm"]),
    ("skills", &["error", "event", "format", "json", "llm", "tool", "wasm_file"]),
    ("plugins", &["error", "json"]),
    ("agent", &["cancel", "event", "id", "json", "llm", "secret", "skills", "tool"]),
    (
        "machine",
        &[
            "agent", "cancel", "error", "event", "format", "id", "json", "llm", "security", "skills",
            "store", "tool",
        ],
    ),
    (
        "log",
        &[
            "agent",
            "context",
            "error",
            "event",
            "fair_mutex",
            "format",
            "host",
            "id",
            "machine",
            "secret",
            "skills",
            "store",
            "tool",
        ],
    ),
    (
        "handle",
        &[
            "agent",
            "cancel",
            "error",
            "event",
            "fair_mutex",
            "format",
            "hooks",
            "id",
            "json",
            "llm",
            "log",
            "machine",
            "secret",
            "security",
            "store",
            "tool",
            "wasm_file",
        ],
    ),
    (
        "features",
        &[
            "agent",
            "cancel",
            "context",
            "error",
            "event",
            "fair_mutex",
            "format",
            "handle",
            "hooks",
            "host",
            "id",
            "json",
            "llm",
            "log",
            "machine",
            "security",
            "store",
            "tool",
            "wasm_file",
        ],
    ),
    (
        "run",
        &[
            "agent",
            "cancel",
            "context",
            "error",
            "event",
            "fair_mutex",
            "format",
            "handle",
            "id",
            "llm",
            "log",
            "machine",
            "store",
            "tool",
        ],
    ),
    (
        "conversation",
        &[
            "agent",
            "context",
            "error",
            "event",
            "fair_mutex",
            "features",
            "format",
            "handle",
            "hooks",
            "host",
            "id",
            "json",
            "llm",
            "log",
            "machine",
            "run",
            "security",
            "skills",
            "store",
            "tool",
            "wasm_file",
        ],
    ),
    ("archive", &["context", "error", "event", "format", "host", "id", "json", "llm", "security", "store"]),
    (
        "server",
        &[
            "archive",
            "context",
            "error",
            "event",
            "fair_mutex",
            "format",
            "host",
            "id",
            "json",
            "llm",
            "store",
        ],
    ),
    ("web", &["error", "host", "id", "llm", "store", "fair_mutex"]),
    (
        "bindings",
        &[
            "agent",
            "archive",
            "cancel",
            "conversation",
            "error",
            "event",
            "format",
            "hooks",
            "host",
            "id",
            "json",
            "llm",
            "plugins",
            "security",
            "server",
            "skills",
            "store",
            "tool",
            "wasm_file",
            "web",
        ],
    ),
];

/// The modules that an open conversation consists of, the lowest first.
const ROOMS: &[&str] = &["machine", "log", "handle", "features", "run", "conversation"];

/// The maximum number of lines of a file. Files should be split long before they reach it.
const LONGEST_FILE: usize = 600;

fn sources(folder: &str, ending: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !matches!(name.as_str(), "node_modules" | "dist" | "fixtures" | "target") {
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

/// JSON of the host may hold halves of characters; `bindings/given.rs` replaces them.
#[test]
fn json_of_the_host_is_read_in_one_place() {
    let elsewhere = ["well_formed(", "::compact(", "RawJson::parse(", "from_json(", "Object::parse("];
    let mut found = Vec::new();
    for (path, text) in sources("src/bindings", ".rs") {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name == "given.rs" {
            continue;
        }
        // The name of a value is no JSON of the host.
        let text = text.replace("from_json(&quoted(", "");
        found.extend(
            elsewhere.iter().filter(|call| text.contains(**call)).map(|call| format!("{name}: {call}")),
        );
    }
    assert_eq!(found, Vec::<String>::new());
}

/// The files of [`ROOMS`].
fn rooms() -> Vec<(PathBuf, String)> {
    ROOMS.iter().flat_map(|room| sources(&format!("src/{room}"), ".rs")).collect()
}

fn module_of(path: &Path) -> String {
    let inner = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    inner.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_owned()
}

/// The modules that a file names after `crate::`, outside its tests.
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
fn every_module_uses_only_the_modules_below_it() {
    for (path, text) in sources("src", ".rs") {
        let module = module_of(&path);
        if module == "lib" {
            continue;
        }
        let allowed = MODULES.iter().find(|(name, _)| *name == module);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("{} is in no known module", path.display()));
        for other in uses(&text) {
            assert!(
                other == module || allowed.contains(&other.as_str()),
                "{} uses crate::{other}, which module {module} may not",
                path.display()
            );
        }
    }
}

#[test]
fn events_use_only_the_message_types_of_llm() {
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
        // The only exception in the core: JavaScript formats numbers.
        if matches!(module_of(&path).as_str(), "web" | "bindings") || path.ends_with("json/float.rs") {
            continue;
        }
        for browser in ["wasm_bindgen", "js_sys", "web_sys", "gloo_net", "idb::"] {
            assert!(!text.contains(browser), "{} uses {browser}", path.display());
        }
    }
}

#[test]
fn every_file_begins_with_a_description_and_has_at_most_600_lines() {
    for (path, text) in sources("src", ".rs").into_iter().chain(sources("tests", ".rs")) {
        assert!(text.starts_with("//! "), "{} does not begin with a description", path.display());
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
fn no_file_contains_unfinished_code_or_deliberate_panics() {
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

/// `{:?}` adds several kilobytes of formatting code, for texts that do not help users.
#[test]
fn errors_do_not_use_debug_formatting() {
    for (path, text) in sources("src", ".rs") {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        if is_test(&path) || path.ends_with("simulated.rs") {
            continue;
        }
        let is_used = |line: &&str| line.contains(":?}") && !line.trim_start().starts_with("//");
        let line = code.lines().find(is_used);
        assert_eq!(line, None, "{}: use error::shown", path.display());
    }
}

/// The standard library's tables for this add ten kilobytes to a file of the wasm; `json::float` asks the engine.
#[test]
fn numbers_with_fractions_are_read_in_one_place() {
    for (path, text) in sources("src", ".rs") {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        assert!(is_test(&path) || !code.contains("parse::<f64>"), "{}: use json::float", path.display());
    }
}

#[test]
fn a_status_is_set_only_by_the_transition_table_and_every_row_is_used() {
    let table = Path::new("machine/status.rs");
    let (tables, code): (Vec<_>, Vec<_>) = rooms().into_iter().partition(|(path, _)| path.ends_with(table));
    for (path, text) in &code {
        let sets = text.contains(".set_execution_status(");
        assert!(!sets, "{} sets a status; let a Transition do it", path.display());
    }
    let [(_, table)] = &tables[..] else { panic!("there is not one table of statuses") };
    let rows =
        table.split("string_enum!(Transition {").nth(1).and_then(|rest| rest.split("});").next()).unwrap();
    for row in rows.lines().filter_map(|line| line.trim().split_once(" = ")) {
        let name = format!("Transition::{}", row.0);
        // A longer name may begin with this one.
        let ends = |rest: &str| !rest.starts_with(char::is_alphanumeric);
        let is_used = code.iter().any(|(_, text)| text.split(&name).skip(1).any(ends));
        assert!(is_used, "nothing makes the transition {}", row.0);
    }
}

/// The files of [`ROOMS`] whose code has this text, and how often. A text that begins with a name is not the end of a
/// longer one.
fn places_of(text: &str) -> Vec<(String, usize)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for (path, code) in rooms() {
        let code = code.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let before = lines.flat_map(|line| line.match_indices(text).map(|(at, _)| &line[..at]));
        let count = before.filter(|before| {
            !text.starts_with(char::is_alphanumeric) || !before.ends_with(char::is_alphanumeric)
        });
        match count.count() {
            0 => {}
            count => found.push((path.strip_prefix(&root).unwrap().to_string_lossy().into_owned(), count)),
        }
    }
    found
}

#[test]
fn one_way_leads_from_a_conversation_to_its_store() {
    // The copy that a fork makes, and a conversation in a list, have no log, because nobody has them open.
    let without_log =
        [("features/branches/fork.rs".to_owned(), 1), ("conversation/listing.rs".to_owned(), 1)];
    let mut ways = places_of(".commit(");
    ways.retain(|way| !without_log.contains(way));
    assert_eq!(ways, [("log/writing.rs".to_owned(), 1)]);
}

#[test]
fn only_the_state_machine_says_what_a_conversation_stores() {
    let mut changes = places_of("Change::");
    changes.retain(|(file, _)| !file.starts_with("machine/"));
    // A follower that becomes the writer claims the log, and changes nothing in it.
    assert_eq!(changes, [("log/following.rs".to_owned(), 1)]);
}

#[test]
fn the_state_machine_is_pure() {
    for (path, text) in sources("src/machine", ".rs") {
        for found in ["async ", ".await", "RefCell", "dyn Store", "dyn Host"] {
            assert!(!text.contains(found), "{} has {found}", path.display());
        }
    }
}

/// [`every_module_uses_only_the_modules_below_it`] reads what comes after `crate::`.
#[test]
fn no_room_uses_what_is_around_it_without_naming_it() {
    for (path, text) in rooms() {
        let is_root = ROOMS.iter().any(|room| path.ends_with(format!("src/{room}/mod.rs")));
        for (at, line) in text.split("#[cfg(test)]").next().unwrap_or_default().lines().enumerate() {
            for found in ["super::super"].into_iter().chain(is_root.then_some(" super::")) {
                assert!(!line.contains(found), "{}:{}: {line}", path.display(), at + 1);
            }
        }
    }
}

/// The names of the methods that a file adds to conversations.
fn methods_of_conversations(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        match line {
            "impl Conversation {" => is_inside = true,
            "}" => is_inside = false,
            _ if is_inside && line.starts_with("    ") && !line.starts_with("     ") => {
                let name = line.split_once("fn ").map(|(_, rest)| rest);
                let end = |name: &str| name.find(|c: char| !c.is_alphanumeric() && c != '_');
                found.extend(name.and_then(|name| Some(&name[..end(name)?])));
            }
            _ => {}
        }
    }
    found
}

/// Each room adds its verbs to `Conversation`, so a call of one names no module.
#[test]
fn no_room_calls_a_method_of_a_room_above_it() {
    let all = rooms();
    let place = |path: &Path| ROOMS.iter().position(|room| *room == module_of(path)).unwrap();
    let methods: Vec<(usize, &str)> = all
        .iter()
        .flat_map(|(path, text)| methods_of_conversations(text).into_iter().map(|name| (place(path), name)))
        .collect();
    assert!(methods.len() > 100, "{methods:?}");
    // What is below has methods of its own with these names, and knows no conversation.
    for (path, text) in all.iter().filter(|(path, _)| !matches!(&*module_of(path), "machine" | "log")) {
        for (_, name) in methods.iter().filter(|(room, _)| *room > place(path)) {
            for of in ["self", "conversation", "owner"] {
                assert!(!text.contains(&format!("{of}.{name}(")), "{} calls {name}", path.display());
            }
        }
    }
}

/// Its fields are visible to the rooms, which are modules of the crate like all others.
#[test]
fn only_the_rooms_look_into_a_conversation() {
    for (path, text) in sources("src", ".rs") {
        if ROOMS.contains(&&*module_of(&path)) {
            continue;
        }
        for field in [".0.log", ".0.page", ".0.agent", ".0.shared", ".0.turns", "conversation.0", ".perform("]
        {
            assert!(!text.contains(field), "{} has {field}", path.display());
        }
    }
}
