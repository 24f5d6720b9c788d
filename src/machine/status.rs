//! The transition table of statuses. It is total, and no status is set anywhere else.
//!
//! The tables of `docs/errors.md` are generated from this one (`tests/generated`); a test drives a conversation through every cell.

use crate::{
    error::{Error, ErrorCode, Result},
    format::base_state::{BaseState, ExecutionStatus},
    json::string_enum,
};

/// An event that can change the status: a row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// A message without an instruction about calls that wait for the user.
    SendMessage,
    /// A message that rejects the calls that wait.
    SendMessageRejecting,
    /// A message that stays in the inbox until the calls that wait have results.
    SendMessageKeeping,
    /// A run, which approves all or some of the calls that wait.
    Run,
    /// A run after an answer that was cut at a limit: it goes on there.
    RunAfterCut,
    /// A pause.
    Pause,
    /// An interrupt.
    Interrupt,
    /// The rejection of all calls that wait.
    RejectPendingActions,
    /// Other arguments for a call that waits.
    EditAction,
    /// A move of HEAD to another event.
    NavigateTo,
    /// A move of HEAD to an answer of the model, or to the end of a task.
    NavigateToAnswer,
    /// A move of HEAD to calls that nothing answers, as they come with a merge.
    NavigateToCalls,
    /// A return to the user's last message, to answer it again.
    Regenerate,
    /// Another text for a message of the user, on a new branch.
    EditMessage,
    /// A copy of the conversation under a new id.
    Fork,
    /// A change of the policy, model, tags, secrets or other settings.
    ChangeSettings,
    /// The page died, and another one opens the conversation.
    PageDies,
    /// The page died during a call that must not be repeated without asking.
    PageDiesInCall,
    /// During a run: the model answered with text.
    Answered,
    /// During a run: the model called `finish`.
    TaskFinished,
    /// During a run: the critic demands another attempt after a call of `finish`.
    Refined,
    /// During a run: calls have to be approved.
    CallsWait,
    /// During a run: the approved calls have run, and others still wait.
    OthersWait,
    /// During a run: a message of the inbox is appended.
    InboxAppended,
    /// During a run: a hook blocks the message.
    MessageBlocked,
    /// During a run: a hook demands that it goes on.
    StopDenied,
    /// During a run: the model or the store failed.
    Failed,
    /// During a run: a limit is reached.
    LimitReached,
    /// During a run: it is stuck in a loop.
    Stuck,
}

string_enum!(Transition {
    SendMessage = "`sendMessage`",
    SendMessageRejecting = "`sendMessage`, `pending: \"reject\"`",
    SendMessageKeeping = "`sendMessage`, `pending: \"keep\"`",
    Run = "`run`",
    RunAfterCut = "`run`, after an answer that its limit has cut",
    Pause = "`pause`",
    Interrupt = "`interrupt`",
    RejectPendingActions = "`rejectPendingActions`",
    EditAction = "`editAction`",
    NavigateTo = "`navigateTo`",
    NavigateToAnswer = "`navigateTo`, to an answer",
    NavigateToCalls = "`navigateTo`, to calls without results",
    Regenerate = "`regenerate`",
    EditMessage = "`editMessage`",
    Fork = "`fork`",
    ChangeSettings = "settings",
    PageDies = "the page dies",
    PageDiesInCall = "the page dies in a call to be asked about",
    Answered = "the model answers with text",
    TaskFinished = "the model calls `finish`",
    Refined = "the critic demands another attempt",
    CallsWait = "calls have to be approved",
    OthersWait = "the approved calls have run, others wait",
    InboxAppended = "a message of the inbox is appended",
    MessageBlocked = "a hook blocks the message",
    StopDenied = "a hook denies the end",
    Failed = "the model or the store fails",
    LimitReached = "the run reaches a limit",
    Stuck = "the run is stuck in a loop",
});

/// The effect of a transition on a status: a cell of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusChange {
    /// The status changes to this one.
    Becomes(ExecutionStatus),
    /// The status does not change.
    Stays,
    /// The status does not change, and the caller gets an error.
    Refused,
    /// The transition does not occur in this status.
    Never,
}

