//! The commands of the state machine, which come from the user, from the run and from the page that opens the
//! conversation, and the plans that they result in.

use super::{Assessment, HookAnswers, Transition, calls::Renamed};
use crate::{
    agent::{Call, Draft, Reply},
    event::{Event, SecurityRisk},
    id::EventId,
    store::Durability,
    tool::FileChange,
};

/// How a message treats calls that wait for a decision of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitingCalls {
    /// The message rejects them.
    Reject,
    /// The message waits in the inbox until they have results.
    Keep,
}

/// A command that depends on the calls without a result. Changing a setting is not a command.
pub enum Command {
    /// Stores a message of the user with its files, and with the answers of the hooks that were asked about it.
    SendMessage {
        message: Event,
        files: Vec<FileChange>,
        hook_answers: HookAnswers,
        waiting_calls: Option<WaitingCalls>,
    },
    /// Begins a run of these calls; without a list, of those that a plain `run` executes.
    Run { approved: Option<Vec<EventId>> },
    /// Lets what is under way end, and begins nothing more.
    Pause,
    /// Ends a run that was cancelled.
    Interrupt,
    /// Rejects these calls; without a list, all of them.
    RejectPendingActions { reason: Option<String>, actions: Option<Vec<EventId>> },
    /// Rewrites a batch with edited arguments of one call, on a new branch.
    EditAction(Rewrite),
    /// Moves HEAD to this event, or before the first one; by the transition for what is at the end of that branch.
    NavigateTo { head: Option<EventId>, transition: Transition },
    /// Moves HEAD back to the last message of the user.
    Regenerate,
    /// Stores a message of the user in place of an earlier one, on a new branch.
    EditMessage { message: Event, files: Vec<FileChange>, hook_answers: HookAnswers, place: Place },
    /// Stores the answer of the session-start hook, behind the system prompt.
    BeginSession { hook_event: Draft },
    /// Appends the messages of the inbox, unless they still have to wait.
    AppendInbox,
    /// Stores an answer of the model, with the risk assessment and the answers of the hooks.
    Answered { reply: Reply, assessment: Assessment, hook_answers: HookAnswers },
    /// Stores the end of a call, whose result the log holds already (`EventLog::hold`).
    CallEnded { call: Call, ends_run: bool },
    /// Leaves a call open that was begun: until the user has decided about it, or if a pause has stopped it, until the next run.
    CallWaits { call: Call },
    /// Ends the run at a message that a hook blocked.
    EndAtBlockedMessage { message: EventId },
    /// Stores the answer of the stop hook.
    AskedToStop { hook_events: Vec<Draft>, is_denied: bool },
    /// Makes the conversation wait again if calls were left out when the others were approved.
    WaitForOthers,
    /// Stores the failure of a run.
    Fail { error: Draft, is_stuck: bool },
    /// Ends a run that has reached a limit.
    ReachLimit { error: Draft },
    /// Ends a run that is stuck in a loop.
    GetStuck,
    /// Repairs a conversation whose page died during a run, or while a pause waited for its tools.
    Recover { plan: Plan, unknown: Vec<EventId>, is_to_be_asked: bool },
}

impl Command {
    /// Whether the command only needs to know the end of the branch, because it moves HEAD.
    pub fn moves_head(&self) -> bool {
        matches!(self, Self::NavigateTo { .. } | Self::Regenerate | Self::EditMessage { .. })
    }

    /// Whether the command comes from a caller outside the run, to whom an error is returned once the conversation is
    /// closed.
    pub fn is_from_caller(&self) -> bool {
        matches!(
            self,
            Self::SendMessage { .. }
                | Self::Run { .. }
                | Self::Pause
                | Self::RejectPendingActions { .. }
                | Self::EditAction(_)
                | Self::NavigateTo { .. }
                | Self::Regenerate
                | Self::EditMessage { .. }
                | Self::BeginSession { .. }
        )
    }
}

/// A place in the tree where a message begins a branch.
pub struct Place {
    /// The event before the message.
    pub head: Option<EventId>,
    /// The system prompt event, if the model sees no event before the message.
    pub instructions: Option<Draft>,
}

/// The rewriting of a batch of calls with edited arguments.
pub struct Rewrite {
    /// The action whose arguments change.
    pub old: EventId,
    /// The hooks' events, then the events of the batch with new ids.
    pub drafts: Vec<Draft>,
    /// The event before the batch.
    pub root: Option<EventId>,
    /// Old and new ids of the batch.
    pub renamed: Renamed,
    /// The new id of the edited action.
    pub edited: EventId,
    /// The risk of the edited call, if an analyzer rated it.
    pub risk: Option<SecurityRisk>,
    /// Denials of hooks, with their reasons.
    pub denied: Vec<(EventId, String)>,
}

/// Everything that a command stores beside the base state, in the same transaction.
#[derive(Default)]
pub struct Plan {
    /// Events to append in order, each the child of the one before.
    pub drafts: Vec<Draft>,
    /// Results to append first. If this commit fails, the next one appends them.
    pub held: Vec<Draft>,
    /// How durable the commit has to be.
    pub durability: Durability,
    /// Cuts the log to this length first; `files` has to contain the events that are cut off.
    pub truncate_to: Option<u64>,
    pub head_move: Option<HeadMove>,
    /// Further files.
    pub files: Vec<FileChange>,
    /// Changes of the page's state once the plan is stored.
    pub effects: Vec<Effect>,
}

/// A move of HEAD between the drafts of a plan.
pub struct HeadMove {
    /// The number of drafts before it.
    pub after: usize,
    /// The event that it moves to, where the remaining drafts, if any, start a new branch; `None` before the first event.
    pub to: Option<EventId>,
    /// Whether the files go to where they were at that event, or stay as they are.
    pub files_follow: bool,
}

/// A change of the page's in-memory state after a commit.
pub enum Effect {
    /// Adds a message to the inbox.
    AddToInbox(Event),
    /// Removes messages from the inbox, because they are in the log or were taken back.
    RemoveFromInbox(Vec<Event>),
    /// Forgets what was shown of the answer of the run, because its end is stored.
    EndAnswer,
}

impl Plan {
    /// A plan that appends these events.
    pub fn append(drafts: Vec<Draft>) -> Self {
        Self { drafts, ..Self::default() }
    }

    /// The same plan, which is on disk before its commit is reported as done.
    #[must_use]
    pub fn strictly(mut self) -> Self {
        self.durability = Durability::Strict;
        self
    }
}
