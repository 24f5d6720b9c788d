//! Archives that are refused, each with an error that names the entry, and without a change of the store.

use super::*;

/// Imports beside an unrelated conversation, and expects an error with all of `texts` and no change of the store.
fn refused(case: &str, archive: &Listed, code: &str, texts: &[&str]) {
    let store = MemoryStore::new();
    run(&unrelated(), &store).unwrap();
    let before = snapshot(&store);
    match run(archive, &store) {
        Ok(imported) => panic!("{case} was imported: {imported:?}"),
        Err(error) => {
            assert_eq!(error.code().as_str(), code, "{case}: {error}");
            for text in texts {
                assert!(error.message().contains(text), "{case}: {error}");
            }
        }
    }
    assert_eq!(snapshot(&store), before, "{case}");
    // No invisible remains are left.
    assert!(
        block_on(store.files(id(), None)).unwrap().is_empty()
            && block_on(store.events(id(), 0..9)).unwrap().is_empty()
    );
}

fn unrelated() -> Listed {
    let other = "1f8fad5bd9cb469fa16570867728950e";
    Listed::of(&[(
        &format!("{other}/base_state.json"),
        base_state().replace("0f8fad5b", "1f8fad5b").as_bytes(),
    )])
}

#[test]
fn paths_outside_of_a_conversation_are_refused() {
    for path in ["../evil", "/etc/passwd", "a/../../b", "C:/x", "a\\b", "x\0y", "a//b", &"a/".repeat(2000)] {
        refused(path, &Listed::conversation(2).with(path, b"x"), "archive_invalid", &["entry"]);
    }
    for path in ["../x", "EVENTS/x", "Base_State.json", "base_state.json/x", "events "] {
        let path = format!("{FOLDER}/{path}");
        refused(&path, &Listed::conversation(2).with(&path, b"x"), "archive_invalid", &["entry"]);
    }
    let mut archive = Listed::conversation(2);
    archive.add(&format!("{FOLDER}/link"), b"/etc/passwd").is_symlink = true;
    refused("a link", &archive, "archive_invalid", &["link", "symbolic"]);
    let file_and_folder =
        Listed::conversation(2).with(&format!("{FOLDER}/a"), b"x").with(&format!("{FOLDER}/a/b/c"), b"x");
    refused("a file in a file", &file_and_folder, "archive_invalid", &["a/b/c"]);
}

#[test]
fn entries_that_belong_to_no_conversation_are_refused() {
    refused("nothing", &Listed::default(), "archive_invalid", &["no files"]);
    refused("only junk", &Listed::of(&[("__MACOSX/x", b"x")]), "archive_invalid", &["no files"]);
    refused("a photo", &Listed::of(&[("photo.jpg", b"x")]), "archive_invalid", &["photo.jpg"]);
    refused("a stray", &Listed::conversation(2).with("readme.txt", b"x"), "archive_invalid", &["readme.txt"]);
    let no_base_state = Listed::conversation(0)
        .without(&format!("{FOLDER}/base_state.json"))
        .with(&format!("{FOLDER}/TASKS.json"), b"[]");
    refused("no base state", &no_base_state, "archive_invalid", &["base_state.json", FOLDER]);
    let two = Listed::conversation(2).with(&format!("{ID}/base_state.json"), base_state().as_bytes());
    refused("one id in two spellings", &two, "archive_invalid", &["occurs twice", ID]);
}

#[test]
fn a_repeated_name_is_refused() {
    let again = Listed::conversation(3).with(&event_path(1), event(1).as_bytes());
    refused("a name twice", &again, "archive_invalid", &[&event_path(1), "occurs twice"]);
}

#[test]
fn contradictory_ids_are_refused() {
    let base_state_path = format!("{FOLDER}/base_state.json");
    let other = base_state().replace("0f8fad5b", "1f8fad5b");
    let wrong = Listed::conversation(2).replace(&base_state_path, other.as_bytes());
    refused("another id", &wrong, "archive_invalid", &[&base_state_path, FOLDER]);
    for text in ["{}", "[]", "7", "{\"id\":null}", "{\"id\":\"../..\"}", "no json", "{\"id\":1}"] {
        let wrong = Listed::conversation(2).replace(&base_state_path, text.as_bytes());
        refused(text, &wrong, "archive_invalid", &[&base_state_path]);
    }
    let flat = Listed::of(&[("base_state.json", b"{\"agent\":{}}")]);
    refused("no id anywhere", &flat, "archive_invalid", &["base_state.json"]);
    let torn_flat = Listed::of(&[("base_state.json", b"{\"agent\":{}")]);
    refused("torn and no id anywhere", &torn_flat, "archive_invalid", &["base_state.json", "breaks off"]);
}

