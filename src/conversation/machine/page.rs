//! What the page that has a conversation open is doing with it: gone with the page.

use crate::{cancel::CancelToken, event::Event, format::base_state::ExecutionStatus};
use futures_channel::oneshot;

/// What a page does. A conversation that nobody runs has no run.
#[derive(Default)]
pub struct Page {
    /// The run that is under way.
    pub run: Option<Run>,
    /// Messages that wait beside the log, in the order in which they came.
    pub inbox: Vec<Event>,
    /// Whether a pause is being stored, so that nothing begins any more.
    pub is_pausing: bool,
    /// Whether the hook for the beginning of a session has been asked.
    pub has_session: bool,
    /// Shown instead of the stored status where that could not be written.
    pub unsaved_status: Option<ExecutionStatus>,
    /// Whether it is closed for everybody.
    pub is_closed: bool,
}

/// A run that is under way.
pub struct Run {
    /// Stops it.
    pub cancel: CancelToken,
    /// What it does now.
    pub phase: Phase,
    /// The actions whose tools have begun.
    pub begun: Vec<String>,
    /// Dropped when it ends.
    pub ends: Vec<oneshot::Sender<()>>,
}

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It decides what is next; whatever is stored now is seen by it.
    Decides,
    /// The model is asked, behind whose answer a message has its place.
    AsksModel,
    /// Tools run, or a hook is asked whether the agent is done: a message has no place before they end.
    RunsTools,
}

impl Page {
    /// Whether a run is under way.
    pub fn is_running(&self) -> bool {
        self.run.is_some()
    }

    fn phase(&self) -> Phase {
        self.run.as_ref().map_or(Phase::Decides, |run| run.phase)
    }

    /// Whether a message has to wait beside the log.
    pub fn is_busy(&self) -> bool {
        self.phase() != Phase::Decides
    }

    /// Whether calls are under way that nobody else may answer.
    pub fn runs_tools(&self) -> bool {
        self.phase() == Phase::RunsTools
    }

    /// The actions whose tools have begun.
    pub fn begun(&self) -> &[String] {
        self.run.as_ref().map_or(&[], |run| &run.begun)
    }
}
