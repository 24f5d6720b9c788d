//! Conversations that the SDK wrote, with its own reading of each (`tests/fixtures/<sdk version>`).

use serde_json::Value;
use std::{fs, path::Path};
use threadkeep::{event::Event, id::EventId};

/// The directories of the SDK versions that have fixtures: the first has every feature that can be scripted, the newest
/// only the conversations that it writes differently.
const ROOTS: [&str; 2] = ["sdk-1.43.1", "sdk-1.58.2"];

/// One conversation.
pub struct Fixture {
    /// The name of the scenario, for failure messages.
    pub name: String,
    /// The entry in `index.json`: what the SDK reported when it opened the conversation.
    pub reported: Value,
    /// The messages and requests that the SDK built from the events; `null` if it could not open the conversation.
    pub expected: Value,
    /// The text of `base_state.json`.
    pub base_state: String,
    /// The events up to the first gap.
    pub log: Vec<Event>,
}

/// Every conversation.
pub fn all() -> Vec<Fixture> {
    let root = |version| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(version);
    ROOTS.map(root).iter().flat_map(|root| all_in(root)).collect()
}

fn all_in(root: &Path) -> Vec<Fixture> {
    let index: Value = serde_json::from_str(&read(&root.join("index.json"))).unwrap();
    let conversations = index["conversations"].as_array().unwrap();
    assert!(!conversations.is_empty(), "the fixtures are missing");
    conversations.iter().map(|reported| load(root, reported)).collect()
}

/// Every conversation that the SDK opens.
pub fn all_that_open() -> Vec<Fixture> {
    all().into_iter().filter(|fixture| fixture.reported["opens"] == true).collect()
}

fn load(root: &Path, reported: &Value) -> Fixture {
    let directory = root.join(reported["directory"].as_str().unwrap());
    let expected = directory.with_extension("expected.json");
    Fixture {
        name: reported["scenario"].as_str().unwrap().into(),
        reported: reported.clone(),
        expected: fs::read_to_string(expected)
            .map_or(Value::Null, |text| serde_json::from_str(&text).unwrap()),
        base_state: read(&directory.join("base_state.json")),
        log: log(&directory.join("events")),
    }
}

fn log(directory: &Path) -> Vec<Event> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.starts_with("event-"));
    names.sort();
    let mut log = Vec::new();
    for name in names {
        let (index, id) =
            name.trim_start_matches("event-").trim_end_matches(".json").split_once('-').unwrap();
        if index.parse() != Ok(log.len()) {
            break;
        }
        let id: EventId = id.parse().unwrap();
        log.push(Event::decode(id, read(&directory.join(&name)).into()));
    }
    log
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
