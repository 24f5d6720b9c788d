//! All branches of a log, and where they part from the active one.

use super::branch::{Wanted, parent_of};
use crate::{
    event::{Body, Event, Source},
    format::tree::becomes_head,
    id::EventId,
};
use std::collections::HashMap;

/// The parents of all events of a log, or of its end, which is added event by event.
#[derive(Default)]
pub struct Tree {
    /// The place in the log of the first event that was added.
    pub(super) start: usize,
    pub(super) nodes: Vec<Node>,
    pub(super) places: HashMap<EventId, usize>,
    /// The answers of the model, by the id of the response, with their first event.
    responses: HashMap<String, usize>,
}

pub(super) struct Node {
    pub parent: Option<usize>,
    /// Whether the first event that was added is none of its ancestors.
    pub is_foreign: bool,
    pub role: Role,
    pub becomes_head: bool,
}

/// The part of an event that a reader sees.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A reader does not see the event.
    Nothing,
    /// A message of the user.
    User,
    /// A message of the agent, or a call; with the first event of the same response of the model.
    Answer(usize),
}

/// The end of a branch beside the active one, by places in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchEnd {
    /// The last event.
    pub leaf: usize,
    /// The last event that the branch shares with the active one; `None` if it shares none.
    pub fork: Option<usize>,
    /// The first message or call after that.
    pub first_message: usize,
}

impl Tree {
    /// An empty tree for the log from this place on.
    pub fn from(start: usize) -> Self {
        Self { start, ..Self::default() }
    }

    /// The place in the log of the first event that was added.
    pub fn start(&self) -> usize {
        self.start
    }

    /// The place in the log of the next event.
    pub fn end(&self) -> usize {
        self.start + self.nodes.len()
    }

    /// Adds the next event of the log. A parent that is missing or comes later counts as the preceding event.
    pub fn add(&mut self, event: &Event) {
        let place = self.nodes.len();
        let earlier =
            |parent: Option<usize>| parent.filter(|parent| *parent < place).or(place.checked_sub(1));
        let parent = match parent_of((self.start + place) as u64, event) {
            Ok(None) => None,
            Ok(Some(Wanted::Id(id))) => match self.places.get(&id).copied() {
                None if self.start > 0 => None,
                found => earlier(found),
            },
            Ok(Some(Wanted::Index(_))) | Err(_) => earlier(None),
        };
        self.places.entry(event.id().clone()).or_insert(place);
        let role = match event.body() {
            Body::MessageEvent(_) if event.source() == Source::User => Role::User,
            Body::MessageEvent(_) => Role::Answer(place),
            Body::ActionEvent(action) => {
                Role::Answer(*self.responses.entry(action.llm_response_id.clone()).or_insert(place))
            }
            _ => Role::Nothing,
        };
        let follows = parent.and_then(|parent| self.nodes.get(parent));
        let is_foreign = self.start > 0 && place > 0 && follows.is_none_or(|parent| parent.is_foreign);
        self.nodes.push(Node { parent, is_foreign, role, becomes_head: becomes_head(event.kind()) });
    }

    /// The branches beside the one that ends at `head`, in the order of their last events. Branches without a message of
    /// their own, such as those of hooks in logs of the SDK, are left out.
    pub fn branches(&self, head: Option<&EventId>) -> Vec<BranchEnd> {
        let mut is_active = vec![false; self.nodes.len()];
        let mut next = head.and_then(|head| self.places.get(head).copied());
        while let Some(place) = next {
            let (Some(active), Some(node)) = (is_active.get_mut(place), self.nodes.get(place)) else { break };
            *active = true;
            next = node.parent;
        }
        let mut has_child = vec![false; self.nodes.len()];
        // Of each event: the last active one among its ancestors and itself, and the first message behind that.
        let mut found: Vec<(Option<usize>, Option<usize>)> = Vec::with_capacity(self.nodes.len());
        for (place, node) in self.nodes.iter().enumerate() {
            let before = node.parent.and_then(|parent| found.get(parent).copied());
            let (fork, first_message) = before.unwrap_or_default();
            found.push(match is_active.get(place) {
                Some(true) => (Some(place), None),
                _ => (fork, first_message.or((node.role != Role::Nothing).then_some(place))),
            });
            if let Some(parent) = node.parent.filter(|_| node.becomes_head)
                && let Some(has_child) = has_child.get_mut(parent)
            {
                *has_child = true;
            }
        }
        let leaves = self.nodes.iter().zip(has_child).zip(found).enumerate();
        leaves
            .filter_map(|(leaf, ((node, has_child), (fork, first_message)))| {
                let first_message = first_message.filter(|_| node.becomes_head && !has_child)?;
                Some(BranchEnd { leaf, fork, first_message })
            })
            .collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::format::tree::ROOT_PARENT_ID;

    pub fn id(number: usize) -> EventId {
        format!("{number:08}").parse().unwrap()
    }

    /// The tree of events, each with the JSON of its parent id, or nothing, and its kind.
    fn tree(events: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::default();
        for (number, (parent, kind)) in events.iter().enumerate() {
            let parent =
                if parent.is_empty() { String::new() } else { format!(r#""parent_id":"{parent}","#) };
            let json = format!(
                r#"{{"id":"{}","timestamp":"2026-01-31T09:15:02","source":"user",{parent}"llm_message":{{"role":"user","content":[]}},"kind":"{kind}"}}"#,
                id(number)
            );
            tree.add(&Event::decode(id(number), json.into()));
        }
        tree
    }

    const MESSAGE: &str = "MessageEvent";

    #[test]
    fn a_log_without_parents_has_one_branch() {
        let tree = tree(&[("", MESSAGE), ("", MESSAGE), ("", MESSAGE)]);
        assert_eq!(tree.end(), 3);
        assert_eq!(tree.branches(Some(&id(2))), []);
        let rest = BranchEnd { leaf: 2, fork: Some(0), first_message: 1 };
        assert_eq!(tree.branches(Some(&id(0))), [rest]);
    }

    #[test]
    fn branches_without_a_message_of_their_own_are_left_out() {
        let events = [
            ("", MESSAGE),
            ("00000000", "PauseEvent"),
            ("00000000", MESSAGE),
            ("00000002", "ConversationStateUpdateEvent"),
        ];
        let tree = tree(&events);
        assert_eq!(tree.branches(Some(&id(2))), []);
        // An update of the state is not the end of a branch.
        let other = BranchEnd { leaf: 2, fork: Some(0), first_message: 2 };
        assert_eq!(tree.branches(Some(&id(1))), [other]);
    }

    #[test]
    fn branches_from_the_root_share_no_event_and_a_missing_parent_is_the_preceding_event() {
        let tree =
            tree(&[("", MESSAGE), (ROOT_PARENT_ID, MESSAGE), ("99999999", MESSAGE), ("00000003", MESSAGE)]);
        let first = BranchEnd { leaf: 0, fork: None, first_message: 0 };
        let second = BranchEnd { leaf: 3, fork: None, first_message: 1 };
        assert_eq!(tree.branches(None), [first, second]);
        assert_eq!(tree.branches(Some(&id(3))), [first]);
    }
}
