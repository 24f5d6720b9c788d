//! Files at earlier events: single cases.

use super::{files_at, live, path, write};
use crate::support::{Answer, World, calls, say, text};
use futures_executor::block_on;
use std::rc::Rc;
use threadkeep::{
    cancel::CancelToken,
    conversation::{ChangeKind, Conversation, PruneLimits},
    store::{Commit, MemoryStore, Store},
    tool::FileChange,
};

/// The answers of a model that writes `a` twice.
fn two_answers() -> Vec<Answer> {
    vec![
        calls(&[("call_1", "write", r#"{"text":"a=one"}"#)]),
        text("One."),
        calls(&[("call_2", "write", r#"{"text":"a=two"}"#), ("call_3", "write", r#"{"text":"b=new"}"#)]),
        text("Two."),
    ]
}

async fn with_two_answers(world: &World) -> Conversation {
    let conversation = world.open().await.unwrap();
    for message in ["First.", "Second."] {
        say(&conversation, message).await;
        conversation.run(CancelToken::default()).await.unwrap();
    }
    conversation
}

#[test]
fn each_result_names_the_version_of_its_own_change() {
    block_on(async {
        let world = World::new(Rc::new(MemoryStore::new()), vec![write()], two_answers());
        let conversation = with_two_answers(&world).await;
        let mut seen = Vec::new();
        for event in conversation.active_branch(usize::MAX).await.unwrap() {
            let files = files_at(&conversation, event.id()).await.unwrap();
            let texts: Vec<String> = files
                .iter()
                .map(|(name, content)| format!("{name}={}", String::from_utf8_lossy(content)))
                .collect();
            seen.push(format!("{} {}", event.kind().trim_end_matches("Event"), texts.join(" ")));
        }
        assert_eq!(
            seen,
            [
                "SystemPrompt ",
                "Message ",
                "Action ",
                "Observation a=one",
                "Message a=one",
                "Message a=one",
                "Action a=one",
                "Action a=one",
                "Observation a=two",
                "Observation a=two b=new",
                "Message a=two b=new",
            ]
        );
        let branch = conversation.active_branch(usize::MAX).await.unwrap();
        let changes = conversation.file_changes_between(branch[5].id(), branch[10].id()).await.unwrap();
        let kinds: Vec<(&str, ChangeKind)> =
            changes.iter().map(|change| (change.path.as_str(), change.kind)).collect();
        assert_eq!(kinds, [("workspace/a", ChangeKind::Changed), ("workspace/b", ChangeKind::Added)]);
        let history = conversation.file_history().await.unwrap();
        assert_eq!((history.versions, history.bytes, history.is_complete), (3, 3, true));
    });
}

#[test]
fn a_content_is_stored_once_and_files_that_are_written_often_at_one_event_have_one_version() {
    block_on(async {
        let store = MemoryStore::new();
        let world = World::new(Rc::new(store.another()), vec![write()], []);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Hello.").await;
        let content = vec![7_u8; 1000];
        for name in ["a", "b", "c"] {
            conversation.write_files(vec![FileChange::new(path(name), Some(content.clone()))]).await.unwrap();
        }
        for number in 0..50_u8 {
            let changed = FileChange::new(path("a"), Some(vec![number; 10]));
            conversation.write_files(vec![changed]).await.unwrap();
        }
        let count = async |folder: &str| {
            store.files(conversation.id(), Some(&folder.parse().unwrap())).await.unwrap().len()
        };
        assert_eq!(count("file_versions/contents").await, 0);
        assert_eq!(count("file_versions/versions").await, 2);
        say(&conversation, "Remove them.").await;
        let removed = ["a", "b", "c"].map(|name| FileChange::new(path(name), None));
        conversation.write_files(removed.into()).await.unwrap();
        // `b` and `c` have the same.
        assert_eq!(count("file_versions/contents").await, 2);
    });
}

#[test]
fn a_conversation_that_had_files_before_keeps_them_where_they_are_not_known() {
    block_on(async {
        let store = MemoryStore::new();
        let world = World::new(Rc::new(store.another()), vec![write()], two_answers());
        let conversation = with_two_answers(&world).await;
        // As an earlier version of the library has stored it.
        let versions = store.files(conversation.id(), Some(&"file_versions".parse().unwrap())).await.unwrap();
        let files = versions.into_iter().map(|path| (path, None)).collect();
        let commit = Commit { files, ..Commit::new(conversation.length(), 1.0) };
        store.commit(conversation.id(), commit).await.unwrap();
        let branch = conversation.active_branch(usize::MAX).await.unwrap();
        assert_eq!(files_at(&conversation, branch[4].id()).await, None);
        let now = live(&store, conversation.id()).await;
        assert_eq!(files_at(&conversation, branch[10].id()).await, Some(now.clone()));
        conversation.write_files(vec![FileChange::new(path("a"), Some(b"mine".into()))]).await.unwrap();
        let changed = live(&store, conversation.id()).await;
        conversation.navigate_to(Some(branch[4].id().clone())).await.unwrap();
        assert_eq!(live(&store, conversation.id()).await, changed);
        assert!(!conversation.file_history().await.unwrap().is_complete);
        conversation.navigate_to(Some(branch[10].id().clone())).await.unwrap();
        assert_eq!(live(&store, conversation.id()).await, changed);
    });
}

#[test]
fn two_contents_with_the_same_hash_are_kept_apart() {
    block_on(async {
        let store = MemoryStore::new();
        let world = World::new(Rc::new(store.another()), vec![write()], []);
        let conversation = world.open().await.unwrap();
        say(&conversation, "Hello.").await;
        conversation.write_files(vec![FileChange::new(path("a"), Some(b"right".into()))]).await.unwrap();
        let hello = conversation.active_branch(1).await.unwrap().remove(0);
        // The content of another file that happens to have the hash of "right".
        let key = threadkeep::format::file_versions::key_of(b"right");
        let taken = format!("file_versions/contents/{key}").parse().unwrap();
        let commit =
            Commit { files: vec![(taken, Some(b"wrong".into()))], ..Commit::new(conversation.length(), 1.0) };
        store.commit(conversation.id(), commit).await.unwrap();
        say(&conversation, "Go on.").await;
        conversation.write_files(vec![FileChange::new(path("a"), Some(b"later".into()))]).await.unwrap();
        assert_eq!(files_at(&conversation, hello.id()).await.unwrap()["a"], b"right");
        conversation.navigate_to(Some(hello.id().clone())).await.unwrap();
        assert_eq!(live(&store, conversation.id()).await["a"], b"right");
    });
}

#[test]
fn rows_that_cannot_be_read_leave_the_files_as_they_are() {
    block_on(async {
        for (row, text) in [
            ("current", "nonsense"),
            ("current", "9 00000008-1-root"),
            ("versions/00000002-10-10000000-0000-4000-8000-00000000000b", "1\t00000009-1-root\n"),
            ("versions/00000001-0-zzz", "1\t\n-\t../../x\n"),
        ] {
            let store = MemoryStore::new();
            let world = World::new(Rc::new(store.another()), vec![write()], two_answers());
            let conversation = with_two_answers(&world).await;
            let place = format!("file_versions/{row}").parse().unwrap();
            let files = vec![(place, Some(text.into()))];
            let commit = Commit { files, ..Commit::new(conversation.length(), 1.0) };
            store.commit(conversation.id(), commit).await.unwrap();
            let branch = conversation.active_branch(usize::MAX).await.unwrap();
            for event in [&branch[1], &branch[5], &branch[10]] {
                conversation.navigate_to(Some(event.id().clone())).await.unwrap();
                let files = live(&store, conversation.id()).await;
                assert!(files.len() <= 2, "{row}: {files:?}");
                let _ = files_at(&conversation, event.id()).await;
            }
            conversation.write_files(vec![FileChange::new(path("c"), Some(b"on".into()))]).await.unwrap();
            assert_eq!(live(&store, conversation.id()).await["c"], b"on");
        }
    });
}

#[test]
fn versions_that_are_too_old_are_removed_and_head_keeps_its_files() {
    block_on(async {
        let store = MemoryStore::new();
        let world = World::new(Rc::new(store.another()), vec![write()], []);
        let conversation = world.open().await.unwrap();
        for number in 0..5_u8 {
            world.host.passed.set(f64::from(number) * 1000.0);
            say(&conversation, "Go on.").await;
            conversation.write_files(vec![FileChange::new(path("a"), Some(vec![number; 8]))]).await.unwrap();
        }
        let branch = conversation.active_branch(usize::MAX).await.unwrap();
        let known = async || {
            let mut known = Vec::new();
            for event in &branch {
                known.push(
                    files_at(&conversation, event.id()).await.map(|files| files.get("a").map(|file| file[0])),
                );
            }
            known
        };
        let all = [None, Some(0), Some(1), Some(2), Some(3), Some(4)].map(Some);
        assert_eq!(known().await, all);
        let age = |age| PruneLimits { bytes: u64::MAX, age };
        conversation.prune_file_versions(age(10_000.0)).await.unwrap();
        assert_eq!(known().await, all);
        // The steps at 3 and 4 seconds are left: they go back to the files of second 2.
        conversation.prune_file_versions(age(1500.0)).await.unwrap();
        assert_eq!(known().await, [None, None, None, Some(Some(2)), Some(Some(3)), Some(Some(4))]);
        // HEAD is at an event whose later ones are newer, and older than the limit as well.
        conversation.navigate_to(Some(branch[4].id().clone())).await.unwrap();
        conversation.prune_file_versions(age(0.0)).await.unwrap();
        world.host.passed.set(1e9);
        conversation.prune_file_versions(age(1.0)).await.unwrap();
        assert_eq!(live(&store, conversation.id()).await["a"], [3; 8]);
        assert_eq!(known().await, [None, None, None, None, Some(Some(3)), None]);
        conversation.write_files(vec![FileChange::new(path("a"), Some(b"on".into()))]).await.unwrap();
        for event in &branch {
            conversation.navigate_to(Some(event.id().clone())).await.unwrap();
            assert_eq!(
                live(&store, conversation.id()).await["a"],
                b"on",
                "they stay where no others are known"
            );
        }
    });
}
