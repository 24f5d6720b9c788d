//! Reads the versions of files: what they were at an event, and how they get back there.

use super::{Added, current, version};
use crate::{
    error::{Error, ErrorCode, Result},
    format::file_versions::{
        ABSENT, CONTENTS, CURRENT, VERSIONS, Version, current_text, event_name, has_versions, key_of,
        parse_version, path_in,
    },
    handle::Conversation,
    id::{ConversationId, EventId, StorePath},
    log::active_branch::walk_back,
    store::{FileChanges, Store},
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// In place of the key of a content: that which the file has.
const LIVE: &str = "=";

/// The stored versions of a conversation.
pub struct Stored<'a> {
    /// The store.
    pub store: &'a dyn Store,
    /// The conversation.
    pub conversation: ConversationId,
}

/// The files at an event.
#[derive(Clone, Debug, PartialEq)]
pub struct FilesAt {
    /// The name of the version; empty if none has been recorded.
    pub version: String,
    /// Their paths, sorted.
    pub paths: Vec<StorePath>,
}

/// A file that is different at two events.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedFile {
    /// The file.
    pub path: StorePath,
    /// The kind of the change.
    pub kind: ChangeKind,
}

/// The kind of a change from one event to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It exists at the second one only.
    Added,
    /// It has another content.
    Changed,
    /// It exists at the first one only.
    Removed,
}

/// Files and the keys of their contents: those that differ from what the files are now.
pub(super) type Sides = Vec<(StorePath, String)>;

/// Versions on the way from one to another, with their names.
pub(super) type Route = Vec<(String, Version)>;

