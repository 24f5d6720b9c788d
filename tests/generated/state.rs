//! The fields of `base_state.json`: their declarations in `src/format/fields.rs` as TypeScript interfaces.

use crate::place::{documentation, typescript_file};
use std::{collections::BTreeSet, fs, path::Path};
use threadkeep::{
    format::fields::{AGENT_DECLARATIONS, STATE_DECLARATIONS, StateField},
    json::Object,
};

#[test]
fn typescript_has_every_field_of_the_state() {
    let text = [
        "import type { ConversationStats, JSONValue, StoredSecret } from \"../types.js\";\nimport type { AgentState } from \"./agent-state.js\";\nimport type { ExecutionStatus } from \"./names.js\";\n",
        &interface(
            "The agent in `base_state.json`, with the SDK's names. Agents of other kinds have other fields.",
            "StoredAgent",
            AGENT_DECLARATIONS,
            "  /** Fields of other programs, which are preserved. */\n  [field: string]: JSONValue | undefined;\n",
        ),
        &interface("`base_state.json`.", "ConversationState", STATE_DECLARATIONS, ""),
    ];
    typescript_file("js/events/generated/state.ts", "src/format/fields.rs", &text.join("\n"));
}

fn interface(doc: &str, name: &str, fields: &[StateField], rest: &str) -> String {
    let mut text = format!("/** {doc} */\nexport interface {name} {{\n");
    for field in fields {
        let question_mark = if field.is_optional { "?" } else { "" };
        text += &format!(
            "{}  {}{question_mark}: {};\n",
            documentation(field.doc, "  "),
            field.name,
            field.typescript
        );
    }
    format!("{text}{rest}}}\n")
}

/// What Python writes is the measure: every field of its states has a type, and a field that may be missing is optional.
#[test]
fn the_declared_fields_are_those_that_the_sdk_writes() {
    let mut seen = BTreeSet::new();
    for text in states("tests/fixtures/sdk-1.43.1").chain(states("tests/fixtures/sdk-1.58.2")) {
        // Some are damaged on purpose.
        let Some(state) = Object::parse(&text) else { continue };
        let agent = state.object("agent");
        check(&state, STATE_DECLARATIONS, &mut seen);
        if agent.read::<String>("kind").as_deref() == Some("Agent") {
            check(&agent, AGENT_DECLARATIONS, &mut seen);
        }
    }
    let declared = STATE_DECLARATIONS.iter().chain(AGENT_DECLARATIONS).map(|field| field.name);
    assert_eq!(declared.filter(|name| !seen.contains(*name)).collect::<Vec<_>>(), Vec::<&str>::new());
}

/// The only places that name fields of the state and of the agent as texts.
#[test]
fn every_field_that_is_read_or_written_is_declared() {
    let declared =
        |declarations: &[StateField], name: &str| declarations.iter().any(|field| field.name == name);
    let mut count = 0;
    for (path, text) in crate::place::sources("src") {
        let code = text.split("#[cfg(test)]").next().unwrap();
        for (call, declarations) in [
            ("self.set(", STATE_DECLARATIONS),
            ("self.fields.get(", STATE_DECLARATIONS),
            ("self.fields.read(", STATE_DECLARATIONS),
            ("self.object(", STATE_DECLARATIONS),
            ("self.field(", STATE_DECLARATIONS),
            ("state.field(", STATE_DECLARATIONS),
            ("state().field(", STATE_DECLARATIONS),
            ("set_field(", STATE_DECLARATIONS),
            ("set_in_agent(", AGENT_DECLARATIONS),
            ("agent.field(", AGENT_DECLARATIONS),
            ("agent.set_first(", AGENT_DECLARATIONS),
        ] {
            if call.starts_with("self.") && !path.ends_with("format/base_state.rs") {
                continue;
            }
            for rest in code.split(call).skip(1) {
                let Some((name, _)) = rest.strip_prefix('"').and_then(|rest| rest.split_once('"')) else {
                    continue;
                };
                assert!(declared(declarations, name), "{call}{name:?}) in {}", path.display());
                count += 1;
            }
        }
    }
    assert!(count > 30, "{count} places");
}

fn check(object: &Object<'_>, declarations: &[StateField], seen: &mut BTreeSet<String>) {
    for field in declarations {
        assert!(
            field.is_optional || object.get(field.name).is_some(),
            "no {} in {}",
            field.name,
            object.text()
        );
    }
    seen.extend(object.iter().map(|(name, _)| name.to_owned()));
}

fn states(folder: &str) -> impl Iterator<Item = String> {
    let folders = |place: &Path| {
        fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    };
    let scenarios: Vec<_> = folders(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).collect();
    let found: Vec<_> = scenarios.iter().flat_map(|scenario| folders(scenario)).collect();
    found.into_iter().filter_map(|place| fs::read_to_string(place.join("base_state.json")).ok())
}
