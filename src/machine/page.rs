//! The in-memory state of an open conversation. It is lost when the page closes.

use super::{
    change::Effect,
    drafts::{Remains, StoredDraft},
};
use crate::{
    agent::ShownAnswer,
    cancel::CancelToken,
    event::Event,
    format::{base_state::ExecutionStatus, commands::CommandRecord},
};
use futures_channel::oneshot;
use std::{collections::BTreeMap, rc::Rc};

/// The in-memory state of an open conversation.
#[derive(Default)]
pub struct Page {
    /// The run that is under way, if any.
    pub run: Option<Run>,
    /// Messages that wait to be appended to the log, in the order of their arrival.
    pub inbox: Vec<Event>,
    /// The part of an answer that is stored beside the log.
    pub draft: Option<StoredDraft>,
    /// Ends the hooks that are asked about a message or an edited call. Another one after each interrupt.
    pub hooks_cancel: CancelToken,
    /// Whether a pause is being stored, so that no further call may begin.
    pub is_pausing: bool,
    /// The commands of other handles that are recorded, by the handle.
    pub commands: BTreeMap<String, CommandRecord>,
    /// Whether the session-start hook has been asked.
    pub has_session: bool,
    /// The status to show if it could not be stored.
    pub unsaved_status: Option<ExecutionStatus>,
    /// Whether the conversation is closed.
    pub is_closed: bool,
    /// Whether it was closed because it is no longer stored.
    pub is_lost: bool,
}

/// A run that is under way.
pub struct Run {
    /// Stops the run.
    pub cancel: CancelToken,
    pub phase: Phase,
    /// Whether a pause was asked for. It is stored by itself, or if the run begins later, together with that.
    pub is_paused: bool,
    /// Ids of the actions whose tools were begun.
    pub begun: Vec<String>,
    /// The answer that is on its way, until it is stored.
    pub answer: Option<Rc<ShownAnswer>>,
    /// Dropped at the end of the run, which wakes those who wait for it.
    pub ends: Vec<oneshot::Sender<()>>,
}

/// The phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It waits for what was asked of the conversation before.
    Begins,
    /// The next part is being decided; events that are stored now are taken into account.
    Decides,
    /// The model is asked. A message has to follow its answer.
    AsksModel,
    /// Tools run, or the stop hook is asked. A message has to follow their end.
    RunsTools,
}

impl Page {
    /// Takes in that a change with these effects is stored. `draft_ends`: with the end of the draft.
    pub fn change_is_stored(&mut self, effects: &[Effect], draft_ends: bool) {
        self.unsaved_status = None;
        if draft_ends {
            self.draft = None;
        }
        for effect in effects {
            match effect {
                Effect::AddToInbox(message) => self.inbox.push(message.clone()),
                Effect::RemoveFromInbox(messages) => {
                    self.inbox.retain(|message| !messages.contains(message));
                }
                Effect::ReplaceInInbox(old, message) => {
                    let mut inbox = self.inbox.iter_mut();
                    inbox
                        .find(|waiting| waiting.id() == old)
                        .into_iter()
                        .for_each(|old| old.clone_from(message));
                }
                Effect::EndAnswer => self.run.iter_mut().for_each(|run| run.answer = None),
            }
        }
    }

    /// Ends the run. What was shown of an answer whose end could not be stored is left as a draft.
    pub fn end_run(&mut self) -> Option<Run> {
        let run = self.run.take()?;
        if let Some(answer) = run.answer.as_ref().filter(|answer| answer.is_visible()) {
            let remains = Remains { question: answer.question.clone(), text: answer.text() };
            let paths = self.draft.take().map(|draft| draft.paths).unwrap_or_default();
            self.draft = Some(StoredDraft { id: answer.id.clone(), left: Some(remains), paths });
        }
        Some(run)
    }

    /// Whether a run is under way.
    pub fn is_running(&self) -> bool {
        self.run.is_some()
    }

    /// Whether a run is under way that waits for nothing that was asked before.
    pub fn has_begun(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.phase != Phase::Begins)
    }

    /// Whether a pause of the run that is under way was asked for.
    pub fn is_paused(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.is_paused)
    }

    fn phase(&self) -> Phase {
        self.run.as_ref().map_or(Phase::Decides, |run| run.phase)
    }

    /// Whether a message has to wait in the inbox.
    pub fn is_busy(&self) -> bool {
        matches!(self.phase(), Phase::AsksModel | Phase::RunsTools)
    }

    /// Whether calls are under way, which only their tools may answer.
    pub fn runs_tools(&self) -> bool {
        self.phase() == Phase::RunsTools
    }

    /// Ids of the actions whose tools were begun.
    pub fn begun(&self) -> &[String] {
        self.run.as_ref().map_or(&[], |run| &run.begun)
    }
}
