//! Decides what a mirror of a conversation lacks, and which files complete it: the log of a store against the event files of a directory.
//!
//! A mirror has the events in an order of its own: what it lacks is written behind the others. So no event of another device is ever
//! replaced or moved down, a directory grows from one valid log to the next, and a log that two devices have written at the same
//! time is put in order by moving files up. A gap that nobody can fill is closed by those who have all events.
//!
//! Performs no I/O.

use super::union::Union;
use crate::{
    format::{
        base_state::BaseState,
        layout::{event_file_name, parse_event_file_name},
        tree::{Leaf, ROOT_PARENT_ID},
    },
    id::EventId,
};
use std::collections::{HashMap, HashSet};

/// All that a mirror lacks. The steps are taken in the order of the fields; after each of them the directory has a log without gaps, if
/// it had one before, and all events that it had.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MirrorPlan {
    /// Files with a number that another event has as well, or behind a gap: each is written again with this number, in this order.
    pub moves: Vec<(String, u64)>,
    /// Files of events that are there with another number, or will be: they are removed.
    pub stale: Vec<String>,
    /// Events of the store by their index, with the numbers that their files get, ascending.
    pub writes: Vec<(usize, u64)>,
    /// Whether the mirror has a base state that can be read.
    pub has_state: bool,
    /// Whether the mirror has events that the store does not have.
    pub has_more: bool,
    /// Whether the events of the mirror will be those of the store, at the same places.
    pub is_same_order: bool,
    /// The number of the next event.
    pub next: u64,
}

/// Compares the events of a store with the names of the event files of its mirror, which are sorted by
/// their numbers, and then by their ids. `state` is the mirror's base state: events behind
/// its HEAD are written again, because their writing may have been cut off.
pub fn plan(ours: &[EventId], theirs: &[&str], state: Option<&BaseState>) -> MirrorPlan {
    let mut plan = MirrorPlan { has_state: state.is_some(), ..MirrorPlan::default() };
    let mut own: HashMap<&EventId, usize> = HashMap::new();
    for (index, id) in ours.iter().enumerate() {
        own.entry(id).or_insert(index);
    }
    let files: Vec<(u64, EventId, &str)> = theirs
        .iter()
        .filter_map(|name| parse_event_file_name(name).map(|(number, id)| (number, id, *name)))
        .collect();
    // Of several files of an event the lowest counts that has its number for itself, or else the highest.
    let is_alone = |place: usize| {
        let number = |place: usize| files.get(place).map(|(number, ..)| *number);
        let before = place.checked_sub(1).and_then(number);
        before != number(place) && number(place.saturating_add(1)) != number(place)
    };
    let (mut kept, mut alone) = (HashMap::new(), HashSet::new());
    for (place, (_, id, _)) in files.iter().enumerate() {
        if is_alone(place) && alone.insert(id) || !alone.contains(id) {
            kept.insert(id, place);
        }
    }
    // By number, the index in the store of the event that is there; `None` for one that only the mirror has.
    let mut places: Vec<(u64, Option<usize>)> = Vec::new();
    let mut next = 0;
    let leaf = match state.map(BaseState::leaf) {
        Some(Leaf::Event(leaf)) => Some(leaf),
        Some(Leaf::Empty | Leaf::Unset) | None => None,
    };
    let mut head = None;
    for (place, (number, id, name)) in files.iter().enumerate() {
        if kept.get(id) != Some(&place) {
            plan.stale.push((*name).to_owned());
            continue;
        }
        let to = next.max(*number);
        if to != *number {
            plan.moves.push(((*name).to_owned(), to));
            plan.stale.push((*name).to_owned());
        }
        let index = own.get(id).copied();
        plan.has_more |= index.is_none();
        places.push((to, index));
        if leaf.as_ref() == Some(id) {
            head = Some(to);
        }
        next = to.saturating_add(1);
    }
    plan.moves.reverse();
    // A file that has the name to which an event moves is not removed as stale.
    let targets: Vec<String> = plan
        .moves
        .iter()
        .filter_map(|(name, number)| Some(event_file_name(*number, &parse_event_file_name(name)?.1)))
        .collect();
    plan.stale.retain(|name| !targets.contains(name));
    let is_complete = !plan.has_more && ours.iter().all(|id| kept.contains_key(id));
    if is_complete && plan.stale.is_empty() && next != places.len() as u64 {
        close_gaps(&mut plan, &files, &mut places);
        next = places.len() as u64;
        head = leaf.as_ref().and_then(|leaf| {
            let index = own.get(leaf).copied();
            places.iter().find(|(_, at)| index.is_some() && *at == index).map(|(number, _)| *number)
        });
    }
    // Events behind HEAD, all of them if there is none.
    let mut numbers = vec![None; ours.len()];
    for (number, index) in &places {
        let Some(index) = *index else { continue };
        if let Some(known) = numbers.get_mut(index) {
            *known = Some(*number);
        }
        if head.is_none_or(|head| *number > head) {
            plan.writes.push((index, *number));
        }
    }
    let mut gaps = gaps(&places).into_iter().peekable();
    let mut last = None;
    for (index, known) in numbers.iter().enumerate() {
        if known.is_some() {
            last = last.max(*known);
            continue;
        }
        // A number before the last one is no place for this event: it would stand before an event that it follows.
        while gaps.next_if(|gap| last.is_some_and(|last| *gap < last)).is_some() {}
        let number = gaps.next().unwrap_or_else(|| {
            next = next.saturating_add(1);
            next.saturating_sub(1)
        });
        places.insert(places.partition_point(|(other, _)| *other < number), (number, Some(index)));
        let place = plan.writes.partition_point(|(_, other)| *other < number);
        plan.writes.insert(place, (index, number));
        last = last.max(Some(number));
    }
    plan.is_same_order = places
        .iter()
        .enumerate()
        .all(|(place, (number, index))| *number == place as u64 && *index == Some(place));
    plan.next = next;
    plan
}