#[test]
fn zip_bombs_are_refused() {
    let declare = |size: u64, compressed: u64, count: usize| {
        let mut archive = Listed::conversation(2);
        for n in 0..count {
            let header = archive.add(&format!("{FOLDER}/bomb{n}"), b"x");
            header.size = size;
            header.compressed_size = compressed;
        }
        archive
    };
    refused("one entry too long", &declare((128 << 20) + 1, 1 << 30, 1), "archive_invalid", &["bomb0"]);
    let mut too_much = declare(127 << 20, 127 << 20, 70);
    too_much.size = 70 * (127 << 20);
    refused("too much in all", &too_much, "archive_invalid", &["more than"]);
    let mut ratio = declare(127 << 20, 127 << 10, 4);
    ratio.size = 4 * (127 << 10);
    refused("packed 1000 times", &ratio, "archive_invalid", &["bomb"]);
    let mut lying = Listed::conversation(2);
    lying.add(&event_path(2), event(2).as_bytes()).size = 1000;
    refused("shorter than it says", &lying, "archive_invalid", &[&event_path(2), "cannot be unpacked"]);
    let long = format!("{{{}}}", " ".repeat((16 << 20) - 1));
    for name in ["base_state.json", "subagents/aa/base_state.json", "meta.json"] {
        let path = format!("{FOLDER}/{name}");
        let mut archive = Listed::conversation(1).without(&path);
        archive.add(&path, long.as_bytes());
        refused("settings too long", &archive, "archive_invalid", &[&path, "16777217 bytes"]);
    }
    let mut stored = Listed::conversation(2);
    stored.add(&format!("{FOLDER}/s"), b"x").method = 0;
    stored.entries.last_mut().unwrap().0.compressed_size = 7;
    refused("stored in two sizes", &stored, "archive_invalid", &["entry", "sizes differ"]);
}

#[test]
fn too_many_entries_are_refused() {
    let mut archive = Listed::default();
    for n in 0..=super::super::limits::MAX_ENTRIES {
        archive.add(&format!("{n}/"), b"");
    }
    refused("too many entries", &archive, "archive_invalid", &["more than 200000 entries"]);
}

#[test]
fn entries_that_cannot_be_unpacked_are_refused() {
    let mut archive = Listed::conversation(3);
    archive.entries.iter_mut().find(|(header, _)| header.name == event_path(1)).unwrap().1 =
        Err("Invalid CRC32".into());
    refused("damaged", &archive, "archive_invalid", &[&event_path(1), "Invalid CRC32"]);
    let mut archive = Listed::conversation(2);
    archive.add(&format!("{FOLDER}/a"), b"x").is_encrypted = true;
    refused("encrypted", &archive, "archive_invalid", &["/a", "encrypted"]);
    let mut archive = Listed::conversation(2);
    archive.add(&format!("{FOLDER}/a"), b"x").method = 93;
    refused("a strange method", &archive, "archive_invalid", &["/a", "93"]);
}

#[test]
fn an_event_in_the_middle_that_is_not_text_is_refused() {
    let archive = Listed::conversation(3).replace(&event_path(1), b"{\"id\":\"\xff\xfe\"}");
    refused("not UTF-8", &archive, "archive_invalid", &[&event_path(1), "UTF-8"]);
}

#[test]
fn a_refused_second_conversation_prevents_the_import_of_the_first() {
    let archive = Listed::conversation(3).with("1f8fad5bd9cb469fa16570867728950e/base_state.json", b"[]");
    refused("one good, one bad", &archive, "archive_invalid", &["1f8fad5b"]);
}

#[test]
fn a_directory_that_cannot_be_read_is_refused() {
    struct NoZip;
    impl Archive for NoZip {
        fn size(&self) -> u64 {
            0
        }
        fn next_entries(&self) -> LocalBoxFuture<'_, Result<Vec<EntryHeader>, String>> {
            Box::pin(ready(Err("File format is not recognized".into())))
        }
        fn read<'a>(&'a self, _: &'a [usize]) -> LocalBoxFuture<'a, Result<Vec<u8>, Unreadable>> {
            Box::pin(ready(Ok(Vec::new())))
        }
        fn check<'a>(&'a self, _: &'a [usize]) -> LocalBoxFuture<'a, Result<(), Unreadable>> {
            Box::pin(ready(Ok(())))
        }
    }
    let options = ImportOptions { host: &Accents, now: 0.0, on_progress: &|_| (), claim: &anybody };
    let error = block_on(import(&NoZip, &MemoryStore::new(), &options)).unwrap_err();
    assert_eq!(error.code().as_str(), "archive_invalid");
    assert!(error.message().contains("not a zip") || error.message().contains("zip archive"), "{error}");
}
