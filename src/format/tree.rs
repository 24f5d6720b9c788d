//! The rules by which events form a tree, and where a conversation is in it.
//!
//! Mirrors `conversation/event_store.py` and `conversation/state.py` (`_resolve_active_leaf`).

use crate::id::EventId;

/// The `parent_id` of an event that begins a branch of its own.
pub const ROOT_PARENT_ID: &str = "__root__";

/// Whether HEAD moves to an event of this kind when it is appended.
pub fn becomes_head(kind: &str) -> bool {
    kind != "ConversationStateUpdateEvent"
}

/// Whether HEAD can be at an event of this kind if `base_state.json` names none.
pub fn is_default_leaf(kind: &str) -> bool {
    !matches!(kind, "ConversationStateUpdateEvent" | "ConversationErrorEvent")
}

/// The position of HEAD that `base_state.json` stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// At this event.
    Event(EventId),
    /// Before the first event, on purpose: the next event begins a branch of its own.
    Empty,
    /// Not stored, as in logs from before there was a tree: at the last event of a kind that [`is_default_leaf`] accepts.
    Unset,
}
