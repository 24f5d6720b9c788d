//! The order of messages that name the one before them, as programs with several answers to a question store them.

use super::entry::Entry;
use crate::{
    error::Result,
    json::{FromJson as _, float},
};
use std::collections::HashMap;

/// A step on the way through all branches.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// This message follows the one of the step before, or begins the conversation.
    Message(usize),
    /// What comes next follows this message instead, or begins the conversation anew.
    Back(Option<usize>),
}

/// The name of a message, or of the one before it: a text or a number.
pub fn name(entry: &Entry<'_>, field: &str) -> Result<Option<String>> {
    match entry.get(field) {
        Some(value) if String::from_json(value).is_some() => entry.name_in(field),
        Some(value) if float(value).is_some() => Ok(Some(value.to_owned())),
        Some(_) => Err(entry.refused(field, "is neither a text nor a number")),
        None => Ok(None),
    }
}

/// Whether messages of a list name the one before them.
pub fn has_branches(messages: &[Entry<'_>]) -> bool {
    messages.iter().any(|message| message.get("parent").is_some() && message.get("id").is_some())
}

/// All messages, each behind the one that it names, branch after branch in the order of the list. The second value is the number of
/// messages that no branch has, because they name each other in a circle.
pub fn steps(messages: &[Entry<'_>]) -> Result<(Vec<Step>, usize)> {
    let mut ids = HashMap::new();
    for (index, message) in messages.iter().enumerate() {
        if let Some(id) = name(message, "id")?
            && ids.insert(id, index).is_some()
        {
            return Err(message.refused("id", "is the id of another message as well"));
        }
    }
    let mut children: Vec<Vec<usize>> = messages.iter().map(|_| Vec::new()).collect();
    let mut roots = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        // A message whose parent is not in the file begins a branch.
        let parent = name(message, "parent")?.and_then(|parent| ids.get(&parent).copied());
        match parent.and_then(|parent| children.get_mut(parent)) {
            Some(siblings) => siblings.push(index),
            None => roots.push(index),
        }
    }
    let mut steps = Vec::new();
    let mut open: Vec<(Option<usize>, usize)> = roots.iter().rev().map(|root| (None, *root)).collect();
    let mut last = None;
    let mut count = 0_usize;
    while let Some((parent, index)) = open.pop() {
        if parent != last {
            steps.push(Step::Back(parent));
        }
        steps.push(Step::Message(index));
        count += 1;
        last = Some(index);
        let next = children.get(index).into_iter().flatten().rev();
        open.extend(next.map(|child| (Some(index), *child)));
    }
    Ok((steps, messages.len().saturating_sub(count)))
}
