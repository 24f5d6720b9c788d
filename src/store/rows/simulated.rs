//! A store that carries out the plans on maps: the conformance suite, and random histories compared with [`MemoryStore`].

use super::{
    Head, LastRow, PAGE, Planned, Row, TIP_LIFETIME, TOMBSTONE_LIFETIME, Tip, Write, deletion, plan,
    plan_files_of,
};
use crate::{
    id::{ConversationId, EventId, StorePath},
    store::{
        Commit, Listing, MemoryStore, Store, StoreError, StoreFuture, StoredEvent, WriterNumber, conformance,
    },
};
use proptest::prelude::*;
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    future::ready,
    ops::Range,
    rc::Rc,
};
use uuid::Uuid;

#[derive(Clone, Default)]
struct Tables {
    heads: BTreeMap<ConversationId, Head>,
    rows: BTreeMap<(ConversationId, u64), LastRow>,
    pages: BTreeMap<(ConversationId, u64), Vec<EventId>>,
    files: BTreeMap<(ConversationId, StorePath), Vec<u8>>,
}

#[derive(Default)]
struct Database {
    tables: RefCell<Tables>,
    clock: Cell<f64>,
}

/// A store like the one on IndexedDB: appends without reading from a remembered tip, everything else after reading.
#[derive(Default)]
struct Simulated {
    database: Rc<Database>,
    tips: RefCell<BTreeMap<ConversationId, (f64, Tip)>>,
    closed: Cell<bool>,
}

impl Tables {
    fn tip(&self, id: ConversationId) -> Result<Tip, StoreError> {
        let last = self.rows.range((id, 0)..=(id, u64::MAX)).next_back();
        Tip::read(id, self.heads.get(&id).cloned(), last.map(|(_, row)| row.clone()))
    }

    /// `false` if an added row existed already; the caller then discards these tables.
    fn write(&mut self, id: ConversationId, writes: Vec<Write<'_>>) -> bool {
        for write in writes {
            match write {
                Write::Add(row) => {
                    if self.rows.insert((id, row.index), LastRow::Event(row)).is_some() {
                        return false;
                    }
                }
                Write::Vacant { index } => {
                    if self.rows.contains_key(&(id, index)) {
                        return false;
                    }
                }
                Write::Put(row) => drop(self.rows.insert((id, row.index), LastRow::Event(row))),
                Write::Tombstone { index } => {
                    drop(self.rows.insert((id, index), LastRow::Tombstone { index }))
                }
                Write::Page { number, ids } => drop(self.pages.insert((id, number), ids)),
                Write::DropPages { from } => self.pages.retain(|(of, page), _| *of != id || *page < from),
                Write::Head(head) => drop(self.heads.insert(id, head)),
                Write::File { path, content } => {
                    self.files.insert((id, path.clone()), content.to_vec());
                }
                Write::DropFile { path } => drop(self.files.remove(&(id, path.clone()))),
                Write::DropAll => {
                    self.heads.remove(&id);
                    self.rows.retain(|(of, _), _| *of != id);
                    self.pages.retain(|(of, _), _| *of != id);
                    self.files.retain(|(of, _), _| *of != id);
                }
            }
        }
        true
    }

    fn ids(&self, id: ConversationId, range: Range<u64>) -> Vec<EventId> {
        self.events(id, range).into_iter().map(|event| event.id).collect()
    }

    fn events(&self, id: ConversationId, range: Range<u64>) -> Vec<StoredEvent> {
        if range.is_empty() {
            return Vec::new();
        }
        let rows = self.rows.range((id, range.start)..(id, range.end));
        rows.filter_map(|(_, row)| match row {
            LastRow::Event(Row { index, id, json, .. }) => {
                Some(StoredEvent { index: *index, id: id.clone(), json: Rc::clone(json) })
            }
            LastRow::Tombstone { .. } => None,
        })
        .collect()
    }

    fn index_of(&self, id: ConversationId, event: &EventId) -> Option<u64> {
        let pages = self.pages.range((id, 0)..=(id, u64::MAX));
        for ((_, number), ids) in pages.clone() {
            if let Some(place) = ids.iter().position(|of| of == event) {
                return Some(number * PAGE + place as u64);
            }
        }
        let paged = pages.last().map_or(0, |((_, number), _)| (number + 1) * PAGE);
        let rest = self.events(id, paged..u64::MAX);
        assert!(rest.len() < PAGE as usize, "{} events wait for a page", rest.len());
        rest.into_iter().find(|of| of.id == *event).map(|of| of.index)
    }

