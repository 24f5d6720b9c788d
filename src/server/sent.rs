//! Finding the event of a message that was sent. A server tells no id of it, and takes none.

use super::ServerCopy;
use crate::{
    error::Result,
    event::{Body, Event, Source},
    json::FromJson as _,
    llm::message::{Content, Message},
    store::StoredEvent,
};
use std::rc::Rc;

impl ServerCopy {
    /// The JSON of the first message of the user from this number on that has this content, if the copy has it already. Each event
    /// is found once, so that the same message can be sent twice. `content` is a JSON list.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn sent(&self, start: u64, content: &str) -> Result<Option<Rc<str>>> {
        let wanted = Vec::<Content>::from_json(content).unwrap_or_default();
        let events = self.store.events(self.id(), start..u64::MAX).await?;
        let claimed = &mut *self.claimed.borrow_mut();
        for StoredEvent { id, json, .. } in events {
            let event = Event::decode(id.clone(), json.clone());
            let Body::MessageEvent(message) = event.body() else { continue };
            if event.source() == Source::User
                && is_same(&message.llm_message, &wanted)
                && !claimed.contains(&id)
            {
                claimed.push(id);
                return Ok(Some(json));
            }
        }
        Ok(None)
    }
}

/// Whether the message says the same. A server adds marks for the cache of a model.
fn is_same(message: &Message, content: &[Content]) -> bool {
    let part = |one: &Content, other: &Content| match (one, other) {
        (Content::Image { image_urls: one, .. }, Content::Image { image_urls: other, .. }) => one == other,
        _ => one.as_text().is_some() && one.as_text() == other.as_text(),
    };
    message.content.len() == content.len()
        && message.content.iter().zip(content).all(|(one, other)| part(one, other))
}
