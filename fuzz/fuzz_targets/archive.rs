//! Archives of any entries: imported, exported and imported again, or refused with nothing stored.
//!
//! The input is a list of entries: a byte of flags, the length of the name, the name, two bytes for the length of the
//! content, the content. Bytes below 8 in a name stand for the parts that archives are made of.
#![no_main]

use futures_executor::block_on;
use futures_util::future::LocalBoxFuture;
use libfuzzer_sys::fuzz_target;
use std::{cell::Cell, future::ready, rc::Rc};
use threadkeep::{
    archive::{Archive, Claim, EntryHeader, Export, ImportOptions, import},
    id::ConversationId,
    store::{MemoryStore, Store},
};

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

const OPTIONS: ImportOptions<'_> = ImportOptions { now: 0.0, on_progress: &|_| (), claim: &anybody };

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
            is_directory: name.ends_with('/') || flags & 128 != 0,
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

    fn next_entry(&self) -> LocalBoxFuture<'_, Result<Option<EntryHeader>, String>> {
        let next = self.next.replace(self.next.get() + 1);
        Box::pin(ready(Ok(self.entries.get(next).map(|(header, _)| header.clone()))))
    }

    fn read(&self, position: usize) -> LocalBoxFuture<'_, Result<Vec<u8>, String>> {
        Box::pin(ready(self.entries.get(position).map(|(_, content)| content.clone()).ok_or_else(|| "gone".into())))
    }

    fn forget(&self, _: usize) {}
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
            let mut export = Export::open(Rc::clone(&store), one.conversation).await.expect("it was imported");
            while let Some(entry) = export.next().await.expect("memory does not fail") {
                let content = entry.content.as_bytes().to_vec();
                again.add(entry.name, content, 0);
            }
        });
        let copied = block_on(import(&again, &MemoryStore::new(), &OPTIONS)).expect("what is exported is importable");
        assert_eq!(copied.len(), 1);
        assert_eq!(copied[0].length, one.length);
    }
});