    /// Removes tombstones that have served their time, as a store does when it lists.
    fn sweep(&mut self, now: f64) {
        let old = |head: &Head| head.deleted && now - head.written > TOMBSTONE_LIFETIME;
        let swept: Vec<_> = self.heads.iter().filter(|(_, head)| old(head)).map(|(id, _)| *id).collect();
        for id in swept {
            self.write(id, vec![Write::DropAll]);
        }
    }
}

impl Simulated {
    fn another(&self) -> Self {
        Self { database: Rc::clone(&self.database), ..Self::default() }
    }

    fn answer<'a, T: 'a>(&self, result: impl FnOnce(&Tables) -> Result<T, StoreError>) -> StoreFuture<'a, T> {
        let result =
            if self.closed.get() { Err(StoreError::Closed) } else { result(&self.database.tables.borrow()) };
        Box::pin(ready(result))
    }

    fn append(&self, id: ConversationId, commit: &Commit) -> Result<bool, StoreError> {
        let now = self.database.clock.get();
        let Some((seen, tip)) = self.tips.borrow_mut().remove(&id) else { return Ok(false) };
        if now - seen > TIP_LIFETIME || !tip.appends_without_reading(commit) {
            return Ok(false);
        }
        let Ok(Planned::Ready(plan)) = plan(tip, commit, None, now) else { return Ok(false) };
        let mut tables = self.database.tables.borrow().clone();
        if !tables.write(id, plan.writes) {
            return Ok(false);
        }
        *self.database.tables.borrow_mut() = tables;
        self.tips.borrow_mut().insert(id, (now, plan.next));
        Ok(true)
    }

    fn read_and_write(&self, id: ConversationId, commit: &Commit) -> Result<(), StoreError> {
        let now = self.database.clock.get();
        let mut tables = self.database.tables.borrow().clone();
        let tip = tables.tip(id)?;
        let mut planned = plan(tip.clone(), commit, None, now)?;
        if let Planned::NeedsIds(range) = planned {
            planned = plan(tip, commit, Some(tables.ids(id, range)), now)?;
        }
        let Planned::Ready(plan) = planned else {
            return Err(StoreError::Corrupt("ids were asked for twice".into()));
        };
        if let Some(other) = &commit.files_of {
            let tip = tables.tip(other.conversation)?;
            tables.write(other.conversation, plan_files_of(&tip, other, commit.expected_length)?);
        }
        if !tables.write(id, plan.writes) {
            return Err(StoreError::Corrupt("an added row existed already".into()));
        }
        // The remembered tip must equal the one that a reader finds.
        let found = tables.tip(id)?;
        assert_eq!(found.listing(id), plan.next.listing(id));
        assert_eq!((found.length, found.used), (plan.next.length, plan.next.used));
        *self.database.tables.borrow_mut() = tables;
        self.tips.borrow_mut().insert(id, (now, plan.next));
        Ok(())
    }
}

impl Store for Simulated {
    fn list(&self) -> StoreFuture<'_, Vec<Listing>> {
        self.database.tables.borrow_mut().sweep(self.database.clock.get());
        self.answer(|tables| {
            let mut listings = Vec::new();
            for id in tables.heads.keys() {
                listings.extend(tables.tip(*id)?.listing(*id)?);
            }
            Ok(crate::store::newest_first(listings))
        })
    }

    fn load(&self, id: ConversationId) -> StoreFuture<'_, Option<Listing>> {
        self.answer(|tables| tables.tip(id)?.listing(id))
    }

    fn events(&self, id: ConversationId, range: Range<u64>) -> StoreFuture<'_, Vec<StoredEvent>> {
        self.answer(|tables| Ok(tables.events(id, range)))
    }

    fn index_of<'a>(&'a self, id: ConversationId, event: &'a EventId) -> StoreFuture<'a, Option<u64>> {
        self.answer(|tables| Ok(tables.index_of(id, event)))
    }

    fn commit(&self, id: ConversationId, commit: Commit) -> StoreFuture<'_, ()> {
        Box::pin(ready(if self.closed.get() {
            Err(StoreError::Closed)
        } else {
            match self.append(id, &commit) {
                Ok(false) => self.read_and_write(id, &commit),
                done => done.map(drop),
            }
        }))
    }

    fn files<'a>(
        &'a self,
        id: ConversationId,
        folder: Option<&'a StorePath>,
    ) -> StoreFuture<'a, Vec<StorePath>> {
        self.answer(|tables| {
            let files = tables.files.keys().filter(|(of, path)| *of == id && path.is_below(folder));
            Ok(files.map(|(_, path)| path.clone()).collect())
        })
    }

    fn read_file<'a>(&'a self, id: ConversationId, path: &'a StorePath) -> StoreFuture<'a, Option<Vec<u8>>> {
        self.answer(|tables| Ok(tables.files.get(&(id, path.clone())).cloned()))
    }

    fn spans_conversations(&self) -> bool {
        true
    }

    fn delete(&self, id: ConversationId) -> StoreFuture<'_, ()> {
        if self.closed.get() {
            return Box::pin(ready(Err(StoreError::Closed)));
        }
        let now = self.database.clock.get();
        self.tips.borrow_mut().remove(&id);
        let mut tables = self.database.tables.borrow_mut();
        let result = tables.tip(id).map(|tip| {
            let rows = tables.rows.range((id, 0)..(id, tip.length));
            let recent =
                |row: &LastRow| matches!(row, LastRow::Event(row) if now - row.written <= TOMBSTONE_LIFETIME);
            let first = rows.filter(|(_, row)| recent(row)).map(|((_, index), _)| *index).next();
            let writes = deletion(&tip, first.unwrap_or(tip.length), now);
            tables.write(id, writes);
        });
        Box::pin(ready(result))
    }

    fn close(&self) {
        self.closed.set(true);
    }
}

