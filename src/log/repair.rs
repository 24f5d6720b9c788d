//! Opens the log of a conversation whose page or process may have died. Writes nothing: `conversation/recover.rs` does.
//!
//! * Unreadable events at the end are found: Python writes files in place, so the last one can be half written.
//! * A HEAD that names no event, or that the dead run had not moved yet, is set to the last event.

use super::{
    EventLog, LogOptions,
    warning::{self, Warning, WarningCode},
};
use crate::{
    context::branch::{Branch, Wanted, parent_of},
    error::Result,
    event::{Body, Event, Parent},
    format::{
        base_state::{BaseState, ExecutionStatus},
        layout::{DRAFTS, INBOX, QUARANTINE},
        tree::{Leaf, becomes_head, is_default_leaf, is_false_root},
    },
    id::{ConversationId, EventId},
    store::{FirstReads, Listing, Store, StoreError, StoredEvent},
};
use std::ops::Range;

/// The number of events that are read at once.
const PAGE: u64 = 64;

/// Opens the log of a stored conversation, with a HEAD that exists. Also returns the unreadable events at its end.
pub async fn open_log(
    options: LogOptions,
    is_writer: bool,
    state: BaseState,
    &Listing { length, created_at, writer, .. }: &Listing,
    end: Option<std::result::Result<Vec<StoredEvent>, StoreError>>,
    warnings: &mut Vec<Warning>,
) -> Result<(EventLog, Vec<StoredEvent>)> {
    let (id, store) = (options.id, &*options.store.clone());
    let end = match end {
        Some(end) => end?,
        None if length == 0 => Vec::new(),
        None => store.events(id, back(length)).await?,
    };
    let (torn, readable) = torn_tail(store, id, length, end).await?;
    let readable_length = length - torn.len() as u64;
    if let (Some(first), Some(last)) = (torn.first(), torn.last()) {
        warnings.push(Warning {
            code: WarningCode::Quarantined,
            message: format!(
                "events {} to {} cannot be read, probably because a process died while writing them; they were moved to the folder {}",
                first.index, last.index, QUARANTINE
            ),
        });
    }
    let head = match state.leaf() {
        // Without a run that has died, HEAD is what it names, which is nearly always near the end.
        Leaf::Event(leaf)
            if state.execution_status() != ExecutionStatus::Running
                && readable.iter().any(|event| event.id == leaf) =>
        {
            Some(leaf)
        }
        _ => find_head(store, id, &state, readable_length, warnings).await?,
    };
    // A writer moves the unreadable end away, which is part of the log until then.
    let length = if is_writer { length } else { readable_length };
    Ok((EventLog::new(options, state, (length, Some(created_at)), writer, head), torn))
}

/// What opening reads with the listing, if the store can.
pub fn first_reads() -> Result<FirstReads> {
    Ok(FirstReads { last: PAGE, folders: vec![INBOX.parse()?, DRAFTS.parse()?] })
}

/// The events at the end of the log that are not JSON objects, and those in front of them on the same page. `page` is the last one.
///
/// # Errors
/// `store_lost` if the store does not have an event in front of the end, and those of the store.
async fn torn_tail(
    store: &dyn Store,
    id: ConversationId,
    length: u64,
    mut page: Vec<StoredEvent>,
) -> Result<(Vec<StoredEvent>, Vec<StoredEvent>)> {
    let mut torn = Vec::new();
    let mut end = length;
    while end > 0 {
        if page.is_empty() {
            return Err(StoreError::Lost.into());
        }
        let readable = page.iter().rposition(|event| !is_torn(event)).map_or(0, |place| place + 1);
        let mut tail = page.split_off(readable);
        end -= tail.len() as u64;
        tail.append(&mut torn);
        torn = tail;
        if readable > 0 {
            break;
        }
        page = match end {
            0 => Vec::new(),
            _ => store.events(id, back(end)).await?,
        };
    }
    Ok((torn, page))
}

pub fn is_torn(event: &StoredEvent) -> bool {
    matches!(decode(event).body(), Body::Unreadable)
}

pub fn decode(event: &StoredEvent) -> Event {
    Event::decode(event.id.clone(), event.json.clone())
}

fn back(end: u64) -> Range<u64> {
    end.saturating_sub(PAGE)..end
}

