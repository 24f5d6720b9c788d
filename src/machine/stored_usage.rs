//! The metrics in the base state, by usage id.

use crate::{
    format::base_state::BaseState,
    json::{EditableObject, RawJson},
};

/// The field of `stats` that has the metrics.
pub const BY_USAGE: &str = "usage_to_metrics";

/// Sets the metrics of a usage id, in place of those that it had.
pub fn set_usage(state: &mut BaseState, usage_id: &str, metrics: &RawJson) {
    let stored = state.stats().map_or(Some(StoredStats::default()), |text| StoredStats::parse(text));
    let Some(mut stored) = stored else { return };
    stored.by_usage.set(usage_id, metrics.as_str());
    stored.stats.set(BY_USAGE, &stored.by_usage.text());
    state.set_stats(stored.stats.text().into());
}

/// The `stats` of the base state, with the object of metrics in it.
#[derive(Default)]
pub struct StoredStats {
    /// The field `stats` as it is stored.
    pub stats: EditableObject,
    /// [`BY_USAGE`] of it.
    pub by_usage: EditableObject,
}

impl StoredStats {
    /// `None` for a text that cannot be read.
    pub fn parse(text: &str) -> Option<Self> {
        let stats = EditableObject::compact(text)?;
        let by_usage = match stats.get(BY_USAGE) {
            Some(by_usage) => EditableObject::compact(by_usage)?,
            None => EditableObject::default(),
        };
        Some(Self { stats, by_usage })
    }
}
