//! Directories of a process that ended while writing: only the incomplete file is lost.

use super::*;
use crate::format::{base_state::BaseState, import_mark::IMPORT, tree::Leaf};
use std::collections::BTreeSet;

fn path(text: &str) -> StorePath {
    text.parse().unwrap()
}

#[test]
fn a_torn_last_event_is_quarantined_and_reported() {
    let complete = event(4);
    for torn in [
        &b""[..],
        &complete.as_bytes()[..complete.len() - 1],
        b"\0\0\0\0",
        "{\"a\":\"ü".as_bytes().split_last().unwrap().1,
    ] {
        let archive = Listed::conversation(5).replace(&event_path(4), torn);
        let store = MemoryStore::new();
        let imported = run(&archive, &store).unwrap();
        assert_eq!(imported[0].length, 4);
        assert!(imported[0].warnings[0].contains(&event_path(4)), "{imported:?}");
        let stored_conversation = snapshot(&store).remove(0);
        assert_eq!(stored_conversation.2.len(), 4);
        let name = event_path(4).rsplit('/').next().unwrap().to_owned();
        assert_eq!(stored_conversation.3, [(path(&format!("quarantine/{name}")), torn.to_vec())]);
    }
}

#[test]
fn several_torn_events_at_the_end_are_quarantined() {
    let mut archive = Listed::conversation(6);
    for index in 3..6 {
        archive = archive.replace(&event_path(index), b"");
    }
    let store = MemoryStore::new();
    let imported = run(&archive, &store).unwrap();
    assert_eq!((imported[0].length, imported[0].warnings.len()), (3, 3));
    assert_eq!(snapshot(&store)[0].3.len(), 3);
    let all = Listed::conversation(1).replace(&event_path(0), b"");
    assert_eq!(run(&all, &MemoryStore::new()).unwrap()[0].length, 0);
}

#[test]
fn quarantined_files_do_not_replace_others() {
    let name = event_path(2).rsplit('/').next().unwrap().to_owned();
    let archive = Listed::conversation(3)
        .replace(&event_path(2), b"second")
        .with(&format!("{FOLDER}/quarantine/{name}"), b"first");
    let files = snapshot(&stored(&archive)).remove(0).3;
    assert_eq!(
        files,
        [
            (path(&format!("quarantine-1/{name}")), b"second".to_vec()),
            (path(&format!("quarantine/{name}")), b"first".to_vec()),
        ]
    );
}

#[test]
fn a_file_named_quarantine_does_not_prevent_quarantining() {
    let name = event_path(2).rsplit('/').next().unwrap().to_owned();
    let torn = Listed::conversation(3).replace(&event_path(2), b"");
    for other in ["quarantine".to_owned(), format!("quarantine/{name}/x")] {
        let archive = torn.clone().with(&format!("{FOLDER}/{other}"), b"x");
        let files = snapshot(&stored(&archive)).remove(0).3;
        let paths: BTreeSet<_> = files.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, BTreeSet::from([other.as_str(), &format!("quarantine-1/{name}")]));
    }
}

#[test]
fn an_invalid_event_in_the_middle_is_stored_and_reported() {
    for (content, stored) in [(&b"{\"id\":"[..], "{\"id\":"), (b"{\"id\":\"\xc3", "{\"id\":\"\u{fffd}")] {
        let archive = Listed::conversation(5).replace(&event_path(2), content);
        let store = MemoryStore::new();
        let imported = run(&archive, &store).unwrap();
        assert_eq!(imported[0].length, 5);
        assert!(imported[0].warnings[0].contains(&event_path(2)));
        assert_eq!(&*snapshot(&store)[0].2[2].json, stored);
    }
}

/// The base state that an import has stored, without the mark of the import.
fn imported_state(stored: &str) -> BaseState {
    let mut state = BaseState::parse(stored).unwrap();
    state.set_field(IMPORT, None);
    state
}

/// The state in an archive with HEAD moved.
fn moved(text: &str, leaf: &Leaf) -> BaseState {
    let mut state = BaseState::parse(text).unwrap();
    state.set_leaf(leaf);
    assert_eq!(state.leaf(), *leaf);
    state
}

#[test]
fn head_moves_if_its_event_is_quarantined() {
    let headed = base_state().replace(
        "\"execution_status\"",
        &format!("\"leaf_event_id\":\"{}\",\"execution_status\"", event_id(4)),
    );
    let artifact = event(3).replace("MessageEvent", "ConversationStateUpdateEvent");
    let archive = Listed::conversation(5)
        .replace(&format!("{FOLDER}/base_state.json"), headed.as_bytes())
        .replace(&event_path(3), artifact.as_bytes())
        .replace(&event_path(4), b"");
    let stored_conversation = snapshot(&stored(&archive)).remove(0);
    assert_eq!(
        imported_state(&stored_conversation.1),
        moved(&headed, &Leaf::Event(event_id(2).parse().unwrap()))
    );
}

#[test]
fn a_head_without_an_event_moves_to_the_last_event() {
    let headed =
        base_state().replace("\"execution_status\"", "\"leaf_event_id\":\"0badc0de\",\"execution_status\"");
    for (length, leaf) in [(3, Leaf::Event(event_id(2).parse().unwrap())), (0, Leaf::Unset)] {
        let archive =
            Listed::conversation(length).replace(&format!("{FOLDER}/base_state.json"), headed.as_bytes());
        let store = MemoryStore::new();
        let imported = run(&archive, &store).unwrap();
        assert!(imported[0].warnings[0].contains("0badc0de"), "{imported:?}");
        assert_eq!(imported_state(&snapshot(&store)[0].1), moved(&headed, &leaf));
    }
}

#[test]
fn a_torn_base_state_is_rebuilt_and_quarantined() {
    for torn in [&b""[..], &base_state().as_bytes()[..100]] {
        let archive = Listed::conversation(3).replace(&format!("{FOLDER}/base_state.json"), torn);
        let store = MemoryStore::new();
        let imported = run(&archive, &store).unwrap();
        assert!(imported[0].warnings[0].contains("base_state.json"), "{imported:?}");
        let stored_conversation = snapshot(&store).remove(0);
        assert!(
            stored_conversation.1.contains(ID)
                && stored_conversation.1.contains("\"agent\"")
                && stored_conversation.1.contains("\"workspace\"")
        );
        assert_eq!(stored_conversation.3, [(path("quarantine/base_state.json"), torn.to_vec())]);
        assert_eq!(stored_conversation.2.len(), 3);
    }
}
