//! The contents of an archive by its directory, which is checked completely before any file is read.

use super::{
    Archive, invalid, limits,
    name::{self, FileKind},
    secrets::is_searched,
};
use crate::{
    error::{Error, Result, shown},
    format::layout,
    id::{ConversationId, EventId, StorePath},
};
use std::collections::{HashMap, HashSet};

/// An entry of an archive's directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryHeader {
    /// The name in the archive.
    pub name: String,
    /// Its size in the archive, in bytes.
    pub compressed_size: u64,
    /// Its unpacked size by the directory, in bytes.
    pub size: u64,
    /// Whether it is a symbolic link.
    pub is_symlink: bool,
    /// Whether it is encrypted.
    pub is_encrypted: bool,
    /// The compression method, as zip numbers it.
    pub method: u16,
}

/// An entry that will be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its position in the archive's directory.
    pub position: usize,
    /// Its unpacked size by the directory, in bytes.
    pub size: u64,
}

/// The files of one conversation.
#[derive(Debug, PartialEq)]
pub struct Conversation {
    /// The common beginning of the names of this conversation's entries, for messages; empty or ending in `/`.
    pub prefix: String,
    /// The id in the name of the folder, if there is a folder.
    pub folder: Option<ConversationId>,
    /// Whether it is a download of the OpenHands app: all files in one folder, and `meta.json` in the place of the base state.
    pub is_download: bool,
    /// For the conversation of a sub-agent, the index of the one in whose folder it is, which precedes it.
    pub parent: Option<usize>,
    /// `base_state.json`, if it exists. Without it there is at least one event.
    pub base_state: Option<Entry>,
    /// The log, in its order.
    pub events: Vec<LogEntry>,
    /// The other files.
    pub files: Vec<(StorePath, Entry)>,
    /// Files that are named like events but cannot be in the log. They are quarantined.
    pub not_in_log: Vec<(String, Entry)>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// The file of an event.
#[derive(Debug, PartialEq)]
pub struct LogEntry {
    /// The id in the file's name.
    pub id: EventId,
    /// The file.
    pub entry: Entry,
    /// The file's name in the archive, if it is not the one for its position in the log.
    pub name: Option<Box<str>>,
}

/// One file of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveFile {
    /// `base_state.json`.
    BaseState,
    /// The event at this index of [`Conversation::events`].
    Event(usize),
    /// The file at this index of [`Conversation::files`].
    File(usize),
    /// The file at this index of [`Conversation::not_in_log`].
    NotInLog(usize),
}

/// The identity of an entry: the index of its conversation in the contents, and the file within the conversation.
pub type Tag = (usize, ArchiveFile);

impl Conversation {
    /// All files that `is_wanted`: the base state, the events in the order of the log, the further files. `conversation` is
    /// this conversation's index in the contents.
    pub fn all_files(
        &self,
        conversation: usize,
        is_wanted: &dyn Fn(ArchiveFile) -> bool,
    ) -> Vec<(Tag, Entry)> {
        let mut parts = Vec::new();
        let mut offer = |part: ArchiveFile, entry: &Entry| {
            if is_wanted(part) {
                parts.push(((conversation, part), entry.clone()));
            }
        };
        if let Some(entry) = &self.base_state {
            offer(ArchiveFile::BaseState, entry);
        }
        for (index, event) in self.events.iter().enumerate() {
            offer(ArchiveFile::Event(index), &event.entry);
        }
        for (index, (_, entry)) in self.files.iter().enumerate() {
            offer(ArchiveFile::File(index), entry);
        }
        for (index, (_, entry)) in self.not_in_log.iter().enumerate() {
            offer(ArchiveFile::NotInLog(index), entry);
        }
        parts
    }

