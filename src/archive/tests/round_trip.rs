//! Imports followed by exports.

use super::*;
use crate::archive::Outcome;

#[test]
fn files_are_exported_byte_for_byte_as_imported() {
    let archive = Listed::conversation(300)
        .with(&format!("{FOLDER}/TASKS.json"), b"[ ]")
        .with(&format!("{FOLDER}/observations/terminal_output_1a2b3c4d.txt"), &[0, 255, 10])
        .with(&format!("{FOLDER}/subagents/aa/events/event-00000-0f8fad5b.json"), b"{}");
    let store = Rc::new(MemoryStore::new());
    let imported = run(&archive, &*store).unwrap();
    assert_eq!(
        imported,
        [Imported { conversation: id(), outcome: Outcome::Created, length: 300, warnings: vec![] }]
    );
    let mut before: Vec<_> = archive
        .entries
        .iter()
        .map(|(header, content)| (header.name.clone(), content.clone().unwrap()))
        .filter(|(name, _)| !name.ends_with('/'))
        .collect();
    let mut after = exported(&*store);
    before.sort();
    after.sort();
    assert_eq!(before, after);
}

#[test]
fn the_beginning_of_the_first_message_is_stored_for_lists_and_not_exported() {
    let message = |text: &str| {
        let content = format!(r#"{{"role":"user","content":[{{"type":"text","text":"{text}"}}]}}"#);
        let (id, head) = (event_id(1), "\"timestamp\":\"2026-01-31T09:15:02\",\"source\":\"user\"");
        format!(r#"{{"id":"{id}",{head},"llm_message":{content},"kind":"MessageEvent"}}"#)
    };
    let foreign = base_state().replacen('{', "{\"threadkeep_beginning\":\"Another\",", 1);
    for (state, event, expected) in [
        (base_state(), message("Add two numbers."), Some("Add two numbers.")),
        (foreign.clone(), message("Add two numbers."), Some("Add two numbers.")),
        (foreign, event(1), None),
    ] {
        let archive = Listed::conversation(3)
            .replace(&event_path(1), event.as_bytes())
            .replace(&format!("{FOLDER}/base_state.json"), state.as_bytes());
        let store = stored(&archive);
        let listing = futures_executor::block_on(store.load(id())).unwrap().unwrap();
        let found = crate::format::base_state::BaseState::parse(&listing.base_state).unwrap().beginning();
        assert_eq!(found.as_deref(), expected);
        let files = exported(&store);
        assert!(files.iter().all(|(_, content)| !String::from_utf8_lossy(content).contains("threadkeep_")));
    }
}

#[test]
fn entries_may_have_any_order_and_files_of_file_managers_are_ignored() {
    let mut archive =
        Listed::conversation(50).with("__MACOSX/._x", b"junk").with(&format!("{FOLDER}/.DS_Store"), b"junk");
    archive.entries.reverse();
    let store = stored(&archive);
    assert_eq!(snapshot(&store), snapshot(&stored(&Listed::conversation(50))));
}

#[test]
fn lock_files_are_not_imported() {
    let mut archive = Listed::conversation(1);
    for lock in [
        "events/.eventlog.lock",
        "events/.eventlog-len-1.marker",
        "subagents/0f8fad5bd9cb469fa16570867728950e/events/.eventlog-len-7.marker",
        "owner_lease.json",
        ".owner_lease.lock",
    ] {
        archive.add(&format!("{FOLDER}/{lock}"), b"");
    }
    assert_eq!(snapshot(&stored(&archive)), snapshot(&stored(&Listed::conversation(1))));
}

#[test]
fn a_conversation_may_be_in_further_folders_or_in_none() {
    let expected = snapshot(&stored(&Listed::conversation(3)));
    for (from, to) in [
        (String::new(), "conversations/"),
        (String::new(), "home/ann/conversations/"),
        (format!("{FOLDER}/"), ""),
        (format!("{FOLDER}/"), "my chat/"),
        (FOLDER.to_owned(), ID),
    ] {
        let mut archive = Listed::conversation(3);
        for (header, _) in &mut archive.entries {
            header.name = format!("{to}{}", header.name.strip_prefix(&from).unwrap());
        }
        archive.entries.retain(|(header, _)| !header.name.is_empty());
        assert_eq!(snapshot(&stored(&archive)), expected, "{to}");
    }
}

#[test]
fn all_conversations_of_an_archive_are_imported() {
    let mut archive = Listed::conversation(3);
    let other = "1f8fad5bd9cb469fa16570867728950e";
    for (header, content) in Listed::conversation(2).entries {
        let content = String::from_utf8(content.unwrap()).unwrap().replace("0f8fad5b", "1f8fad5b");
        archive.add(&header.name.replace(FOLDER, other), content.as_bytes());
    }
    let store = MemoryStore::new();
    let imported = run(&archive, &store).unwrap();
    assert_eq!(imported.iter().map(|one| one.length).collect::<Vec<_>>(), [3, 2]);
    assert_eq!(snapshot(&store).len(), 2);
}

#[test]
fn secrets_are_neither_imported_nor_exported() {
    let leaky = base_state().replace("\"model\":\"m\"", "\"model\":\"m\",\"api_key\":\"sk-very-secret\"");
    let nested = format!("{FOLDER}/subagents/aa/base_state.json");
    let archive = Listed::conversation(1)
        .replace(&format!("{FOLDER}/base_state.json"), leaky.as_bytes())
        .with(&nested, leaky.as_bytes())
        .with(&format!("{FOLDER}/meta.json"), leaky.as_bytes());
    let store = Rc::new(MemoryStore::new());
    let imported = run(&archive, &*store).unwrap();
    assert!(imported[0].warnings[0].contains("agent.llm.api_key"), "{imported:?}");
    assert!(!format!("{imported:?}").contains("sk-very-secret"));
    let stored_conversations = snapshot(&*store);
    assert!(!stored_conversations[0].1.contains("sk-very-secret"));
    for (path, content) in &stored_conversations[0].3 {
        assert!(!String::from_utf8_lossy(content).contains("sk-very-secret"), "{path}");
    }
    // A store of a host may contain secrets.
    block_on(async {
        let mut commit = crate::store::Commit::new(1, 0.0);
        commit.base_state = Some(leaky.as_str().into());
        commit.files = vec![("meta.json".parse().unwrap(), Some(leaky.clone().into_bytes()))];
        store.commit(id(), commit).await.unwrap();
    });
    for (name, content) in exported(&*store) {
        assert!(!String::from_utf8_lossy(&content).contains("sk-very-secret"), "{name}");
    }
}
