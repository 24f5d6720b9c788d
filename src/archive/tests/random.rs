//! Random archives: each is imported or refused.

use super::*;
use proptest::prelude::*;

fn name() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just(FOLDER.to_owned()),
        Just(ID.to_owned()),
        Just("events".to_owned()),
        Just("base_state.json".to_owned()),
        Just("..".to_owned()),
        Just("quarantine".to_owned()),
        (0_u64..4).prop_map(|index| event_path(index).rsplit('/').next().unwrap().to_owned()),
        "[a-cE.]{0,3}",
        "\\PC{0,4}",
    ];
    prop::collection::vec(part, 1..4).prop_map(|parts| parts.join("/"))
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(base_state().into_bytes()),
        (0_u64..4).prop_map(|index| event(index).into_bytes()),
        (0..base_state().len()).prop_map(|end| base_state().as_bytes()[..end].to_vec()),
        prop::collection::vec(any::<u8>(), 0..64),
        Just(vec![]),
    ]
}

proptest! {
    #[test]
    fn any_list_of_entries_is_imported_or_refused(
        base in 0_u64..4,
        unusual in prop::collection::vec((name(), content(), any::<u8>()), 0..5),
        changed in prop::option::of((0_usize..8, content())),
    ) {
        let mut archive = Listed::conversation(base);
        for (name, content, flags) in unusual {
            let header = archive.add(&name, &content);
            header.is_symlink = flags % 32 == 2;
            header.is_encrypted = flags % 32 == 3;
            if flags % 32 == 4 {
                header.method = u16::from(flags);
            }
            if flags % 32 == 5 {
                header.size = u64::MAX - u64::from(flags);
            }
        }
        if let Some((index, content)) = changed
            && let Some((header, found)) = archive.entries.get_mut(index)
        {
            header.size = content.len() as u64;
            *found = Ok(content);
        }
        let store = Rc::new(MemoryStore::new());
        match run(&archive, &*store) {
            Err(error) => {
                prop_assert!(snapshot(&*store).is_empty());
                prop_assert!(error.message().len() < 1000);
            }
            Ok(imported) => {
                let stored = snapshot(&*store);
                prop_assert_eq!(imported.len(), stored.len());
                if stored.iter().any(|(found, ..)| *found == id()) {
                    // An imported conversation can be exported and imported again.
                    let mut again = Listed::default();
                    for (name, content) in exported(&*store) {
                        again.add(&name, &content);
                    }
                    let copy = MemoryStore::new();
                    run(&again, &copy).unwrap();
                    let original: Vec<_> = stored.iter().filter(|(found, ..)| *found == id()).map(|one| (&one.2, &one.3)).collect();
                    let copied = snapshot(&copy);
                    prop_assert_eq!(original, copied.iter().map(|one| (&one.2, &one.3)).collect::<Vec<_>>());
                }
            }
        }
    }

    #[test]
    fn any_text_is_exported_as_a_valid_base_state(text in "[{}\\[\\]\",:a-z\\\\ 0-9]{0,40}") {
        let exported = crate::archive::portable(&text, id());
        prop_assert!(serde_json::from_str::<serde_json::Value>(&exported).is_ok(), "{}", exported);
    }
}
