//! Reads a stored conversation: the events of its active branch, and their messages.

use super::{
    json,
    pages::{Pages, Position},
};
use crate::{
    context::{
        branch::{Leaf, active_branch},
        messages::events_to_messages,
    },
    error::{Error, ErrorCode, Result},
    event::Event,
    id::ConversationId,
    json::FromJson as _,
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
    let branch = active_branch(&log, &leaf(&listing.base_state));
    Ok((listing, branch.events))
}

fn leaf(base_state: &str) -> Leaf {
    let members = json::members(base_state).unwrap_or_default();
    let is_empty = json::member(&members, "head_is_empty").and_then(bool::from_json);
    Leaf::stored(json::string_member(&members, "leaf_event_id").as_deref(), is_empty)
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
