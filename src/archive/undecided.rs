//! Notes in an imported `base_state.json` what the host has not decided yet, and the time of its last event, see `format/import_mark.rs`.

use crate::{
    format::{
        agent_state::ALLOWED_TOOLS,
        base_state::BaseState,
        import_mark::{AT, BEFORE, CALLS, IMPORT, LAST_EVENT, NEW, SECRETS, SETTINGS, TIMESTAMP},
        server_mark::SERVER,
    },
    json::{Json, Object, RawJson, object},
};

/// The last event of an import.
pub struct LastEvent {
    /// The time of the import's commits, in milliseconds since the Unix epoch.
    pub at: f64,
    /// The event's own time.
    pub timestamp: String,
}

/// Notes that nothing about an imported state is decided. `stored` is the text of the base state that the import
/// replaces, if there is one.
pub fn mark(state: &mut BaseState, stored: Option<&str>, last: Option<&LastEvent>) {
    // Another program may have written such fields.
    state.set_field(IMPORT, None);
    state.set_field(SERVER, None);
    let before = stored.and_then(decided_before);
    let mark = object! {
        NEW: true,
        BEFORE?: before.as_deref().map(Json),
        CALLS: true,
        SETTINGS: true,
        SECRETS: true,
        LAST_EVENT?: last.map(|last| object! { AT: last.at, TIMESTAMP: last.timestamp }),
    };
    state.set_import_mark(&RawJson::from(mark));
}

/// The same, of a state that comes from elsewhere but is no import.
pub fn mark_undecided(state: &mut BaseState) {
    mark(state, None, None);
}

/// The earlier decisions of the host about a stored conversation. If it was not opened since an earlier import, they are
/// those from before that import, if any.
fn decided_before(stored: &str) -> Option<String> {
    let fields = Object::parse(stored).unwrap_or_default();
    let mark = fields.object(IMPORT);
    if mark.get(NEW).is_some() {
        return mark.get(BEFORE).map(str::to_owned);
    }
    let agent_state = fields.object("agent_state");
    let decided = object! {
        "confirmation_policy"?: fields.get("confirmation_policy").map(Json),
        "security_analyzer"?: fields.get("security_analyzer").map(Json),
        ALLOWED_TOOLS?: agent_state.get(ALLOWED_TOOLS).map(Json),
    };
    Some(decided.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::members;

    fn state(text: &str) -> BaseState {
        BaseState::of("0f8fad5b-d9cb-469f-a165-70867728950e".parse().unwrap(), text).unwrap()
    }

    fn marked(text: &str, stored: Option<&str>) -> String {
        let mut state = state(text);
        mark(&mut state, stored, None);
        state.json().to_string()
    }

    #[test]
    fn a_mark_that_is_removed_leaves_every_byte_as_it_was() {
        for text in [
            "{\"id\":\"x\"}",
            " {\n  \"id\" : \"x\" ,\"n\":1.50 }\n",
            "{\"agent_state\":{\"allowed_tools\":[\"pay\"]},\"id\":\"{\"}",
        ] {
            for stored in [None, Some("{\"confirmation_policy\":{\"kind\":\"AlwaysConfirm\"}}")] {
                let marked = marked(text, stored);
                assert!(members(&marked).unwrap()[0].0 == IMPORT, "{marked}");
                let mut state = state(&marked);
                state.set_field(IMPORT, None);
                assert_eq!(&*state.json(), text);
            }
        }
    }

    #[test]
    fn a_mark_in_an_archive_is_replaced() {
        for text in [
            "{\"threadkeep_import\":{},\"id\":\"x\"}",
            "{\"id\":\"x\",\"threadkeep_import\":{}}",
            "{\"threadkeep_import\":{},\"id\":\"x\", \"threadkeep\\u005fimport\" : {} }",
        ] {
            let stored = marked(text, None);
            let fields = members(&stored).unwrap();
            let marks: Vec<&str> =
                fields.iter().filter(|(name, _)| name == IMPORT).map(|(_, value)| *value).collect();
            assert_eq!(marks, [r#"{"new":true,"calls":true,"settings":true,"secrets":true}"#], "{stored}");
        }
    }

    #[test]
    fn a_second_import_keeps_the_decisions_from_before_the_first() {
        let ours =
            r#"{"confirmation_policy":{"kind":"AlwaysConfirm"},"agent_state":{"allowed_tools":["a"]}}"#;
        let decided = r#""before":{"confirmation_policy":{"kind":"AlwaysConfirm"},"allowed_tools":["a"]}"#;
        let once = marked("{\"id\":1}", Some(ours));
        assert!(once.contains(decided), "{once}");
        let twice = marked("{\"id\":2}", Some(&once));
        assert!(twice.contains(decided), "{twice}");
        let never_opened = marked("{\"id\":2}", Some(&marked("{\"id\":1}", None)));
        assert!(!never_opened.contains("before"), "{never_opened}");
    }
}
