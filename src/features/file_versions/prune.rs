//! Removes versions of files that are too old, or too many.

use super::{
    current,
    history::{Stored, number},
    version,
};
use crate::{
    error::Result,
    format::file_versions::{
        ABSENT, CONTENTS, VERSIONS, Version, has_versions, length_of, parse_version, path_in,
    },
    handle::Conversation,
    id::EventId,
    machine::Command,
    tool::FileChange,
};
use std::collections::{HashMap, HashSet};

/// The text of a version that has been removed.
pub(super) const REMOVED: &str = "removed\n";

/// The limits of what versions of files take.
#[derive(Clone, Copy, Debug)]
pub struct PruneLimits {
    /// Bytes of the contents that only versions have.
    pub bytes: u64,
    /// How long versions are kept, in milliseconds.
    pub age: f64,
}

/// The earlier files, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileHistory {
    /// The versions to which the files can go back.
    pub versions: u64,
    /// The bytes of the contents that only versions have.
    pub bytes: u64,
    /// The event of the oldest of them; `None` before the first event, or if nothing has been recorded.
    pub since: Option<EventId>,
    /// Whether the files of all events are known, because none was changed before the first version.
    pub is_complete: bool,
}

impl Conversation {
    /// The earlier files, as far as they are known.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn file_history(&self) -> Result<FileHistory> {
        let _unchanged = self.0.log.files.lock().await;
        let stored = self.stored_versions();
        let near = stored.nearest_first().await?;
        let mut history = FileHistory { is_complete: true, ..FileHistory::default() };
        let mut seen = HashSet::new();
        for Near { version, .. } in &near {
            for (_, key) in version.changes.iter().filter(|(_, key)| key != ABSENT) {
                if seen.insert(key.as_str()) {
                    history.bytes += length_of(key);
                }
            }
        }
        history.versions = near.len() as u64;
        let parents = near.iter().map(|near| near.version.parent.as_str());
        let own = near.iter().map(|near| near.name.as_str());
        let current = current(stored.store, stored.conversation).await?;
        let all = parents.chain(own).chain(current.as_ref().map(|(_, name)| name.as_str()));
        if let Some(first) = all.filter(|name| !name.is_empty()).min_by_key(|name| number(name)) {
            history.since = parse_version(first).and_then(|(_, _, event)| event.parse().ok());
            history.is_complete = history.since.is_none() && number(first) == 0;
        } else {
            let paths = stored.store.files(stored.conversation, None).await?;
            history.is_complete = !paths.iter().any(has_versions);
        }
        Ok(history)
    }

    /// Removes versions until the rest keeps the limits: first those that are farthest from the current one. The files
    /// stay as they are, and so does what can be reached without a version that is removed.
    ///
    /// # Errors
    /// `locked_elsewhere`, and those of the store.
    pub async fn prune_file_versions(&self, limits: PruneLimits) -> Result<()> {
        self.ensure_writable()?;
        let log = &self.0.log;
        let lock = log.lock().await;
        let _unchanged = log.files.lock().await;
        self.ensure_writable()?;
        let stored = self.stored_versions();
        let near = stored.nearest_first().await?;
        let (mut kept, mut seen) = (HashSet::new(), HashSet::new());
        let mut bytes = 0_u64;
        let oldest = log.host.now() - limits.age;
        let mut removed = HashSet::new();
        for Near { name, version, way } in &near {
            for (_, key) in version.changes.iter().filter(|(_, key)| key != ABSENT) {
                if seen.insert(key.as_str()) {
                    bytes = bytes.saturating_add(length_of(key));
                }
            }
            // A version behind one that is removed cannot be reached.
            if bytes > limits.bytes || (version.at as f64) < oldest || removed.contains(way.as_str()) {
                removed.insert(name.as_str());
                continue;
            }
            kept.insert(name.as_str());
            for (_, key) in &version.changes {
                kept.insert(key.as_str());
            }
        }
        let mut files = Vec::new();
        for name in
            stored.names().await?.iter().filter(|name| number(name) > 0 && !kept.contains(name.as_str()))
        {
            let path = path_in(VERSIONS, name)?;
            // The name stays: the event has files that are not known, and not those of an earlier version.
            if version(stored.store, stored.conversation, name).await?.is_some() {
                files.push(FileChange::new(path, Some(REMOVED.into())));
            }
        }
        for path in stored.store.files(stored.conversation, Some(&CONTENTS.parse()?)).await? {
            let key = path.as_str().rsplit('/').next().unwrap_or_default();
            if !kept.contains(key) {
                files.push(FileChange::new(path, None));
            }
        }
        if files.is_empty() {
            return Ok(());
        }
        self.perform_now(&lock, Command::StoreBeside { files }).await.map(drop)
    }
}

/// A version, as a step between two states of the files.
struct Near {
    name: String,
    version: Version,
    /// The step before it on the way from the current state; empty for the first one.
    way: String,
}

impl Stored<'_> {
    /// The versions that can be reached from the current one, the nearest first.
    async fn nearest_first(&self) -> Result<Vec<Near>> {
        let Some((_, current)) = current(self.store, self.conversation).await? else { return Ok(Vec::new()) };
        let mut versions = Vec::new();
        let mut places = HashMap::new();
        // By the name of a version, which may have been removed: those that were made from it.
        let mut children: HashMap<String, Vec<usize>> = HashMap::new();
        for name in self.names().await? {
            if let Some(version) = version(self.store, self.conversation, &name).await? {
                places.insert(name.clone(), versions.len());
                children.entry(version.parent.clone()).or_default().push(versions.len());
                versions.push(Some((name, version)));
            }
        }
        let mut near: Vec<Near> = Vec::new();
        let mut states = vec![(current, String::new())];
        let mut next = 0;
        while let Some((state, way)) = states.get(next).cloned() {
            next += 1;
            let own = places.get(&state).into_iter();
            for place in own.chain(children.get(&state).into_iter().flatten()) {
                let Some((name, version)) = versions.get_mut(*place).and_then(Option::take) else { continue };
                // The first one changes nothing: there is no way further back.
                if version.parent.is_empty() {
                    continue;
                }
                let other = if name == state { version.parent.clone() } else { name.clone() };
                states.push((other, name.clone()));
                near.push(Near { name, version, way: way.clone() });
            }
        }
        Ok(near)
    }
}
