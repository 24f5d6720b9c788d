//! What a conversation can be told: by its user, by the run, and by the page that opens it.

use super::calls::Renamed;
use crate::{
    agent::{Call, Draft, Reply},
    conversation::{confirmation::Assessment, hooks::HookAnswers},
    event::{Event, SecurityRisk},
    id::{EventId, StorePath},
    store::Durability,
};

/// What a message does with calls that wait for the user to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitingCalls {
    /// It answers them: they will not run.
    Reject,
    /// It waits beside the log until they have their results.
    Keep,
}

/// A command that depends on the calls which have no result yet. What only changes a setting is none.
pub enum Command {
    /// A message of the user, and what a hook said of it.
    SendMessage { message: Event, hook_answers: HookAnswers, waiting_calls: Option<WaitingCalls> },
    /// A run begins, of these calls or of what a run may run.
    Run { approved: Option<Vec<EventId>> },
    /// What is under way ends, and nothing begins.
    Pause,
    /// The run was cancelled.
    Interrupt,
    /// These calls are not to run, or none.
    RejectPendingActions { reason: Option<String>, actions: Option<Vec<EventId>> },
    /// A batch is written again, on a branch behind this event, with other arguments for one of its calls.
    EditAction(Rewrite),
    /// A hook was told that somebody works here: the instructions go before it.
    BeginSession { hook_event: Draft },
    /// Messages that were kept are appended, if nothing is in their way.
    TakeInMessages,
    /// The model has answered; what an analyzer and hooks say of its calls.
    Answered { reply: Reply, assessment: Assessment, hook_answers: HookAnswers },
    /// A call has ended. Its result is held already.
    CallEnded { call: Call, ends_run: bool },
    /// The user's last message is one that the model is not to be asked about.
    EndAtBlockedMessage { message: EventId },
    /// A hook was asked whether the agent is done.
    AskedToStop { hook_events: Vec<Draft>, is_denied: bool },
    /// The approved calls have run; do others wait?
    LetOthersWait,
    /// The run has failed.
    Fail { error: Draft, is_stuck: bool },
    /// The run has used all that it may.
    ReachLimit { error: Draft },
    /// The run goes in circles.
    GetStuck,
    /// The page before this one died while it ran, or while a pause waited for its tools.
    Recover { plan: Plan, unknown: Vec<EventId>, is_to_be_asked: bool },
}

impl Command {
    /// Whether somebody outside the run gives it, who is refused when the conversation is closed.
    pub fn is_of_the_user(&self) -> bool {
        matches!(
            self,
            Self::SendMessage { .. }
                | Self::Run { .. }
                | Self::Pause
                | Self::RejectPendingActions { .. }
                | Self::EditAction(_)
                | Self::BeginSession { .. }
        )
    }
}

/// How a batch is written again.
pub struct Rewrite {
    /// The call that gets other arguments.
    pub old: EventId,
    /// The events of the batch with new ids, behind what hooks said.
    pub drafts: Vec<Draft>,
    /// The event before the batch.
    pub root: Option<EventId>,
    /// The ids of the batch.
    pub renamed: Renamed,
    /// The new id of the call that has other arguments.
    pub edited: EventId,
    /// What an analyzer says of it.
    pub risk: Option<SecurityRisk>,
    /// What a hook denied of it.
    pub denied: Vec<(EventId, String)>,
}

/// What a command leads to, beside the state: it is stored in one transaction with it.
#[derive(Default)]
pub struct Plan {
    /// Appended in order, each the child of the one before.
    pub drafts: Vec<Draft>,
    /// Results that are not forgotten if this cannot be stored: the next plan appends them.
    pub held: Vec<Draft>,
    /// What the plan must survive.
    pub durability: Durability,
    /// Cuts the log to this length first; what is cut off must be kept in `files`.
    pub truncate_to: Option<u64>,
    /// Behind so many drafts HEAD moves to this event: the others start a branch of their own there.
    pub branch: Option<(usize, Option<EventId>)>,
    /// Further files: new content, or `None` to remove.
    pub files: Vec<(StorePath, Option<Vec<u8>>)>,
    /// What the page does when it is stored.
    pub effects: Vec<Effect>,
}

/// What a page does when a plan is stored.
pub enum Effect {
    /// This message is kept beside the log.
    Keep(Event),
    /// These messages are in the log.
    TakenIn(Vec<Event>),
}

impl Plan {
    /// Appends events.
    pub fn append(drafts: Vec<Draft>) -> Self {
        Self { drafts, ..Self::default() }
    }

    /// And is on the disk before anybody is told.
    #[must_use]
    pub fn strictly(mut self) -> Self {
        self.durability = Durability::Strict;
        self
    }
}
