//! The commands of the state machine, which come from the user, from the run and from the page that opens the
//! conversation, and the changes that they result in. A further command is a row here and its arm in `machine/mod.rs`; the
//! verbs of those that move HEAD are in `features/branches/mod.rs`.

use super::{Assessment, HookAnswers, Setting, Transition, calls::Renamed};
use crate::{
    agent::{Call, NewEvent, Reply},
    event::{Event, SecurityRisk},
    format::base_state::BaseState,
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

/// A command. There is no other way to change a conversation.
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
    /// Puts a message in the place of one that waits in the inbox.
    EditQueuedMessage { old: EventId, message: Event, hook_answers: HookAnswers },
    /// Takes back a message that waits in the inbox.
    RemoveQueuedMessage(EventId),
    /// Changes a setting, in any status.
    ChangeSetting(Setting),
    /// Stores files of the conversation.
    WriteFiles { files: Vec<FileChange>, durability: Durability },
    /// Stores files that are no part of what the conversation is, such as a draft: its log, its state and its times stay as
    /// they are, so that the cost depends on the files only.
    StoreBeside { files: Vec<FileChange> },
    /// Stores the record of what another handle asks, before it is carried out.
    BeginAsked { record: FileChange },
    /// Stores costs that no commit has counted yet. Every other command does so as well.
    CountSpending,
    /// Appends events in any status.
    Append { events: Vec<NewEvent>, durability: Durability },
    /// Appends the results that the log holds (`EventLog::hold`).
    AppendHeld,
    /// Asks for a condensation with this event, because the provider has refused the view.
    CondenseRefused { request: NewEvent },
    /// Stores the answer of the session-start hook, behind the system prompt.
    BeginSession { hook_event: NewEvent },
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
    AskedToStop { hook_events: Vec<NewEvent>, is_denied: bool },
    /// Makes the conversation wait again if calls were left out when the others were approved.
    WaitForOthers,
    /// Stores the failure of a run.
    Fail { error: NewEvent, is_stuck: bool },
    /// Ends a run that has reached a limit.
    ReachLimit { error: NewEvent },
    /// Ends a run that is stuck in a loop.
    GetStuck,
    /// Repairs a conversation whose page died: cuts an end that cannot be read to this length and stores it as these files.
    /// If the page died during a run, or while a pause waited for its tools, this was left of the calls.
    Recover { truncate_to: Option<u64>, files: Vec<FileChange>, leftovers: Option<Leftovers> },
}

impl Command {
    /// Whether the command needs to know the active branch, which opening a conversation does not read.
    pub fn needs_branch(&self) -> bool {
        match self {
            Self::ChangeSetting(_)
            | Self::WriteFiles { .. }
            | Self::StoreBeside { .. }
            | Self::BeginAsked { .. }
            | Self::CountSpending
            | Self::Append { .. }
            | Self::AppendHeld
            | Self::CondenseRefused { .. } => false,
            Self::Recover { leftovers, .. } => leftovers.is_some(),
            _ => true,
        }
    }

    /// Whether the command comes before the one that another handle asks, and does not carry it out.
    pub fn is_preparation(&self) -> bool {
        matches!(
            self,
            Self::BeginSession { .. }
                | Self::AppendInbox
                | Self::AppendHeld
                | Self::BeginAsked { .. }
                | Self::StoreBeside { .. }
        )
    }

    /// The event that the command results in.
    pub fn result(&self) -> Option<&EventId> {
        match self {
            Self::SendMessage { message, .. }
            | Self::EditMessage { message, .. }
            | Self::EditQueuedMessage { message, .. } => Some(message.id()),
            Self::EditAction(rewrite) => Some(&rewrite.edited),
            _ => None,
        }
    }

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
                | Self::ChangeSetting(_)
                | Self::WriteFiles { .. }
                | Self::CountSpending
        )
    }
}

/// A command that another handle has asked for: whose it is, and its number.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The handle that asks.
    pub client: String,
    /// The number of the command. Each handle counts its own.
    pub number: u64,
    /// The handle has got its answers to all commands up to this number.
    pub settled: u64,
}

/// The calls that a dead page has left.
#[derive(Default)]
pub struct Leftovers {
    /// Answers to calls that do not run again.
    pub answers: Vec<NewEvent>,
    /// The actions that remain open and may have taken effect.
    pub unknown: Vec<EventId>,
    /// Whether the user has to decide about a call.
    pub is_to_be_asked: bool,
}

/// A place in the tree where a message begins a branch.
pub struct Place {
    /// The event before the message.
    pub head: Option<EventId>,
    /// The system prompt event, if the model sees no event before the message.
    pub instructions: Option<NewEvent>,
}

/// The rewriting of a batch of calls with edited arguments.
pub struct Rewrite {
    /// The action whose arguments change.
    pub old: EventId,
    /// The hooks' events, then the events of the batch with new ids.
    pub events: Vec<NewEvent>,
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

/// Everything that a command stores, in one transaction.
#[derive(Default)]
pub struct Change {
    /// The base state. `None` for files beside the log: then neither that nor the log nor a time changes.
    pub state: Option<BaseState>,
    /// The command of another handle, if this carries it out, and the event that it results in.
    pub asked: Option<(Asked, Option<EventId>)>,
    /// Events to append in order, each the child of the one before.
    pub events: Vec<NewEvent>,
    /// Results to append first. If this commit fails, the next one appends them.
    pub held: Vec<NewEvent>,
    /// How durable the commit has to be.
    pub durability: Durability,
    /// Whether the time of the conversation stays as it is.
    pub keeps_time: bool,
    /// Cuts the log to this length first; `files` has to contain the events that are cut off.
    pub truncate_to: Option<u64>,
    pub head_move: Option<HeadMove>,
    /// Further files.
    pub files: Vec<FileChange>,
    /// The length that the log has in the store, if it ends with events that are not counted here.
    pub stored_length: Option<u64>,
    /// Changes of the page's state once the change is stored.
    pub effects: Vec<Effect>,
}

/// A move of HEAD between the events of a change.
pub struct HeadMove {
    /// The number of events before it.
    pub after: usize,
    /// The event that it moves to, where the remaining events, if any, start a new branch; `None` before the first event.
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
    /// Puts a message in the place of the one with this id.
    ReplaceInInbox(EventId, Event),
    /// Forgets what was shown of the answer of the run, because its end is stored.
    EndAnswer,
}

impl Change {
    /// A change that appends these events.
    pub fn append(events: Vec<NewEvent>) -> Self {
        Self { events, ..Self::default() }
    }

    /// The same change, which is on disk before its commit is reported as done.
    #[must_use]
    pub fn strictly(mut self) -> Self {
        self.durability = Durability::Strict;
        self
    }
}
