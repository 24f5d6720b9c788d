//! The risks of calls, as a security analyzer rated them before the user was asked or they ran.
//!
//! Mirrors `event/security.py` of the SDK, where newer versions write one for every batch of calls.

use crate::{event::body::event_body, json::RawJson};

/// A risk for each action, by the id of its event.
pub type RisksByAction = RawJson;

/// An object of details for each action, by the id of its event.
pub type DetailsByAction = RawJson;

event_body! {
    /// The risks of the calls of one answer, as a security analyzer rated them. Newer versions of the SDK write it; this library
    /// does not.
    SecurityAnalysisEvent {
        /// The kind of the analyzer, as in the state: `PatternSecurityAnalyzer`.
        required analyzer: String,
        /// The kind of the confirmation policy at that time: `ConfirmRisky`.
        required policy: String,
        /// The risk of each action.
        required risks: RisksByAction,
        /// Further results of the analyzer.
        optional details: DetailsByAction,
    }
}
