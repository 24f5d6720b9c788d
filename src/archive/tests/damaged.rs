//! Damaged directories that still contain a conversation: it is imported, nothing is lost, and every change is reported.

use super::*;
use crate::archive::Outcome;

/// The result of an import: the ids and texts of the log, the files, the base state, the warnings.
struct ImportResult {
    ids: Vec<String>,
    texts: Vec<String>,
    files: Vec<(String, Vec<u8>)>,
    base_state: String,
    warnings: Vec<String>,
}

fn import_result(archive: &Listed) -> ImportResult {
    let store = MemoryStore::new();
    let mut imported = run(archive, &store).unwrap();
    // A second import of the same archive changes nothing.
    let again = run(archive, &store).unwrap();
    assert_eq!(again[0].outcome, Outcome::UpToDate);
    let (_, base_state, events, files) = snapshot(&store).remove(0);
    assert_eq!(events.len() as u64, imported[0].length);
    let copy = exported(&store)
        .into_iter()
        .fold(Listed::default(), |all, (name, content)| all.with(&name, &content));
    let copied = run(&copy, &MemoryStore::new()).unwrap();
    assert_eq!(copied[0].warnings, Vec::<String>::new(), "an export has no damage");
    ImportResult {
        ids: events.iter().map(|event| event.id.to_string()).collect(),
        texts: events.iter().map(|event| event.json.to_string()).collect(),
        files: files.into_iter().map(|(path, content)| (path.to_string(), content)).collect(),
        base_state: base_state.to_string(),
        warnings: imported.remove(0).warnings,
    }
}

