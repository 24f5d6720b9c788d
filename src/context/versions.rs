//! The versions of the messages of the active branch: messages that were edited, and answers that were given again.
//!
//! A reader sees all that the agent does between two messages of the user as one message. So the versions of such a turn
//! are its ways through the tree: where a turn goes on in two ways, the older one continues a version, and the younger
//! one begins another. Which versions there are, and their order, does not depend on the active branch.

use super::branches::{Role, Tree};
use crate::id::EventId;

/// The versions of a message, by places in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versions {
    /// The last event of the active branch that is a part of this message; `None` for the message that comes next.
    pub message: Option<usize>,
    /// Whether it is a message of the user.
    pub is_user: bool,
    /// The active one; `None` for the message that comes next, which is none of them.
    pub active: Option<usize>,
    /// All versions, in the order in which they were begun.
    pub versions: Vec<Version>,
}

/// A version of a message, by places in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// The first event that no older version has.
    pub first: usize,
    /// The last event of the newest branch with this version.
    pub leaf: usize,
}

/// The result of a walk from the root to an event.
#[derive(Clone, Copy, Default)]
struct Above {
    /// The last message up to the event itself.
    message: Option<usize>,
    /// The last message of the user up to the event itself.
    user: Option<usize>,
    /// The version of the turn of which the event is a part, or behind which it is as a message of the user; by its first event.
    version: usize,
}

/// The messages that are versions of each other: those of the user behind the same message, or the turns behind the same
/// message of the user.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Group {
    is_user: bool,
    after: Option<usize>,
}

impl Group {
    fn index(self) -> usize {
        2 * self.after.map_or(0, |after| after + 1) + usize::from(self.is_user)
    }
}

impl Tree {
    /// The versions of all messages of the branch that ends at `head` that have more than one, from the last to the first;
    /// and those that follow `head` on other branches. A tree that begins in the middle of the log says nothing about its
    /// first event.
    pub fn versions(&self, head: Option<&EventId>) -> Vec<Versions> {
        let all = self.above();
        let mut place = head.and_then(|head| self.places.get(head).copied());
        let last = place.and_then(|place| all.get(place)).copied().unwrap_or_default();
        let knows_end = place.is_some() || head.is_none() && self.start == 0;
        let mut found = Vec::new();
        if knows_end {
            found.push((Group { is_user: true, after: last.message }, None));
            if last.message == last.user {
                found.push((Group { is_user: false, after: last.user }, None));
            }
        }
        // Of a turn the message of the user behind it says which version this is, or else its own last event.
        let mut version = None;
        while let Some(at) = place {
            let (Some(node), Some(above)) = (self.nodes.get(at), all.get(at)) else { break };
            if let Some(group) = self.group(at, &all) {
                if group.is_user {
                    found.push((group, Some((at, at))));
                    version = Some(above.version);
                } else if found.iter().all(|(other, _)| *other != group) {
                    found.push((group, Some((at, version.take().unwrap_or(above.version)))));
                }
            }
            place = node.parent;
        }
        let counts = self.counts(&all);
        // If only the end of the log was read, the first turn in it may have begun earlier.
        found.retain(|(group, active)| {
            let is_known = group.after.is_some() || self.start == 0;
            !is_known || counts.get(group.index()).is_some_and(|count| *count > usize::from(active.is_some()))
        });
        let versions = found.into_iter().map(|(group, active)| self.versions_of(group, active, &all));
        versions.filter(|found| found.versions.len() > usize::from(found.message.is_some())).collect()
    }

    /// How many versions each group has, so that the messages without others cost nothing more.
    fn counts(&self, all: &[Above]) -> Vec<usize> {
        let mut counts = vec![0; 2 * (self.nodes.len() + 1)];
        let mut add = |group: Option<Group>| {
            if let Some(count) = group.and_then(|group| counts.get_mut(group.index())) {
                *count += 1;
            }
        };
        for (place, above) in all.iter().enumerate() {
            let group = self.group(place, all);
            let is_user = group.is_some_and(|group| group.is_user);
            if is_user {
                add(group);
            }
            if above.version == place {
                add(if is_user { self.turn_before(place, all) } else { group });
            }
        }
        counts
    }

