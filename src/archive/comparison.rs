//! Compares the log of an archive with the stored one: which of its events are new, and whether the conversation goes on with them
//! or has gone on apart.

use super::{
    Archive,
    contents::{ArchiveFile, Conversation},
    pages::{Pages, Position},
    reading,
    union::{Found, Is, Union},
    verify::Verified,
};
use crate::{
    error::{Error, ErrorCode, Result},
    event::Event,
    format::{
        base_state::{BaseState, ExecutionStatus},
        tree::{Leaf, becomes_head, is_default_leaf},
    },
    id::EventId,
    store::{Listing, Store},
};
use std::cmp::Ordering;

/// What the log of an archive has that the stored one has not, and which of the two has gone on.
pub struct Comparison {
    union: Union,
    /// The new events, in the order of the archive.
    new: Vec<New>,
    /// Of each event of the union, whether the archive has it.
    is_in_archive: Vec<bool>,
    stored_length: usize,
    /// The stored HEAD; `None` before the first event.
    head: Option<usize>,
    /// Whether the stored log is the beginning of the archive's.
    pub is_beginning: bool,
    /// Whether the archive's log is the beginning of the stored one.
    pub is_older: bool,
    /// Whether the archive's HEAD is reached from the stored one through new events only: then the conversation has gone on there,
    /// and not here.
    pub goes_on: bool,
    /// The last event of the archive against that of the stored log: `Greater` if it is later.
    pub by_last_event: Ordering,
}

/// An event of the archive that is not stored.
#[derive(Clone, Copy)]
struct New {
    /// Its index in the archive's log.
    index: usize,
    found: Found,
}

/// Read from the stored log besides the union.
#[derive(Default)]
struct Stored {
    /// The last event at which HEAD can be if none is named.
    default_leaf: Option<usize>,
    /// Of each event, whether HEAD moves to it when it is appended.
    becomes_head: Vec<bool>,
    last_timestamp: String,
}

impl Stored {
    fn saw(&mut self, id: &EventId, text: &[u8]) {
        let event = Event::decode(id.clone(), String::from_utf8_lossy(text).into());
        if is_default_leaf(event.kind()) {
            self.default_leaf = Some(self.becomes_head.len());
        }
        self.becomes_head.push(becomes_head(event.kind()));
        self.last_timestamp = event.timestamp().to_owned();
    }
}

impl Comparison {
    /// The number of new events.
    pub fn new_events(&self) -> usize {
        self.new.len()
    }

    /// Whether the event at this index of the archive is new.
    pub fn is_new(&self, index: usize) -> bool {
        self.new_event(index).is_some()
    }

    fn new_event(&self, index: usize) -> Option<&New> {
        let place = self.new.binary_search_by(|new| new.index.cmp(&index)).ok()?;
        self.new.get(place)
    }

    /// Whether only the archive has an event with this id.
    pub fn is_only_in_archive(&self, id: &str) -> bool {
        self.union.place(id).is_some_and(|place| place >= self.stored_length)
    }

    /// Whether only the stored log has an event with this id.
    pub fn is_only_stored(&self, id: &str) -> bool {
        let place = self.union.place(id).filter(|place| *place < self.stored_length);
        place.is_some_and(|place| self.is_in_archive.get(place) != Some(&true))
    }

    /// The place of the new event at this index of the archive, if it is stored with another text: behind other events than in the
    /// archive it has to name the one that it follows.
    pub fn needs_parent(&self, index: usize) -> Option<usize> {
        let new = self.new_event(index).filter(|new| new.found.lacks_parent && !self.is_beginning)?;
        Some(new.found.place)
    }

    /// The text of an event that [`Comparison::needs_parent`].
    pub fn with_parent(&self, place: usize, text: &[u8]) -> Vec<u8> {
        self.union.with_parent(place, text)
    }

    /// Keeps HEAD of this stored state where it is: a state that names none would have it at the end of the log, and of a run that
    /// has died it would be looked for there.
    pub fn pin_head(&self, state: &mut BaseState) {
        let Some(head) = self.head.and_then(|head| self.union.id(head)) else { return };
        state.set_leaf(&Leaf::Event(head.clone()));
        if state.execution_status() == ExecutionStatus::Running {
            state.note_head_move(Some((head, self.union.length() as u64)));
        }
    }

    fn of(
        union: Union,
        stored: &Stored,
        state: Option<&BaseState>,
        (stored_length, common): (usize, usize),
        verified: &Verified,
    ) -> Self {
        let mut comparison = Self {
            head: None,
            is_beginning: common == stored_length,
            is_older: common as u64 == verified.length,
            goes_on: false,
            by_last_event: verified.last_timestamp.as_deref().unwrap_or_default().cmp(&stored.last_timestamp),
            is_in_archive: (0..stored_length).map(|place| place < common).collect(),
            new: Vec::new(),
            stored_length,
            union,
        };
        comparison.head = comparison.stored_head(state, stored);
        comparison
    }

    /// The event at which HEAD of the stored conversation is. The SDK stores it once a step, so of a run that has died it is at the
    /// end of what follows it.
    fn stored_head(&self, state: Option<&BaseState>, stored: &Stored) -> Option<usize> {
        let leaf = state.map_or(Leaf::Unset, BaseState::leaf);
        let mut head = match &leaf {
            Leaf::Empty => return None,
            Leaf::Unset => stored.default_leaf,
            Leaf::Event(id) => self.union.place(id.as_str()).or(stored.default_leaf),
        };
        if state.is_some_and(|state| state.execution_status() == ExecutionStatus::Running) {
            let moved = match &leaf {
                Leaf::Event(id) => state.and_then(|state| state.length_at_head_move(id)),
                Leaf::Empty | Leaf::Unset => None,
            };
            let first = moved.and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
            for place in first.max(head.map_or(0, |head| head + 1))..self.stored_length {
                if self.union.parent(place) == head && stored.becomes_head.get(place) == Some(&true) {
                    head = Some(place);
                }
            }
        }
        head
    }

