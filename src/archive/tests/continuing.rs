//! Imports into a store that has the conversation already: they continue it, change nothing, or are refused.

use super::*;
use crate::{archive::Outcome, error::ErrorCode, store::Commit};

#[test]
fn further_events_of_an_archive_are_appended() {
    let store = stored(&Listed::conversation(10));
    let further = Listed::conversation(25)
        .replace(&format!("{FOLDER}/base_state.json"), base_state().replace("idle", "finished").as_bytes())
        .with(&format!("{FOLDER}/TASKS.json"), b"[]");
    let imported = run(&further, &store).unwrap();
    assert_eq!((imported[0].outcome, imported[0].length), (Outcome::Continued { from: 10 }, 25));
    assert_eq!(snapshot(&store), snapshot(&stored(&further)));
}

#[test]
fn an_archive_without_further_events_changes_nothing() {
    let store = stored(&Listed::conversation(10));
    let before = snapshot(&store);
    for length in [0, 3, 10] {
        let imported = run(&Listed::conversation(length), &store).unwrap();
        assert_eq!((imported[0].outcome, imported[0].length), (Outcome::UpToDate, 10));
        assert_eq!(snapshot(&store), before);
    }
}

#[test]
fn a_copy_of_a_conversation_on_a_server_is_not_continued_and_an_archive_makes_none() {
    let marked = base_state().replacen('{', r#"{"threadkeep_server":{"host":"https://agents.example"},"#, 1);
    let archive = |length| {
        Listed::conversation(length).replace(&format!("{FOLDER}/base_state.json"), marked.as_bytes())
    };
    let store = stored(&archive(10));
    let text = block_on(store.load(id())).unwrap().unwrap().base_state;
    assert!(!text.contains("threadkeep_server"), "{text}");
    let commit = Commit { base_state: Some(marked.clone().into()), ..Commit::new(10, 0.0) };
    block_on(store.commit(id(), commit)).unwrap();
    let before = snapshot(&store);
    assert_eq!(run(&archive(12), &store).unwrap_err().code(), ErrorCode::InvalidState);
    assert_eq!(snapshot(&store), before);
    // An export is that of any other conversation.
    assert!(!portable(&marked, id()).contains("threadkeep_server"));
}

#[test]
fn an_archive_with_other_events_is_refused() {
    let store = stored(&Listed::conversation(10));
    let before = snapshot(&store);
    let other_bytes =
        Listed::conversation(12).replace(&event_path(7), event(7).replace("7.0", "7.00").as_bytes());
    let other_id = {
        let mut archive = Listed::conversation(12);
        for (header, content) in &mut archive.entries {
            if header.name == event_path(7) {
                header.name = header.name.replace("00000007-", "ffffffff-");
                *content = Ok(event(7).replace("00000007-", "ffffffff-").into_bytes());
                header.size = content.as_ref().unwrap().len() as u64;
            }
        }
        archive
    };
    // Without the names of their parents, the events behind one with another id follow another event.
    for (archive, event) in [(other_bytes, "event 7"), (other_id, "event 8")] {
        let error = run(&archive, &store).unwrap_err();
        assert_eq!(error.code().as_str(), "invalid_state");
        for word in ["10 events", "has 12", event, "delete it"] {
            assert!(error.message().contains(word), "{error}");
        }
        assert_eq!(snapshot(&store), before);
    }
}

#[test]
fn a_conversation_that_is_open_elsewhere_is_not_changed() {
    let store = stored(&Listed::conversation(10));
    let before = snapshot(&store);
    let options =
        ImportOptions { host: &Accents, now: 0.0, on_progress: &|_| (), claim: &|_| Box::pin(ready(None)) };
    let error = block_on(import(&Listed::conversation(11), &store, &options)).unwrap_err();
    assert_eq!(error.code().as_str(), "locked_elsewhere");
    let imported = block_on(import(&Listed::conversation(10), &store, &options)).unwrap();
    assert_eq!(imported[0].outcome, Outcome::UpToDate);
    assert_eq!(snapshot(&store), before);
    assert!(block_on(import(&Listed::conversation(1), &MemoryStore::new(), &options)).is_err());
}

#[test]
fn an_event_that_was_torn_in_the_first_import_is_appended_by_a_complete_one() {
    let store = stored(&Listed::conversation(5).replace(&event_path(4), b""));
    let imported = run(&Listed::conversation(5), &store).unwrap();
    assert_eq!((imported[0].outcome, imported[0].length), (Outcome::Continued { from: 4 }, 5));
}
