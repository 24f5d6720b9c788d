//! The writes of one transaction for a commit or a deletion, from the tip of the conversation.

use super::{Head, PAGE, Patch, Row, Tip};
use crate::{
    id::{EventId, StorePath},
    store::{Commit, FilesOf, StoreError},
};
use std::{ops::Range, rc::Rc};

/// One write. All writes of a commit go into one transaction.
#[derive(Clone, Debug, PartialEq)]
pub enum Write<'a> {
    /// An event where there must be no row: a row there means that the log is longer than the writer knows.
    Add(Row),
    /// An event at a position that may hold a tombstone.
    Put(Row),
    /// Nothing, at a position where there must be no row: as for [`Write::Add`].
    Vacant {
        /// The position.
        index: u64,
    },
    /// An empty row.
    Tombstone {
        /// The position.
        index: u64,
    },
    /// The ids of one full page.
    Page {
        /// The number of the page.
        number: u64,
        /// The ids, in order.
        ids: Vec<EventId>,
    },
    /// Removes the pages from this number on.
    DropPages {
        /// The first page to remove.
        from: u64,
    },
    /// The record of the conversation.
    Head(Head),
    /// A further file's content.
    File {
        /// The path.
        path: &'a StorePath,
        /// The content.
        content: &'a [u8],
    },
    /// Removes a further file.
    DropFile {
        /// The path.
        path: &'a StorePath,
    },
    /// Removes the head, the picture and all rows, pages and files.
    DropAll,
}

/// The writes of a commit, and the tip of the conversation afterwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan<'a> {
    /// The writes, in their order.
    pub writes: Vec<Write<'a>>,
    /// The tip once the writes are done.
    pub next: Tip,
}

/// A plan, or the data that is missing for one.
#[derive(Clone, Debug, PartialEq)]
pub enum Planned<'a> {
    /// Ready to be written.
    Ready(Plan<'a>),
    /// The commit fills a page, and the ids of these events, which are on that page, are needed.
    NeedsIds(Range<u64>),
}

/// The writes for `commit` to the conversation with this tip.
///
/// `ids` are those that an earlier [`Planned::NeedsIds`] asked for; `now` is the current time.
///
/// # Errors
/// [`StoreError::Conflict`] if the log has another length, belongs to another conversation with the same id or has another
/// writer, [`StoreError::Lost`] if the conversation is gone without having been deleted, [`StoreError::Corrupt`] if the base state
/// is unreadable.
pub fn plan<'a>(
    tip: Tip,
    commit: &'a Commit,
    ids: Option<Vec<EventId>>,
    now: f64,
) -> Result<Planned<'a>, StoreError> {
    if commit.created_at.is_some() && !tip.exists && tip.used == 0 {
        return Err(StoreError::Lost);
    }
    let is_another = commit.created_at.is_some_and(|at| !tip.exists || at != tip.created_at);
    let is_replaced = commit.writer.is_some_and(|writer| writer.expected != tip.writer);
    if is_another || is_replaced || commit.expected_length != tip.length {
        return Err(StoreError::Conflict { expected: commit.expected_length });
    }
    if tip.is_left_by(commit) {
        let mut writes: Vec<_> = file_writes(&commit.files).collect();
        if tip.used <= tip.length {
            writes.push(Write::Vacant { index: tip.length });
        }
        return Ok(Planned::Ready(Plan { writes, next: tip }));
    }
    let cut = commit.truncate_to.filter(|end| *end < tip.length);
    let start = cut.unwrap_or(tip.length);
    let end = start + commit.events.len() as u64;
    let known = match ids {
        None if start.is_multiple_of(PAGE) => Some(Vec::new()),
        None if cut.is_none() => tip.page,
        ids => ids,
    };
    if known.is_none() && end / PAGE > start / PAGE {
        return Ok(Planned::NeedsIds(start / PAGE * PAGE..start));
    }

    // There must be a row where a tip that other writers remember would append: an event, or else a tombstone.
    let tombstones = if cut.is_some() || commit.events.is_empty() { end..tip.length + 1 } else { 0..0 };
    // Among tombstones the last row may not be an event, so the head must have the length.
    let is_among_tombstones = start < tip.used;
    let may_be_tombstones = if cut.is_some() { tip.used.max(tip.length + 1) } else { tip.used };
    let needs_head = !tip.exists || cut.is_some() || commit.events.is_empty() || is_among_tombstones;

    let mut writes = Vec::with_capacity(commit.events.len() + commit.files.len() + 1);
    let mut next = Tip {
        length: end,
        used: tip.used.max(end).max(tombstones.end),
        exists: true,
        created_at: if tip.exists { tip.created_at } else { commit.at },
        updated_at: if tip.exists { tip.updated_at.max(commit.at) } else { commit.at },
        writer: commit.writer.map_or(tip.writer, |writer| writer.next),
        page: None,
        ..tip
    };
    if needs_head || !patch_base_state(&mut next, commit.base_state.as_ref()) {
        next.checkpoint = match &commit.base_state {
            Some(text) => Some(Rc::clone(text)),
            None => next.base_state()?,
        };
        next.patch = None;
        next.patch_bytes = 0;
        writes.push(Write::Head(Head {
            created_at: next.created_at,
            updated_at: next.updated_at,
            written: now,
            length: end,
            used: next.used,
            writer: next.writer,
            base_state: next.checkpoint.clone(),
            deleted: false,
        }));
    }

    if cut.is_some() {
        writes.push(Write::DropPages { from: start / PAGE });
    }
    let mut patch = next.patch.clone();
    let last = commit.events.len().saturating_sub(1);
    let mut rows = Vec::with_capacity(commit.events.len());
    for (offset, (id, json)) in commit.events.iter().enumerate() {
        let index = start + offset as u64;
        let row = Row {
            index,
            id: id.clone(),
            json: Rc::clone(json),
            at: next.updated_at,
            written: now,
            writer: (offset == last).then_some(next.writer),
            patch: if offset == last { patch.take() } else { None },
        };
        rows.push(if index < may_be_tombstones { Write::Put(row) } else { Write::Add(row) });
    }
    writes.extend(tombstones.map(|index| Write::Tombstone { index }));
    next.page = known.map(|ids| fill_pages(&mut writes, start, ids, &commit.events));
    writes.extend(file_writes(&commit.files));
    // The first position is the one where an outdated tip finds a row, and of a transaction that was told to commit Firefox
    // only takes notice of a failure of the last write.
    writes.extend(rows.into_iter().rev());
    Ok(Planned::Ready(Plan { writes, next }))
}

