//! The messages of the user on their way to the server, and the calls that a page carries out for its agent.
//!
//! A server takes no id of a message and tells none, so a message that was sent is found in the log by its content. It is kept in
//! the copy before it is sent, and the transaction that stores its event also takes note that it has arrived: whatever page looks,
//! after whatever crash, the message is in exactly one of both. One whose sending was cut off is sent again only after the log was
//! read to its end without it. One that the server has taken, and that its log does not have after some time, is the user's
//! again: it stays among those that wait, and is sent again only if the user says so.

use super::{
    ServerCopy,
    copy::Known,
    mark::{Kept, Mark},
};
use crate::{
    error::{Error, ErrorCode, Result},
    event::{Event, Head, MessageEvent, Parent, Source},
    id::EventId,
    json::{FromJson as _, object},
    llm::message::{Content, Message, Role},
    store::{Durability, StoreError},
};
use std::rc::Rc;

impl ServerCopy {
    /// Keeps a message with this content, a JSON list, for the server, and returns its event once it is on disk: that has an id
    /// of its own until the message is in the log.
    ///
    /// # Errors
    /// Those of the store, `store_lost` also before the conversation is there.
    pub async fn keep(&self, content: &str) -> Result<Event> {
        let event = self.event_of(content)?;
        self.change(|known| {
            // The agent is to run after the last message that waits, so the message takes this over from those before it.
            let runs = known.mark.outbox.iter_mut().fold(false, |runs, kept| {
                let waits = kept.arrived.is_none();
                runs | (waits && std::mem::take(&mut kept.runs))
            });
            known.mark.outbox.extend(Kept::new(&event).map(|kept| Kept { runs, ..kept }));
            Ok(())
        })
        .await?;
        Ok(event)
    }

    /// Takes a message back that was not sent, or that the server has not logged. Returns once this is on disk.
    ///
    /// # Errors
    /// `invalid_state` for one that the server is about to log, `not_found` for an unknown one, and those of the store.
    pub async fn take_back(&self, id: &EventId) -> Result<()> {
        self.change(|known| {
            let place = known.mark.unsent(id)?;
            known.mark.outbox.remove(place);
            Ok(())
        })
        .await
    }

    /// Puts another message in the place of one that could be taken back. Returns its event, which has another id, once this is on disk.
    ///
    /// # Errors
    /// As [`Self::take_back`].
    pub async fn replace(&self, id: &EventId, content: &str) -> Result<Event> {
        let event = self.event_of(content)?;
        self.change(|known| {
            let place = known.mark.unsent(id)?;
            if let (Some(old), Some(new)) = (known.mark.outbox.get_mut(place), Kept::new(&event)) {
                *old = Kept { runs: old.runs, ..new };
            }
            Ok(())
        })
        .await?;
        Ok(event)
    }

