//! A hook ran.
//!
//! Mirrors `event/hook_execution.py`.

use crate::{
    event::body::event_body,
    json::{RawJson, string_enum},
};

event_body! {
    /// What a hook was given, did and said.
    HookExecutionEvent {
        /// What set it off.
        required hook_event_type: HookEventType,
        /// The command, or the hook's name.
        required hook_command: String,
        /// The tool, for hooks around tools.
        optional tool_name: String,
        /// Whether it ran to its end.
        required success: bool,
        /// Whether it did not allow what was to be done.
        defaulted blocked: bool,
        /// The command's exit code.
        required exit_code: i64,
        /// What it printed.
        defaulted stdout: String,
        /// What it printed as errors.
        defaulted stderr: String,
        /// Why it did not allow it.
        optional reason: String,
        /// Text for the model.
        optional additional_context: String,
        /// Why it could not run.
        optional error: String,
        /// The event of the call.
        optional action_id: String,
        /// The event of the message.
        optional message_id: String,
        /// What it was given.
        optional hook_input: RawJson,
    }
}

/// What sets a hook off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookEventType {
    /// Before a tool is called.
    PreToolUse,
    /// After a tool was called.
    PostToolUse,
    /// The user sends a message.
    UserPromptSubmit,
    /// The conversation starts.
    SessionStart,
    /// The conversation is closed.
    SessionEnd,
    /// The agent says that it is done.
    Stop,
}

string_enum!(HookEventType {
    PreToolUse = "PreToolUse",
    PostToolUse = "PostToolUse",
    UserPromptSubmit = "UserPromptSubmit",
    SessionStart = "SessionStart",
    SessionEnd = "SessionEnd",
    Stop = "Stop",
});
