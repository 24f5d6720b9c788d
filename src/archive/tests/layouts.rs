//! Conversations in other layouts than that of an export: the OpenHands app's download, archives of other packers, and events that
//! need mending.

use super::*;
use crate::{archive::Outcome, event::Event};
use serde_json::{Value, json};

const MARK: &[u8] = b"\xef\xbb\xbf";

/// An event in the form of the SDK.
fn message(index: u64, source: &str, text: &str, more: &str) -> String {
    let role = if source == "agent" { "assistant" } else { "user" };
    format!(
        "{{\"id\":\"{}\",\"timestamp\":\"2026-07-10T09:00:0{index}.000000\",\"source\":\"{source}\"{more},\
         \"llm_message\":{{\"role\":\"{role}\",\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}},\"kind\":\"MessageEvent\"}}",
        event_id(index)
    )
}

fn prompt() -> String {
    format!(
        "{{\"id\":\"{}\",\"source\":\"agent\",\"system_prompt\":{{\"type\":\"text\",\"text\":\"You help.\"}},\"tools\":[],\"kind\":\"SystemPromptEvent\"}}",
        event_id(0)
    )
}

fn meta() -> Value {
    json!({"id": ID, "title": "A folder", "llm_model": "openai/scripted", "sandbox_id": "s"})
}

fn downloaded(index: u64) -> String {
    format!("event_{index:06}_{}.json", event_id(index))
}

/// The files of a download, in a folder of this name if it is not empty.
fn download(folder: &str, meta: Option<&Value>) -> Listed {
    let events = [prompt(), message(1, "user", "Hello", ""), message(2, "agent", "Hi.", "")];
    let mut archive = Listed::default();
    for (index, event) in (0..).zip(events) {
        archive.add(&format!("{folder}{}", downloaded(index)), event.as_bytes());
    }
    if let Some(meta) = meta {
        archive.add(&format!("{folder}meta.json"), meta.to_string().as_bytes());
    }
    archive
}

fn texts(store: &dyn Store, id: ConversationId) -> Vec<String> {
    let events = block_on(store.events(id, 0..u64::MAX)).unwrap();
    let messages = events.iter().filter_map(|event| {
        Event::decode(event.id.clone(), Rc::clone(&event.json)).to_llm_message().map(|message| message.text())
    });
    messages.collect()
}

#[test]
fn the_download_of_the_openhands_app_is_a_conversation() {
    for folder in ["", "conversation_1/", "a/b/"] {
        let store = MemoryStore::new();
        let imported = run(&download(folder, Some(&meta())), &store).unwrap().remove(0);
        assert_eq!(
            (imported.conversation, imported.length, imported.warnings),
            (id(), 3, vec![]),
            "{folder}"
        );
        assert_eq!(texts(&store, id()), ["You help.", "Hello", "Hi."]);
        let (_, state, ..) = snapshot(&store).remove(0);
        let state: Value = serde_json::from_str(&state).unwrap();
        assert_eq!(
            (&state["tags"]["title"], &state["agent"]["llm"]["model"]),
            (&json!("A folder"), &json!("openai/scripted"))
        );
        // It stays the same one when it is imported again.
        assert_eq!(run(&download(folder, Some(&meta())), &store).unwrap()[0].outcome, Outcome::UpToDate);
        let copy = exported(&store)
            .into_iter()
            .fold(Listed::default(), |all, (name, content)| all.with(&name, &content));
        assert_eq!(run(&copy, &MemoryStore::new()).unwrap()[0].warnings, Vec::<String>::new());
    }
}

