//! The files and versions that the copy of a branch needs.

use super::{
    current,
    history::{Stored, exchange, number},
    prune::REMOVED,
    version,
};
use crate::{
    error::{ErrorCode, Result},
    format::file_versions::{
        ABSENT, CONTENTS, CURRENT, Moment, VERSIONS, Version, current_text, parse_version, path_in,
    },
    id::{EventId, StorePath},
    store::FileChanges,
};
use std::{collections::HashSet, ops::Range};

/// The files that a copy gets in place of those as they are.
#[derive(Default)]
pub struct BranchFiles {
    /// Files and versions.
    pub files: FileChanges,
    /// The paths of files that are not copied as they are.
    pub replaced: HashSet<StorePath>,
}

impl Stored<'_> {
    /// The files at this event, and the versions that the events before it have. `ranges` are the places of the events
    /// that are copied. If the files of the event are not known, the copy gets those as they are, and knows no earlier ones.
    pub async fn of_branch(&self, event: &EventId, ranges: &[Range<u64>]) -> Result<BranchFiles> {
        let Some((_, from)) = current(self.store, self.conversation).await? else {
            return Ok(BranchFiles::default());
        };
        match self.known_of_branch(&from, event, ranges).await {
            Ok(Some(files)) => return Ok(files),
            Err(error) if error.code() != ErrorCode::NotFound => return Err(error),
            _ => {}
        }
        let length = ranges.iter().map(|range| range.end - range.start).sum();
        let name = Moment { event: Some(event.clone()), length }.version(0);
        let first = (path_in(VERSIONS, &name)?, Some(Version::default().text().into_bytes()));
        let current = (CURRENT.parse()?, Some(current_text(1, &name).into_bytes()));
        Ok(BranchFiles { files: vec![first, current], replaced: HashSet::new() })
    }

    async fn known_of_branch(
        &self,
        from: &str,
        event: &EventId,
        ranges: &[Range<u64>],
    ) -> Result<Option<BranchFiles>> {
        let Some(to) = self.version_at(Some(event)).await? else { return Ok(None) };
        let Some(mut route) = self.route(from, &to).await? else { return Ok(None) };
        let sides = exchange(&mut route);
        let mut copy = BranchFiles::default();
        for (path, key) in &sides {
            let content = self.content(path, key).await?;
            copy.replaced.insert(path.clone());
            copy.files.extend(content.map(|content| (path.clone(), Some(content))));
        }
        let mut kept = self.keep(&sides, &mut route).await?;
        let renamed = |name: &str| renamed(name, ranges);
        let mut name = to.clone();
        let (mut copied, mut passed) = (HashSet::new(), HashSet::new());
        while !name.is_empty() {
            let on_route =
                route.iter().find(|(passed, _)| *passed == name).map(|(_, version)| version.clone());
            let known = match on_route {
                Some(version) => Some(version),
                None => version(self.store, self.conversation, &name).await?,
            };
            let place = path_in(VERSIONS, &renamed(&name))?;
            passed.insert(name.clone());
            let Some(known) = known.filter(|known| number(&known.parent) < number(&name)) else {
                copy.files.push((place, Some(REMOVED.into())));
                break;
            };
            for (_, key) in known.changes.iter().filter(|(_, key)| key != ABSENT) {
                let path = path_in(CONTENTS, key)?;
                if !copied.insert(path.clone()) {
                    continue;
                }
                let content = match kept.iter_mut().find(|(kept, _)| *kept == path) {
                    Some((_, content)) => content.take(),
                    None => self.store.read_file(self.conversation, &path).await?,
                };
                copy.files.push((path, content));
            }
            let parent = if known.parent.is_empty() { String::new() } else { renamed(&known.parent) };
            copy.files.push((place, Some(Version { parent, ..known.clone() }.text().into_bytes())));
            name = known.parent;
        }
        // Files that stayed where they were when HEAD moved are not reached from there. Without the names of their versions
        // these events would have the files of an earlier one.
        let of_branch = self.versions_back_from(Some(event), usize::MAX).await?;
        for name in of_branch.iter().filter(|name| !passed.contains(*name)) {
            copy.files.push((path_in(VERSIONS, &renamed(name))?, Some(REMOVED.into())));
        }
        let next = u64::try_from(number(&to)).unwrap_or(0) + 1;
        copy.files.push((CURRENT.parse()?, Some(current_text(next, &renamed(&to)).into_bytes())));
        Ok(Some(copy))
    }
}

/// The name of a version where only the events of these ranges are in the log.
fn renamed(name: &str, ranges: &[Range<u64>]) -> String {
    let Some((number, length, event)) = parse_version(name) else { return name.to_owned() };
    let before = |range: &Range<u64>| range.end.min(length).saturating_sub(range.start);
    let length: u64 = ranges.iter().map(before).sum();
    format!("{number:08}-{length}-{event}")
}
