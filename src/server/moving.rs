//! Taking a conversation to a server, and back.
//!
//! At every moment one side alone writes it. The mark of a copy is stored before the server is told of the conversation, so that
//! nobody goes on with it here from then on; until the server has told of it for the first time, the mark says that it is on the
//! way, and if the server does not know it, it is still here. On the way back the mark is removed after the server has deleted it.

use super::{
    ServerCopy,
    copy::{ATTEMPTS, Known},
    mark::Mark,
    noted::{message_about, unanswered},
};
use crate::{
    archive::mark_undecided,
    context::branch::{active_branch, unmatched_actions},
    error::{Error, ErrorCode, Result, shown},
    event::{Body, Event},
    format::{
        base_state::{BaseState, ExecutionStatus},
        secrets::without_ciphers,
        server_mark::SERVER,
    },
    store::{Commit, Durability, StoreError, WriterNumber},
};

impl ServerCopy {
    /// The text of an exported `base_state.json` for the server: without secrets that are encrypted, which it could not read.
    pub fn state_for_server(text: &str) -> String {
        without_ciphers(text).into_owned()
    }

    /// Whether nothing is under way that would be lost on the way back.
    ///
    /// # Errors
    /// `invalid_state` while the agent works or messages wait for the server, and those of the store.
    pub async fn ensure_at_rest(&self) -> Result<()> {
        let Known { state, mark, .. } = self.load().await?;
        if state.is_some_and(|state| state.execution_status() == ExecutionStatus::Running) {
            return Err(invalid("its run has not ended; call pause(), or let it end"));
        }
        if mark.outbox.iter().any(|kept| kept.arrived.is_none()) {
            return Err(invalid(
                "messages wait for the agent server; open it there until they are sent, or take them back",
            ));
        }
        Ok(())
    }

    /// Whether no call waits that the server would carry out: of the tools that are not these, those of the page. A server that opens
    /// the conversation leaves calls without a result out of the view of its model, and puts their results into it later; with a
    /// result that answers no call, it can make no request any more. Those of the page it never carries out.
    ///
    /// # Errors
    /// `not_found`, `invalid_state` naming the calls, and those of the store.
    pub async fn ensure_decided(&self, of_page: &[String]) -> Result<()> {
        let listing = self.store.load(self.id()).await?.ok_or_else(|| self.not_stored())?;
        let branch = self.branch(&BaseState::parse(&listing.base_state)?, listing.length).await?;
        let waiting = unmatched_actions(&branch);
        let names: Vec<String> = waiting.iter().filter_map(|event| of_server(event, of_page)).collect();
        if names.is_empty() {
            return Ok(());
        }
        let text = format!(
            "calls wait that the agent server would carry out, after which it could not go on: {}; approve or reject them here first",
            names.join(", ")
        );
        Err(invalid(&text))
    }

    /// The events from the first to HEAD.
    async fn branch(&self, state: &BaseState, length: u64) -> Result<Vec<Event>> {
        let log = self.store.events(self.id(), 0..length).await?;
        let log: Vec<Event> = log.into_iter().map(|event| Event::decode(event.id, event.json)).collect();
        Ok(active_branch(&log, &state.leaf()).events)
    }

    fn not_stored(&self) -> Error {
        Error::new(ErrorCode::NotFound, format!("conversation {} is not stored", self.id()))
    }

    /// Marks a conversation that is stored here and is not a copy as one that is on the way to the server, if its log still has
    /// this length. The caller holds its lock. One that is on the way already stays so.
    ///
    /// # Errors
    /// `not_found`, `invalid_state` if it is a copy, runs, or has other events by now, and those of the store.
    pub async fn depart(&self, length: u64) -> Result<()> {
        let _turn = self.turns.lock().await;
        let listing = self.store.load(self.id()).await?.ok_or_else(|| self.not_stored())?;
        let state = BaseState::parse(&listing.base_state)?;
        if state.field(SERVER).is_some() {
            let known = self.load().await?;
            return if known.mark.moving {
                Ok(())
            } else {
                Err(invalid("it runs on an agent server already"))
            };
        }
        if state.execution_status() == ExecutionStatus::Running {
            return Err(invalid("its run has not ended; open it and call pause(), or let it end"));
        }
        if listing.length != length {
            return Err(invalid("it has changed meanwhile; try again"));
        }
        let mark = Mark { moving: true, ..Mark::new(&self.server) };
        let known = Known {
            length,
            last: None,
            created_at: Some(listing.created_at),
            writer: listing.writer,
            state: Some(state),
            mark,
        };
        self.known.replace(None);
        self.commit(&known.clone(), known, Vec::new(), Durability::Strict).await?;
        Ok(())
    }

    /// Makes the copy a conversation that runs here: the server has deleted it, or never had it. One that was there has settings
    /// which this page has not decided, as one that was imported, and a message for the calls of the page that have no result.
    ///
    /// # Errors
    /// Those of the store, `store_lost` also if there is no copy.
    pub async fn arrive(&self) -> Result<()> {
        let _turn = self.turns.lock().await;
        for _ in 0..ATTEMPTS {
            let Known { length, created_at, writer, state, mark, .. } = self.load().await?;
            self.known.replace(None);
            let mut state = state.ok_or(StoreError::Lost)?;
            let mut files = Vec::new();
            if mark.moving {
                state.set_field(SERVER, None);
            } else {
                mark_undecided(&mut state);
                let branch = self.branch(&state, length).await?;
                let unanswered = unanswered(&branch);
                if !unanswered.is_empty() {
                    let (path, message) = message_about(&unanswered, &mark.begun, &*self.host)?;
                    files.push((path, Some(message)));
                }
            }
            let commit = Commit {
                created_at,
                writer: writer.map(|expected| WriterNumber { expected, next: expected + 1 }),
                base_state: Some(state.json()),
                files,
                durability: Durability::Strict,
                ..Commit::new(length, self.host.now())
            };
            match self.store.commit(self.id(), commit).await {
                Err(StoreError::Conflict { .. }) => {}
                result => return Ok(result?),
            }
        }
        Err(StoreError::Lost.into())
    }
}

/// The name and the id of a call, unless its tool is one of these.
fn of_server(event: &Event, of_page: &[String]) -> Option<String> {
    let Body::ActionEvent(action) = event.body() else { return None };
    let is_of_page = of_page.contains(&action.tool_name);
    (!is_of_page).then(|| format!("{} ({})", shown(&action.tool_name), event.id()))
}

fn invalid(why: &str) -> Error {
    Error::new(ErrorCode::InvalidState, format!("the conversation cannot be moved: {why}"))
}
