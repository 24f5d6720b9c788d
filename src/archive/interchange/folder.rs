//! A converted log as the archive of one conversation, so that it is checked and stored like any other.

use super::{
    super::{
        Archive, EntryHeader, Unreadable,
        name::{BASE_STATE, EVENTS, event_name},
    },
    log::Log,
    timeline::Timeline,
};
use crate::event::{Body, Event, Source};
use crate::{
    id::ConversationId,
    json::{ObjectWriter, quoted},
    llm::message::Role,
};
use futures_util::future::LocalBoxFuture;
use std::{cell::Cell, future::ready, rc::Rc};

/// The longest tag that the SDK accepts, in characters.
const MAX_TAG_LENGTH: usize = 256;

/// The files of a conversation's directory, in memory.
pub struct Folder {
    files: Vec<(String, Rc<str>)>,
    was_listed: Cell<bool>,
}

impl Folder {
    /// The directory of the conversation `id` with this log.
    pub fn new(id: ConversationId, log: &Log, timeline: &Timeline<'_>) -> Self {
        let folder = id.hex();
        let mut files = vec![(format!("{folder}/{BASE_STATE}"), base_state(id, log, timeline).into())];
        for (index, event) in (0_u64..).zip(&log.events) {
            let name = format!("{folder}/{EVENTS}/{}", event_name(index, event.id()));
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

/// The fields that the SDK needs; others get its defaults. Only the model's name of the agent is known.
fn base_state(id: ConversationId, log: &Log, timeline: &Timeline<'_>) -> String {
    let model = quoted(timeline.model.as_deref().unwrap_or("unknown"));
    let mut out = ObjectWriter::new();
    out.field("id", &id.to_string());
    out.raw("agent", &format!("{{\"llm\":{{\"model\":{model}}},\"tools\":[],\"kind\":\"Agent\"}}"));
    out.raw("workspace", r#"{"working_dir":"workspace/project","kind":"LocalWorkspace"}"#);
    out.field("execution_status", if log.is_finished { "finished" } else { "idle" });
    let is_user_message = |event: &&Event| {
        event.source() == Source::User
            && matches!(event.body(), Body::MessageEvent(body) if body.llm_message.role == Role::User)
    };
    if let Some(message) = log.events.iter().rfind(is_user_message) {
        out.field("last_user_message_id", message.id().as_str());
    }
    if let Some(last) = log.events.last() {
        out.field("leaf_event_id", last.id().as_str());
    }
    out.raw("head_is_empty", "false");
    let mut tags = ObjectWriter::new();
    if let Some(title) = &timeline.title {
        tags.field("title", &title.chars().take(MAX_TAG_LENGTH).collect::<String>());
    }
    out.raw("tags", &tags.finish());
    out.finish()
}
