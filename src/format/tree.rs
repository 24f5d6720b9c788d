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

/// Whether the root at place `root` of a log cuts off what is before it by mistake; `before` is the place of the last event before
/// it that [`is_default_leaf`] accepts. The SDK's first versions with a tree took an update or an error at the end of a log without
/// parents for the end of a tree, and lost HEAD. Every other root is one that somebody wanted.
pub fn is_false_root(root: u64, before: u64, before_has_parent: bool) -> bool {
    !before_has_parent && before > 0 && before + 1 < root
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_false_only_behind_an_update_at_the_end_of_a_log_without_parents() {
        assert!(is_false_root(6, 4, false));
        assert!(!is_false_root(6, 4, true), "the log has a tree");
        assert!(!is_false_root(5, 4, false), "nothing was there to be taken for the end of a tree");
        assert!(!is_false_root(2, 0, false), "the first event never names a parent");
    }
}
