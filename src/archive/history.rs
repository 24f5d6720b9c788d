//! Reads a stored conversation: the events of its active branch, and their messages.

use super::pages::{Pages, Position};
use crate::{
    context::{branch::active_branch, messages::events_to_messages},
    error::{Error, ErrorCode, Result},
    event::Event,
    format::{base_state::BaseState, tree::Leaf},
    id::ConversationId,
    llm::message::Message,
    store::{Listing, Store},
};

/// A stored conversation, and the events of its active branch in order. A branch with a missing parent begins after the
/// missing event.
pub async fn read(store: &dyn Store, conversation: ConversationId) -> Result<(Listing, Vec<Event>)> {
    let Some(listing) = store.load(conversation).await? else {
        return Err(Error::new(ErrorCode::NotFound, format!("there is no conversation {conversation}")));
    };
    let pages = Pages::new(store, conversation);
    let mut at = Position::default();
    let mut log = Vec::new();
    while let Some(stored) = pages.next(&mut at, listing.length).await? {
        log.push(Event::decode(stored.id, stored.json));
    }
    let leaf = BaseState::of(conversation, &listing.base_state).map_or(Leaf::Unset, |state| state.leaf());
    let branch = active_branch(&log, &leaf);
    Ok((listing, branch.events))
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
