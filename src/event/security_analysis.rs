//! What a security analyzer said of calls before they were asked about or run.
//!
//! Mirrors `event/security.py` of the SDK, where newer versions write one for every batch of calls.

use crate::{event::body::event_body, json::RawJson};

event_body! {
    /// The risks of the calls of one answer; never sent to a model.
    SecurityAnalysisEvent {
        /// The kind of the analyzer.
        required analyzer: String,
        /// The kind of the confirmation policy at that time.
        required policy: String,
        /// The risk of each action, by its event's id.
        required risks: RawJson,
        /// What else the analyzer had to say, by the action's id.
        optional details: RawJson,
    }
}
