//! The rows of a list of conversations.

use super::machine::undecided::undecided_in;
use crate::{
    context::beginning::{SEARCHED, beginning},
    event::Event,
    format::{
        base_state::BaseState,
        import_mark::{AT, LAST_EVENT, TIMESTAMP},
    },
    json::EditableObject,
    store::{Listing, Store},
};

/// The title of a stored conversation, as [`super::Conversation::title`]. Reads no events, except the first ones of a
/// conversation that an earlier version has written and that was not changed since.
pub async fn title_in_list(store: &dyn Store, listing: &Listing, state: &BaseState) -> Option<String> {
    let title = state.shown_title();
    if title.is_some() || listing.length == 0 {
        return title;
    }
    let events = store.events(listing.conversation, 0..SEARCHED).await.ok()?;
    events.into_iter().find_map(|event| beginning(&Event::decode(event.id, event.json)))
}

/// The time of the last event of an import, as the event has it, while nothing has been written since.
pub fn imported_time(listing: &Listing, state: &BaseState) -> Option<String> {
    let last: EditableObject = undecided_in(state).read(LAST_EVENT)?;
    let at: f64 = last.read(AT)?;
    (at.total_cmp(&listing.updated_at).is_eq()).then(|| last.read(TIMESTAMP))?
}