impl Transition {
    /// The effect of this transition on this status.
    pub const fn change(self, status: ExecutionStatus) -> StatusChange {
        use ExecutionStatus::{
            Deleting, Error, Finished, Idle, Paused, Running, Stuck, WaitingForConfirmation as Waiting,
        };
        use StatusChange::{Becomes, Never, Refused, Stays};
        match self {
            Self::SendMessage => match status {
                Waiting => Refused,
                Finished | Stuck => Becomes(Idle),
                Idle | Running | Paused | Error | Deleting => Stays,
            },
            Self::SendMessageRejecting => match status {
                Finished | Stuck | Waiting => Becomes(Idle),
                Idle | Running | Paused | Error | Deleting => Stays,
            },
            Self::SendMessageKeeping => match status {
                Finished | Stuck => Becomes(Idle),
                Idle | Running | Paused | Error | Deleting | Waiting => Stays,
            },
            Self::Run => match status {
                // A deletion that was begun did not happen: the conversation still exists.
                Idle | Paused | Error | Stuck | Waiting | Deleting => Becomes(Running),
                // A second run at the same time is refused elsewhere. The stored status is still `running` if the end
                // of an earlier run could not be stored.
                Running | Finished => Stays,
            },
            Self::RunAfterCut => match status {
                Idle | Paused | Finished | Error | Stuck | Waiting | Deleting => Becomes(Running),
                Running => Stays,
            },
            Self::Pause | Self::Interrupt => match status {
                Idle | Running => Becomes(Paused),
                Paused | Waiting | Finished | Error | Stuck | Deleting => Stays,
            },
            Self::RejectPendingActions => match status {
                Waiting => Becomes(Idle),
                Idle | Running | Paused | Finished | Error | Stuck | Deleting => Stays,
            },
            Self::EditAction => match status {
                Waiting => Stays,
                // A run of other calls ended before it could set the status back to waiting.
                Idle | Running | Paused | Error | Stuck => Becomes(Waiting),
                Finished | Deleting => Refused,
            },
            // The other statuses are those of the branch that is left.
            Self::NavigateTo | Self::Regenerate | Self::EditMessage => match status {
                // The calls that wait would be left without results.
                Waiting => Refused,
                // A run is under way, or its end could not be stored: the next run does that.
                Running => Refused,
                Idle => Stays,
                Paused | Finished | Error | Stuck | Deleting => Becomes(Idle),
            },
            Self::NavigateToAnswer => match status {
                Waiting | Running => Refused,
                Finished => Stays,
                // A run would ask the model to answer its own answer, which providers refuse.
                Idle | Paused | Error | Stuck | Deleting => Becomes(Finished),
            },
            Self::NavigateToCalls => match status {
                Waiting | Running => Refused,
                // Nobody has decided about the calls of the branch that HEAD moves to.
                Idle | Paused | Finished | Error | Stuck | Deleting => Becomes(Waiting),
            },
            Self::Fork => match status {
                // The calls that wait would run in both conversations.
                Waiting | Running => Refused,
                Idle | Paused | Finished | Error | Stuck | Deleting => Stays,
            },
            Self::ChangeSettings => match status {
                Idle | Running | Paused | Waiting | Finished | Error | Stuck | Deleting => Stays,
            },
            Self::PageDies => match status {
                Running => Becomes(Paused),
                Idle | Paused | Waiting | Finished | Error | Stuck | Deleting => Stays,
            },
            Self::PageDiesInCall => match status {
                // A pause sets its status at once, while the call is still under way.
                Running | Paused => Becomes(Waiting),
                Idle | Waiting | Finished | Error | Stuck | Deleting => Never,
            },
            // A pause lets the answer or the calls that are under way come to their end.
            Self::Answered | Self::TaskFinished | Self::MessageBlocked => match status {
                Running | Paused => Becomes(Finished),
                Idle | Waiting | Finished | Error | Stuck | Deleting => Never,
            },
            Self::Refined => match status {
                Running | Paused => Stays,
                Idle | Waiting | Finished | Error | Stuck | Deleting => Never,
            },
            Self::CallsWait | Self::OthersWait => match status {
                Running | Paused => Becomes(Waiting),
                Idle | Waiting | Finished | Error | Stuck | Deleting => Never,
            },
            Self::InboxAppended => match status {
                Finished | Stuck | Waiting => Becomes(Running),
                Idle | Running | Paused | Error | Deleting => Stays,
            },
            Self::StopDenied => match status {
                Finished => Becomes(Running),
                Idle | Running | Paused | Waiting | Error | Stuck | Deleting => Stays,
            },
            Self::Failed => match status {
                // A run that failed before it began has approved nothing, and does not restart a finished conversation.
                Waiting | Finished | Deleting => Stays,
                Idle | Running | Paused | Error | Stuck => Becomes(Error),
            },
            Self::LimitReached => match status {
                Running => Becomes(Error),
                Idle | Paused | Waiting | Finished | Error | Stuck | Deleting => Never,
            },
            Self::Stuck => match status {
                Running | Paused => Becomes(Stuck),
                Idle | Waiting | Finished | Error | Stuck | Deleting => Never,
            },
        }
    }

    /// Changes the status of a state.
    ///
    /// # Errors
    /// `invalid_state` where the table refuses; the state is unchanged then.
    pub fn apply(self, state: &mut BaseState) -> Result<()> {
        let status = state.execution_status();
        match self.change(status) {
            StatusChange::Becomes(next) => state.set_execution_status(next),
            StatusChange::Stays | StatusChange::Never => {}
            StatusChange::Refused => {
                let text = format!("this is not possible while the conversation is {}", status.as_str());
                return Err(Error::new(ErrorCode::InvalidState, text));
            }
        }
        Ok(())
    }
}
