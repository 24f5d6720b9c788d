//! OpenHands V0 trajectories: numbered lists of actions and observations, in which each observation names its cause.
//!
//! Mirrors V0's serialization (`openhands/events/serialization`), and for texts its messages to the model
//! (`openhands/memory/conversation_memory.py`).

mod observations;
mod read;
mod terms;
mod write;

pub use read::read;
pub use write::write;
