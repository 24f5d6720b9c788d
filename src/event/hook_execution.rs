//! The call of a hook.
//!
//! Mirrors `event/hook_execution.py`.

use crate::{
    event::body::event_body,
    json::{RawFields, string_enum},
};

event_body! {
    /// A call of a hook: its input, and its result.
    HookExecutionEvent {
        /// The event that it was called for.
        required hook_event_type: HookEventType,
        /// The command, or the name of the hook.
        required hook_command: String,
        /// The name of the tool, for hooks around tools.
        optional tool_name: String,
        /// Whether it ended without a failure.
        required success: bool,
        /// Whether it denied what it was asked about.
        defaulted blocked: bool,
        /// The exit code of the command.
        required exit_code: i64,
        /// The output.
        defaulted stdout: String,
        /// The error output.
        defaulted stderr: String,
        /// The reason of a denial.
        optional reason: String,
        /// Text for the model.
        optional additional_context: String,
        /// Why it failed.
        optional error: String,
        /// The id of the `ActionEvent` that it was called for.
        optional action_id: String,
        /// The id of the `MessageEvent` that it was called for.
        optional message_id: String,
        /// Its input.
        optional hook_input: RawFields,
    }
}

/// The events that hooks are called for.
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
    /// The agent reports that it is done.
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