    /// The name of a file in the archive.
    pub fn entry_name(&self, part: ArchiveFile) -> String {
        let path = match part {
            ArchiveFile::BaseState if self.is_download => META.to_owned(),
            ArchiveFile::BaseState => layout::BASE_STATE.to_owned(),
            ArchiveFile::Event(i) if self.is_download => self.event_file_name(i),
            ArchiveFile::Event(i) => format!("{}/{}", layout::EVENTS, self.event_file_name(i)),
            ArchiveFile::File(i) => self.files.get(i).map(|(path, _)| path.to_string()).unwrap_or_default(),
            ArchiveFile::NotInLog(i) => {
                let name = self.not_in_log.get(i).map(|(name, _)| name.as_str()).unwrap_or_default();
                format!("{}/{name}", layout::EVENTS)
            }
        };
        format!("{}{path}", self.prefix)
    }

    /// The name of the entry at a position, if it belongs to this conversation.
    pub fn name_at(&self, position: usize) -> Option<String> {
        let parts = self.all_files(0, &|_| true);
        let ((_, part), _) = parts.iter().find(|(_, entry)| entry.position == position)?;
        Some(self.entry_name(*part))
    }

    /// The name of an event's file in the archive.
    pub fn event_file_name(&self, index: usize) -> String {
        let Some(event) = self.events.get(index) else { return String::new() };
        event.name.as_deref().map_or_else(|| layout::event_file_name(index as u64, &event.id), str::to_owned)
    }
}

/// All files that an import will read.
#[derive(Debug, PartialEq)]
pub struct Contents {
    /// The conversations, in the order of their first entries.
    pub conversations: Vec<Conversation>,
    /// The sum of the unpacked sizes of all entries, in bytes.
    pub size: u64,
}

impl Contents {
    /// Reads an archive's directory. Fails, naming the entry, if it has an entry that an export cannot have.
    pub async fn read(archive: &dyn Archive) -> Result<Self> {
        let mut directory = Directory::default();
        loop {
            let next = archive.next_entries().await.map_err(|reason| {
                invalid(format!(
                    "it cannot be read as a zip archive: {reason}; it may be damaged or incomplete"
                ))
            })?;
            if next.is_empty() {
                return directory.contents(archive.size());
            }
            for header in next {
                directory.add(header)?;
            }
        }
    }

    /// The name of the entry at a position.
    pub fn entry_name(&self, position: usize) -> String {
        let mut names = self.conversations.iter().filter_map(|conversation| conversation.name_at(position));
        names.next().unwrap_or_default()
    }
}

/// The entries seen so far.
#[derive(Default)]
struct Directory {
    seen: usize,
    /// The first name with a backslash, and whether any name has a slash.
    backslash: Option<String>,
    has_slash: bool,
    total: u64,
    files: Vec<(String, Entry)>,
}

impl Directory {
    fn add(&mut self, header: EntryHeader) -> Result<()> {
        let position = self.seen;
        self.seen += 1;
        if self.seen > limits::MAX_ENTRIES {
            return Err(invalid(format!("it has more than {} entries", limits::MAX_ENTRIES)));
        }
        let EntryHeader { size, .. } = &header;
        // Some programs on Windows separate folders by backslashes.
        let name = &header.name.replace('\\', "/");
        self.has_slash |= header.name.contains('/');
        if *name != header.name && self.backslash.is_none() {
            self.backslash = Some(header.name.clone());
        }
        name::check(name)?;
        if name.ends_with('/') || name::is_ignored(name) {
            return Ok(());
        }
        let refuse = |problem: String| Err(invalid(format!("entry {} {problem}", shown(name))));
        if header.is_symlink {
            return refuse("is a symbolic link; pack the files themselves".into());
        }
        if header.is_encrypted {
            return refuse("is encrypted; unpack it and pack it again without a password".into());
        }
        if !matches!(header.method, 0 | 8) {
            return refuse(format!(
                "is compressed with method {}; pack it again with deflate",
                header.method
            ));
        }
        if *size > limits::MAX_ENTRY_BYTES {
            return refuse(format!(
                "unpacks to {size} bytes, more than the {} allowed",
                limits::MAX_ENTRY_BYTES
            ));
        }
        if header.method == 0 && header.compressed_size != *size {
            return refuse("is stored without compression, but its two sizes differ".into());
        }
        self.total = self.total.saturating_add(*size);
        self.files.push((name.clone(), Entry { position, size: header.size }));
        Ok(())
    }

