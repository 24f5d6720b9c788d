//! The tree of events: moves of HEAD (`conversation/impl/local_conversation.py`, `navigate_to`), and the verbs on it.
//!
//! Every event stays in the log. Only HEAD decides which branch is active, so a move is one commit without new events,
//! except for answers to calls of the branch that is left.

mod fork;

pub use fork::ForkOptions;

use crate::{
    context::{
        branch::{Wanted, parent_of},
        branches::{BranchEnd, Tree},
        versions::{Version, Versions},
    },
    error::{Error, ErrorCode, Result},
    event::{Body, Event, Source},
    fair_mutex::FairGuard,
    handle::Conversation,
    id::EventId,
    log::active_branch::{is_seen, load_page, walk_back},
    machine::{Command, Place, Transition},
    store::{StoreError, StoredEvent},
};
use std::collections::HashSet;

impl Conversation {
    /// Moves HEAD to this event, so that the next one becomes its child, or before the first event. All other branches
    /// stay in the log. Calls of the active branch that have no result are answered first. The status becomes `finished`
    /// if the branch ends with an answer of the model, `waiting_for_confirmation` if it ends with calls that nothing answers, as a
    /// merge brings them, and `idle` otherwise.
    ///
    /// # Errors
    /// `not_found` for an event that does not exist, `invalid_options` for one that separates calls from their results,
    /// `invalid_state` during a run and while calls wait for the user, `locked_elsewhere`, and those of the store;
    /// nothing has changed then.
    pub async fn navigate_to(&self, head: Option<EventId>) -> Result<()> {
        self.ensure_writable()?;
        let _turn = self.0.turns.lock().await;
        let transition = match &head {
            Some(event) => self.inspect_end(event).await?,
            None => Transition::NavigateTo,
        };
        self.perform(Command::NavigateTo { head, transition }).await.map(drop)
    }

    /// Moves HEAD back to the last message of the user, for a run that answers it again. Returns the turn, within which the
    /// run begins.
    ///
    /// # Errors
    /// `invalid_state` if there is no such message and while calls wait for the user, `locked_elsewhere`, and those of the
    /// store.
    pub(crate) async fn return_to_last_message(&self) -> Result<FairGuard> {
        let turn = self.0.turns.lock().await;
        // The last message may still be in the inbox.
        self.append_inbox().await?;
        self.perform(Command::Regenerate).await?;
        Ok(turn)
    }

    /// The place of a message of the user: before it, and before the hooks that were asked about it; and its
    /// sender.
    pub(crate) async fn place_of_message(&self, message: &EventId) -> Result<(Place, Option<String>)> {
        let log = &self.0.log;
        self.index_of(message).await?;
        let (mut head, mut sender) = (None, None);
        let (mut is_message, mut has_instructions) = (false, false);
        let mut batch = LastBatch::default();
        let visit = &mut |_, event: Event| {
            if event.id() == message {
                let Body::MessageEvent(body) = event.body() else { return false };
                is_message = event.source() == Source::User;
                sender.clone_from(&body.sender);
                return is_message;
            }
            if let Body::HookExecutionEvent(hook) = event.body()
                && hook.message_id.as_deref() == Some(message.as_str())
            {
                return true;
            }
            head.get_or_insert_with(|| event.id().clone());
            has_instructions |= is_seen(&event);
            batch.add(&event)
        };
        walk_back(&*log.store, log.id, Some(message.clone()), visit).await?;
        if !is_message {
            let text =
                format!("event {message} is not a message of the user; only such messages can be edited");
            return Err(Error::new(ErrorCode::InvalidOptions, text));
        }
        if batch.lacks_result {
            return Err(cut_batch(message));
        }
        let instructions = (!has_instructions).then(|| self.instructions(&self.state()));
        Ok((Place { head, instructions }, sender))
    }

