//! The user pauses or interrupts the agent.
//!
//! Mirrors `event/user_action.py`.

use crate::event::body::event_body;

event_body! {
    /// The user paused the run: it ends after its step.
    PauseEvent {}
}

event_body! {
    /// The user interrupted the run within a step.
    InterruptEvent {}
}