    fn contents(mut self, archive_size: u64) -> Result<Contents> {
        if let Some(name) = self.backslash.filter(|_| self.has_slash) {
            // Then it may be a part of a name, which means another file on Windows.
            return Err(invalid(format!(
                "entry {} has a backslash in its name, and other names have slashes",
                shown(&name)
            )));
        }
        check_total(self.total, archive_size)?;
        if self.files.is_empty() {
            return Err(invalid("it has no files; an export has a folder with base_state.json and events/"));
        }
        check_for_duplicates(&self.files)?;
        let wrapper = strip_wrapper(&mut self.files);
        let mut conversations = Vec::new();
        for (top, files) in by_conversation(self.files, &wrapper)? {
            add_conversation(&mut conversations, None, top, files, &wrapper)?;
        }
        check_for_duplicate_ids(&conversations)?;
        Ok(Contents { conversations, size: self.total })
    }
}

fn check_total(total: u64, archive_size: u64) -> Result<()> {
    if total > limits::MAX_TOTAL_BYTES {
        return Err(invalid(format!(
            "it unpacks to {total} bytes, more than the {} allowed",
            limits::MAX_TOTAL_BYTES
        )));
    }
    if total > limits::RATIO_FREE_BYTES && total > archive_size.saturating_mul(limits::MAX_RATIO) {
        return Err(invalid(format!(
            "its {archive_size} bytes unpack to {total}, as in a zip bomb; at most {} times its size is allowed",
            limits::MAX_RATIO
        )));
    }
    Ok(())
}

/// Fails if two files have the same name, or a file has the name of a folder.
fn check_for_duplicates(files: &[(String, Entry)]) -> Result<()> {
    let mut names = HashSet::new();
    for (name, _) in files {
        if !names.insert(name.as_str()) {
            return Err(invalid(format!("entry {} occurs twice", shown(name))));
        }
    }
    for (name, _) in files {
        let mut folder = name.as_str();
        while let Some((parent, _)) = folder.rsplit_once('/') {
            if names.contains(parent) {
                return Err(invalid(format!(
                    "entry {} is inside of another entry that is a file",
                    shown(name)
                )));
            }
            folder = parent;
        }
    }
    Ok(())
}

/// Removes folders around all files that are not part of the layout, as when a user packs the folder around the
/// conversations, or a conversation's folder under another name. Returns the removed path.
fn strip_wrapper(files: &mut [(String, Entry)]) -> String {
    let mut wrapper = String::new();
    loop {
        let Some(first) = files.first().and_then(|(name, _)| name.split_once('/')) else { return wrapper };
        let folder = format!("{}/", first.0);
        let is_plain =
            first.0.parse::<ConversationId>().is_err() && !first.0.eq_ignore_ascii_case(layout::EVENTS);
        if !is_plain || !files.iter().all(|(name, _)| name.starts_with(&folder)) {
            return wrapper;
        }
        for (name, _) in files.iter_mut() {
            *name = name.split_off(folder.len());
        }
        wrapper.push_str(&folder);
    }
}

/// The folder of a conversation, or `None` if its files are at the top of the archive.
type Top = Option<(String, ConversationId)>;

/// Files by their path in the folder of a conversation.
type Files = Vec<(String, Entry)>;