    /// The last `limit` events from the root to HEAD.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn active_branch(&self, limit: usize) -> Result<Vec<Event>> {
        let log = &self.0.log;
        Ok(load_page(&*log.store, log.id, log.head(), limit, log.length()).await?.events)
    }

    /// The branches beside the active one, in the order of their last events. The first call reads the complete log, the
    /// following ones read new events only.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn branches(&self) -> Result<Vec<OtherBranch>> {
        let log = &self.0.log;
        let tree = self.tree_from(0).await?;
        let ends = tree.branches(log.head().as_ref());
        log.tree.replace(tree);
        let mut branches = Vec::new();
        for BranchEnd { leaf, fork, first_message } in ends {
            let first_message = first_message as u64;
            let event = log.store.events(log.id, first_message..first_message + 1).await?.pop();
            let Some(event) = event else { continue };
            branches.push(OtherBranch {
                leaf: self.id_of(leaf as u64).await?,
                fork: match fork {
                    Some(fork) => Some(self.id_of(fork as u64).await?),
                    None => None,
                },
                first_message: Event::decode(event.id, event.json),
            });
        }
        Ok(branches)
    }

    /// The versions of all messages of the active branch behind this event of it that have more than one, or of all
    /// messages. Reads the log from this event on, if it has not been read.
    ///
    /// # Errors
    /// `not_found` for an event that does not exist, and those of the store.
    pub async fn versions(&self, after: Option<&EventId>) -> Result<Vec<MessageVersions>> {
        let start = match after {
            Some(event) => self.index_of(event).await? as usize,
            None => 0,
        };
        let tree = self.tree_from(start).await?;
        let found = tree.versions(self.0.log.head().as_ref());
        self.0.log.tree.replace(tree);
        let mut all = Vec::new();
        for Versions { message, is_user, active, versions } in found {
            if message.is_some_and(|message| message < start) {
                continue;
            }
            let mut ids = Vec::new();
            for Version { first, leaf } in versions {
                ids.push((self.id_of(first as u64).await?, self.id_of(leaf as u64).await?));
            }
            let message = match message {
                Some(message) => Some(self.id_of(message as u64).await?),
                None => None,
            };
            all.push(MessageVersions { message, is_user, active, versions: ids });
        }
        Ok(all)
    }

    /// The tree of the log from this place on or from an earlier one, with all events that are stored by now.
    async fn tree_from(&self, start: usize) -> Result<Tree> {
        let log = &self.0.log;
        let mut tree = log.tree.take();
        if start < tree.start() || tree.end() == tree.start() {
            tree = Tree::from(start);
        }
        while (tree.end() as u64) < log.length() {
            for event in self.page(tree.end() as u64, log.length()).await? {
                tree.add(&Event::decode(event.id, event.json));
            }
        }
        Ok(tree)
    }

    /// The first events of this range, which is in the log.
    ///
    /// # Errors
    /// `store_lost` if the store does not have them any more, and those of the store.
    async fn page(&self, start: u64, end: u64) -> Result<Vec<StoredEvent>> {
        let log = &self.0.log;
        let page = log.store.events(log.id, start..end.min(start + PAGE)).await?;
        if page.is_empty() { Err(StoreError::Lost.into()) } else { Ok(page) }
    }

    /// The transition for a move to this event, by what the branch ends with there. Reads the last batch of calls, and if one of
    /// them has no result, what comes behind it in the log.
    ///
    /// # Errors
    /// `invalid_options` if calls of the last batch have their results behind this event, or if it is HEAD and leaving it answers
    /// them: here they would run again.
    pub(crate) async fn inspect_end(&self, leaf: &EventId) -> Result<Transition> {
        let log = &self.0.log;
        let place = self.index_of(leaf).await?;
        let mut batch = LastBatch::default();
        let mut last_seen = None;
        let visit = &mut |_, event: Event| {
            if last_seen.is_none() && is_seen(&event) {
                last_seen = Some(event.clone());
            }
            batch.add(&event)
        };
        walk_back(&*log.store, log.id, Some(leaf.clone()), visit).await?;
        if batch.lacks_result {
            return match log.head().as_ref() == Some(leaf) || self.is_followed(place, leaf).await? {
                true => Err(cut_batch(leaf)),
                false => Ok(Transition::NavigateToCalls),
            };
        }
        let is_answer = last_seen.is_some_and(|event| match event.body() {
            Body::MessageEvent(message) => event.source() == Source::Agent && message.is_answer(),
            Body::ObservationEvent(result) => result.tool_name == "finish",
            _ => false,
        });
        Ok(if is_answer { Transition::NavigateToAnswer } else { Transition::NavigateTo })
    }

    /// Whether an event of the log follows this one, which is at `place`.
    async fn is_followed(&self, place: u64, event: &EventId) -> Result<bool> {
        let log = &self.0.log;
        let mut next = place + 1;
        while next < log.length() {
            for stored in self.page(next, log.length()).await? {
                next = stored.index + 1;
                let wanted = parent_of(stored.index, &Event::decode(stored.id, stored.json));
                if matches!(&wanted, Ok(Some(Wanted::Id(id))) if id == event)
                    || matches!(wanted, Ok(Some(Wanted::Index(index))) if index == place)
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// The number of events that are read at once.
const PAGE: u64 = 512;

/// The versions of a message of the active branch, or of the one that comes next.
#[derive(Clone, Debug)]
pub struct MessageVersions {
    /// The last event of the message; `None` for the one that comes next.
    pub message: Option<EventId>,
    /// Whether it is a message of the user.
    pub is_user: bool,
    /// The active version; `None` for the message that comes next.
    pub active: Option<usize>,
    /// The first event of each version, and the last event of the newest branch with it.
    pub versions: Vec<(EventId, EventId)>,
}

/// A branch beside the active one.
#[derive(Clone, Debug)]
pub struct OtherBranch {
    /// The last event.
    pub leaf: EventId,
    /// The last event that the branch shares with the active one; `None` if it shares none.
    pub fork: Option<EventId>,
    /// The first message or call after that.
    pub first_message: Event,
}

pub(crate) fn cut_batch(event: &EventId) -> Error {
    let text = format!(
        "event {event} is between calls and their results; choose an event before these calls or one after their results"
    );
    Error::new(ErrorCode::InvalidOptions, text)
}

/// The last calls of a branch, found backwards.
#[derive(Default)]
struct LastBatch {
    /// Ids of actions that have results, and of calls that have failed.
    answered: HashSet<String>,
    response: Option<String>,
    lacks_result: bool,
}

impl LastBatch {
    /// Adds the event before the last one that was added. Returns whether an earlier event can belong to the batch.
    fn add(&mut self, event: &Event) -> bool {
        match event.body() {
            Body::ObservationEvent(result) => {
                self.answered.insert(result.action_id.clone());
            }
            Body::UserRejectObservation(rejection) => {
                self.answered.insert(rejection.action_id.clone());
            }
            Body::AgentErrorEvent(error) => {
                self.answered.insert(error.tool_call_id.clone());
            }
            Body::ActionEvent(action) => {
                let response = self.response.get_or_insert_with(|| action.llm_response_id.clone());
                if *response != action.llm_response_id {
                    return false;
                }
                let has_result = self.answered.contains(event.id().as_str())
                    || self.answered.contains(&action.tool_call_id);
                self.lacks_result |= action.action.is_some() && !has_result;
            }
            Body::MessageEvent(_) | Body::SystemPromptEvent(_) | Body::Condensation(_) => return false,
            _ => {}
        }
        true
    }
}
