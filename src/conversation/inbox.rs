//! Messages that arrive while the model answers or tools run, or while calls wait for the user and the message is not
//! to answer them.
//!
//! A message before an answer that knows nothing of it would read as answered, and the answer as the last word, to
//! which providers give no answer; one between a call and its result would tear the two apart, which providers refuse.
//! Waiting could lose the message with the tab, and would never end where a tool itself sends it. So it is kept at once,
//! as a file of the conversation, and becomes an event when the answer is there and its calls have their results, or
//! when the conversation is opened again.

use super::{Conversation, machine::Command};
use crate::{
    error::{Error, ErrorCode, Result},
    event::{Body, Event},
    format::layout::INBOX,
    id::StorePath,
};

impl Conversation {
    /// Appends the messages that were kept, unless they have to wait until the model has answered, until the user has
    /// decided about calls, or for the next opening.
    pub(super) async fn take_in_messages(&self) -> Result<()> {
        if self.0.page.borrow().inbox.is_empty() {
            // Whether calls wait for the user is a question to the whole log, which opening must not read.
            return Ok(());
        }
        self.perform(Command::TakeInMessages).await.map(drop)
    }

    /// Takes in what a dead page had kept.
    pub(super) async fn open_inbox(&self) -> Result<()> {
        let log = &self.0.log;
        let mut kept = Vec::new();
        for path in log.store.files(log.id).await? {
            let name = path
                .as_str()
                .strip_prefix(INBOX)
                .and_then(|name| name.strip_prefix('/')?.strip_suffix(".json"));
            let Some(id) = name.and_then(|name| name.split_once('-')?.1.parse().ok()) else { continue };
            let Some(bytes) = log.store.read_file(log.id, &path).await? else { continue };
            let Ok(json) = String::from_utf8(bytes) else { continue };
            let event = Event::decode(id, json.into());
            if matches!(event.body(), Body::MessageEvent(_)) {
                kept.push(event);
            }
        }
        self.0.page.borrow_mut().inbox = kept;
        self.take_in_messages().await
    }
}

/// The file of a message; sorted by time, because files are listed by name.
pub(super) fn path_of(event: &Event) -> Result<StorePath> {
    let time: String = event.timestamp().chars().filter(char::is_ascii_digit).collect();
    format!("{INBOX}/{time}-{}.json", event.id())
        .parse()
        .map_err(|_| Error::new(ErrorCode::Internal, "a message has no name for a file"))
}