fn by_conversation(files: Files, wrapper: &str) -> Result<Vec<(Top, Files)>> {
    let is_flat = files.iter().any(|(name, _)| {
        name == layout::BASE_STATE || name.split_once('/').is_some_and(|(top, _)| top == layout::EVENTS)
    });
    if is_flat || is_download(&files) {
        return Ok(vec![(None, files)]);
    }
    let mut indices: HashMap<String, usize> = HashMap::new();
    let mut groups: Vec<(Top, Files)> = Vec::new();
    for (name, entry) in files {
        let folder = name.split_once('/').and_then(|(top, rest)| Some((top, top.parse().ok()?, rest)));
        let Some((top, id, rest)) = folder else {
            return Err(invalid(format!(
                "entry {} is not in the folder of a conversation, which is named by an id in 32 hex digits; {READABLE}",
                shown(&format!("{wrapper}{name}"))
            )));
        };
        let index = *indices.entry(top.to_owned()).or_insert(groups.len());
        if index == groups.len() {
            groups.push((Some((top.to_owned(), id)), Vec::new()));
        }
        if let Some((_, group)) = groups.get_mut(index) {
            group.push((rest.to_owned(), entry));
        }
    }
    Ok(groups)
}

/// What can be read, for files that cannot.
const READABLE: &str = "exports of this library, conversations of the OpenHands SDK, and downloads of the OpenHands app can be read";

/// The file of a download that says whose it is.
const META: &str = "meta.json";

/// Whether these files are a download of the OpenHands app.
fn is_download(files: &Files) -> bool {
    files.iter().any(|(name, _)| name::downloaded_event(name).is_some())
        && !files.iter().any(|(name, _)| name == layout::BASE_STATE)
}

/// Adds a conversation, and those of its sub-agents: the folders `subagents/<id>` that have a base state. Other files in
/// such folders are files of this conversation.
fn add_conversation(
    conversations: &mut Vec<Conversation>,
    parent: Option<usize>,
    top: Top,
    files: Files,
    wrapper: &str,
) -> Result<()> {
    let mut indices: HashMap<String, usize> = HashMap::new();
    let mut groups: Vec<(String, ConversationId)> = Vec::new();
    for (name, _) in &files {
        let folder = name.strip_suffix(layout::BASE_STATE).and_then(|folder| folder.strip_suffix('/'));
        if let Some((layout::SUBAGENTS, hex)) = folder.and_then(|folder| folder.split_once('/'))
            && hex.len() == 32
            && let Ok(id) = hex.parse()
            && !indices.contains_key(hex)
        {
            indices.insert(hex.to_owned(), groups.len());
            groups.push((hex.to_owned(), id));
        }
    }
    let mut nested: Vec<Files> = groups.iter().map(|_| Vec::new()).collect();
    let mut own = Vec::new();
    for (name, entry) in files {
        let inside = name.strip_prefix("subagents/").and_then(|rest| rest.split_once('/'));
        let group = inside.and_then(|(hex, rest)| Some((*indices.get(hex)?, rest.to_owned())));
        match group.and_then(|(index, rest)| Some((nested.get_mut(index)?, rest))) {
            Some((group, rest)) => group.push((rest, entry)),
            None => own.push((name, entry)),
        }
    }
    let index = conversations.len();
    let conversation = conversation(parent, top, own, wrapper)?;
    let wrapper = format!("{}{}/", conversation.prefix, layout::SUBAGENTS);
    conversations.push(conversation);
    for (top, files) in groups.into_iter().zip(nested) {
        add_conversation(conversations, Some(index), Some(top), files, &wrapper)?;
    }
    Ok(())
}

