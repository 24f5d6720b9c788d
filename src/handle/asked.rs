//! Commands that another handle has asked for, usually one in another tab.
//!
//! The transaction that carries a command out also stores its number (`format/commands.rs`). So a writer that takes the place
//! of a dead one, and is asked again because the answer was lost, knows that there is nothing left to do.

use super::{Conversation, Handle};
use crate::{
    error::Result,
    format::{
        commands::{CarriedOut, CommandRecord, path_of},
        layout::COMMANDS,
    },
    id::EventId,
    machine::{Asked, Command},
    store::Durability,
    tool::FileChange,
};
use std::{cell::Cell, rc::Rc};

/// How long the commands of a handle are kept that is silent, in milliseconds.
const KEPT: f64 = 86_400_000.0;

/// A command while it is carried out.
pub(crate) struct AskedCommand {
    command: Asked,
    /// [`super::Shared::displaced`] when it began. What is left of it later is refused, because the next writer carries it out.
    displaced: u32,
    is_stored: Cell<bool>,
}

impl Conversation {
    /// The same conversation, of which one method is to be called for another handle: the first commit of what the method
    /// does stores that the command is carried out.
    #[must_use]
    pub fn asked(&self, asked: Asked) -> Self {
        let asked =
            AskedCommand { command: asked, displaced: self.0.displaced.get(), is_stored: Cell::default() };
        Self(Rc::new(Handle { shared: self.0.shared.clone(), asked: Some(asked) }))
    }

    /// Whether this is a command that was asked of this handle before another one has taken its place.
    pub(crate) fn is_outdated(&self) -> bool {
        self.0.asked.as_ref().is_some_and(|asked| asked.displaced != self.0.displaced.get())
    }

    /// The command of another handle, and the event that it results in, if this one is the first that carries it out.
    pub(crate) fn asked_with(&self, command: &Command) -> Option<(Asked, Option<EventId>)> {
        let asked =
            self.0.asked.as_ref().filter(|asked| !asked.is_stored.get() && !command.is_preparation())?;
        Some((asked.command.clone(), command.result().cloned()))
    }

    /// The record of a command that is carried out, for its commit. It keeps what earlier writers have recorded.
    ///
    /// # Errors
    /// `invalid_options` for a client whose id is no file name, and those of the store.
    pub(crate) async fn record_of(&self, asked: &(Asked, Option<EventId>)) -> Result<FileChange> {
        self.read_commands(&asked.0.client).await?;
        Ok(FileChange::new(path_of(&asked.0.client)?, Some(self.record_with(asked).json())))
    }

    /// Takes note that the commit with this record is stored.
    pub(crate) fn note_carried_out(&self, asked: &(Asked, Option<EventId>)) {
        self.0.asked.iter().for_each(|asked| asked.is_stored.set(true));
        let record = self.record_with(asked);
        self.0.page.borrow_mut().commands.insert(asked.0.client.clone(), record);
    }

    fn record_with(&self, (asked, event): &(Asked, Option<EventId>)) -> CommandRecord {
        let page = self.0.page.borrow();
        let earlier = page.commands.get(&asked.client).map_or(&[][..], |record| &record.carried_out);
        let mut carried_out: Vec<CarriedOut> =
            earlier.iter().filter(|command| command.number > asked.settled).cloned().collect();
        carried_out.push(CarriedOut { number: asked.number, event: event.clone() });
        CommandRecord { at: self.0.log.host.now(), carried_out }
    }

    /// `None` if nothing that is stored says that this command was carried out, otherwise the event in which it has resulted, if
    /// it has.
    ///
    /// # Errors
    /// `invalid_options` for a client whose id is no file name, and those of the store.
    pub async fn carried_out(&self, client: &str, number: u64) -> Result<Option<Option<EventId>>> {
        self.read_commands(client).await?;
        let page = self.0.page.borrow();
        let record = page.commands.get(client);
        let found = record.and_then(|record| record.carried_out.iter().find(|each| each.number == number));
        Ok(found.map(|command| command.event.clone()))
    }

    /// Reads the file of a client, once.
    async fn read_commands(&self, client: &str) -> Result<()> {
        let is_known = self.0.page.borrow().commands.contains_key(client);
        if !is_known {
            let stored = self.0.log.store.read_file(self.id(), &path_of(client)?).await?;
            let record = stored.as_deref().and_then(CommandRecord::parse).unwrap_or_default();
            self.0.page.borrow_mut().commands.entry(client.to_owned()).or_insert(record);
        }
        Ok(())
    }

    /// Removes what is stored of the commands of a handle that has ended; without one, of all handles that have been silent for a
    /// day, because nobody knows of the end of a page that was killed.
    ///
    /// # Errors
    /// `invalid_options` for a client whose id is no file name, `locked_elsewhere`, and those of the store.
    pub async fn forget_commands(&self, client: Option<&str>) -> Result<()> {
        let log = &self.0.log;
        let mut paths = Vec::new();
        if let Some(client) = client {
            let record = self.0.page.borrow_mut().commands.remove(client);
            if record.is_some_and(|record| !record.carried_out.is_empty()) {
                paths.push(path_of(client)?);
            }
        } else {
            for path in log.store.files(self.id(), Some(&COMMANDS.parse()?)).await? {
                let stored = log.store.read_file(self.id(), &path).await?;
                let record = stored.as_deref().and_then(CommandRecord::parse).unwrap_or_default();
                if record.at < log.host.now() - KEPT {
                    paths.push(path);
                }
            }
        }
        if paths.is_empty() {
            return Ok(());
        }
        let files = paths.into_iter().map(|path| FileChange::new(path, None)).collect();
        self.perform(Command::WriteFiles { files, durability: Durability::Relaxed }).await.map(drop)
    }

    /// Stores that the command is about to be carried out, for one whose effects are outside of the conversation: if this page
    /// dies, nobody knows whether it was.
    ///
    /// # Errors
    /// `locked_elsewhere`, and those of the store.
    pub async fn begin_asked(&self) -> Result<()> {
        let lock = self.0.log.lock().await;
        self.ensure_writable()?;
        let Some(asked) = &self.0.asked else { return Ok(()) };
        let asked = (asked.command.clone(), None);
        let record = self.record_of(&asked).await?;
        self.perform_now(&lock, Command::BeginAsked { record }).await?;
        self.note_carried_out(&asked);
        Ok(())
    }
}
