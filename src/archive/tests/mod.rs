//! Imports of archives, valid and hostile, given as lists of entries, into the memory store.

mod continuing;
mod damaged;
mod faults;
mod interchange;
mod interchange_random;
mod interchange_shapes;
mod layouts;
mod hostile;
mod merging;
mod mirrors;
mod torn_files;
mod random;
mod readable;
mod round_trip;

use super::{
    Archive, Claim, EntryHeader, ImportOptions, Imported, Progress, Unreadable, import, portable,
    without_secrets,
};
use crate::{
    error::Error,
    host::tests::Accents,
    id::{ConversationId, StorePath},
    store::{MemoryStore, Store, StoredEvent},
};
use futures_executor::block_on;
use futures_util::future::LocalBoxFuture;
use std::{cell::Cell, future::ready, rc::Rc};

const ID: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";
const FOLDER: &str = "0f8fad5bd9cb469fa16570867728950e";

fn id() -> ConversationId {
    ID.parse().unwrap()
}

/// An archive of these files, in this order.
#[derive(Clone, Default)]
struct Listed {
    entries: Vec<(EntryHeader, Result<Vec<u8>, String>)>,
    size: u64,
    next: Cell<usize>,
}

impl Listed {
    fn of(files: &[(&str, &[u8])]) -> Self {
        let mut archive = Self::default();
        for (name, content) in files {
            archive.add(name, content);
        }
        archive
    }

    fn add(&mut self, name: &str, content: &[u8]) -> &mut EntryHeader {
        let size = content.len() as u64;
        let header = EntryHeader {
            name: name.to_owned(),
            compressed_size: size,
            size,
            is_symlink: false,
            is_encrypted: false,
            method: 8,
        };
        self.size += size;
        self.entries.push((header, Ok(content.to_vec())));
        &mut self.entries.last_mut().unwrap().0
    }

    /// A conversation of `length` events, in the form of an export.
    fn conversation(length: u64) -> Self {
        let mut archive = Self::default();
        archive.add(&format!("{FOLDER}/"), b"");
        archive.add(&format!("{FOLDER}/base_state.json"), base_state().as_bytes());
        archive.add(&format!("{FOLDER}/events/"), b"");
        for index in 0..length {
            archive.add(&event_path(index), event(index).as_bytes());
        }
        archive
    }

    fn with(mut self, name: &str, content: &[u8]) -> Self {
        self.add(name, content);
        self
    }

    fn replace(mut self, name: &str, content: &[u8]) -> Self {
        let entry = self.entries.iter_mut().find(|(header, _)| header.name == name).unwrap();
        entry.0.size = content.len() as u64;
        entry.1 = Ok(content.to_vec());
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.entries.retain(|(header, _)| header.name != name);
        self
    }
}

impl Archive for Listed {
    fn size(&self) -> u64 {
        self.size
    }

    /// Three entries at a time.
    fn next_entries(&self) -> LocalBoxFuture<'_, Result<Vec<EntryHeader>, String>> {
        let next = self.entries.iter().skip(self.next.get()).take(3);
        let next: Vec<_> = next.map(|(header, _)| header.clone()).collect();
        self.next.set(self.next.get() + next.len());
        Box::pin(ready(Ok(next)))
    }

    fn read<'a>(&'a self, positions: &'a [usize]) -> LocalBoxFuture<'a, Result<Vec<u8>, Unreadable>> {
        let mut contents = Vec::new();
        for position in positions {
            match &self.entries[*position].1 {
                Ok(content) => contents.extend_from_slice(content),
                Err(reason) => {
                    let unreadable = Unreadable { position: *position, reason: reason.clone() };
                    return Box::pin(ready(Err(unreadable)));
                }
            }
        }
        Box::pin(ready(Ok(contents)))
    }

    fn check<'a>(&'a self, positions: &'a [usize]) -> LocalBoxFuture<'a, Result<(), Unreadable>> {
        Box::pin(async move { self.read(positions).await.map(drop) })
    }
}

fn base_state() -> String {
    format!(
        "{{\"id\":\"{ID}\",\"agent\":{{\"llm\":{{\"model\":\"m\"}},\"kind\":\"Agent\"}},\
         \"workspace\":{{\"working_dir\":\"w\",\"kind\":\"LocalWorkspace\"}},\
         \"persistence_dir\":\"mine/{FOLDER}\",\"execution_status\":\"idle\"}}"
    )
}

fn event_id(index: u64) -> String {
    format!("{index:08x}-0000-4000-8000-000000000000")
}

fn event_path(index: u64) -> String {
    format!("{FOLDER}/events/event-{index:05}-{}.json", event_id(index))
}

fn event(index: u64) -> String {
    format!(
        "{{\"id\":\"{}\", \"n\":{index}.0,\"text\":\"\u{2028}ü\",\"kind\":\"MessageEvent\"}}",
        event_id(index)
    )
}

fn run(archive: &Listed, store: &dyn Store) -> Result<Vec<Imported>, Error> {
    archive.next.set(0);
    let last = Cell::new(Progress { done: 0, total: 0 });
    let on_progress = |progress: Progress| {
        assert!(progress.done >= last.get().done && progress.done <= progress.total);
        last.set(progress);
    };
    let options = ImportOptions { host: &Accents, now: 1000.0, on_progress: &on_progress, claim: &anybody };
    let result = block_on(import(archive, store, &options));
    if result.is_ok() {
        assert_eq!(last.get().done, last.get().total);
    }
    result
}

/// Grants every write lock.
fn anybody<'a>(_: ConversationId) -> LocalBoxFuture<'a, Option<Claim>> {
    Box::pin(ready(Some(Box::new(()) as Claim)))
}

/// The complete content of a store, for comparisons.
type Snapshot = Vec<(ConversationId, Rc<str>, Vec<StoredEvent>, Vec<(StorePath, Vec<u8>)>)>;

fn snapshot(store: &dyn Store) -> Snapshot {
    block_on(async {
        let mut all = Vec::new();
        for listing in store.list().await.unwrap() {
            let id = listing.conversation;
            let mut files = Vec::new();
            for path in store.files(id, None).await.unwrap() {
                let content = store.read_file(id, &path).await.unwrap().unwrap();
                files.push((path, content));
            }
            all.push((id, listing.base_state, store.events(id, 0..u64::MAX).await.unwrap(), files));
        }
        all
    })
}

/// The files of an export of the conversation, without directories.
fn exported(store: &dyn Store) -> Vec<(String, Vec<u8>)> {
    let stored = snapshot(store);
    let (id, base_state, events, files) = stored.iter().find(|(found, ..)| *found == id()).unwrap();
    let name = |path: &str| format!("{}/{path}", id.hex());
    let mut entries = vec![(name("base_state.json"), portable(base_state, *id).into_bytes())];
    for event in events {
        let path = format!("events/event-{:05}-{}.json", event.index, event.id);
        entries.push((name(&path), event.json.as_bytes().to_vec()));
    }
    for (path, content) in files {
        entries.push((name(path.as_str()), without_secrets(path, content.clone())));
    }
    entries
}

fn stored(archive: &Listed) -> MemoryStore {
    let store = MemoryStore::new();
    run(archive, &store).unwrap();
    store
}