#[test]
fn passes_the_conformance_suite() {
    let places: RefCell<BTreeMap<String, Simulated>> = RefCell::default();
    let open: &conformance::Open = &|place| {
        let handle = places.borrow_mut().entry(place.to_owned()).or_default().another();
        Box::pin(ready(Ok(Rc::new(handle) as Rc<dyn Store>)))
    };
    let reports = futures_executor::block_on(conformance::run(open));
    let failed: Vec<_> = reports.iter().filter(|report| report.failure.is_some()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn an_append_is_one_write() {
    let id = Uuid::from_u128(1).into();
    let base = |n: u64| format!("{{\"agent\":\"{}\",\"leaf\":{n}}}", "x".repeat(100_000));
    let mut tables = Tables::default();
    let mut tip = tables.tip(id).unwrap();
    let (mut writes, mut bytes) = (0, 0);
    for n in 0..640 {
        let mut commit = Commit::new(n, 1.0);
        commit.events = vec![(Uuid::from_u128(n.into()).into(), "{}".into())];
        commit.base_state = Some(base(n).into());
        commit.writer = Some(WriterNumber { expected: n.min(1), next: 1 });
        let Ok(Planned::Ready(plan)) = plan(tip.clone(), &commit, None, 0.0) else { panic!("not ready") };
        tip = plan.next;
        writes += plan.writes.len();
        bytes += plan
            .writes
            .iter()
            .map(|write| match write {
                Write::Add(row) => row.patch.as_ref().map_or(0, |patch| patch.middle.len()),
                Write::Head(head) => head.base_state.as_ref().map_or(0, |text| text.len()),
                _ => 0,
            })
            .sum::<usize>();
        assert!(tables.write(id, plan.writes));
    }
    assert_eq!(writes, 640 + 640 / 64 + 1, "one row for each event, the full pages, one head");
    assert!(bytes < 103_000, "{bytes}");
    assert_eq!(*tables.tip(id).unwrap().base_state().unwrap().unwrap(), *base(639));
}

#[test]
fn files_alone_are_one_write_each_however_large_the_base_state_is() {
    let id = Uuid::from_u128(1).into();
    let mut tables = Tables::default();
    let mut first = Commit::new(0, 7.0);
    first.events = vec![(Uuid::from_u128(1).into(), "{}".into())];
    first.base_state = Some("x".repeat(100_000).into());
    let Ok(Planned::Ready(plan)) = plan(tables.tip(id).unwrap(), &first, None, 0.0) else {
        panic!("no plan")
    };
    assert!(tables.write(id, plan.writes));
    let path: StorePath = "drafts/1".parse().unwrap();
    let commit = Commit {
        files: vec![(path.clone(), Some(vec![1]))],
        writer: Some(WriterNumber { expected: 0, next: 0 }),
        ..Commit::new(1, 0.0)
    };
    assert!(plan.next.appends_without_reading(&commit));
    let planned = super::plan(plan.next.clone(), &commit, None, 0.0).unwrap();
    let writes = vec![Write::File { path: &path, content: &[1] }, Write::Vacant { index: 1 }];
    assert_eq!(planned, Planned::Ready(super::Plan { writes, next: plan.next }));
}

#[derive(Clone, Debug)]
enum Step {
    Append {
        handle: usize,
        believed: Option<u64>,
        writer: Option<WriterNumber>,
        events: u64,
        base: Option<u8>,
        file: bool,
        at: f64,
    },
    Cut {
        handle: usize,
        to: u64,
        events: u64,
    },
    Delete {
        handle: usize,
    },
    Wait {
        milliseconds: f64,
    },
    List,
}

fn step() -> impl Strategy<Value = Step> {
    let handle = 0..2_usize;
    prop_oneof![
        12 => {
            let events = prop_oneof![Just(0), 0..50_u64];
            let at = prop::sample::select(vec![0.0, 1.0, 2.0]);
            let believed = prop::option::weighted(0.2, 0..90_u64);
            let writer = prop::option::of((0..2_u64, 0..2_u64)).prop_map(|number| {
                number.map(|(expected, more)| WriterNumber { expected, next: (expected + more) % 2 })
            });
            (handle.clone(), believed, writer, events, prop::option::of(0..6_u8), any::<bool>(), at).prop_map(
                |(handle, believed, writer, events, base, file, at)| {
                    Step::Append { handle, believed, writer, events, base, file, at }
                },
            )
        },
        2 => (handle.clone(), 0..80_u64, 0..20_u64).prop_map(|(handle, to, events)| Step::Cut { handle, to, events }),
        1 => handle.prop_map(|handle| Step::Delete { handle }),
        2 => prop::sample::select(vec![1.0, 30_000.0, 61_000.0, 121_000.0]).prop_map(|milliseconds| Step::Wait { milliseconds }),
        1 => Just(Step::List),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Two handles with remembered tips give the same answers as one store in memory, conflicts included.
    #[test]
    fn random_histories_give_the_same_answers_as_the_memory_store(steps in prop::collection::vec(step(), 1..60)) {
        futures_executor::block_on(compare(steps))?;
    }
}

async fn compare(steps: Vec<Step>) -> Result<(), TestCaseError> {
    let id: ConversationId = Uuid::from_u128(7).into();
    let model = MemoryStore::new();
    let first = Simulated::default();
    let handles = [first.another(), first.another()];
    let (mut next_id, mut known) = (0_u128, [0, 0]);
    for step in steps {
        match step {
            Step::Append { .. } | Step::Cut { .. } => {
                let (handle, commit) = commit_of(&step, known, &mut next_id);
                let expected = model.commit(id, commit.clone()).await;
                let found = handles[handle].commit(id, commit).await;
                prop_assert_eq!(&found, &expected);
                known[handle] = model.events(id, 0..u64::MAX).await.map_or(0, |events| events.len() as u64);
            }
            Step::Delete { handle } => {
                prop_assert_eq!(handles[handle].delete(id).await, model.delete(id).await);
                known[handle] = 0;
            }
            Step::Wait { milliseconds } => {
                first.database.clock.set(first.database.clock.get() + milliseconds);
            }
            Step::List => prop_assert_eq!(handles[0].list().await, model.list().await),
        }
        prop_assert_eq!(first.load(id).await, model.load(id).await);
        let events = model.events(id, 0..u64::MAX).await;
        prop_assert_eq!(&first.events(id, 0..u64::MAX).await, &events);
        prop_assert_eq!(first.files(id, None).await, model.files(id, None).await);
        for event in events.unwrap_or_default() {
            prop_assert_eq!(first.index_of(id, &event.id).await, model.index_of(id, &event.id).await);
        }
    }
    Ok(())
}

fn commit_of(step: &Step, known: [u64; 2], next_id: &mut u128) -> (usize, Commit) {
    let mut events = |count: u64| {
        // Every fifth id occurs a second time.
        (0..count)
            .map(|_| {
                *next_id += 1;
                (Uuid::from_u128(*next_id / 5 * 4 + *next_id % 5).into(), Rc::from("{}"))
            })
            .collect()
    };
    match *step {
        Step::Append { handle, believed, writer, events: count, base, file, at } => {
            let mut commit = Commit::new(believed.unwrap_or(known[handle]), at);
            commit.writer = writer;
            commit.events = events(count);
            commit.base_state = base.map(|n| "base ".repeat(usize::from(n) * 2000).into());
            commit.files = if file { vec![("f".parse().unwrap(), Some(vec![1]))] } else { Vec::new() };
            (handle, commit)
        }
        Step::Cut { handle, to, events: count } => {
            let mut commit = Commit::new(known[handle], 1.0);
            commit.truncate_to = Some(to);
            commit.events = events(count);
            (handle, commit)
        }
        _ => unreachable!("only these commit"),
    }
}
