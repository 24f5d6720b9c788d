//! One step of an agent: what the model said becomes events, calls become results.

pub mod arguments;