/// HEAD: the stored one, or the one that it should have been.
pub async fn find_head(
    store: &dyn Store,
    id: ConversationId,
    state: &BaseState,
    length: u64,
    warnings: &mut Vec<Warning>,
) -> Result<Option<EventId>> {
    let leaf = match state.leaf() {
        Leaf::Empty => return Ok(None),
        Leaf::Unset => return last_default_leaf(store, id, length).await,
        Leaf::Event(leaf) => leaf,
    };
    let place = store.index_of(id, &leaf).await?.filter(|place| *place < length);
    let Some(place) = place else {
        warnings.push(head_moved("HEAD named an event that does not exist"));
        return last_default_leaf(store, id, length).await;
    };
    // The SDK writes events at once and HEAD once per step, so after a crash during a run HEAD can be behind. Without a
    // run, a HEAD before the end is intended. Events that existed when the user moved HEAD are not events of the run.
    let start = state.length_at_head_move(&leaf).unwrap_or_default().max(place + 1);
    if state.execution_status() == ExecutionStatus::Running
        && let Some(end) = linear_end(store, id, &leaf, start..length).await?
    {
        warnings.push(head_moved("the last run ended before it had stored HEAD"));
        return Ok(Some(end));
    }
    Ok(Some(leaf))
}

fn head_moved(why: &str) -> Warning {
    Warning {
        code: WarningCode::HeadMoved,
        message: format!("{why}; the conversation continues from its last event"),
    }
}

async fn last_default_leaf(store: &dyn Store, id: ConversationId, length: u64) -> Result<Option<EventId>> {
    Ok(last_possible_leaf(store, id, length).await?.map(|(_, event)| event.id().clone()))
}

/// The last event before this place at which HEAD can be if nothing names it, and its place.
async fn last_possible_leaf(
    store: &dyn Store,
    id: ConversationId,
    length: u64,
) -> Result<Option<(u64, Event)>> {
    let mut end = length;
    while end > 0 {
        let page = store.events(id, back(end)).await?;
        let events = page.iter().rev().map(|stored| (stored.index, decode(stored)));
        if let Some(found) = events.into_iter().find(|(_, event)| is_default_leaf(event.kind())) {
            return Ok(Some(found));
        }
        end = back(end).start;
    }
    Ok(None)
}

/// The warning about a branch whose first event cuts off by mistake what is before it.
pub async fn cut_off_beginning(
    store: &dyn Store,
    id: ConversationId,
    branch: &Branch,
) -> Result<Option<Warning>> {
    let Some(first) = branch.events.first().filter(|first| *first.parent() == Parent::Root) else {
        return Ok(None);
    };
    let root = store.index_of(id, first.id()).await?.unwrap_or_default();
    let before = last_possible_leaf(store, id, root).await?;
    let cut = before.filter(|(at, event)| is_false_root(root, *at, *event.parent() != Parent::Unset));
    Ok(cut.map(|(_, event)| warning::cut_off_beginning(first.id(), event.id())))
}

/// The last of these events, if the first follows `leaf` and each other one follows the one before it.
async fn linear_end(
    store: &dyn Store,
    id: ConversationId,
    leaf: &EventId,
    range: Range<u64>,
) -> Result<Option<EventId>> {
    let mut head = leaf.clone();
    let mut start = range.start;
    while start < range.end {
        let page = store.events(id, start..range.end.min(start + PAGE)).await?;
        if page.is_empty() {
            return Err(StoreError::Lost.into());
        }
        for stored in page {
            let event = decode(&stored);
            if !follows(stored.index, &event, Some(&head)) {
                return Ok(None);
            }
            if becomes_head(event.kind()) {
                head = stored.id;
            }
            start = stored.index + 1;
        }
    }
    Ok((head != *leaf).then_some(head))
}

/// Whether the event at this index follows `head`, or begins the log.
pub fn follows(index: u64, event: &Event, head: Option<&EventId>) -> bool {
    match parent_of(index, event) {
        Ok(Some(Wanted::Id(parent))) => head == Some(&parent),
        // Without a parent id, an event follows the one before it.
        Ok(Some(Wanted::Index(_))) => true,
        Ok(None) => head.is_none(),
        Err(_) => false,
    }
}
