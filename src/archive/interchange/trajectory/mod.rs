//! OpenHands V0 trajectories: a list of actions and observations, numbered, each observation naming its cause.
//!
//! Mirrors what V0 reads and writes (`openhands/events/serialization`), and for texts what it tells a model
//! (`openhands/memory/conversation_memory.py`).

mod observations;
mod read;
mod terms;
mod write;

pub use read::read;
pub use write::write;
