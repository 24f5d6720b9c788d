//! Condensers: they decide when a part of the history is replaced by a summary, and which part.
//!
//! Mirrors `context/condenser/` of the SDK's version 1.58, which never removes the system prompt; older versions do.
//! A decision is a pure function of the view: nothing here asks a model. The caller asks it for the summary of
//! [`Attempt::forgotten`] and appends a [`crate::event::Condensation`], or reports that the model failed and gets the
//! next decision. A further condenser needs its stored form in `settings.rs`, its rule in `decision.rs`, and its options in
//! `js/agent/condenser/options.ts`.

mod decision;
mod fields;
mod in_run;
mod prompt;
mod settings;
mod tokens;

pub use decision::{Attempt, Decision, Reason, Requirement, Situation};
pub use fields::summary_of;
pub use prompt::{longest_event_text, summary_request};
pub use settings::{Condenser, LLMSummarizingCondenser};
pub use tokens::{Counting, Reported, TokenCounts, estimated_tokens, is_of_answer};