    fn above(&self) -> Vec<Above> {
        let mut all: Vec<Above> = Vec::with_capacity(self.nodes.len());
        // Of each message: whether something follows it, and the version of a turn that ends there.
        let mut goes_on = vec![false; self.nodes.len()];
        let mut ends: Vec<Option<usize>> = vec![None; self.nodes.len()];
        for (place, node) in self.nodes.iter().enumerate() {
            let mut above = node.parent.and_then(|parent| all.get(parent)).copied().unwrap_or_default();
            let is_first = self.start > 0 && place == 0;
            if node.role != Role::Nothing || is_first {
                let before = above.message;
                let is_begun = before
                    .and_then(|before| goes_on.get_mut(before))
                    .is_none_or(|goes_on| std::mem::replace(goes_on, true));
                match node.role {
                    Role::User => {
                        if let Some(end) = before.and_then(|before| ends.get_mut(before)) {
                            above.version = *end.get_or_insert(if is_begun { place } else { above.version });
                        }
                    }
                    // A changed call is a part of the same answer as the call that it replaces.
                    Role::Answer(first) if first < place && self.message_before(first, &all) == before => {
                        above.version = all.get(first).map_or(place, |first| first.version);
                    }
                    _ if is_begun || before == above.user => above.version = place,
                    _ => {}
                }
                above.message = Some(place);
                if node.role == Role::User {
                    above.user = Some(place);
                }
            }
            all.push(above);
        }
        all
    }

    /// The last message before this event.
    fn message_before(&self, place: usize, all: &[Above]) -> Option<usize> {
        let parent = self.nodes.get(place).and_then(|node| node.parent);
        parent.and_then(|parent| all.get(parent)).and_then(|above| above.message)
    }

    /// The group of which this event is a member. The first event of the end of a log is in none that is known.
    fn group(&self, place: usize, all: &[Above]) -> Option<Group> {
        let node = self.nodes.get(place)?;
        if node.is_foreign || self.start > 0 && place == 0 {
            return None;
        }
        match node.role {
            Role::Nothing => None,
            Role::User => Some(Group { is_user: true, after: self.message_before(place, all) }),
            Role::Answer(_) => Some(Group { is_user: false, after: all.get(place)?.user }),
        }
    }

    /// The turn behind which this message of the user is; none if it is behind another message of the user.
    fn turn_before(&self, place: usize, all: &[Above]) -> Option<Group> {
        self.group(self.message_before(place, all)?, all).filter(|group| !group.is_user)
    }

