//! Archives with any entries: they are imported, exported and imported again, or refused without storing anything.
//!
//! The input is a list of entries: a byte of flags, the length of the name, the name, two bytes for the length of the
//! content, the content. Bytes below 8 in a name are replaced by common parts of names.
#![no_main]

use futures_executor::block_on;
use futures_util::future::LocalBoxFuture;
use libfuzzer_sys::fuzz_target;
use std::{cell::Cell, future::ready, rc::Rc, time::Duration};
use threadkeep::{
    archive::{Archive, Claim, EntryHeader, ImportOptions, Unreadable, import, portable, without_secrets},
    host::Host,
    id::ConversationId,
    store::{MemoryStore, Store},
};
use uuid::Uuid;

const PARTS: [&str; 8] = [
    "0f8fad5bd9cb469fa16570867728950e/",
    "base_state.json",
    "events/event-00000-00000000.json",
    "events/event-00001-00000001.json",
    "events/",
    "../",
    "1f8fad5b-d9cb-469f-a165-70867728950e/",
    "subagents/",
];

const OPTIONS: ImportOptions<'_> =
    ImportOptions { host: &Nowhere, now: 0.0, on_progress: &|_| (), claim: &anybody };

struct Nowhere;

impl Host for Nowhere {
    fn now(&self) -> f64 {
        0.0
    }

    fn local_time(&self) -> String {
        String::new()
    }

    fn random_uuid(&self) -> Uuid {
        Uuid::nil()
    }

    fn sleep(&self, _: Duration) -> LocalBoxFuture<'static, ()> {
        Box::pin(ready(()))
    }
}

fn anybody(_: ConversationId) -> LocalBoxFuture<'static, Option<Claim>> {
    Box::pin(ready(Some(Box::new(()) as Claim)))
}

#[derive(Default)]
struct Entries {
    entries: Vec<(EntryHeader, Vec<u8>)>,
    next: Cell<usize>,
}

impl Entries {
    fn parse(mut bytes: &[u8]) -> Self {
        let mut archive = Self::default();
        while let Some((&[flags, name_length], rest)) = bytes.split_first_chunk::<2>() {
            let (name, rest) = rest.split_at(rest.len().min(name_length.into()));
            let Some((length, rest)) = rest.split_first_chunk::<2>() else { break };
            let (content, rest) = rest.split_at(rest.len().min(u16::from_le_bytes(*length).into()));
            let name: String = String::from_utf8_lossy(name)
                .chars()
                .map(|c| PARTS.get(c as usize).map_or_else(|| c.to_string(), |part| (*part).to_owned()))
                .collect();
            archive.add(name, content.to_vec(), flags);
            bytes = rest;
        }
        archive
    }

    fn add(&mut self, name: String, content: Vec<u8>, flags: u8) {
        let size = content.len() as u64;
        let header = EntryHeader {
            name,
            compressed_size: size,
            size: if flags & 64 != 0 { u64::MAX / 2 } else { size },
            is_symlink: flags & 32 != 0,
            is_encrypted: flags & 16 != 0,
            method: if flags & 8 != 0 { 93 } else { 8 },
        };
        self.entries.push((header, content));
    }
}

impl Archive for Entries {
    fn size(&self) -> u64 {
        self.entries.iter().map(|(_, content)| content.len() as u64).sum()
    }

    fn next_entries(&self) -> LocalBoxFuture<'_, Result<Vec<EntryHeader>, String>> {
        let next: Vec<_> = self.entries.iter().skip(self.next.get()).take(2).map(|(header, _)| header.clone()).collect();
        self.next.set(self.next.get() + next.len());
        Box::pin(ready(Ok(next)))
    }

    fn read<'a>(&'a self, positions: &'a [usize]) -> LocalBoxFuture<'a, Result<Vec<u8>, Unreadable>> {
        let contents = positions.iter().filter_map(|position| self.entries.get(*position));
        Box::pin(ready(Ok(contents.flat_map(|(_, content)| content.clone()).collect())))
    }

    fn check<'a>(&'a self, _: &'a [usize]) -> LocalBoxFuture<'a, Result<(), Unreadable>> {
        Box::pin(ready(Ok(())))
    }
}

fuzz_target!(|bytes: &[u8]| {
    let archive = Entries::parse(bytes);
    let store: Rc<dyn Store> = Rc::new(MemoryStore::new());
    let Ok(imported) = block_on(import(&archive, &*store, &OPTIONS)) else {
        assert!(block_on(store.list()).expect("memory does not fail").is_empty());
        return;
    };
    for one in imported {
        let mut again = Entries::default();
        block_on(async {
            let id = one.conversation;
            let listing = store.load(id).await.expect("memory does not fail").expect("it was imported");
            again.add(format!("{}/base_state.json", id.hex()), portable(&listing.base_state, id).into_bytes(), 0);
            for event in store.events(id, 0..u64::MAX).await.expect("memory does not fail") {
                let name = format!("{}/events/event-{:05}-{}.json", id.hex(), event.index, event.id);
                again.add(name, event.json.as_bytes().to_vec(), 0);
            }
            for path in store.files(id, None).await.expect("memory does not fail") {
                let content = store.read_file(id, &path).await.expect("memory does not fail").expect("it is listed");
                again.add(format!("{}/{path}", id.hex()), without_secrets(&path, content), 0);
            }
        });
        let copied = block_on(import(&again, &MemoryStore::new(), &OPTIONS)).expect("an exported archive can be imported");
        assert_eq!(copied.len(), 1);
        assert_eq!(copied[0].length, one.length);
    }
});
