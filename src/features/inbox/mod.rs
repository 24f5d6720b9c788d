//! The inbox: messages that arrive while the model answers or tools run, or while calls wait for the user and the
//! message is not meant to reject them.
//!
//! Such a message cannot be appended to the log at once. Before an answer that does not take it into account it would
//! look as if it had been answered, and providers do not continue a history that ends with an answer; between a call
//! and its result it would make the request invalid. Nor can `sendMessage` wait: the message would be lost with the
//! tab, and a tool that sends it would wait for itself. So the message is stored as a file of the conversation, and
//! becomes an event once the answer and the results of its calls are stored, or when the conversation is opened again.

mod queue;

use crate::{
    error::Result,
    event::{Body, Event},
    format::layout::INBOX,
    handle::Conversation,
    id::StorePath,
    machine::Command,
};

impl Conversation {
    /// Appends the messages of the inbox, unless they still have to wait.
    pub(crate) async fn append_inbox(&self) -> Result<()> {
        if self.0.page.borrow().inbox.is_empty() {
            // The command would load the active branch, which opening must not do without need.
            return Ok(());
        }
        self.perform(Command::AppendInbox).await.map(drop)
    }

    /// Loads the inbox that an earlier page left. `listed`: the paths of files, its own among them, if they are known.
    pub(crate) async fn load_inbox(&self, listed: Option<Vec<StorePath>>) -> Result<()> {
        let log = &self.0.log;
        let mut messages = Vec::new();
        for path in log.files_in(INBOX, listed).await? {
            let name = path.as_str().rsplit('/').next().and_then(|name| name.strip_suffix(".json"));
            let Some(id) = name.and_then(|name| name.split_once('-')?.1.parse().ok()) else { continue };
            let Some(bytes) = log.store.read_file(log.id, &path).await? else { continue };
            let Ok(json) = String::from_utf8(bytes) else { continue };
            let event = Event::decode(id, json.into());
            if matches!(event.body(), Body::MessageEvent(_)) {
                messages.push(event);
            }
        }
        self.0.page.borrow_mut().inbox = messages;
        Ok(())
    }
}