/// An order in which each event comes after its parent; an import would otherwise take another event for its parent. `events`
/// are the ids in the order of their files, with the ids of the parents that they name, empty where they name none. Those whose parent
/// is not there are left out, because it may come later, unless `keeps_all` is set.
pub fn in_order(events: &[(&str, &str)], keeps_all: bool) -> Vec<usize> {
    let mut ids: HashMap<&str, usize> = HashMap::new();
    for (index, (id, _)) in events.iter().enumerate() {
        ids.entry(id).or_insert(index);
    }
    // By the index of an event, those that wait for it.
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); events.len()];
    let mut is_placed = vec![false; events.len()];
    let mut order = Vec::new();
    for (index, (_, parent)) in events.iter().enumerate() {
        let before = ids.get(parent).copied();
        let is_free = matches!(*parent, "" | ROOT_PARENT_ID) || before.is_none() && keeps_all;
        match before.filter(|before| !is_placed.get(*before).is_some_and(|is| *is)) {
            Some(before) => waiting.get_mut(before).into_iter().for_each(|waiting| waiting.push(index)),
            None if before.is_some() || is_free => {
                let mut ready = vec![index];
                while let Some(next) = ready.pop() {
                    if let Some(is_placed) = is_placed.get_mut(next) {
                        *is_placed = true;
                    }
                    order.push(next);
                    ready.extend(waiting.get(next).into_iter().flatten().rev());
                }
            }
            None => {}
        }
    }
    if keeps_all {
        // The events that are left have parents that form a circle, or follow such events: only a damaged log has any.
        order.extend((0..events.len()).filter(|index| !is_placed.get(*index).is_some_and(|is| *is)));
    }
    order
}

/// The text of an event of the store at another place of a log, where it has to name the event that it follows. `before` is the event
/// before it in the store.
pub fn at_other_place(id: &EventId, text: &str, before: Option<&EventId>) -> String {
    let mut union = Union::default();
    if let Some(before) = before {
        union.push(before, b"{}");
    }
    let found = union.add(id, text.as_bytes(), before.map(|_| 0));
    match found.lacks_parent {
        true => String::from_utf8_lossy(&union.with_parent(found.place, text.as_bytes())).into(),
        false => text.to_owned(),
    }
}

/// Gives all events the numbers without gaps, in their order.
fn close_gaps(plan: &mut MirrorPlan, files: &[(u64, EventId, &str)], places: &mut [(u64, Option<usize>)]) {
    for (place, (number, _)) in places.iter_mut().enumerate() {
        let file = files.iter().find(|(at, ..)| at == number);
        if let Some((_, _, name)) = file.filter(|_| *number != place as u64) {
            plan.moves.push(((*name).to_owned(), place as u64));
        }
        *number = place as u64;
    }
    plan.stale.extend(plan.moves.iter().map(|(name, _)| name.clone()));
}

/// The numbers that no event has, before the last one.
fn gaps(places: &[(u64, Option<usize>)]) -> Vec<u64> {
    /// More of them are not filled: a name may have any number.
    const MOST: u64 = 10_000;
    let mut gaps = Vec::new();
    let mut next = 0;
    for (number, _) in places {
        if number.saturating_sub(next) > MOST {
            break;
        }
        gaps.extend(next..*number);
        next = number.saturating_add(1);
    }
    gaps
}
