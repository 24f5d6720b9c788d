//! Reads a stored conversation: the events of its active branch, and their messages.

use super::pages::{Pages, Position};
use crate::{
    context::{branch::active_branch, messages::events_to_messages},
    error::{Error, ErrorCode, Result},
    event::Event,
    format::{base_state::BaseState, tree::Leaf},
    id::{ConversationId, EventId},
    llm::message::Message,
    store::{Listing, Store},
};

/// The part of a conversation that is read.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// The last event of the branch; `None` for the active one.
    pub leaf: Option<EventId>,
    /// The first event; `None` for all from the beginning.
    pub since: Option<EventId>,
}

/// A stored conversation, and the events of a branch in order. A branch with a missing parent begins after the missing
/// event.
///
/// # Errors
/// `not_found` without the conversation or an event of the part, and those of the store.
pub async fn read(
    store: &dyn Store,
    conversation: ConversationId,
    part: &Part,
) -> Result<(Listing, Vec<Event>)> {
    let Some(listing) = store.load(conversation).await? else {
        return Err(Error::new(ErrorCode::NotFound, format!("there is no conversation {conversation}")));
    };
    let pages = Pages::new(store, conversation);
    let mut at = Position::default();
    let mut log = Vec::new();
    while let Some(stored) = pages.next(&mut at, listing.length).await? {
        log.push(Event::decode(stored.id, stored.json));
    }
    let leaf = match &part.leaf {
        Some(event) if log.iter().any(|known| known.id() == event) => Leaf::Event(event.clone()),
        Some(event) => return Err(no_event(event, "this conversation")),
        None => BaseState::of(conversation, &listing.base_state).map_or(Leaf::Unset, |state| state.leaf()),
    };
    let mut events = active_branch(&log, &leaf).events;
    if let Some(since) = &part.since {
        let first = events.iter().position(|event| event.id() == since);
        events.drain(..first.ok_or_else(|| no_event(since, "this branch"))?);
    }
    Ok((listing, events))
}

fn no_event(event: &EventId, place: &str) -> Error {
    Error::new(ErrorCode::NotFound, format!("there is no event {event} in {place}"))
}

/// The messages of a branch as the SDK's `events_to_messages` makes them from all events with a message. Events that a
/// condensation has forgotten are included, and its summary is not.
pub fn messages(branch: &[Event]) -> Vec<Message> {
    let mut convertible = Vec::new();
    for event in branch {
        if event.to_llm_message().is_some() {
            convertible.push(event.clone());
        }
    }
    events_to_messages(&convertible)
}