fn ids(indices: &[u64]) -> Vec<String> {
    indices.iter().copied().map(event_id).collect()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

fn assert_warning(result: &ImportResult, index: usize, texts: &[&str]) {
    let warning = &result.warnings[index];
    for text in texts {
        assert!(warning.contains(text), "{warning}: {text}");
    }
}

/// An event that follows another.
fn following(index: u64, parent: &str) -> String {
    event(index).replace("\"kind\"", &format!("\"parent_id\" : \"{parent}\",\"kind\""))
}

#[test]
fn a_gap_in_the_numbers_is_closed() {
    for (missing, left, place) in [(0, [1, 2, 3], "event 0 now"), (2, [0, 1, 3], "event 2 now")] {
        let found = import_result(&Listed::conversation(4).without(&event_path(missing)));
        assert_eq!(found.ids, ids(&left));
        assert_eq!(found.warnings.len(), 1);
        assert_warning(&found, 0, &["gap", &format!("event {missing} is missing"), place]);
    }
}

#[test]
fn two_events_with_one_number_are_both_imported() {
    let other = event_path(1).replace("00000001-0000", "0000ffff-0000");
    for path in [other.clone(), other.replace("event-00001", "event-000001")] {
        let found = import_result(&Listed::conversation(3).with(&path, b"{}"));
        assert_eq!(found.ids[2], event_id(0xffff));
        assert_eq!(found.ids.len(), 4);
        assert_warning(&found, 0, &[&path, "same number", "event 2 now"]);
    }
}

#[test]
fn the_second_file_with_an_id_is_quarantined() {
    let second = event_path(1).replace("event-00001", "event-00003");
    let found = import_result(&Listed::conversation(3).with(&second, b"another"));
    assert_eq!(found.ids, ids(&[0, 1, 2]));
    assert_eq!(found.files, [(format!("quarantine/{}", file_name(&second)), b"another".to_vec())]);
    assert_warning(&found, 0, &[&second, "same id", "quarantine/"]);
    // The event after it is not reported as following a gap.
    let found =
        import_result(&Listed::conversation(5).without(&event_path(3)).with(&second, event(1).as_bytes()));
    assert_eq!((found.ids, found.warnings.len()), (ids(&[0, 1, 2, 4]), 1));
}

#[test]
fn unusual_file_names_are_read_or_quarantined() {
    let short = event_path(2).replace("event-00002", "event-0002");
    let ulid = format!("{FOLDER}/events/event-00003-01ARZ3NDEKTSV4RRFFQ69G5FAV.json");
    let archive = Listed::conversation(2).with(&short, event(2).as_bytes()).with(&ulid, b"{}");
    let found = import_result(&archive);
    assert_eq!(found.ids, ids(&[0, 1, 2]));
    assert_eq!(found.files, [(format!("quarantine/{}", file_name(&ulid)), b"{}".to_vec())]);
    assert_warning(&found, 0, &[&ulid, "quarantine/"]);
    assert_warning(&found, 1, &[&short, "five digits"]);
}

#[test]
fn an_event_with_another_id_than_its_file_gets_the_id_of_the_file() {
    let theirs = event(1).replace(&event_id(1), "0badc0de");
    let archive = Listed::conversation(3)
        .replace(&event_path(1), theirs.as_bytes())
        .replace(&event_path(2), following(2, "0badc0de").as_bytes());
    let found = import_result(&archive);
    assert_eq!(found.texts[1..], [event(1), following(2, &event_id(1))]);
    let files: Vec<_> =
        found.files.iter().map(|(path, content)| (path.as_str(), content.as_slice())).collect();
    let place = |index| format!("quarantine/{}", file_name(&event_path(index)));
    let (first, second) = (place(1), place(2));
    let follower = following(2, "0badc0de");
    assert_eq!(files, [(first.as_str(), theirs.as_bytes()), (second.as_str(), follower.as_bytes())]);
    assert_warning(&found, 0, &[&event_path(1), "0badc0de", "quarantine/"]);
    assert_warning(&found, 1, &[&event_path(2), "0badc0de", "quarantine/"]);
}

#[test]
fn an_event_with_a_missing_parent_follows_the_one_before_it() {
    let own = event_id(3);
    let later = event_id(4);
    for lost in ["0badc0de", "no id", own.as_str(), later.as_str()] {
        let archive = Listed::conversation(5).replace(&event_path(3), following(3, lost).as_bytes());
        let found = import_result(&archive);
        assert_eq!(found.texts[3], following(3, &event_id(2)), "{lost}");
        assert_eq!(found.files[0].1, following(3, lost).as_bytes());
        assert_warning(&found, 0, &[&event_path(3), "follows", "quarantine/"]);
    }
}

#[test]
fn events_with_the_same_missing_parent_get_the_same_replacement_which_is_not_a_state_update() {
    let update = event(1).replace("MessageEvent", "ConversationStateUpdateEvent");
    let archive = Listed::conversation(4)
        .replace(&event_path(1), update.as_bytes())
        .replace(&event_path(2), following(2, "0badc0de").as_bytes())
        .replace(&event_path(3), following(3, "0badc0de").as_bytes());
    let found = import_result(&archive);
    assert_eq!(found.texts[2..], [following(2, &event_id(0)), following(3, &event_id(0))]);
    let first = Listed::conversation(1).replace(&event_path(0), following(0, "0badc0de").as_bytes());
    assert_eq!(import_result(&first).texts, [following(0, "__root__")]);
    let root = Listed::conversation(2).replace(&event_path(1), following(1, "__root__").as_bytes());
    assert!(import_result(&root).warnings.is_empty());
}

#[test]
fn a_missing_or_incomplete_base_state_is_rebuilt() {
    let path = format!("{FOLDER}/base_state.json");
    let found = import_result(&Listed::conversation(2).without(&path));
    assert!(
        found.files.is_empty()
            && found.base_state.contains(ID)
            && found.base_state.contains("\"kind\":\"Agent\"")
    );
    assert_warning(&found, 0, &["no", &path, "defaults"]);
    let agent = "{\"llm\":{\"model\":\"m\"},\"kind\":\"Agent\"}";
    let workspace = "{\"working_dir\":\"w\",\"kind\":\"LocalWorkspace\"}";
    for (part, instead, expected) in [
        (agent, "null", "\"kind\":\"Agent\""),
        (agent, "[]", "\"kind\":\"Agent\""),
        (
            agent,
            "{\"llm\":{\"model\":\"mine\"}}",
            "\"agent\":{\"llm\":{\"model\":\"mine\"},\"kind\":\"Agent\"}",
        ),
        (workspace, "7", "\"kind\":\"LocalWorkspace\""),
    ] {
        let lacking = base_state().replace(part, instead);
        let found = import_result(&Listed::conversation(2).replace(&path, lacking.as_bytes()));
        assert!(
            found.base_state.contains(expected) && found.base_state.contains("\"execution_status\":\"idle\"")
        );
        assert_eq!(found.files, [("quarantine/base_state.json".to_owned(), lacking.into_bytes())]);
        assert_warning(&found, 0, &[&path, "quarantine/"]);
    }
}

#[test]
fn the_problem_of_the_last_file_is_reported() {
    for (content, problem) in [(&b""[..], "is empty"), (b"\xff\xfe{\0}\0", "UTF-16"), (b"[]", "is a list")] {
        let found = import_result(&Listed::conversation(3).replace(&event_path(2), content));
        assert_eq!(found.ids, ids(&[0, 1]));
        assert_warning(&found, 0, &[&event_path(2), problem, "quarantine/"]);
    }
}

#[test]
fn the_number_of_warnings_is_limited() {
    let mut archive = Listed::conversation(2);
    for index in 2..3000 {
        archive.add(&event_path(index), b"");
    }
    let found = import_result(&archive);
    assert_eq!((found.ids.len(), found.files.len(), found.warnings.len()), (2, 2998, 101));
    assert_warning(&found, 100, &["2898 more"]);
}
