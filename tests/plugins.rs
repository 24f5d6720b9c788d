//! Compares plugins with those of the SDK: `tests/fixtures/plugins.json` has what the SDK makes of the same sources, configurations and
//! hooks (`tests/interop/plugin_cases.py`).
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

use serde_json::{Value, json};
use threadkeep::{
    json::{Object, RawJson},
    plugins::{Directory, FrontMatter, Plugin, Resolved, Source, expanded, matchers},
};

fn fixture() -> Value {
    serde_json::from_str(include_str!("fixtures/plugins.json")).unwrap()
}

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

#[test]
fn of_a_source_the_same_is_stored() {
    for case in fixture()["sources"].as_array().unwrap() {
        let given = &case[0];
        let source = Source {
            source: text(&given["source"]).unwrap(),
            reference: text(&given["ref"]),
            repo_path: text(&given["repo_path"]),
        };
        let stored = source.checked().ok().map(|source| {
            let resolved = Resolved::of(&source, source.reference.clone());
            value(&resolved.to_json())
        });
        assert_eq!(stored.unwrap_or(Value::Null), case[1], "{given}");
    }
}

#[test]
fn variables_are_filled_in_alike() {
    let fixture = fixture();
    for case in fixture["expanded"].as_array().unwrap() {
        let filled = expanded(&case[0].to_string(), true, &|name| text(&fixture["secrets"][name]));
        assert_eq!(value(&filled), case[1], "{}", case[0]);
    }
}

#[test]
fn the_same_hooks_are_for_an_occasion() {
    let fixture = fixture();
    let files = vec![("hooks/hooks.json".to_owned(), fixture["hooks"].to_string().into_bytes())];
    let front_matter = |_: &str, _: &str| -> Result<FrontMatter, String> { Err("there is none".into()) };
    let plugin = Plugin::read(&Directory::new("p", "", files).unwrap(), &front_matter).unwrap();
    let hooks = plugin.hooks.unwrap();
    assert_eq!(value(hooks.as_str()), fixture["stored_hooks"]);
    let full_match = |pattern: &str, tool: &str| fixture["patterns"][pattern][tool].as_bool();
    for case in fixture["occasions"].as_array().unwrap() {
        let (event, tool) = (case[0].as_str().unwrap(), case[1].as_str());
        let found: Vec<RawJson> = matchers(&hooks, event)
            .into_iter()
            .filter(|matcher| matcher.matches(tool, &full_match))
            .flat_map(|matcher| matcher.hooks)
            .collect();
        let commands: Vec<String> = found
            .iter()
            .map(|hook| Object::parse(hook.as_str()).unwrap().required("command").unwrap())
            .collect();
        assert_eq!(json!(commands), case[2], "{event} {tool:?}");
    }
}