/// The writes to the other conversation of a commit, which has this tip.
///
/// # Errors
/// [`StoreError::Conflict`] if it does not exist, another one has its id, or it has another writer.
pub fn plan_files_of<'a>(
    tip: &Tip,
    other: &'a FilesOf,
    expected_length: u64,
) -> Result<Vec<Write<'a>>, StoreError> {
    let is_known = tip.checkpoint.is_some() && tip.exists && tip.created_at == other.created_at;
    match is_known && other.writer.is_none_or(|expected| expected == tip.writer) {
        true => Ok(file_writes(&other.files).collect()),
        false => Err(StoreError::Conflict { expected: expected_length }),
    }
}

fn file_writes(files: &[(StorePath, Option<Vec<u8>>)]) -> impl Iterator<Item = Write<'_>> {
    files.iter().map(|(path, content)| match content {
        Some(content) => Write::File { path, content },
        None => Write::DropFile { path },
    })
}

/// Sets a base state as a patch in `next`; `false` if patches have become as large as the complete text.
fn patch_base_state(next: &mut Tip, base_state: Option<&Rc<str>>) -> bool {
    let Some(checkpoint) = &next.checkpoint else {
        return base_state.is_none();
    };
    if let Some(text) = base_state {
        let patch = Patch::between(checkpoint, text);
        let is_unchanged = patch.middle.is_empty() && text.len() == checkpoint.len();
        next.patch = (!is_unchanged).then_some(patch);
    }
    next.patch_bytes += next.patch.as_ref().map_or(0, |patch| patch.middle.len());
    next.patch_bytes <= checkpoint.len() + 16 * 1024
}

/// Writes the pages that become full, and returns the ids of the last page, which is not full.
fn fill_pages(
    writes: &mut Vec<Write<'_>>,
    start: u64,
    mut ids: Vec<EventId>,
    events: &[(EventId, Rc<str>)],
) -> Vec<EventId> {
    let mut number = start / PAGE;
    for (id, _) in events {
        ids.push(id.clone());
        if ids.len() as u64 == PAGE {
            writes.push(Write::Page { number, ids: std::mem::take(&mut ids) });
            number += 1;
        }
    }
    ids
}

/// The writes that delete the conversation with this tip.
///
/// `first_recent` is the first position whose row was written within [`super::TOMBSTONE_LIFETIME`]: no writer uses an
/// older tip any more, so only the positions from there on need tombstones.
pub fn deletion(tip: &Tip, first_recent: u64, now: f64) -> Vec<Write<'static>> {
    if !tip.exists {
        return Vec::new();
    }
    let used = tip.used.max(tip.length + 1);
    let mut writes = vec![Write::DropAll];
    writes.extend((first_recent..used).map(|index| Write::Tombstone { index }));
    writes.push(Write::Head(Head {
        created_at: tip.created_at,
        updated_at: tip.updated_at,
        written: now,
        length: 0,
        used,
        writer: 0,
        base_state: None,
        deleted: true,
    }));
    writes
}