    /// Drops a message that the server has refused.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn drop_refused(&self, id: &EventId) -> Result<()> {
        self.change(|known| {
            known.mark.outbox.retain(|kept| kept.arrived.is_some() || kept.id().as_ref() != Some(id));
            Ok(())
        })
        .await
    }

    /// The message that is to be sent now, of which it is stored that it may be at the server from now on: JSON
    /// `{id, content, runs, wasSent}`. With `wasSent` it may be there already, so the log has to be read to its end first.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn next(&self) -> Result<Option<String>> {
        if self.load().await?.state.is_none() {
            return Ok(None);
        }
        self.change(|known| {
            let length = known.length;
            let Some(kept) = known.mark.outbox.iter_mut().find(|kept| kept.is_due()) else {
                return Ok(None);
            };
            let was_sent = kept.since.is_some();
            kept.since.get_or_insert(length);
            let next = object! {
                "id"?: kept.id().as_ref().map(EventId::as_str),
                "content": kept.content(),
                "runs": kept.runs,
                "wasSent": was_sent,
            };
            Ok(Some(next.finish()))
        })
        .await
    }

    /// Keeps for the server that the agent is to go on with the last message that waits. Returns whether there is one.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn keep_run(&self) -> Result<bool> {
        self.runs_after_last(true).await
    }

    /// Drops a run that was kept.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn drop_run(&self) -> Result<()> {
        self.runs_after_last(false).await.map(drop)
    }

    async fn runs_after_last(&self, runs: bool) -> Result<bool> {
        self.change(|known| {
            let last = known.mark.outbox.iter_mut().rfind(|kept| kept.is_due());
            Ok(last.map(|kept| kept.runs = runs).is_some())
        })
        .await
    }

    /// Takes note that the server has taken this message and that its log, read to its end some time later, does not have it. It is
    /// still found there if it comes.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn miss(&self, id: &EventId) -> Result<()> {
        self.change(|known| {
            let is_it =
                |kept: &&mut Kept| kept.is_due() && kept.since.is_some() && kept.id().as_ref() == Some(id);
            if let Some(kept) = known.mark.outbox.iter_mut().find(is_it) {
                kept.unlogged = true;
            }
            Ok(())
        })
        .await
    }

    /// Lets the messages be sent again that the server has not logged, if its log still does not have them then.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn try_again(&self) -> Result<()> {
        self.change(|known| {
            known.mark.outbox.iter_mut().for_each(|kept| kept.unlogged = false);
            Ok(())
        })
        .await
    }

    /// The JSON of the event of a message that was kept under this id, if it is in the log.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn sent(&self, id: &EventId) -> Result<Option<Rc<str>>> {
        let mark = self.load().await?.mark;
        let kept = mark.outbox.iter().find(|kept| kept.id().as_ref() == Some(id));
        let Some(Kept { arrived: Some(arrived), since, .. }) = kept else { return Ok(None) };
        let events = self.store.events(self.id(), since.unwrap_or_default()..u64::MAX).await?;
        Ok(events.into_iter().find(|event| event.id == *arrived).map(|event| event.json))
    }

    /// Takes note, on disk, that a page begins to carry out this call. Returns whether one has begun it before; the note is dropped
    /// once the log has a message of the user that names the call.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn begin_call(&self, action: &EventId) -> Result<bool> {
        self.change(|known| {
            let begun = &mut known.mark.begun;
            let was_begun = begun.iter().any(|known| known == action.as_str());
            if !was_begun {
                begun.push(action.as_str().to_owned());
            }
            Ok(was_begun)
        })
        .await
    }

    fn event_of(&self, content: &str) -> Result<Event> {
        let content = Vec::<Content>::from_json(content)
            .filter(|content| !content.is_empty())
            .ok_or_else(|| Error::new(ErrorCode::InvalidOptions, "a message must have content"))?;
        let id = EventId::from(self.host.random_uuid());
        let head =
            Head { id, timestamp: self.host.local_time(), source: Source::User, parent: Parent::Unset };
        Event::new(head, MessageEvent::new(Message::new(Role::User, content)))
    }

    /// Changes the mark of the stored copy, and returns once this is on disk.
    async fn change<T>(&self, change: impl Fn(&mut Known) -> Result<T>) -> Result<T> {
        let _turn = self.turns.lock().await;
        let mut left = super::copy::ATTEMPTS;
        loop {
            // Another page may have changed it.
            let known = self.load().await?;
            self.known.replace(None);
            if known.state.is_none() {
                return Err(StoreError::Lost.into());
            }
            let mut next = known.clone();
            let value = change(&mut next)?;
            match self.commit(&known, next, Vec::new(), Durability::Strict).await {
                Ok(known) => {
                    self.known.replace(Some(known));
                    return Ok(value);
                }
                Err(StoreError::Conflict { .. }) if left > 0 => left -= 1,
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Mark {
    /// The place of a message that was not sent, or not logged.
    fn unsent(&self, id: &EventId) -> Result<usize> {
        let found = self.outbox.iter().enumerate().find(|(_, kept)| kept.id().as_ref() == Some(id));
        match found {
            Some((place, kept)) if kept.since.is_none() || kept.unlogged => Ok(place),
            Some(_) => Err(Error::new(
                ErrorCode::InvalidState,
                format!(
                    "message {id} was sent, and the agent server may have it; edit it in the log with editMessage()"
                ),
            )),
            None => {
                Err(Error::new(ErrorCode::NotFound, format!("no message {id} waits for the agent server")))
            }
        }
    }
}