impl Stored<'_> {
    /// The names of all versions, in the order of their numbers.
    pub(super) async fn names(&self) -> Result<Vec<String>> {
        let paths = self.store.files(self.conversation, Some(&VERSIONS.parse()?)).await?;
        let name =
            |path: &StorePath| path.as_str().strip_prefix(VERSIONS)?.strip_prefix('/').map(str::to_owned);
        Ok(paths.iter().filter_map(name).filter(|name| parse_version(name).is_some()).collect())
    }

    /// The version that the files were at when HEAD was last at this event; `None` if nothing was recorded then.
    pub(super) async fn version_at(&self, event: Option<&EventId>) -> Result<Option<String>> {
        Ok(self.versions_back_from(event, 1).await?.pop())
    }

    /// The versions that the files were at when HEAD was last at this event, at its parent, and so on: at most so many.
    pub(super) async fn versions_back_from(
        &self,
        event: Option<&EventId>,
        most: usize,
    ) -> Result<Vec<String>> {
        let names = self.names().await?;
        let mut by_event: HashMap<&str, Vec<&str>> = HashMap::new();
        for name in &names {
            if let Some((_, _, event)) = parse_version(name) {
                by_event.entry(event).or_default().push(name);
            }
        }
        // A child that is older than a change at its parent has not seen it, so the length of the log limits which versions count.
        let latest = |event: &str, end: u64| {
            let mut known = by_event
                .get(event)?
                .iter()
                .rev()
                .filter(|name| parse_version(name).is_some_and(|(_, length, _)| length <= end));
            known.next().map(|name| (*name).to_owned())
        };
        let (mut end, mut found) = (u64::MAX, Vec::new());
        let visit = &mut |index, event: crate::event::Event| {
            found.extend(latest(event.id().as_str(), end));
            end = index;
            found.len() < most
        };
        walk_back(self.store, self.conversation, event.cloned(), visit).await?;
        if found.len() < most {
            found.extend(latest(event_name(None), end));
        }
        Ok(found)
    }

    /// The versions between two of them, from the first one back and then on to the second one; `None` if one of them has
    /// been removed.
    pub(super) async fn route(&self, from: &str, to: &str) -> Result<Option<Route>> {
        let (mut back, mut on) = (Route::new(), Route::new());
        let (mut from, mut to) = (from.to_owned(), to.to_owned());
        while from != to {
            let is_back = number(&from) >= number(&to);
            let name = if is_back { &mut from } else { &mut to };
            let Some(version) = version(self.store, self.conversation, name).await? else { return Ok(None) };
            // Parents are older, so this ends.
            if number(&version.parent) >= number(name) {
                return Ok(None);
            }
            let parent = version.parent.clone();
            let child = std::mem::replace(name, parent);
            if is_back { &mut back } else { &mut on }.push((child, version));
        }
        on.reverse();
        back.append(&mut on);
        Ok(Some(back))
    }

    /// The files at this version, by what they are now; `None` if that is not known any more.
    pub(super) async fn sides(&self, name: &str) -> Result<Option<Sides>> {
        let from = current(self.store, self.conversation).await?.map(|(_, name)| name).unwrap_or_default();
        Ok(self.route(&from, name).await?.map(|mut route| exchange(&mut route)))
    }

    /// The content with this key; `None` for a file that does not exist.
    ///
    /// # Errors
    /// `not_found` if it has been removed, and those of the store.
    pub(super) async fn content(&self, path: &StorePath, key: &str) -> Result<Option<Vec<u8>>> {
        match key {
            ABSENT => Ok(None),
            LIVE => Ok(self.store.read_file(self.conversation, path).await?),
            key => match self.store.read_file(self.conversation, &path_in(CONTENTS, key)?).await? {
                Some(content) if key.starts_with(&key_of(&content)) => Ok(Some(content)),
                _ => Err(unknown("the content of this version has been removed")),
            },
        }
    }

    async fn files_at(&self, event: &EventId, head: Option<&EventId>) -> Result<FilesAt> {
        let live: Vec<StorePath> = self.store.files(self.conversation, None).await?;
        let mut paths: Vec<StorePath> = live.into_iter().filter(has_versions).collect();
        let known = match current(self.store, self.conversation).await? {
            Some((_, current)) if head == Some(event) => Some(current),
            Some(_) => self.version_at(Some(event)).await?,
            None => (head == Some(event) || paths.is_empty()).then(String::new),
        };
        let version = known.ok_or_else(|| unknown("its files were not recorded"))?;
        let sides = self.sides(&version).await?.ok_or_else(|| unknown("its files have been removed"))?;
        let is_changed = sides.iter().filter(|(_, key)| key != LIVE);
        let changed: HashSet<&str> = is_changed.map(|(path, _)| path.as_str()).collect();
        paths.retain(|path| !changed.contains(path.as_str()));
        paths.extend(sides.into_iter().filter(|(_, key)| key != LIVE && key != ABSENT).map(|(path, _)| path));
        paths.sort_unstable();
        Ok(FilesAt { version, paths })
    }

    async fn read(&self, version: &str, path: &StorePath) -> Result<Option<Vec<u8>>> {
        let sides = self.sides(version).await?.ok_or_else(|| unknown("its files have been removed"))?;
        let key = sides.iter().find(|(changed, _)| changed == path).map_or(LIVE, |(_, key)| key);
        self.content(path, key).await
    }

    async fn changes(&self, from: &str, to: &str) -> Result<Vec<ChangedFile>> {
        let removed = || unknown("files between the two events have been removed");
        let before = self.sides(from).await?.ok_or_else(removed)?;
        let after = self.sides(to).await?.ok_or_else(removed)?;
        let mut keys: BTreeMap<StorePath, (String, String)> = BTreeMap::new();
        let live = || (LIVE.to_owned(), LIVE.to_owned());
        for (path, key) in before {
            keys.entry(path).or_insert_with(live).0 = key;
        }
        for (path, key) in after {
            keys.entry(path).or_insert_with(live).1 = key;
        }
        let mut changes = Vec::new();
        for (path, (before, after)) in keys {
            if before == after {
                continue;
            }
            let kind = match (self.content(&path, &before).await?, self.content(&path, &after).await?) {
                (None, Some(_)) => ChangeKind::Added,
                (Some(_), None) => ChangeKind::Removed,
                (before, after) if before == after => continue,
                _ => ChangeKind::Changed,
            };
            changes.push(ChangedFile { path, kind });
        }
        Ok(changes)
    }
}

impl Conversation {
    /// The files at this event: after the last change that was made while HEAD was at it.
    ///
    /// # Errors
    /// `not_found` for an event that does not exist or whose files are not known, and those of the store.
    pub async fn files_at(&self, event: &EventId) -> Result<FilesAt> {
        self.index_of(event).await?;
        let _unchanged = self.0.log.files.lock().await;
        self.stored_versions().files_at(event, self.0.log.head().as_ref()).await
    }