    /// Adds the event at this index of the archive, in which it comes behind that at the place `previous`. Returns how it is
    /// related to the stored log.
    fn add(&mut self, index: usize, id: &EventId, text: &[u8], previous: &mut Option<usize>) -> Is {
        let found = self.union.add(id, text, *previous);
        *previous = Some(found.place);
        if found.is == Is::New {
            self.new.push(New { index, found });
        }
        if let Some(is_in_archive) = self.is_in_archive.get_mut(found.place) {
            *is_in_archive = true;
        }
        found.is
    }

    /// Notes whether HEAD of the archive, at this event, comes from the stored one through new events only.
    fn follow(&mut self, head: Option<&str>) {
        let Some(mut place) = head.and_then(|head| self.union.place(head)) else { return };
        while place >= self.stored_length {
            let parent = self.union.parent(place);
            if parent == self.head {
                self.goes_on = true;
                return;
            }
            let Some(parent) = parent.filter(|parent| *parent < place) else { return };
            place = parent;
        }
    }
}

/// Compares the checked log of an archive with the stored one.
///
/// # Errors
/// `invalid_state` if both have an event with the same id and another content, and those of the store and of the archive.
pub async fn compare(
    archive: &dyn Archive,
    store: &dyn Store,
    conversation: &Conversation,
    verified: &Verified,
    listing: &Listing,
) -> Result<Comparison> {
    let stored_length = listing.length;
    let pages = Pages::new(store, verified.id);
    let mut at = Position::default();
    let (mut union, mut stored) = (Union::default(), Stored::default());
    let mut theirs = Theirs { archive, conversation, verified };
    // The stored events up to the first one that is not at the same place of the archive.
    let mut common = 0;
    let mut differs = false;
    let both = stored_length.min(verified.length);
    for group in reading::groups(theirs.events(0, both)) {
        let mut ours = Vec::new();
        for _ in &group {
            ours.extend(pages.next(&mut at, stored_length).await?);
        }
        let mut ours = ours.into_iter();
        theirs
            .read(&group, &mut |_, id, text| {
                let Some(ours) = ours.next() else { return Ok(()) };
                differs |= *id != ours.id || text != ours.json.as_bytes();
                common += usize::from(!differs);
                union.push(&ours.id, ours.json.as_bytes());
                stored.saw(&ours.id, ours.json.as_bytes());
                Ok(())
            })
            .await?;
        if differs {
            break;
        }
    }
    while let Some(event) = pages.next(&mut at, stored_length).await? {
        union.push(&event.id, event.json.as_bytes());
        stored.saw(&event.id, event.json.as_bytes());
    }
    let state = BaseState::of(verified.id, &listing.base_state);
    let lengths = (union.length(), common);
    let mut comparison = Comparison::of(union, &stored, state.as_ref(), lengths, verified);
    let mut previous = common.checked_sub(1);
    for group in reading::groups(theirs.events(common as u64, verified.length)) {
        theirs
            .read(&group, &mut |index, id, text| match comparison.add(index, id, text, &mut previous) {
                Is::Different => Err(other_event(verified, stored_length, index)),
                Is::Known | Is::New => Ok(()),
            })
            .await?;
    }
    comparison
        .follow(verified.head.and_then(|head| conversation.events.get(head)).map(|event| event.id.as_str()));
    Ok(comparison)
}

fn other_event(verified: &Verified, stored_length: u64, index: usize) -> Error {
    let text = format!(
        "conversation {} is already stored with other events: the stored log has {stored_length} events, the archive's has {}, and \
         event {index} of the archive has the id of a stored one with another content; export the stored one if you want to keep it, \
         delete it, and import again",
        verified.id, verified.length
    );
    Error::new(ErrorCode::InvalidState, text)
}

/// Called with index, id and text of an event.
type Each<'a> = dyn FnMut(usize, &EventId, &[u8]) -> Result<()> + 'a;

/// The events of the archive, as they would be stored.
struct Theirs<'a> {
    archive: &'a dyn Archive,
    conversation: &'a Conversation,
    verified: &'a Verified,
}

impl Theirs<'_> {
    fn events(&self, from: u64, to: u64) -> Vec<reading::Tagged> {
        self.conversation
            .all_files(0, &|part| matches!(part, ArchiveFile::Event(i) if (from..to).contains(&(i as u64))))
    }

    /// Calls `each` with the events of a group.
    async fn read(&mut self, group: &[reading::Tagged], each: &mut Each<'_>) -> Result<()> {
        let name = |position| self.conversation.name_at(position).unwrap_or_default();
        reading::read(self.archive, group, &name, &mut |(_, part), content| {
            let ArchiveFile::Event(index) = part else { return Ok(()) };
            let Some(event) = self.conversation.events.get(index) else { return Ok(()) };
            let repaired = self.verified.repair(index).and_then(|repair| repair.content(content, &event.id));
            each(index, &event.id, repaired.as_deref().unwrap_or(content))
        })
        .await
    }
}
