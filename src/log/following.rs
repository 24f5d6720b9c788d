//! Taking in what another handle stores, and becoming the one whose commits count.

use super::{
    EventLog,
    repair::{decode, find_head, follows, is_torn},
};
use crate::{
    error::Result,
    event::Event,
    fair_mutex::FairGuard,
    format::{base_state::BaseState, tree::becomes_head},
    machine::Change,
    store::{Listing, StoreError, StoredEvent},
};

impl EventLog {
    /// Takes in what another page has stored since, and notifies listeners as a commit does.
    ///
    /// # Errors
    /// `store_lost` if the conversation was deleted, and those of the store; the log is as it was then.
    pub async fn take_in(&self, _lock: &FairGuard) -> Result<()> {
        let known = self.created_at.get();
        let listing = self.store.load(self.id).await?;
        if listing.is_none() && known.is_none() {
            return Ok(());
        }
        let is_same = |listing: &Listing| known.is_none_or(|known| known == listing.created_at);
        let listing = listing.filter(is_same).ok_or(StoreError::Lost)?;
        let state = BaseState::parse(&listing.base_state)?;
        let known = self.length();
        let mut stored = self.store.events(self.id, known..listing.length).await?;
        if (stored.len() as u64) < listing.length.saturating_sub(known) {
            return Err(StoreError::Lost.into());
        }
        // A writer cuts off an end that cannot be read.
        let readable = stored.iter().rposition(|event| !is_torn(event)).map_or(0, |place| place + 1);
        stored.truncate(readable);
        let length = known + stored.len() as u64;
        let head = find_head(&*self.store, self.id, &state, length, &mut Vec::new()).await?;
        let events: Vec<Event> = stored.iter().map(decode).collect();
        let mut end = self.head();
        let is_linear = stored.iter().zip(&events).all(|(stored, event)| {
            let follows = follows(stored.index, event, end.as_ref());
            if becomes_head(event.kind()) {
                end = Some(event.id().clone());
            }
            follows
        });
        self.created_at.set(Some(listing.created_at));
        self.writer.has_read(listing.writer);
        *self.state.borrow_mut() = state;
        self.length.set(length);
        if is_linear && end == head {
            for event in &events {
                self.branch.borrow_mut().iter_mut().for_each(|branch| branch.push(event));
            }
        } else {
            self.forget_branch();
        }
        *self.head.borrow_mut() = head;
        for event in &events {
            (self.listener)(event);
        }
        Ok(())
    }

    /// Makes this handle the writer in the store: nothing is stored any more of what another one commits that does not know of
    /// it. A commit does the same; this one changes nothing else. Of a conversation that is not stored, the first commit decides.
    /// Returns the unreadable events at the end of the log.
    ///
    /// # Errors
    /// `locked_elsewhere` if something was stored that this handle has not taken in, and those of the store.
    pub async fn claim(&self, lock: &FairGuard) -> Result<Vec<StoredEvent>> {
        if !self.is_stored() {
            return Ok(Vec::new());
        }
        let torn = self.store.events(self.id, self.length()..u64::MAX).await?;
        // Events that can be read were stored by the other one meanwhile, and are taken in first.
        if torn.iter().any(|event| !is_torn(event)) {
            return Err(StoreError::Conflict { expected: self.length() }.into());
        }
        let stored_length = Some(self.length() + torn.len() as u64);
        self.write(lock, Change { stored_length, ..Change::default() }, &mut || {}).await?;
        Ok(torn)
    }

    /// Counts the unreadable events at the end as a part of the log, as a writer does until it has moved them away.
    pub fn keep_torn(&self, torn: &[StoredEvent]) {
        self.length.set(self.length() + torn.len() as u64);
    }
}