    fn versions_of(&self, group: Group, active: Option<(usize, usize)>, all: &[Above]) -> Versions {
        let mut versions: Vec<Version> = Vec::new();
        // Of each event: the version of this group that its branch has, and the newest message of each version.
        let mut version_at: Vec<Option<usize>> = Vec::with_capacity(self.nodes.len());
        let mut newest: Vec<usize> = Vec::new();
        for (place, node) in self.nodes.iter().enumerate() {
            let Some(above) = all.get(place) else { break };
            let mut at = node.parent.and_then(|parent| version_at.get(parent).copied().flatten());
            let own = self.group(place, all);
            let is_behind = own.is_some_and(|own| own.is_user) && self.turn_before(place, all) == Some(group);
            if own == Some(group) || is_behind {
                let first = if group.is_user { place } else { above.version };
                at = versions.iter().position(|version| version.first == first).or_else(|| {
                    versions.push(Version { first, leaf: place });
                    newest.push(place);
                    Some(versions.len() - 1)
                });
            }
            version_at.push(at);
            let Some((version, newest)) =
                at.and_then(|at| Some((versions.get_mut(at)?, newest.get_mut(at)?)))
            else {
                continue;
            };
            if node.role != Role::Nothing {
                *newest = place;
            }
            // Events beside the branch, such as those of hooks in logs of the SDK, are no end of it.
            if node.becomes_head && above.message == Some(*newest) {
                version.leaf = place;
            }
        }
        let index = active.and_then(|(_, own)| versions.iter().position(|version| version.first == own));
        for version in &mut versions {
            version.first += self.start;
            version.leaf += self.start;
        }
        Versions {
            message: active.map(|(place, _)| place + self.start),
            is_user: group.is_user,
            active: index,
            versions,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{context::branches::tests::id, event::Event};

    /// The tree of events from `start` on, each with the number of its parent and what it is: `u`, a message of the user;
    /// `a`, one of the agent; `p`, a pause; any other letter, a call of the response with this name.
    fn tree(start: usize, events: &[(usize, char)]) -> Tree {
        let mut tree = Tree::from(start);
        for (number, (parent, what)) in events.iter().enumerate().skip(start) {
            let parent =
                if number == 0 { String::new() } else { format!(r#""parent_id":"{}","#, id(*parent)) };
            let message = r#""llm_message":{"role":"user","content":[]},"kind":"MessageEvent""#;
            let rest = match what {
                'u' => format!(r#""source":"user",{message}"#),
                'a' => format!(r#""source":"agent",{message}"#),
                'p' => r#""source":"user","kind":"PauseEvent""#.to_owned(),
                response => format!(
                    r#""source":"agent","thought":[],"tool_name":"t","tool_call_id":"c","tool_call":{{"id":"c","name":"t","arguments":"","origin":"completion"}},"llm_response_id":"{response}","kind":"ActionEvent""#
                ),
            };
            let json =
                format!(r#"{{"id":"{}","timestamp":"2026-01-31T09:15:02",{parent}{rest}}}"#, id(number));
            tree.add(&Event::decode(id(number), json.into()));
        }
        tree
    }

    type Found = (Option<usize>, Option<usize>, Vec<(usize, usize)>);

    /// Of each message: its event, the active version, and the first and last events of all versions.
    fn found(tree: &Tree, head: usize) -> Vec<Found> {
        let all = tree.versions(Some(&id(head))).into_iter();
        all.map(|Versions { message, active, versions, .. }| {
            (message, active, versions.iter().map(|Version { first, leaf }| (*first, *leaf)).collect())
        })
        .collect()
    }

    #[test]
    fn messages_without_a_branch_have_no_versions() {
        assert_eq!(found(&tree(0, &[(0, 'u'), (0, 'a'), (1, 'u'), (2, 'a'), (3, 'p')]), 4), []);
    }

    #[test]
    fn an_edited_message_and_another_answer_have_versions_in_the_order_in_which_they_were_begun() {
        // First, its answer, another answer; first in other words, and its answer.
        let events = [(0, 'p'), (0, 'u'), (1, 'a'), (1, 'a'), (0, 'u'), (4, 'a')];
        let tree = tree(0, &events);
        let messages = vec![(1, 3), (4, 5)];
        let answers = vec![(2, 2), (3, 3)];
        assert_eq!(found(&tree, 5), [(Some(4), Some(1), messages.clone())]);
        let first = (Some(1), Some(0), messages);
        assert_eq!(found(&tree, 3), [(Some(3), Some(1), answers.clone()), first.clone()]);
        assert_eq!(found(&tree, 2), [(Some(2), Some(0), answers.clone()), first.clone()]);
        // Before the next answer the earlier ones are what follows.
        assert_eq!(found(&tree, 1), [(None, None, answers), first]);
    }

    #[test]
    fn an_answer_that_goes_on_in_two_ways_has_two_versions_whichever_is_active() {
        // A question, a call, an answer after it and another one; then from the call on with another question.
        let tree = tree(0, &[(0, 'u'), (0, 'x'), (1, 'a'), (1, 'a'), (1, 'u'), (4, 'a')]);
        let versions = vec![(1, 2), (3, 3), (4, 5)];
        assert_eq!(found(&tree, 2), [(Some(2), Some(0), versions.clone())]);
        assert_eq!(found(&tree, 3), [(Some(3), Some(1), versions.clone())]);
        assert_eq!(found(&tree, 5), [(Some(1), Some(2), versions)]);
    }

    #[test]
    fn a_call_with_changed_arguments_is_no_other_version() {
        let tree = tree(0, &[(0, 'u'), (0, 'x'), (1, 'x'), (0, 'x'), (3, 'x'), (4, 'a')]);
        assert_eq!(found(&tree, 5), []);
        assert_eq!(found(&tree, 2), []);
    }

    #[test]
    fn the_end_of_a_log_has_the_versions_that_begin_in_it() {
        let events = [(0, 'u'), (0, 'a'), (1, 'u'), (2, 'a'), (0, 'a'), (2, 'a'), (1, 'u'), (5, 'p')];
        let all = [(Some(5), Some(1), vec![(3, 3), (5, 7)]), (Some(2), Some(0), vec![(2, 7), (6, 6)])];
        // The other answer to the first question is none of the versions that begin in the end.
        assert_eq!(found(&tree(1, &events), 7), all);
        let first = (Some(1), Some(0), vec![(1, 6), (4, 4)]);
        assert_eq!(found(&tree(0, &events), 7), [all[0].clone(), all[1].clone(), first]);
    }
}
