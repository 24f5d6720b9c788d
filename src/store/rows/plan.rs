//! From a tip and a commit to the writes of one transaction.

use super::{Head, PAGE, Patch, Row, Tip};
use crate::{
    id::{EventId, StorePath},
    store::{Commit, StoreError},
};
use std::{ops::Range, rc::Rc};

/// One write. All writes of a commit go into one transaction.
#[derive(Clone, Debug, PartialEq)]
pub enum Write<'a> {
    /// An event where there must be no row: a row there means that the log is longer than was thought.
    Add(Row),
    /// An event at a position that may hold a grave.
    Put(Row),
    /// Nothing, where there was an event.
    Grave {
        /// The position.
        index: u64,
    },
    /// The ids of one full page.
    Page {
        /// The page's number.
        number: u64,
        /// Its ids, in order.
        ids: Vec<EventId>,
    },
    /// Removes the pages from this number on.
    DropPages {
        /// The first page to go.
        from: u64,
    },
    /// The conversation's own record.
    Head(Head),
    /// A further file's content.
    File {
        /// Its path.
        path: &'a StorePath,
        /// Its bytes.
        content: &'a [u8],
    },
    /// Removes a further file.
    DropFile {
        /// Its path.
        path: &'a StorePath,
    },
    /// Removes all rows, pages and files.
    DropAll,
}

/// What a commit writes, and where the conversation stands afterwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan<'a> {
    /// In this order.
    pub writes: Vec<Write<'a>>,
    /// The tip once the writes are done.
    pub next: Tip,
}

/// A plan, or what is missing for one.
#[derive(Clone, Debug, PartialEq)]
pub enum Planned<'a> {
    /// Ready to be written.
    Ready(Plan<'a>),
    /// The commit fills a page, and the ids of these events belong on it.
    NeedsIds(Range<u64>),
}

/// The writes for `commit`, if the conversation stands at `tip`.
///
/// `ids` are those that an earlier [`Planned::NeedsIds`] asked for; `now` is the clock.
///
/// # Errors
/// [`StoreError::Conflict`] if the log has another length or is another one, [`StoreError::Lost`] if there is none and was
/// no deletion, [`StoreError::Corrupt`] if the base state is unreadable.
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
    if is_another || commit.expected_length != tip.length {
        return Err(StoreError::Conflict { expected: commit.expected_length });
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

    // Where a tip that others remember would append must lie a row: an event, or else a grave.
    let graves = if cut.is_some() || commit.events.is_empty() { end..tip.length + 1 } else { 0..0 };
    // Among graves the last row need not be an event, so the head has to tell the length.
    let is_among_graves = start < tip.used;
    let may_be_graves = if cut.is_some() { tip.used.max(tip.length + 1) } else { tip.used };
    let needs_head = !tip.exists || cut.is_some() || commit.events.is_empty() || is_among_graves;

    let mut writes = Vec::with_capacity(commit.events.len() + commit.files.len() + 1);
    let mut next = Tip {
        length: end,
        used: tip.used.max(end).max(graves.end),
        exists: true,
        created_at: if tip.exists { tip.created_at } else { commit.at },
        updated_at: if tip.exists { tip.updated_at.max(commit.at) } else { commit.at },
        page: None,
        ..tip
    };
    if needs_head || !patch_base_state(&mut next, commit.base_state.as_ref()) {
        next.checkpoint = match &commit.base_state {
            Some(text) => Some(Rc::clone(text)),
            None => next.base_state()?,
        };
        next.patch = None;
        next.spent = 0;
        writes.push(Write::Head(Head {
            created_at: next.created_at,
            updated_at: next.updated_at,
            written: now,
            length: end,
            used: next.used,
            base_state: next.checkpoint.clone(),
            deleted: false,
        }));
    }

    if cut.is_some() {
        writes.push(Write::DropPages { from: start / PAGE });
    }
    let mut patch = next.patch.clone();
    let last = commit.events.len().saturating_sub(1);
    for (offset, (id, json)) in commit.events.iter().enumerate() {
        let index = start + offset as u64;
        let row = Row {
            index,
            id: id.clone(),
            json: Rc::clone(json),
            at: next.updated_at,
            written: now,
            patch: if offset == last { patch.take() } else { None },
        };
        writes.push(if index < may_be_graves { Write::Put(row) } else { Write::Add(row) });
    }
    writes.extend(graves.map(|index| Write::Grave { index }));
    next.page = known.map(|ids| fill_pages(&mut writes, start, ids, &commit.events));
    writes.extend(commit.files.iter().map(|(path, content)| match content {
        Some(content) => Write::File { path, content },
        None => Write::DropFile { path },
    }));
    Ok(Planned::Ready(Plan { writes, next }))
}

/// Notes a base state as a patch in `next`; `false` if patches have become as dear as the whole text.
fn patch_base_state(next: &mut Tip, base_state: Option<&Rc<str>>) -> bool {
    let Some(checkpoint) = &next.checkpoint else {
        return base_state.is_none();
    };
    if let Some(text) = base_state {
        let patch = Patch::between(checkpoint, text);
        let is_unchanged = patch.middle.is_empty() && text.len() == checkpoint.len();
        next.patch = (!is_unchanged).then_some(patch);
    }
    next.spent += next.patch.as_ref().map_or(0, |patch| patch.middle.len());
    next.spent <= checkpoint.len() + 16 * 1024
}

/// Writes the pages that become full, and returns the ids of the one that is not.
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

/// The writes that delete the conversation which stands at `tip`.
///
/// `first_recent` is the first position whose row was written within [`super::MOURNING`]: a tip from before it is
/// no longer trusted by anyone, so only later positions need graves.
pub fn bury(tip: &Tip, first_recent: u64, now: f64) -> Vec<Write<'static>> {
    if !tip.exists {
        return Vec::new();
    }
    let used = tip.used.max(tip.length + 1);
    let mut writes = vec![Write::DropAll];
    writes.extend((first_recent..used).map(|index| Write::Grave { index }));
    writes.push(Write::Head(Head {
        created_at: tip.created_at,
        updated_at: tip.updated_at,
        written: now,
        length: 0,
        used,
        base_state: None,
        deleted: true,
    }));
    writes
}
