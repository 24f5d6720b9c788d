//! Which status becomes which, and when: a table without a gap. The verbs and the run take what they do from here.
//!
//! `docs/status.md` is this table for readers; a test compares the two, and drives a conversation through it.

use super::base_state::{BaseState, ExecutionStatus};
use crate::json::words;

/// What may happen to a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// A message, with no word on calls that wait for the user.
    SendMessage,
    /// A message that answers the calls that wait.
    SendMessageRejecting,
    /// A message that is kept until the calls that wait have their results.
    SendMessageKeeping,
    /// A run, which approves all calls that wait.
    Run,
    /// A run that approves some of them.
    RunApproving,
    /// A pause.
    Pause,
    /// An interrupt.
    Interrupt,
    /// All calls that wait are rejected.
    RejectPendingActions,
    /// A call that waits gets other arguments.
    EditAction,
    /// Another policy.
    SetConfirmationPolicy,
    /// Another analyzer.
    SetSecurityAnalyzer,
    /// Other tools that need no approval.
    SetAllowedTools,
    /// Other secrets.
    UpdateSecrets,
    /// What an import has brought of secrets may be fetched.
    AllowSecrets,
    /// Other tags.
    SetTags,
    /// Other values for the agent to remember.
    SetAgentState,
    /// A tool is run without the model.
    ExecuteTool,
    /// The conversation is exported.
    Export,
    /// The conversation is closed.
    Close,
    /// The open conversation is to be removed.
    Delete,
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
    GoesInCircles,
}

words!(Happening {
    SendMessage = "`sendMessage`",
    SendMessageRejecting = "`sendMessage`, `pending: \"reject\"`",
    SendMessageKeeping = "`sendMessage`, `pending: \"keep\"`",
    Run = "`run`",
    RunApproving = "`run`, `approve`",
    Pause = "`pause`",
    Interrupt = "`interrupt`",
    RejectPendingActions = "`rejectPendingActions`",
    EditAction = "`editAction`",
    SetConfirmationPolicy = "`setConfirmationPolicy`",
    SetSecurityAnalyzer = "`setSecurityAnalyzer`",
    SetAllowedTools = "`setAllowedTools`",
    UpdateSecrets = "`updateSecrets`",
    AllowSecrets = "`allowSecrets`",
    SetTags = "`setTags`",
    SetAgentState = "`setAgentState`",
    ExecuteTool = "`executeTool`",
    Export = "`exportZip`",
    Close = "`close`",
    Delete = "`Conversation.delete`",
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
    GoesInCircles = "the run goes in circles",
});

/// What becomes of the status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Another one.
    Becomes(ExecutionStatus),
    /// It stays as it is.
    Stays,
    /// It stays, and the caller is told that it cannot be done now.
    Refused,
    /// It does not happen in this status.
    Never,
}

/// The table.
pub const fn effect(happening: Happening, status: ExecutionStatus) -> Effect {
    use Effect::{Becomes, Never, Refused, Stays};
    use ExecutionStatus::{
        Deleting, Error, Finished, Idle, Paused, Running, Stuck, WaitingForConfirmation as Waiting,
    };
    match happening {
        Happening::SendMessage => match status {
            Finished | Stuck => Becomes(Idle),
            Idle | Running | Paused | Error | Deleting => Stays,
            Waiting => Refused,
        },
        Happening::SendMessageRejecting => match status {
            Finished | Stuck | Waiting => Becomes(Idle),
            Idle | Running | Paused | Error | Deleting => Stays,
        },
        Happening::SendMessageKeeping => match status {
            Finished | Stuck => Becomes(Idle),
            Idle | Running | Paused | Error | Deleting | Waiting => Stays,
        },
        Happening::Run => match status {
            // Whoever meant to delete it has not: it is there, and somebody wants an answer.
            Idle | Paused | Error | Stuck | Waiting | Deleting => Becomes(Running),
            Running => Refused,
            Finished => Stays,
        },
        Happening::RunApproving => match status {
            Waiting => Becomes(Running),
            Idle | Running | Paused | Error | Stuck | Finished | Deleting => Refused,
        },
        Happening::Pause | Happening::Interrupt => match status {
            Idle | Running => Becomes(Paused),
            Paused | Waiting | Finished | Error | Stuck | Deleting => Stays,
        },
        Happening::RejectPendingActions => match status {
            Waiting => Becomes(Idle),
            Idle | Running | Paused | Finished | Error | Stuck | Deleting => Stays,
        },
        Happening::EditAction => match status {
            Waiting => Stays,
            Idle | Running | Paused | Finished | Error | Stuck | Deleting => Refused,
        },
        Happening::SetConfirmationPolicy
        | Happening::SetSecurityAnalyzer
        | Happening::SetAllowedTools
        | Happening::UpdateSecrets
        | Happening::AllowSecrets
        | Happening::SetTags
        | Happening::SetAgentState
        | Happening::ExecuteTool
        | Happening::Export => match status {
            Idle | Running | Paused | Waiting | Finished | Error | Stuck | Deleting => Stays,
        },
        Happening::Close | Happening::PageDies => match status {
            Running => Becomes(Paused),
            Idle | Paused | Waiting | Finished | Error | Stuck | Deleting => Stays,
        },
        Happening::Delete => match status {
            Idle | Running | Paused | Waiting | Finished | Error | Stuck | Deleting => Refused,
        },
        Happening::PageDiesInCall => match status {
            // It is paused as soon as somebody says so, while the call is still under way.
            Running | Paused => Becomes(Waiting),
            Idle | Waiting | Finished | Error | Stuck | Deleting => Never,
        },
        // What is under way when the conversation is paused comes to its end.
        Happening::Answered | Happening::TaskFinished | Happening::MessageBlocked => match status {
            Running | Paused => Becomes(Finished),
            Idle | Waiting | Finished | Error | Stuck | Deleting => Never,
        },
        Happening::CallsWait | Happening::OthersWait => match status {
            Running | Paused => Becomes(Waiting),
            Idle | Waiting | Finished | Error | Stuck | Deleting => Never,
        },
        Happening::MessageTakenIn => match status {
            Finished | Stuck | Waiting => Becomes(Running),
            Idle | Running | Paused | Error | Deleting => Stays,
        },
        Happening::StopDenied => match status {
            Finished => Becomes(Running),
            Idle | Running | Paused | Waiting | Error | Stuck | Deleting => Stays,
        },
        Happening::Failed => match status {
            // A run that fails before it has begun has allowed nothing, and what is finished is not begun again.
            Waiting | Finished | Deleting => Stays,
            Idle | Running | Paused | Error | Stuck => Becomes(Error),
        },
        Happening::LimitReached => match status {
            Running => Becomes(Error),
            Idle | Paused | Waiting | Finished | Error | Stuck | Deleting => Never,
        },
        Happening::GoesInCircles => match status {
            Running | Paused => Becomes(Stuck),
            Idle | Waiting | Finished | Error | Stuck | Deleting => Never,
        },
    }
}

/// What becomes of a state to which this happens.
pub(super) fn happens(state: &mut BaseState, happening: Happening) {
    if let Effect::Becomes(status) = effect(happening, state.execution_status()) {
        state.set_execution_status(status);
    }
}
