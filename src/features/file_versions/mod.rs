//! The versions of a conversation's files: each change is recorded in the transaction that makes it.
//!
//! A page loads this with the code that changes files; the log calls it through [`FileVersions`].

mod copy;
mod history;
mod prune;

pub(crate) use copy::BranchFiles;
pub use history::{ChangeKind, ChangedFile, FilesAt};
pub use prune::{FileHistory, PruneLimits};

use crate::{
    error::Result,
    format::file_versions::{
        ABSENT, CONTENTS, CURRENT, Moment, VERSIONS, Version, current_text, has_versions, is_version, key_of,
        parse_current, path_in,
    },
    handle::Conversation,
    id::{ConversationId, StorePath},
    log::{
        EventLog,
        file_versions::{FileVersions, FilesChange},
    },
    store::{FileChanges, Store},
};
use futures_util::future::LocalBoxFuture;
use std::rc::Rc;
use wasm_file::wasm_file;

/// What the log calls.
#[wasm_file(agent)]
pub async fn file_versions() -> Result<Rc<dyn FileVersions>> {
    Ok(Rc::new(Recorder))
}

struct Recorder;

impl FileVersions for Recorder {
    fn record<'a>(
        &'a self,
        log: &'a EventLog,
        change: &'a mut FilesChange,
    ) -> LocalBoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let FilesChange { files, owner_files, goes_to, before, after, moved, guards } = change;
            let now = log.host.now();
            guards.push(log.files.lock().await);
            if let Some(event) = goes_to {
                let stored = history::Stored { store: &*log.store, conversation: log.id };
                let mut moves = stored.moves_if_known(event.as_ref()).await?;
                for (path, _) in moves.iter().filter(|(path, _)| has_versions(path)) {
                    moved.push_str(path.as_str());
                    moved.push('\n');
                }
                if files.iter().any(|(path, _)| has_versions(path)) {
                    record(&*log.store, log.id, files, moves, (before, after), now).await?;
                } else {
                    files.append(&mut moves);
                }
            } else {
                record(&*log.store, log.id, files, Vec::new(), (before, after), now).await?;
            }
            let changes_owner = owner_files.iter().any(|(path, _)| has_versions(path));
            if let Some((owner, _)) = log.owner.as_ref().filter(|_| changes_owner) {
                guards.push(owner.files.lock().await);
                // The call of the sub-agent is under way, so HEAD is at an event of the answer with that call.
                let at = Moment { event: owner.head(), length: owner.length() };
                record(&*owner.store, owner.id, owner_files, Vec::new(), (&at, &at), now).await?;
            }
            Ok(())
        })
    }
}

impl Conversation {
    /// The paths of the files that moves of HEAD have changed since the last call, each in a line.
    pub fn take_moved_files(&self) -> String {
        self.0.log.moved_files.take()
    }
}

/// The text of a file, if it is one.
async fn text(store: &dyn Store, conversation: ConversationId, path: &StorePath) -> Result<Option<String>> {
    let content = store.read_file(conversation, path).await?;
    Ok(content.and_then(|content| String::from_utf8(content).ok()))
}

/// The number of the next version and the name of the current one; `None` if nothing has been recorded.
async fn current(store: &dyn Store, conversation: ConversationId) -> Result<Option<(u64, String)>> {
    let text = text(store, conversation, &CURRENT.parse()?).await?;
    Ok(text.and_then(|text| parse_current(&text)))
}

async fn version(store: &dyn Store, conversation: ConversationId, name: &str) -> Result<Option<Version>> {
    Ok(text(store, conversation, &path_in(VERSIONS, name)?).await?.and_then(|text| Version::parse(&text)))
}

