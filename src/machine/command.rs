//! The commands of the state machine, which come from the user, from the run and from the page that opens the
//! conversation. A further command is a row and an arm here; the verbs of those that move HEAD are in
//! `features/branches/mod.rs`.

use super::{
    Assessment, Change, Effect, HookAnswers, Machine, Setting, Transition, background::forget_response,
    calls, calls::Renamed, hook_answers::unblock_message,
};
use crate::{
    agent::{Call, CutOff, NewEvent, Reply},
    error::{Error, ErrorCode, Result},
    event::{Event, SecurityRisk},
    format::base_state::ExecutionStatus,
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
    /// Stores the answers of the session-start hooks, behind the system prompt.
    BeginSession { hook_events: Vec<NewEvent> },
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

impl Machine<'_> {
    /// Applies a command.
    ///
    /// # Errors
    /// `invalid_state` and `not_found`, if the command is not possible now.
    pub fn apply(mut self, command: Command) -> Result<Change> {
        let is_beside = matches!(command, Command::StoreBeside { .. });
        let change = self.change(command)?;
        Ok(Change { state: (!is_beside).then_some(self.state), ..change })
    }

    fn change(&mut self, command: Command) -> Result<Change> {
        match command {
            Command::SendMessage { message, files, hook_answers, waiting_calls } => {
                self.send_message(message, files, hook_answers, waiting_calls)
            }
            Command::Run { approved } => self.run(approved.as_deref()),
            Command::Pause => self.pause(),
            Command::Interrupt => self.interrupt(),
            Command::RejectPendingActions { reason, actions } => self.reject(reason, actions.as_deref()),
            Command::EditAction(rewrite) => self.edit(rewrite),
            Command::NavigateTo { head, transition } => self.enter_branch(transition, head),
            Command::Regenerate => {
                let message = self.last_user_message.clone().ok_or_else(|| {
                    let text = "there is no message of the user to answer again; send one first";
                    Error::new(ErrorCode::InvalidState, text)
                })?;
                self.enter_branch(Transition::Regenerate, Some(message))
            }
            Command::EditMessage { message, files, hook_answers, place } => {
                let mut change = self.enter_branch(Transition::EditMessage, place.head)?;
                hook_answers.block_message(&mut self.state);
                change.events.extend(place.instructions);
                self.append_message(&mut change, &message, files, hook_answers);
                Ok(change)
            }
            Command::BeginSession { hook_events } => {
                Ok(Change::append(self.instructions.take().into_iter().chain(hook_events).collect()))
            }
            Command::AppendInbox => self.append_inbox_if_possible(),
            Command::EditQueuedMessage { old, message, hook_answers } => {
                self.edit_in_inbox(old, message, hook_answers)
            }
            Command::RemoveQueuedMessage(message) => self.remove_from_inbox(&message),
            Command::ChangeSetting(setting) => {
                let (durability, keeps_time) = (setting.durability(), setting.keeps_time());
                let change = Change { durability, keeps_time, ..Change::default() };
                setting.apply(&mut self.state, self.agent);
                self.transition(Transition::ChangeSettings, change)
            }
            Command::WriteFiles { files, durability } => {
                Ok(Change { files, durability, ..Change::default() })
            }
            Command::StoreBeside { files } => Ok(Change { files, ..Change::default() }),
            Command::BeginAsked { record } => Ok(Change { files: vec![record], ..Change::default() }),
            Command::CountSpending | Command::AppendHeld => Ok(Change::default()),
            Command::Append { events, durability } => Ok(Change { durability, ..Change::append(events) }),
            Command::CondenseRefused { request } => {
                // After the condensation the last event may be the same, so that a background response would be fetched that has
                // failed.
                forget_response(&mut self.state);
                Ok(Change::append(vec![request]))
            }
            Command::Answered { reply, assessment, hook_answers } => {
                self.answered(reply, &assessment, hook_answers)
            }
            Command::CallEnded { call, ends_run } => self.call_ended(&call, ends_run),
            Command::CallWaits { call } => {
                // A call that a pause has stopped goes on with the next run; nobody is asked about it.
                let is_paused = self.state.execution_status() == ExecutionStatus::Paused;
                self.calls.put(
                    &call.action_id,
                    if is_paused { calls::Stage::Approved } else { calls::Stage::LeftOut },
                );
                self.calls.store(&mut self.state);
                Ok(Change::default())
            }
            Command::EndAtBlockedMessage { message } => {
                unblock_message(&mut self.state, &message);
                self.transition(Transition::MessageBlocked, Change::default())
            }
            Command::AskedToStop { hook_events, is_denied: true } => {
                self.transition(Transition::StopDenied, Change::append(hook_events))
            }
            Command::AskedToStop { hook_events, is_denied: false } => Ok(Change::append(hook_events)),
            Command::WaitForOthers if !self.calls.has_left_out() => Ok(Change::default()),
            Command::WaitForOthers => self.transition(Transition::OthersWait, Change::default()),
            Command::Fail { mut error, is_stuck } => {
                let partial = self.partial_answer(CutOff::BrokenOff);
                if partial.is_some() {
                    error.id = None;
                }
                let failure = match is_stuck {
                    // Calls that the user left out wait again after the run of the approved ones, also if it failed.
                    _ if self.calls.has_left_out() => Transition::OthersWait,
                    true => Transition::Stuck,
                    false => Transition::Failed,
                };
                let mut change = Change::append(partial.into_iter().chain([error]).collect());
                change.effects.push(Effect::EndAnswer);
                self.transition(failure, change)
            }
            Command::ReachLimit { error } => {
                self.transition(Transition::LimitReached, Change::append(vec![error]))
            }
            Command::GetStuck => self.transition(Transition::Stuck, Change::default()),
            Command::Recover { truncate_to, files, leftovers } => {
                let mut change = Change { truncate_to, files, ..Change::default() }.strictly();
                let Some(Leftovers { answers, unknown, is_to_be_asked }) = leftovers else {
                    return Ok(change);
                };
                change.events = answers;
                self.calls.mark_unknown(&unknown);
                self.calls.store(&mut self.state);
                let died = if is_to_be_asked { Transition::PageDiesInCall } else { Transition::PageDies };
                self.transition(died, change)
            }
        }
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
