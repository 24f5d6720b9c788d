//! The user pauses or interrupts the agent.
//!
//! Mirrors `event/user_action.py`.

use crate::event::body::event_body;

event_body! {
    /// The user paused the run: it ends after its step. A later run goes on.
    PauseEvent {}
}

event_body! {
    /// The user interrupted the run within a step: its answer is dropped, and its running tools are told to stop. A later run
    /// goes on.
    InterruptEvent {}
}
