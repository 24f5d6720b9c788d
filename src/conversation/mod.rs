//! One conversation: its state and its verbs.

pub mod base_state;
mod turn;