    /// A file at a version that [`Conversation::files_at`] has named.
    ///
    /// # Errors
    /// `not_found` if the files of this version have been removed, and those of the store.
    pub async fn read_file_at(&self, version: &str, path: &StorePath) -> Result<Option<Vec<u8>>> {
        let _unchanged = self.0.log.files.lock().await;
        self.stored_versions().read(version, path).await
    }

    /// The files that are different at two events, by their paths.
    ///
    /// # Errors
    /// As for [`Conversation::files_at`].
    pub async fn file_changes_between(&self, from: &EventId, to: &EventId) -> Result<Vec<ChangedFile>> {
        let (from, to) = (self.files_at(from).await?.version, self.files_at(to).await?.version);
        let _unchanged = self.0.log.files.lock().await;
        self.stored_versions().changes(&from, &to).await
    }

    pub(crate) fn stored_versions(&self) -> Stored<'_> {
        Stored { store: &*self.0.log.store, conversation: self.id() }
    }
}

impl Stored<'_> {
    /// The changes with which the files go to where they were at this event; none if that is not known.
    pub(super) async fn moves_if_known(&self, event: Option<&EventId>) -> Result<FileChanges> {
        match self.moves(event).await {
            // The content of a file at that event is not stored any more.
            Err(error) if error.code() == ErrorCode::NotFound => Ok(FileChanges::new()),
            moves => moves,
        }
    }

    async fn moves(&self, event: Option<&EventId>) -> Result<FileChanges> {
        let Some((next, from)) = current(self.store, self.conversation).await? else { return Ok(Vec::new()) };
        let Some(to) = self.version_at(event).await?.filter(|to| *to != from) else { return Ok(Vec::new()) };
        let Some(mut route) = self.route(&from, &to).await? else { return Ok(Vec::new()) };
        let sides = exchange(&mut route);
        let mut files = FileChanges::new();
        for (path, key) in sides.iter().filter(|(_, key)| key != LIVE) {
            files.push((path.clone(), self.content(path, key).await?));
        }
        files.append(&mut self.keep(&sides, &mut route).await?);
        for (name, version) in route {
            files.push((path_in(VERSIONS, &name)?, Some(version.text().into_bytes())));
        }
        files.push((CURRENT.parse()?, Some(current_text(next, &to).into_bytes())));
        Ok(files)
    }

    /// The contents that the files have and that will only be those of versions on this way, which get their keys.
    pub(super) async fn keep(&self, sides: &Sides, route: &mut Route) -> Result<FileChanges> {
        let mut added = Added { store: self.store, conversation: self.conversation, files: Vec::new() };
        let mut kept = HashMap::new();
        for (path, _) in sides.iter().filter(|(_, key)| key != LIVE) {
            let content = self.store.read_file(self.conversation, path).await?;
            kept.insert(path, added.content(content).await?);
        }
        for (path, key) in route.iter_mut().flat_map(|(_, version)| &mut version.changes) {
            if key == LIVE
                && let Some(kept) = kept.get(path)
            {
                key.clone_from(kept);
            }
        }
        Ok(added.files)
    }
}

/// Goes this way: each version gets the contents that it replaces. Returns what the files are then.
pub(super) fn exchange(route: &mut Route) -> Sides {
    let mut places: HashMap<StorePath, usize> = HashMap::new();
    let mut sides = Sides::new();
    for (path, key) in route.iter_mut().flat_map(|(_, version)| &mut version.changes) {
        let place = *places.entry(path.clone()).or_insert(sides.len());
        if place == sides.len() {
            sides.push((path.clone(), LIVE.to_owned()));
        }
        if let Some((_, side)) = sides.get_mut(place) {
            std::mem::swap(side, key);
        }
    }
    sides
}

/// The number of a version; that of no version is lower.
pub(super) fn number(name: &str) -> i64 {
    parse_version(name).and_then(|(number, _, _)| number.try_into().ok()).unwrap_or(-1)
}

fn unknown(why: &str) -> Error {
    let text = format!("the files of this event are not known: {why}");
    Error::new(ErrorCode::NotFound, text)
}
