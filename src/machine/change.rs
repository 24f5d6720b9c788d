//! What a command results in: everything that is stored in one transaction, and what changes in memory after it.

use super::Asked;
use crate::{
    agent::NewEvent, event::Event, format::base_state::BaseState, id::EventId, store::Durability,
    tool::FileChange,
};

/// Everything that a command stores, in one transaction.
#[derive(Default)]
pub struct Change {
    /// The base state. `None` for files beside the log: then neither that nor the log nor a time changes.
    pub state: Option<BaseState>,
    /// The command of another handle, if this carries it out, and the event that it results in.
    pub asked: Option<(Asked, Option<EventId>)>,
    /// Events to append in order, each the child of the one before.
    pub events: Vec<NewEvent>,
    /// Results to append first. If this commit fails, the next one appends them.
    pub held: Vec<NewEvent>,
    /// How durable the commit has to be.
    pub durability: Durability,
    /// Whether the time of the conversation stays as it is.
    pub keeps_time: bool,
    /// Cuts the log to this length first; `files` has to contain the events that are cut off.
    pub truncate_to: Option<u64>,
    pub head_move: Option<HeadMove>,
    /// Further files.
    pub files: Vec<FileChange>,
    /// The length that the log has in the store, if it ends with events that are not counted here.
    pub stored_length: Option<u64>,
    /// Changes of the page's state once the change is stored.
    pub effects: Vec<Effect>,
}

/// A move of HEAD between the events of a change.
pub struct HeadMove {
    /// The number of events before it.
    pub after: usize,
    /// The event that it moves to, where the remaining events, if any, start a new branch; `None` before the first event.
    pub to: Option<EventId>,
    /// Whether the files go to where they were at that event, or stay as they are.
    pub files_follow: bool,
}

/// A change of the page's in-memory state after a commit.
pub enum Effect {
    /// Adds a message to the inbox.
    AddToInbox(Event),
    /// Removes messages from the inbox, because they are in the log or were taken back.
    RemoveFromInbox(Vec<Event>),
    /// Puts a message in the place of the one with this id.
    ReplaceInInbox(EventId, Event),
    /// Forgets what was shown of the answer of the run, because its end is stored.
    EndAnswer,
}

impl Change {
    /// A change that appends these events.
    pub fn append(events: Vec<NewEvent>) -> Self {
        Self { events, ..Self::default() }
    }

    /// The same change, which is on disk before its commit is reported as done.
    #[must_use]
    pub fn strictly(mut self) -> Self {
        self.durability = Durability::Strict;
        self
    }
}
