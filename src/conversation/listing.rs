//! The rows of a list of conversations.

use crate::{
    context::beginning::{SEARCHED, beginning},
    error::{Error, ErrorCode, Result},
    event::Event,
    format::{
        base_state::BaseState,
        import_mark::{AT, LAST_EVENT, TIMESTAMP},
        server_mark::SERVER,
    },
    host::Host,
    id::ConversationId,
    json::EditableObject,
    machine::undecided::undecided_in,
    store::{Commit, Durability, Listing, Store},
};

/// The title of a stored conversation, as [`super::Conversation::title`]. Reads no events, except the first ones of a
/// conversation that an earlier version has written and that was not changed since.
pub async fn title_in_list(
    store: &dyn Store,
    host: &dyn Host,
    listing: &Listing,
    state: &BaseState,
) -> Option<String> {
    let title = state.shown_title();
    if title.is_some() || listing.length == 0 {
        return title;
    }
    let events = store.events(listing.conversation, 0..SEARCHED).await.ok()?;
    events.into_iter().find_map(|event| beginning(host, &Event::decode(event.id, event.json)))
}

/// Changes tags of a stored conversation that nobody writes; `null` removes one. The conversation keeps its place in lists.
///
/// # Errors
/// `not_found`, `unsupported` for the copy of a conversation on a server, `invalid_options` for a tag that cannot be stored,
/// `store_corrupt` if its state cannot be read, and those of the store.
pub async fn change_tags(
    store: &dyn Store,
    id: ConversationId,
    changes: &EditableObject,
    now: f64,
) -> Result<()> {
    let found = store.load(id).await?;
    let missing = || Error::new(ErrorCode::NotFound, format!("there is no conversation {id} in this store"));
    let listing = found.ok_or_else(missing)?;
    let mut state = BaseState::parse(&listing.base_state)?;
    if state.field(SERVER).is_some() {
        let text = format!(
            "conversation {id} is on a server, which has its tags; open it with that server, and set them there"
        );
        return Err(Error::new(ErrorCode::Unsupported, text));
    }
    state.change_tags(changes, false, now)?;
    // Nobody has it open, so it has no log.
    let commit = Commit {
        created_at: Some(listing.created_at),
        base_state: Some(state.json()),
        durability: Durability::Relaxed,
        ..Commit::new(listing.length, listing.updated_at)
    };
    Ok(store.commit(id, commit).await?)
}

/// The time of the last event of an import, as the event has it, while nothing has been written since.
pub fn imported_time(listing: &Listing, state: &BaseState) -> Option<String> {
    let last: EditableObject = undecided_in(state).read(LAST_EVENT)?;
    let at: f64 = last.read(AT)?;
    (at.total_cmp(&listing.updated_at).is_eq()).then(|| last.read(TIMESTAMP))?
}
