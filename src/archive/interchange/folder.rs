//! A converted log as the archive of one conversation, so that it is checked and stored like any other.

use super::{
    super::{Archive, EntryHeader, Unreadable},
    log::Log,
    timeline::Timeline,
};
use crate::{
    format::{
        base_state::{BaseState, ExecutionStatus, MAX_TAG_LENGTH, WORKSPACE},
        layout::{BASE_STATE, EVENTS, event_file_name},
        tree::Leaf,
    },
    id::{ConversationId, EventId},
    json::{ListWriter, object},
};
use futures_util::future::LocalBoxFuture;
use std::{cell::Cell, future::ready, rc::Rc};

/// The files of a conversation's directory, in memory.
pub struct Folder {
    files: Vec<(String, Rc<str>)>,
    was_listed: Cell<bool>,
}

impl Folder {
    /// The directory of the conversation `id` with this log.
    pub fn new(id: ConversationId, log: &Log, timeline: &Timeline<'_>) -> Self {
        let events = log.events.iter().map(|event| (event.id().clone(), Rc::clone(event.json())));
        Self::of(&base_state(id, log, timeline), events)
    }

    /// The directory of a conversation with this state and these events.
    pub fn of(state: &BaseState, events: impl IntoIterator<Item = (EventId, Rc<str>)>) -> Self {
        let folder = state.id().hex();
        let mut files = vec![(format!("{folder}/{BASE_STATE}"), state.json())];
        for (index, (id, json)) in (0_u64..).zip(events) {
            files.push((format!("{folder}/{EVENTS}/{}", event_file_name(index, &id)), json));
        }
        Self { files, was_listed: Cell::new(false) }
    }
}

impl Archive for Folder {
    fn size(&self) -> u64 {
        self.files.iter().map(|(_, content)| content.len() as u64).sum()
    }

    fn next_entries(&self) -> LocalBoxFuture<'_, Result<Vec<EntryHeader>, String>> {
        let mut headers = Vec::new();
        // All entries in the first call.
        if !self.was_listed.replace(true) {
            headers.extend(self.files.iter().map(|(name, content)| EntryHeader {
                name: name.clone(),
                compressed_size: content.len() as u64,
                size: content.len() as u64,
                is_symlink: false,
                is_encrypted: false,
                method: 0,
            }));
        }
        Box::pin(ready(Ok(headers)))
    }

    fn read<'a>(&'a self, positions: &'a [usize]) -> LocalBoxFuture<'a, Result<Vec<u8>, Unreadable>> {
        let mut contents = Vec::new();
        for position in positions {
            if let Some((_, content)) = self.files.get(*position) {
                contents.extend_from_slice(content.as_bytes());
            }
        }
        Box::pin(ready(Ok(contents)))
    }

    fn check<'a>(&'a self, _: &'a [usize]) -> LocalBoxFuture<'a, Result<(), Unreadable>> {
        Box::pin(ready(Ok(())))
    }
}

/// The fields that the SDK requires. Of the agent only the model's name is known.
pub fn minimal_state(id: ConversationId, model: Option<&str>) -> BaseState {
    let llm = object! { "model": model.unwrap_or("unknown") };
    let agent = object! { "llm": llm, "tools": ListWriter::new(), "kind": "Agent" };
    BaseState::minimal(id, &agent.finish(), WORKSPACE)
}

/// Also the fields that follow from the log.
fn base_state(id: ConversationId, log: &Log, timeline: &Timeline<'_>) -> BaseState {
    let mut state = minimal_state(id, timeline.model.as_deref());
    state.set_execution_status(match log.is_finished {
        true => ExecutionStatus::Finished,
        false => ExecutionStatus::Idle,
    });
    if let Some(message) = &log.last_user_message {
        state.set_last_user_message_id(Some(message));
    }
    state.set_leaf(&log.leaf.clone().map_or(Leaf::Unset, Leaf::Event));
    match &timeline.title {
        Some(title) => state.set_title(timeline.beginning_of(title, MAX_TAG_LENGTH)),
        None => drop(state.set_tags(&[])),
    }
    state
}