#[test]
fn a_download_says_what_it_lacks() {
    let store = MemoryStore::new();
    let imported = run(&download("", None), &store).unwrap().remove(0);
    assert_eq!(
        imported.conversation.to_string(),
        event_id(0),
        "without meta.json its first event says which one it is"
    );
    assert!(
        imported.warnings.len() == 1 && imported.warnings[0].contains("no meta.json"),
        "{:?}",
        imported.warnings
    );
    assert_eq!(run(&download("", None), &store).unwrap()[0].outcome, Outcome::UpToDate);
    for (meta, problem) in
        [(json!({"title": "x"}), "no id"), (json!({"id": "x"}), "not a UUID"), (json!([]), "a list")]
    {
        let error = run(&download("", Some(&meta)), &MemoryStore::new()).unwrap_err();
        assert!(error.message().contains("entry meta.json") && error.message().contains(problem), "{error}");
    }
    let long = json!({"id": ID, "title": "e\u{301}\u{301}".repeat(200)});
    let store = MemoryStore::new();
    run(&download("", Some(&long)), &store).unwrap();
    let state: Value = serde_json::from_str(&snapshot(&store).remove(0).1).unwrap();
    assert_eq!(
        state["tags"]["title"],
        json!("e\u{301}\u{301}".repeat(85)),
        "a title is cut at a whole character"
    );
    // Other files stay with the conversation, and a damaged event is reported by its name.
    let archive = download("", Some(&meta())).with("notes.txt", b"a").with(&downloaded(3), b"{\"id\":");
    let imported = run(&archive, &MemoryStore::new()).unwrap().remove(0);
    assert!(
        imported.warnings.len() == 1 && imported.warnings[0].starts_with(&downloaded(3)),
        "{:?}",
        imported.warnings
    );
}

#[test]
fn folders_that_are_separated_by_backslashes_are_folders() {
    let with_backslashes = |archive: Listed| {
        let mut archive = archive;
        for (header, _) in &mut archive.entries {
            header.name = header.name.replace('/', "\\");
        }
        archive
    };
    let imported = run(&with_backslashes(Listed::conversation(3)), &MemoryStore::new()).unwrap().remove(0);
    assert_eq!((imported.conversation, imported.length, imported.warnings), (id(), 3, vec![]));
    let around =
        Listed::default().with(&format!("My files\\{FOLDER}\\base_state.json"), base_state().as_bytes());
    assert_eq!(run(&around, &MemoryStore::new()).unwrap()[0].conversation, id());
    for (name, problem) in [
        ("..\\x", "part in its path"),
        ("\\x", "absolute"),
        ("C:\\x", "colon"),
        ("a\\..\\..\\x", "part in its path"),
        ("a\\\\b", "part in its path"),
    ] {
        let error =
            run(&with_backslashes(Listed::conversation(1)).with(name, b""), &MemoryStore::new()).unwrap_err();
        assert!(error.message().contains(problem), "{name}: {error}");
    }
    // In a name with slashes a backslash may be a part of the name.
    let both = Listed::conversation(1).with(&format!("{FOLDER}/workspace/a\\b"), b"");
    let error = run(&both, &MemoryStore::new()).unwrap_err();
    assert!(error.message().contains("backslash"), "{error}");
}

#[test]
fn a_byte_order_mark_is_removed_and_reported() {
    let marked = |text: String| [MARK, text.as_bytes()].concat();
    let path = format!("{FOLDER}/base_state.json");
    let archive = Listed::conversation(3)
        .replace(&path, &marked(base_state()))
        .replace(&event_path(1), &marked(event(1)))
        .replace(&event_path(2), &marked(event(2)));
    let store = MemoryStore::new();
    let imported = run(&archive, &store).unwrap().remove(0);
    assert_eq!((imported.length, imported.warnings.len()), (3, 3), "{:?}", imported.warnings);
    assert!(
        imported
            .warnings
            .iter()
            .all(|warning| warning.contains("byte order mark") && warning.contains("quarantine/"))
    );
    let (_, state, events, files) = snapshot(&store).remove(0);
    assert!(state.contains("\"execution_status\":\"idle\"") && !state.contains('\u{feff}'), "{state}");
    assert_eq!(&*events[1].json, event(1));
    let quarantined: Vec<_> =
        files.iter().filter(|(path, _)| path.as_str().starts_with("quarantine/")).collect();
    assert!(quarantined.len() == 3 && quarantined.iter().all(|(_, content)| content.starts_with(MARK)));
    let download = download("", None).with("meta.json", &marked(meta().to_string()));
    assert_eq!(run(&download, &MemoryStore::new()).unwrap()[0].conversation, id());
}

