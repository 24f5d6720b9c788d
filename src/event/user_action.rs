//! The user stops the agent.
//!
//! Mirrors `event/user_action.py`.

use crate::event::body::event_body;

event_body! {
    /// The run was to stop after its step.
    PauseEvent {}
}

event_body! {
    /// The run was stopped in the middle of its step.
    InterruptEvent {}
}
