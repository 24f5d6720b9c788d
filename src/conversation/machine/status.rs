//! Which status becomes which, and when: a table without a gap, and the only place where a status is set.
//!
//! `docs/status.md` is written from this table; a test keeps it fresh and drives a conversation through every cell.

use crate::{
    error::{Error, ErrorCode, Result},
    format::base_state::{BaseState, ExecutionStatus},
    json::string_enum,
};

/// What may happen to a conversation that bears on its status: a row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    /// A message, with no word on calls that wait for the user.
    SendMessage,
    /// A message that answers the calls that wait.
    SendMessageRejecting,
    /// A message that is kept until the calls that wait have their results.
    SendMessageKeeping,
    /// A run, which approves the calls that wait, or some of them.
    Run,
    /// A pause.
    Pause,
    /// An interrupt.
    Interrupt,
    /// All calls that wait are rejected.
    RejectPendingActions,
    /// A call that waits gets other arguments.
    EditAction,
    /// Another policy, model, tag or secret.
    ChangeSettings,
    /// The page dies, and another one opens the conversation.
    PageDies,
    /// The same, in a call that must not be made again without asking.
    PageDiesInCall,
    /// The run: the model answers with text.
    Answered,
    /// The run: the model calls `finish`.
    TaskFinished,
    /// The run: calls have to be approved.
    CallsWait,
    /// The run: those of the calls have run that were approved.
    OthersWait,
    /// The run: a message that was kept is appended.
    MessageTakenIn,
    /// The run: a hook does not let the model see the message.
    MessageBlocked,
    /// The run: a hook does not let it end.
    StopDenied,
    /// The run: the model or the store fails.
    Failed,
    /// The run: it has used all that it may.
    LimitReached,
    /// The run: it goes in circles.
    Stuck,
}

string_enum!(Transition {
    SendMessage = "`sendMessage`",
    SendMessageRejecting = "`sendMessage`, `pending: \"reject\"`",
    SendMessageKeeping = "`sendMessage`, `pending: \"keep\"`",
    Run = "`run`",
    Pause = "`pause`",
    Interrupt = "`interrupt`",
    RejectPendingActions = "`rejectPendingActions`",
    EditAction = "`editAction`",
    ChangeSettings = "settings",
    PageDies = "the page dies",
    PageDiesInCall = "the page dies in a call to be asked about",
    Answered = "the model answers with text",
    TaskFinished = "the model calls `finish`",
    CallsWait = "calls have to be approved",
    OthersWait = "the approved calls have run, others wait",
    MessageTakenIn = "a kept message is appended",
    MessageBlocked = "a hook blocks the message",
    StopDenied = "a hook denies the end",
    Failed = "the model or the store fails",
    LimitReached = "the run has used all it may",
    Stuck = "the run goes in circles",
});

/// What becomes of the status: a cell of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusChange {
    /// Another one.
    Becomes(ExecutionStatus),
    /// It stays as it is.
    Stays,
    /// It stays, and the caller is told that it cannot be done now.
    Refused,
    /// It does not happen in this status.
    Never,
}

impl Transition {
    /// The cell of this row for this status.
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
                // Whoever meant to delete it has not: it is there, and somebody wants an answer.
                Idle | Paused | Error | Stuck | Waiting | Deleting => Becomes(Running),
                // Nothing runs here, or the run would be refused: the store could not take the end of an earlier run.
                Running | Finished => Stays,
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
                // A run of other calls ended before it could say that these wait.
                Idle | Running | Paused | Error | Stuck => Becomes(Waiting),
                Finished | Deleting => Refused,
            },
            Self::ChangeSettings => match status {
                Idle | Running | Paused | Waiting | Finished | Error | Stuck | Deleting => Stays,
            },
            Self::PageDies => match status {
                Running => Becomes(Paused),
                Idle | Paused | Waiting | Finished | Error | Stuck | Deleting => Stays,
            },
            Self::PageDiesInCall => match status {
                // It is paused as soon as somebody says so, while the call is still under way.
                Running | Paused => Becomes(Waiting),
                Idle | Waiting | Finished | Error | Stuck | Deleting => Never,
            },
            // What is under way when the conversation is paused comes to its end.
            Self::Answered | Self::TaskFinished | Self::MessageBlocked => match status {
                Running | Paused => Becomes(Finished),
                Idle | Waiting | Finished | Error | Stuck | Deleting => Never,
            },
            Self::CallsWait | Self::OthersWait => match status {
                Running | Paused => Becomes(Waiting),
                Idle | Waiting | Finished | Error | Stuck | Deleting => Never,
            },
            Self::MessageTakenIn => match status {
                Finished | Stuck | Waiting => Becomes(Running),
                Idle | Running | Paused | Error | Deleting => Stays,
            },
            Self::StopDenied => match status {
                Finished => Becomes(Running),
                Idle | Running | Paused | Waiting | Error | Stuck | Deleting => Stays,
            },
            Self::Failed => match status {
                // A run that fails before it has begun has allowed nothing, and what is finished is not begun again.
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

    /// Gives a state the status that follows.
    ///
    /// # Errors
    /// `invalid_state` where the table refuses; the state is as it was.
    pub fn apply(self, state: &mut BaseState) -> Result<()> {
        let status = state.execution_status();
        match self.change(status) {
            StatusChange::Becomes(next) => state.set_execution_status(next),
            StatusChange::Stays | StatusChange::Never => {}
            StatusChange::Refused => {
                let text = format!("not while the conversation is {}", status.as_str());
                return Err(Error::new(ErrorCode::InvalidState, text));
            }
        }
        Ok(())
    }
}