/// Adds the version that the changes in `files` make, after those that have `moved` the files to another version. `before` is the moment before them, `after` the one that they
/// belong to. Without changes it records that the files are as they are, if there are versions: HEAD has moved without
/// them. The version of the same moment grows as long as it is the newest one: only its last contents can be asked for.
///
/// # Errors
/// Those of the store.
async fn record(
    store: &dyn Store,
    conversation: ConversationId,
    files: &mut FileChanges,
    moved: FileChanges,
    (before, after): (&Moment, &Moment),
    now: f64,
) -> Result<()> {
    let at = moved.iter().find(|(path, _)| path.as_str() == CURRENT).and_then(|(_, text)| text.as_deref());
    let at = at.and_then(|text| parse_current(std::str::from_utf8(text).ok()?));
    let mut added = Added { store, conversation, files: moved };
    let has_changes = files.iter().any(|(path, _)| has_versions(path));
    let at = if at.is_some() { at } else { current(store, conversation).await? };
    let (mut next, mut name) = match at {
        Some(current) => current,
        None if !has_changes => return Ok(()),
        None => {
            // Without files nothing can have been changed before: all earlier events had none.
            let stored = store.files(conversation, None).await?;
            let has_files = stored.iter().any(has_versions);
            // Remains of an import that has not ended, or of an incomplete archive.
            added.files.extend(stored.into_iter().filter(is_version).map(|path| (path, None)));
            let first = if has_files { before.version(0) } else { Moment::default().version(0) };
            added.put(VERSIONS, &first, Version { at: now as u64, ..Version::default() }.text())?;
            (1, first)
        }
    };
    let mut grown = None;
    if next > 1 && name == after.version(next - 1) {
        grown = version(store, conversation, &name).await?;
    }
    let is_new = grown.is_none();
    let mut version =
        grown.unwrap_or_else(|| Version { parent: name.clone(), at: now as u64, changes: Vec::new() });
    let known = version.changes.len();
    for (path, content) in files.iter() {
        if !has_versions(path) || version.changes.iter().any(|(changed, _)| changed == path) {
            continue;
        }
        let old = added.read(path).await?;
        if old == *content {
            continue;
        }
        let key = added.content(old).await?;
        version.changes.push((path.clone(), key));
    }
    if version.changes.len() > known || !has_changes && is_new {
        if is_new {
            name = after.version(next);
            next += 1;
            files.push((CURRENT.parse()?, Some(current_text(next, &name).into_bytes())));
        }
        added.put(VERSIONS, &name, version.text())?;
    }
    added.files.retain(|(path, _)| files.iter().all(|(changed, _)| changed != path));
    files.append(&mut added.files);
    Ok(())
}

/// Files that a commit adds to those that it changes, before it does.
struct Added<'a> {
    store: &'a dyn Store,
    conversation: ConversationId,
    files: FileChanges,
}

impl Added<'_> {
    fn put(&mut self, folder: &str, name: &str, text: String) -> Result<()> {
        self.files.push((path_in(folder, name)?, Some(text.into_bytes())));
        Ok(())
    }

    async fn read(&self, path: &StorePath) -> Result<Option<Vec<u8>>> {
        match self.files.iter().find(|(added, _)| added == path) {
            Some((_, content)) => Ok(content.clone()),
            None => Ok(self.store.read_file(self.conversation, path).await?),
        }
    }

    /// The key under which this content is stored, from this commit on at the latest. Contents are compared, so those
    /// with the same hash get different keys.
    async fn content(&mut self, content: Option<Vec<u8>>) -> Result<String> {
        let Some(content) = content else { return Ok(ABSENT.to_owned()) };
        let mut key = key_of(&content);
        let mut place = path_in(CONTENTS, &key)?;
        let mut others = 0;
        loop {
            match self.read(&place).await? {
                None => {
                    self.files.push((place, Some(content)));
                    return Ok(key);
                }
                Some(stored) if stored == content => return Ok(key),
                Some(_) => {}
            }
            others += 1;
            key = format!("{}-{others}", key_of(&content));
            place = path_in(CONTENTS, &key)?;
        }
    }
}
