//! A conversation as a series of named contents, in the layout of a conversation's directory.

use super::{
    Progress, base_state,
    name::{BASE_STATE, EVENTS, event_name},
    pages::{Pages, Position},
    secrets,
};
use crate::{
    error::{Error, ErrorCode, Result},
    id::{ConversationId, StorePath},
    names::Names,
    store::{Listing, Store},
};
use std::{collections::VecDeque, rc::Rc};

/// One entry of an export.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportEntry {
    /// The name; a directory's ends in `/`.
    pub name: String,
    /// The content; empty for a directory.
    pub content: Content,
}

/// What an entry holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// An event or a base state.
    Text(Rc<str>),
    /// A further file.
    Bytes(Vec<u8>),
}

impl Content {
    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// A conversation on its way out: what it was when the export began, whatever is appended meanwhile.
pub struct Export {
    store: Rc<dyn Store>,
    listing: Listing,
    directories: Names,
    ready: VecDeque<ExportEntry>,
    events: Position,
    files: std::vec::IntoIter<StorePath>,
    progress: Progress,
}

impl Export {
    /// Begins an export. Length and base state are read together, so they fit each other.
    pub async fn open(store: Rc<dyn Store>, conversation: ConversationId) -> Result<Self> {
        let Some(listing) = store.load(conversation).await? else {
            return Err(Error::new(ErrorCode::NotFound, format!("there is no conversation {conversation}")));
        };
        let files = store.files(conversation).await?;
        let total = listing.length.saturating_add(files.len() as u64).saturating_add(1);
        Ok(Self {
            store,
            listing,
            directories: Names::default(),
            ready: VecDeque::new(),
            events: Position::default(),
            files: files.into_iter(),
            progress: Progress { done: 0, total },
        })
    }

    /// When the conversation was last changed, in milliseconds since the Unix epoch: the date of every entry, so that
    /// the same conversation makes the same archive.
    pub fn modified_at(&self) -> f64 {
        self.listing.updated_at
    }

    /// How many files have been given out, of how many.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// The next entry, or `None` after the last. Directories come before what lies in them, as the agent server has it.
    pub async fn next(&mut self) -> Result<Option<ExportEntry>> {
        loop {
            if let Some(entry) = self.ready.pop_front() {
                return Ok(Some(entry));
            }
            if self.progress.done == 0 {
                let id = self.listing.conversation;
                let text = base_state::portable(&self.listing.base_state, id);
                self.offer(BASE_STATE, Content::Text(text.into()));
                self.offer_directory(EVENTS);
                continue;
            }
            let pages = Pages::new(&*self.store, self.listing.conversation);
            if let Some(event) = pages.next(&mut self.events, self.listing.length).await? {
                let path = format!("{EVENTS}/{}", event_name(event.index, &event.id));
                self.offer(&path, Content::Text(event.json));
                continue;
            }
            let Some(path) = self.files.next() else { return Ok(None) };
            match self.store.read_file(self.listing.conversation, &path).await? {
                Some(content) => {
                    let content = without_secrets(&path, content);
                    self.offer(path.as_str(), Content::Bytes(content));
                }
                // Removed since the export began.
                None => self.progress.done = self.progress.done.saturating_add(1),
            }
        }
    }

    fn offer(&mut self, path: &str, content: Content) {
        if let Some((directory, _)) = path.rsplit_once('/') {
            self.offer_directory(directory);
        } else {
            self.offer_directory("");
        }
        let name = format!("{}/{path}", self.listing.conversation.hex());
        self.ready.push_back(ExportEntry { name, content });
        self.progress.done = self.progress.done.saturating_add(1);
    }

    /// Offers a directory of the conversation, the ones around it first, each once.
    fn offer_directory(&mut self, directory: &str) {
        let mut name = format!("{}/", self.listing.conversation.hex());
        for part in std::iter::once("").chain(directory.split('/')) {
            if !part.is_empty() {
                name.push_str(part);
                name.push('/');
            }
            if self.directories.add(&name, 0) {
                self.ready.push_back(ExportEntry { name: name.clone(), content: Content::Bytes(Vec::new()) });
            }
        }
    }
}

/// The content of a further file as it may be stored or leave: of those that the SDK writes, a nested conversation's
/// `base_state.json` and the agent server's `meta.json` can hold secrets.
pub fn without_secrets(path: &StorePath, content: Vec<u8>) -> Vec<u8> {
    if !matches!(path.as_str().rsplit('/').next(), Some(BASE_STATE | "meta.json")) {
        return content;
    }
    let masked = std::str::from_utf8(&content).ok().and_then(|text| secrets::masked(text).ok());
    match masked {
        Some((text, places)) if !places.is_empty() => text.into_owned().into_bytes(),
        _ => content,
    }
}
