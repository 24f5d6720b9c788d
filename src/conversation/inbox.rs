//! Messages that arrive while the model answers or tools run, or while calls wait for the user and the message is not
//! to answer them.
//!
//! A message before an answer that knows nothing of it would read as answered, and the answer as the last word, to
//! which providers give no answer; one between a call and its result would tear the two apart, which providers refuse.
//! Waiting could lose the message with the tab, and would never end where a tool itself sends it. So it is kept at once,
//! as a file of the conversation, and becomes an event when the answer is there and its calls have their results, or
//! when the conversation is opened again.

use super::{
    Change, Conversation,
    hooks::Said,
    pending::forget_pending,
    status::{Happening, happens},
};
use crate::{
    agent::Draft,
    error::{Error, ErrorCode, Result},
    event::{Event, Head, MessageEvent, Parent, Source},
    id::{EventId, StorePath},
};

const FOLDER: &str = "inbox/";

impl Conversation {
    /// Keeps a message beside the log; it is on the disk when this returns.
    pub(super) async fn queue_message(
        &self,
        id: EventId,
        message: MessageEvent,
        mut said: Said,
    ) -> Result<Event> {
        let log = &self.0.log;
        let head = Head { id, timestamp: log.host.local_time(), source: Source::User, parent: Parent::Unset };
        let event = Event::new(head, message);
        let drafts = std::mem::take(&mut said.drafts);
        let mut change = Change::append(drafts).and_edit(|state| said.block_message(state)).strictly();
        change.files.push((path_of(&event)?, Some(event.json().as_bytes().to_vec())));
        self.append(change).await?;
        self.0.inbox.borrow_mut().push(event.clone());
        Ok(event)
    }

    /// Appends the messages that were kept, unless they have to wait until the model has answered, until the user has
    /// decided about calls, or for the next opening. The turn is held by the caller.
    pub(super) async fn take_in_messages(&self) -> Result<()> {
        let has_to_wait = self.0.asks_model.get() || self.0.is_closed.get();
        if self.0.inbox.borrow().is_empty() || has_to_wait {
            // Whether calls wait for the user is a question to the whole log, which opening must not read.
            return Ok(());
        }
        match self.undecided_actions().await?.is_empty() {
            true => self.append_kept().await,
            false => Ok(()),
        }
    }

    /// Appends the messages that were kept, in the order in which they came, behind an answer to every call that
    /// waits. The turn is held by the caller.
    pub(super) async fn append_kept(&self) -> Result<()> {
        let kept = self.0.inbox.borrow().clone();
        if kept.is_empty() {
            return Ok(());
        }
        let mut drafts = self.answers_to_pending().await?;
        drafts.extend(kept.iter().map(|event| Draft {
            id: Some(event.id().clone()),
            timestamp: Some(event.timestamp().to_owned()),
            source: Source::User,
            body: event.body().clone(),
        }));
        let is_running = self.0.running.borrow().is_some();
        let mut change = Change::append(drafts).strictly().and_edit(|state| {
            happens(
                state,
                if is_running { Happening::MessageTakenIn } else { Happening::SendMessageRejecting },
            );
            forget_pending(state);
        });
        for event in &kept {
            change.files.push((path_of(event)?, None));
        }
        self.append(change).await?;
        self.0.inbox.borrow_mut().retain(|event| !kept.contains(event));
        Ok(())
    }

    /// Takes in what a dead page had kept.
    pub(super) async fn open_inbox(&self) -> Result<()> {
        let log = &self.0.log;
        let mut kept = Vec::new();
        for path in log.store.files(log.id).await? {
            let name = path.as_str().strip_prefix(FOLDER).and_then(|name| name.strip_suffix(".json"));
            let Some(id) = name.and_then(|name| name.split_once('-')?.1.parse().ok()) else { continue };
            let Some(bytes) = log.store.read_file(log.id, &path).await? else { continue };
            let Ok(json) = String::from_utf8(bytes) else { continue };
            let event = Event::decode(id, json.into());
            if matches!(event.body(), crate::event::Body::MessageEvent(_)) {
                kept.push(event);
            }
        }
        *self.0.inbox.borrow_mut() = kept;
        self.take_in_messages().await
    }
}

/// Sorted by time, because files are listed by name.
fn path_of(event: &Event) -> Result<StorePath> {
    let time: String = event.timestamp().chars().filter(char::is_ascii_digit).collect();
    format!("{FOLDER}{time}-{}.json", event.id())
        .parse()
        .map_err(|_| Error::new(ErrorCode::Internal, "a message has no name for a file"))
}