#[test]
fn an_event_that_cannot_be_read_because_of_one_part_is_mended_and_its_original_kept() {
    let broken = message(1, "user", "Hi \\ud83d", "");
    let odd = message(2, "agent", "Hello", "").replace("[{", "[{\"type\":\"hologram\"},{");
    let archive =
        Listed::conversation(1).with(&event_path(1), broken.as_bytes()).with(&event_path(2), odd.as_bytes());
    let store = MemoryStore::new();
    let imported = run(&archive, &store).unwrap().remove(0);
    assert_eq!(texts(&store, id()), ["Hi \u{fffd}", "Hello"]);
    assert_eq!(imported.warnings.len(), 2);
    for (warning, (index, flaw)) in
        imported.warnings.iter().zip([(1, "halves of characters"), (2, "parts of a kind")])
    {
        assert!(
            warning.contains(&event_path(index)) && warning.contains(flaw) && warning.contains("quarantine/"),
            "{warning}"
        );
    }
    let (.., files) = snapshot(&store).remove(0);
    let originals: Vec<_> = files.iter().map(|(_, content)| content.as_slice()).collect();
    assert_eq!(originals, [broken.as_bytes(), odd.as_bytes()]);
    assert_eq!(
        run(&archive, &store).unwrap()[0].outcome,
        Outcome::UpToDate,
        "the mended event is the same one"
    );
}

/// A conversation without parents, to which an agent server with a tree has added an update and these events.
fn taken_over(last: &[String]) -> Listed {
    let mut archive = Listed::default().with(&format!("{FOLDER}/base_state.json"), base_state().as_bytes());
    let update = format!(
        "{{\"id\":\"{}\",\"source\":\"environment\",\"parent_id\":\"{}\",\"key\":\"stats\",\"value\":1,\"kind\":\"ConversationStateUpdateEvent\"}}",
        event_id(3),
        event_id(2)
    );
    let events =
        [prompt(), message(1, "user", "My cat is Momo.", ""), message(2, "agent", "Noted.", ""), update];
    for (index, event) in (0..).zip(events.iter().chain(last)) {
        archive.add(&event_path(index), event.as_bytes());
    }
    archive
}

fn warnings(archive: &Listed) -> Vec<String> {
    run(archive, &MemoryStore::new()).unwrap().remove(0).warnings
}

#[test]
fn a_root_that_cuts_off_the_log_of_an_older_server_names_the_branch_before_it() {
    let root = ",\"parent_id\":\"__root__\"";
    let cut = taken_over(&[message(4, "user", "And?", root), message(5, "agent", "What?", "")]);
    let [warning] = &warnings(&cut)[..] else { panic!("{:?}", warnings(&cut)) };
    assert!(
        warning.contains(&event_path(4)) && warning.ends_with(&format!("event {}", event_id(2))),
        "{warning}"
    );
    // A branch beside the active one is nobody's business.
    let state = base_state().replace(
        "\"execution_status\"",
        &format!("\"leaf_event_id\":\"{}\",\"execution_status\"", event_id(2)),
    );
    let elsewhere = cut.replace(&format!("{FOLDER}/base_state.json"), state.as_bytes());
    assert_eq!(warnings(&elsewhere), Vec::<String>::new());
}

#[test]
fn a_root_that_somebody_wanted_is_no_warning() {
    let root = ",\"parent_id\":\"__root__\"";
    let after = |index: u64| format!(",\"parent_id\":\"{}\"", event_id(index));
    for last in [
        vec![],
        vec![message(4, "user", "And?", &after(2))],
        vec![message(4, "user", "And?", &after(2)), message(5, "user", "Anew", root)],
    ] {
        assert_eq!(warnings(&taken_over(&last)), Vec::<String>::new(), "{last:?}");
    }
    let anew = taken_over(&[message(4, "user", "Anew", root)]);
    let with_tree = anew.replace(&event_path(2), message(2, "agent", "Noted.", &after(1)).as_bytes());
    assert_eq!(warnings(&with_tree), Vec::<String>::new());
}