fn conversation(parent: Option<usize>, top: Top, files: Files, wrapper: &str) -> Result<Conversation> {
    let is_download = top.is_none() && is_download(&files);
    let (prefix, mut folder) = match top {
        Some((folder, id)) => (format!("{wrapper}{folder}/"), Some(id)),
        None => (wrapper.to_owned(), None),
    };
    let mut base_state = None;
    let mut numbered = Vec::new();
    let (mut others, mut not_in_log, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
    for (path, entry) in files {
        let name = || path.rsplit('/').next().unwrap_or_default().to_owned();
        if is_download {
            match name::downloaded_event(&path) {
                Some((number, id)) => numbered.push((number, id, name(), entry)),
                None if path == META => base_state = Some(entry),
                None => others.push((path.parse().map_err(|error: Error| invalid(error.message()))?, entry)),
            }
            continue;
        }
        match name::kind_of(&path)? {
            FileKind::BaseState => base_state = Some(entry),
            FileKind::File(path) => others.push((path, entry)),
            FileKind::Lock => {}
            FileKind::Event { number, id } => numbered.push((number, id, name(), entry)),
            FileKind::InvalidEvent => {
                warnings.push(format!("{prefix}{path} has an invalid name for an event file; {QUARANTINE}"));
                not_in_log.push((name(), entry));
            }
        }
    }
    let events = log(&prefix, numbered, &mut not_in_log, &mut warnings);
    if is_download && base_state.is_none() {
        // Nothing says which conversation it is, and each import of it should be the same one.
        folder = events.first().and_then(|event| event.id.as_str().parse().ok());
    }
    let searched = others
        .iter()
        .filter(|(path, _)| is_searched(path.as_str()))
        .map(|(path, entry)| (path.as_str(), entry));
    for (path, entry) in searched.chain(base_state.as_ref().map(|entry| (layout::BASE_STATE, entry))) {
        if entry.size > limits::MAX_SEARCHED_BYTES {
            return Err(invalid(format!(
                "entry {prefix}{path} unpacks to {} bytes, more than the {} allowed for settings",
                entry.size,
                limits::MAX_SEARCHED_BYTES
            )));
        }
    }
    if base_state.is_none() && (folder.is_none() || events.is_empty()) {
        let path = if prefix.is_empty() { "its top folder" } else { prefix.as_str() };
        return Err(invalid(format!(
            "there is no base_state.json in {path}, so the conversation is incomplete"
        )));
    }
    Ok(Conversation {
        prefix,
        folder,
        is_download,
        parent,
        base_state,
        events,
        files: others,
        not_in_log,
        warnings,
    })
}

/// The part of a warning about a file that is quarantined.
pub const QUARANTINE: &str = "the file is kept under quarantine/";

/// The log of these event files, in the order of their numbers. If a number is missing or occurs twice, events are
/// renumbered, where the SDK would end the log. Of two files with one id the first counts, as in the SDK.
fn log(
    prefix: &str,
    mut numbered: Vec<(u64, EventId, String, Entry)>,
    not_in_log: &mut Vec<(String, Entry)>,
    warnings: &mut Vec<String>,
) -> Vec<LogEntry> {
    numbered.sort_by_key(|(number, ..)| *number);
    let mut ids = HashSet::new();
    let mut log = Vec::new();
    let mut expected = 0_u64;
    for (number, id, name, entry) in numbered {
        let path = format!("{prefix}{}/{name}", layout::EVENTS);
        if !ids.insert(id.clone()) {
            warnings.push(format!("{path}: another event has the same id; {QUARANTINE}"));
            not_in_log.push((name, entry));
            expected = expected.max(number.saturating_add(1));
            continue;
        }
        let index = log.len();
        if number > expected {
            warnings.push(format!(
                "{path} comes after a gap: event {expected} is missing; it is event {index} now"
            ));
        } else if number < expected {
            warnings.push(format!("{path}: another event has the same number; it is event {index} now"));
        } else if name.len() < layout::event_file_name(number, &id).len() {
            warnings.push(format!("{path} has a number of fewer than five digits; it is event {index} now"));
        }
        expected = number.saturating_add(1);
        let name = (name != layout::event_file_name(index as u64, &id)).then(|| name.into());
        log.push(LogEntry { id, entry, name });
    }
    log
}

/// Fails if two folders have the same id in two spellings.
fn check_for_duplicate_ids(conversations: &[Conversation]) -> Result<()> {
    let mut ids = HashSet::new();
    for conversation in conversations {
        if let Some(id) = conversation.folder
            && !ids.insert(id)
        {
            return Err(invalid(format!(
                "entry {}base_state.json: conversation {id} occurs twice",
                conversation.prefix
            )));
        }
    }
    Ok(())
}
