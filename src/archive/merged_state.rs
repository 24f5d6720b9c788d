//! The base state of a conversation that has gone on in two places, field by field. Most fields say how one of the two goes on, and
//! are those of the state that is kept; this is the table of the others:
//!
//! | field | becomes |
//! |---|---|
//! | `stats` | the answers of both, each once |
//! | `tags` | of each tag the value that was set last |
//! | `confirmation_policy`, `security_analyzer` | at least as strict as both ([`stricter`]) |
//! | `blocked_actions`, `blocked_messages`, and notes about calls in `agent_state` | those of both; about an event that both have, those that are kept |
//!
//! Performs no I/O.

use crate::{
    format::{
        agent_state::{
            EDITED_ACTIONS, INTERRUPTED_ACTIONS, SECURITY_RISKS, SUBAGENT_TASKS, TAG_TIMES,
            UNAPPROVED_ACTIONS,
        },
        base_state::{BaseState, Tags},
    },
    json::{EditableObject, Object, RawJson},
    llm::metrics::Metrics,
    security::{Guard, StoredAnalyzer},
};
use std::{cmp::Ordering, collections::HashSet};

/// Adds to `state`, which is kept, the part of `other` that it lacks. `is_others` tells whether only the log of `other` has an event
/// with this id. `wins` decides between two values of a tag that were set at the same time or at no known one: whether that of
/// `other` is taken; without a value the tag does not exist.
pub fn add(
    state: &mut BaseState,
    other: &BaseState,
    is_others: &dyn Fn(&str) -> bool,
    wins: &dyn Fn(Option<&str>, Option<&str>) -> bool,
) {
    add_stats(state, other);
    add_tags(state, other, wins);
    for name in [INTERRUPTED_ACTIONS, UNAPPROVED_ACTIONS, EDITED_ACTIONS] {
        let mut ids: Vec<String> = state.in_agent_state(name).unwrap_or_default();
        let before = ids.len();
        for id in other.in_agent_state::<Vec<String>>(name).unwrap_or_default() {
            if is_others(&id) && !ids.contains(&id) {
                ids.push(id);
            }
        }
        if ids.len() > before {
            state.set_in_agent_state(name, Some(&RawJson::of(&ids[..])));
        }
    }
    for name in [SECURITY_RISKS, SUBAGENT_TASKS] {
        let event_of = |id: &str, record: &str| match name {
            SUBAGENT_TASKS => Object::parse(record).and_then(|task| task.read("action")).unwrap_or_default(),
            _ => id.to_owned(),
        };
        let is_others = |id: &str, record: &str| is_others(&event_of(id, record));
        if let Some(records) =
            with_missing(state.in_agent_state(name), other.in_agent_state(name), &is_others)
        {
            state.set_in_agent_state(name, Some(&records));
        }
    }
    for name in ["blocked_actions", "blocked_messages"] {
        let object = |state: &BaseState| state.field(name).and_then(|value| value.read());
        if let Some(records) = with_missing(object(state), object(other), &|id, _| is_others(id)) {
            state.set_field(name, Some(&records));
        }
    }
}

/// The fields of both objects, where those of the first one stay; `None` if the second one has none that is wanted.
fn with_missing(
    object: Option<EditableObject>,
    other: Option<EditableObject>,
    is_wanted: &dyn Fn(&str, &str) -> bool,
) -> Option<RawJson> {
    let (mut object, mut has_changed) = (object.unwrap_or_default(), false);
    for (name, value) in other.unwrap_or_default().iter() {
        if object.get(name).is_none() && is_wanted(name, value) {
            object.set(name, value);
            has_changed = true;
        }
    }
    has_changed.then(|| RawJson::of(&object))
}

fn add_stats(state: &mut BaseState, other: &BaseState) {
    const BY_USAGE: &str = "usage_to_metrics";
    let read = |state: &BaseState| match state.stats() {
        Some(stats) => EditableObject::compact(stats),
        None => Some(EditableObject::default()),
    };
    // Numbers that cannot be read are not replaced.
    let (Some(mut stats), Some(others)) = (read(state), read(other)) else { return };
    let by_usage = |stats: &EditableObject| match stats.get(BY_USAGE) {
        Some(by_usage) => EditableObject::compact(by_usage),
        None => Some(EditableObject::default()),
    };
    let (Some(mut ours), Some(theirs)) = (by_usage(&stats), by_usage(&others)) else { return };
    let mut has_changed = false;
    for (usage, json) in theirs.iter() {
        let Some(added) = Metrics::parse(json) else { continue };
        let merged = match ours.get(usage) {
            None => added,
            Some(known) => {
                let Some(mut metrics) = Metrics::parse(known) else { continue };
                let before = metrics.clone();
                metrics.add_missing(&added);
                if metrics == before {
                    continue;
                }
                metrics
            }
        };
        ours.set(usage, &merged.to_json());
        has_changed = true;
    }
    if has_changed {
        stats.set(BY_USAGE, &ours.text());
        state.set_stats(stats.text().into());
    }
}

fn add_tags(state: &mut BaseState, other: &BaseState, wins: &dyn Fn(Option<&str>, Option<&str>) -> bool) {
    let (before, others) = (state.tags(), other.tags());
    let times = |state: &BaseState| state.in_agent_state::<EditableObject>(TAG_TIMES).unwrap_or_default();
    let (mut known, other_times) = (times(state), times(other));
    let mut tags = before.clone();
    let mut has_changed = false;
    let mut seen = HashSet::new();
    let names = before.iter().chain(&others).map(|(name, _)| name.as_str());
    let names =
        names.chain(known.iter().map(|(name, _)| name)).chain(other_times.iter().map(|(name, _)| name));
    let names: Vec<String> = names.filter(|name| seen.insert(*name)).map(str::to_owned).collect();
    for name in names {
        let (ours, theirs) = (value_of(&before, &name), value_of(&others, &name));
        let (at, other_at) = (known.read::<u64>(&name), other_times.read::<u64>(&name));
        let is_taken = match at.cmp(&other_at) {
            Ordering::Less => true,
            Ordering::Equal => ours != theirs && wins(ours, theirs),
            Ordering::Greater => false,
        };
        if !is_taken {
            continue;
        }
        if let Some(time) = other_times.get(&name) {
            known.set(&name, time);
            has_changed = true;
        }
        tags.retain(|(tag, _)| *tag != name);
        tags.extend(theirs.map(|value| (name.clone(), value.to_owned())));
    }
    if tags != before && state.set_tags(&tags).is_err() {
        return;
    }
    if has_changed {
        state.set_in_agent_state(TAG_TIMES, Some(&RawJson::of(&known)));
    }
}

fn value_of<'a>(tags: &'a Tags, name: &str) -> Option<&'a str> {
    tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
}

/// Makes the policy and the analyzer of `state` at least as strict as those of `other`.
pub fn stricter(state: &mut BaseState, other: &BaseState) {
    and_guard(state, guard_of(other));
}

fn guard_of(state: &BaseState) -> Guard {
    Guard::stored(state.confirmation_policy(), state.field("security_analyzer"))
}

/// Makes the policy and the analyzer of `state` at least as strict as these.
pub fn and_guard(state: &mut BaseState, other: Guard) {
    let ours = guard_of(state);
    let both = ours.clone().and(other);
    // Settings that do not change keep their text.
    if both.policy != ours.policy {
        state.set_confirmation_policy(&RawJson::of(&both.policy));
    }
    if both.analyzer != ours.analyzer {
        state.set_field("security_analyzer", both.analyzer.as_ref().map(StoredAnalyzer::as_json));
    }
}
