//! Problems of a log: what was repaired, and what cannot be read.

use crate::{
    context::branch::{Branch, Break, Wanted},
    event::{Body, Event},
    id::EventId,
};

/// A problem that the host should know about, and may show to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// A stable code that programs can branch on.
    pub code: WarningCode,
    /// A description for people.
    pub message: String,
}

/// The kinds of warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarningCode {
    /// Unreadable events at the end of the log were moved to the quarantine folder.
    Quarantined,
    /// The stored HEAD did not name the last event that was written, and was moved there.
    HeadMoved,
    /// The page died during a run.
    Interrupted,
    /// An event in the log cannot be read. It stays stored and is skipped.
    Unreadable,
    /// The parent of an event cannot be found. The event is treated as following the one before it in the log.
    HistoryBroken,
    /// The conversation uses tools that the agent does not have.
    ToolsUnavailable,
    /// The stored agent has settings without effect here.
    SettingsUnavailable,
}

impl WarningCode {
    /// The code as it is reported to JavaScript; it never changes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Quarantined => "quarantined",
            Self::HeadMoved => "head_moved",
            Self::Interrupted => "interrupted",
            Self::Unreadable => "unreadable",
            Self::HistoryBroken => "history_broken",
            Self::ToolsUnavailable => "tools_unavailable",
            Self::SettingsUnavailable => "settings_unavailable",
        }
    }
}

/// Warnings about problems of a history.
pub fn history_warnings(branch: &Branch) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if let Some(first) = branch.breaks.first() {
        let problem = match first {
            Break::Missing(Wanted::Id(id)) => {
                format!("event {id} is the parent of another one but does not exist")
            }
            Break::Missing(Wanted::Index(index)) => format!("event {index} does not exist"),
            Break::InvalidParent(id) => format!("the parent of event {id} is not a valid event id"),
            Break::Cycle(id) => format!("event {id} is its own ancestor"),
        };
        warnings.push(Warning {
            code: WarningCode::HistoryBroken,
            message: format!(
                "parents of events cannot be found (number of places: {}; the last one: {problem}); \
                 each such event is read as following the one before it in the log",
                branch.breaks.len()
            ),
        });
    }
    // An event of a kind that this version does not know is none of its own.
    let is_lost = |event: &&Event| match event.body() {
        Body::Unreadable => true,
        Body::Unknown => Body::KINDS.contains(&event.kind()),
        _ => false,
    };
    let unreadable: Vec<&Event> = branch.events.iter().filter(is_lost).collect();
    if let Some(first) = unreadable.first() {
        warnings.push(Warning {
            code: WarningCode::Unreadable,
            message: format!(
                "events of the history cannot be read and are skipped, but stay stored (number: {}; the first: {})",
                unreadable.len(),
                first.id()
            ),
        });
    }
    warnings
}

/// The warning about a branch that begins with an event which cuts off by mistake what is before it, and `before` ends that.
pub fn cut_off_beginning(first: &EventId, before: &EventId) -> Warning {
    Warning {
        code: WarningCode::HistoryBroken,
        message: format!(
            "this branch begins with event {first}, because an agent server did not find the end of what an older one had \
             written; that is in the branch that ends with event {before}: navigateTo() goes there"
        ),
    }
}
