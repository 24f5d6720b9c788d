//! A converted log as the archive of one conversation, so that it is checked and stored like any other.

use super::{
    super::{Archive, EntryHeader, Unreadable},
    log::Log,
    timeline::Timeline,
};
use crate::{
    event::{Body, Event, Source},
    format::{
        base_state::{BaseState, ExecutionStatus, MAX_TAG_LENGTH, WORKSPACE},
        layout::{BASE_STATE, EVENTS, event_file_name},
        tree::Leaf,
    },
    id::ConversationId,
    json::quoted,
    llm::message::Role,
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
        let folder = id.hex();
        let mut files = vec![(format!("{folder}/{BASE_STATE}"), base_state(id, log, timeline).json())];
        for (index, event) in (0_u64..).zip(&log.events) {
            let name = format!("{folder}/{EVENTS}/{}", event_file_name(index, event.id()));
            files.push((name, Rc::clone(event.json())));
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

/// The fields that the SDK requires and those that follow from the log. Of the agent only the model's name is known.
fn base_state(id: ConversationId, log: &Log, timeline: &Timeline<'_>) -> BaseState {
    let model = quoted(timeline.model.as_deref().unwrap_or("unknown"));
    let agent = format!("{{\"llm\":{{\"model\":{model}}},\"tools\":[],\"kind\":\"Agent\"}}");
    let mut state = BaseState::minimal(id, &agent, WORKSPACE);
    state.set_execution_status(match log.is_finished {
        true => ExecutionStatus::Finished,
        false => ExecutionStatus::Idle,
    });
    let is_user_message = |event: &&Event| {
        event.source() == Source::User
            && matches!(event.body(), Body::MessageEvent(body) if body.llm_message.role == Role::User)
    };
    if let Some(message) = log.events.iter().rfind(is_user_message) {
        state.set_last_user_message_id(Some(message.id()));
    }
    let last = log.events.last().map(|last| last.id().clone());
    state.set_leaf(&last.map_or(Leaf::Unset, Leaf::Event));
    let title = timeline.title.as_ref().map(|title| title.chars().take(MAX_TAG_LENGTH).collect::<String>());
    let tags: Vec<_> = title.into_iter().map(|title| ("title".to_owned(), title)).collect();
    // The tag follows the rules for tags: the title was shortened above.
    let _ = state.set_tags(&tags);
    state
}
