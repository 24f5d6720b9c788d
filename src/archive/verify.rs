//! The first pass of an import: reads and checks every file, and stores nothing.

use super::{
    Archive, base_state,
    contents::{ArchiveFile, Contents, Conversation, QUARANTINE},
    event_text::{EventRepair, EventText, NOT_UTF8, UTF16, event_text},
    invalid,
    mending::Flaws,
    reading::{self, Tagged},
};
use crate::{
    error::{Result, shown},
    format::{
        subagent_tasks::SubagentTask,
        tree::{Leaf, ROOT_PARENT_ID, is_false_root},
    },
    host::Host,
    id::{ConversationId, EventId},
};
use std::collections::{HashMap, HashSet};

/// A checked conversation of an archive.
#[derive(Debug)]
pub struct Verified {
    /// The conversation's id.
    pub id: ConversationId,
    /// The number of events that are imported; those after them are quarantined.
    pub length: u64,
    /// The new position of HEAD, if the event that HEAD names is not among those that are imported.
    pub new_leaf: Option<Leaf>,
    /// The index of the event at which HEAD is then; `None` before the first one.
    pub head: Option<usize>,
    /// The repairs of events, in the order of the log.
    pub repairs: Vec<EventRepair>,
    /// The tasks that it has given to sub-agents whose conversations are not in its folder of the archive. They could be any
    /// conversations of the store, so their records are left out.
    pub lost_tasks: Vec<SubagentTask>,
    /// The `timestamp` of the last event that is imported.
    pub last_timestamp: Option<String>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

impl Verified {
    /// The repair of the event at this index, if any.
    pub fn repair(&self, index: usize) -> Option<&EventRepair> {
        let position = self.repairs.binary_search_by(|repair| repair.index.cmp(&index)).ok()?;
        self.repairs.get(position)
    }

    /// Forgets the tasks whose conversations are `inside` of its folder, and warns of the others.
    fn keep_lost_tasks(&mut self, inside: &[ConversationId], conversation: &Conversation) {
        self.lost_tasks.retain(|task| !inside.contains(&task.conversation));
        if self.lost_tasks.is_empty() {
            return;
        }
        let names: Vec<String> = self.lost_tasks.iter().take(10).map(|task| shown(&task.id)).collect();
        self.warnings.push(format!(
            "{} has {} tasks of sub-agents whose conversations are not in the archive, and which therefore cannot be resumed: {}",
            conversation.entry_name(ArchiveFile::BaseState),
            self.lost_tasks.len(),
            names.join(", ")
        ));
    }
}

/// An index as a position in memory; an index that does not fit is beyond every end.
pub fn position(index: u64) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

/// Reads every entry in the order of the archive. `progress` is called with the bytes read.
pub async fn verify(
    archive: &dyn Archive,
    contents: &Contents,
    host: &dyn Host,
    progress: &mut dyn FnMut(u64),
) -> Result<Vec<Verified>> {
    let mut findings: Vec<Findings> = contents.conversations.iter().map(|_| Findings::default()).collect();
    let name = |position| contents.entry_name(position);
    for group in reading::groups(in_archive_order(contents)) {
        let bytes = group.iter().map(|(_, entry)| entry.size).sum();
        // Further files only have to be unpackable.
        let (files, rest): (Vec<_>, Vec<_>) = group
            .into_iter()
            .partition(|((_, part), _)| matches!(part, ArchiveFile::File(_) | ArchiveFile::NotInLog(_)));
        reading::read(archive, &rest, &name, &mut |(conversation, part), content| {
            let (Some(found), Some(conversation)) =
                (findings.get_mut(conversation), contents.conversations.get(conversation))
            else {
                return Ok(());
            };
            match part {
                ArchiveFile::BaseState => found.base_state(conversation, Some(content), host)?,
                ArchiveFile::Event(index) => found.event(conversation, index, content),
                ArchiveFile::File(_) | ArchiveFile::NotInLog(_) => {}
            }
            Ok(())
        })
        .await?;
        let checked = archive.check(&reading::positions(&files)).await;
        checked.map_err(|unreadable| unreadable.error(&name(unreadable.position)))?;
        progress(bytes);
    }
    let mut ids = HashSet::new();
    let mut verified = Vec::new();
    for (conversation, found) in contents.conversations.iter().zip(findings) {
        let done = found.verified(conversation, host)?;
        if !ids.insert(done.id) {
            return Err(invalid(format!("conversation {} occurs twice", done.id)));
        }
        verified.push(done);
    }
    for (index, conversation) in contents.conversations.iter().enumerate() {
        let inside = contents.conversations.iter().zip(&verified);
        let inside: Vec<ConversationId> =
            inside.filter(|(entry, _)| entry.parent == Some(index)).map(|(_, found)| found.id).collect();
        if let Some(verified) = verified.get_mut(index) {
            verified.keep_lost_tasks(&inside, conversation);
        }
    }
    Ok(verified)
}

/// All entries of all conversations, in the order of the archive.
fn in_archive_order(contents: &Contents) -> Vec<Tagged> {
    let conversations = contents.conversations.iter().enumerate();
    let mut entries = Vec::new();
    for (index, conversation) in conversations {
        entries.extend(conversation.all_files(index, &|_| true));
    }
    entries.sort_by_key(|(_, entry)| entry.position);
    entries
}

/// The findings about the entries of one conversation so far.
#[derive(Default)]
struct Findings {
    base_state: Option<BaseStateFindings>,
    /// By index in the log.
    events: Vec<EventFindings>,
    /// The index of the last event that is valid, and its time.
    last: (usize, Option<String>),
}

/// The findings in a conversation's `base_state.json`.
struct BaseStateFindings {
    id: ConversationId,
    leaf_event_id: Option<String>,
    leaf: Leaf,
    tasks: Vec<SubagentTask>,
    warnings: Vec<String>,
}

/// The findings in an event's file.
#[derive(Clone, Default)]
struct EventFindings {
    /// The problem, if the file is not a JSON object.
    problem: Option<&'static str>,
    can_be_head: bool,
    becomes_head: bool,
    other_id: Option<Box<str>>,
    parent: Option<Box<str>>,
    flaws: Flaws,
}

impl Findings {
    fn base_state(
        &mut self,
        conversation: &Conversation,
        content: Option<&[u8]>,
        host: &dyn Host,
    ) -> Result<()> {
        let entry = conversation.entry_name(ArchiveFile::BaseState);
        let read = base_state::read(content, &entry, conversation.folder, conversation.is_download, host)?;
        self.base_state = Some(BaseStateFindings {
            id: read.state.id(),
            leaf_event_id: read.state.leaf_event_id(),
            leaf: read.state.leaf(),
            tasks: read.state.subagent_tasks(),
            warnings: read.warnings,
        });
        Ok(())
    }

    fn event(&mut self, conversation: &Conversation, index: usize, content: &[u8]) {
        let Some(event) = conversation.events.get(index) else { return };
        self.events.resize(conversation.events.len(), EventFindings::default());
        let Some(found) = self.events.get_mut(index) else { return };
        match event_text(content, &event.id) {
            EventText::Invalid(problem) => found.problem = Some(problem),
            EventText::Valid { can_be_head, becomes_head, other_id, parent, timestamp, flaws } => {
                found.flaws = flaws;
                found.can_be_head = can_be_head;
                found.becomes_head = becomes_head;
                found.other_id = other_id.map(Into::into);
                found.parent = parent.map(Into::into);
                if index >= self.last.0 {
                    self.last = (index, timestamp);
                }
            }
        }
    }

    fn verified(mut self, conversation: &Conversation, host: &dyn Host) -> Result<Verified> {
        if self.base_state.is_none() {
            self.base_state(conversation, None, host)?;
        }
        let Some(base_state) = self.base_state else {
            return Err(invalid(format!("there is no base_state.json in {}", conversation.prefix)));
        };
        let mut warnings = base_state.warnings;
        warnings.extend_from_slice(&conversation.warnings);
        let name = |index| conversation.entry_name(ArchiveFile::Event(index));
        // A process that ended while writing leaves its last files incomplete; the files before them are valid.
        let last_valid = self.events.iter().rposition(|found| found.problem.is_none());
        let length = last_valid.map_or(0, |last| last.saturating_add(1));
        for (index, found) in self.events.iter().enumerate() {
            let Some(problem) = found.problem else { continue };
            if index >= length {
                let and = "the conversation ends before it, and";
                warnings.push(format!("{} {problem}; {and} {QUARANTINE}", name(index)));
            } else if matches!(problem, NOT_UTF8 | UTF16) {
                return Err(invalid(format!("entry {} {problem}", name(index))));
            } else {
                warnings.push(format!("{} {problem}; its text is kept, but cannot be shown", name(index)));
            }
        }
        self.events.truncate(length);
        let repairs = repairs(conversation, &self.events, &mut warnings);
        let is_imported =
            |head: &String| conversation.events.iter().take(length).any(|event| event.id.as_str() == head);
        let default_head = self.events.iter().rposition(|found| found.can_be_head);
        let place = |id: &EventId| conversation.events.iter().take(length).position(|event| event.id == *id);
        let head = match &base_state.leaf {
            Leaf::Event(id) => place(id).or(default_head),
            Leaf::Empty => None,
            Leaf::Unset => default_head,
        };
        let new_leaf = match base_state.leaf_event_id.filter(|head| !is_imported(head)) {
            None => None,
            Some(lost) => {
                let last = default_head
                    .and_then(|index| conversation.events.get(index))
                    .map(|event| event.id.clone());
                warnings.push(format!(
                    "{} names the event {}, which does not exist; the conversation continues after its last event instead",
                    conversation.entry_name(ArchiveFile::BaseState),
                    shown(&lost)
                ));
                Some(last.map_or(Leaf::Unset, Leaf::Event))
            }
        };
        if let Some((root, before)) = cut_off(conversation, &self.events, head) {
            warnings.push(format!(
                "{} begins the branch that is active, because an agent server did not find the end of what an older one had \
                 written; that is in the branch that ends with event {before}",
                name(root)
            ));
        }
        Ok(Verified {
            id: base_state.id,
            length: length as u64,
            new_leaf,
            head,
            repairs,
            lost_tasks: base_state.tasks,
            last_timestamp: self.last.1,
            warnings: shortened(warnings),
        })
    }
}

/// The event with which the active branch begins, if it cuts off by mistake what is before it, and the last event of that.
fn cut_off<'a>(
    conversation: &'a Conversation,
    events: &[EventFindings],
    head: Option<usize>,
) -> Option<(usize, &'a EventId)> {
    let is_root = |found: &EventFindings| found.parent.as_deref() == Some(ROOT_PARENT_ID);
    if !events.iter().skip(1).any(is_root) {
        return None;
    }
    let mut places = HashMap::new();
    for (index, event) in conversation.events.iter().enumerate() {
        places.entry(event.id.as_str()).or_insert(index);
    }
    let mut at = head?;
    // An event without a parent, or with one that does not exist, follows the one before it.
    while !is_root(events.get(at)?) {
        let parent = events.get(at)?.parent.as_deref();
        let named = parent.and_then(|parent| places.get(parent).copied()).filter(|place| *place < at);
        at = named.or(at.checked_sub(1))?;
    }
    let before = events.get(..at)?.iter().rposition(|found| found.can_be_head)?;
    let has_parent = events.get(before)?.parent.is_some();
    let end = &conversation.events.get(before)?.id;
    is_false_root(at as u64, before as u64, has_parent).then_some((at, end))
}

/// The repairs after which each event has the id in its file's name and follows an event before it.
fn repairs(
    conversation: &Conversation,
    events: &[EventFindings],
    warnings: &mut Vec<String>,
) -> Vec<EventRepair> {
    // The index of each id in a file's name, and of each id that is only inside of a file.
    let mut indices: HashMap<&str, usize> = HashMap::new();
    for (index, event) in conversation.events.iter().enumerate().take(events.len()) {
        indices.entry(event.id.as_str()).or_insert(index);
    }
    for (index, found) in events.iter().enumerate() {
        if let Some(id) = &found.other_id {
            indices.entry(id).or_insert(index);
        }
    }
    let id_at =
        |index: usize| conversation.events.get(index).map_or(ROOT_PARENT_ID, |event| event.id.as_str());
    let mut repairs = Vec::new();
    // The last event that can be followed, and the replacements for missing parents.
    let mut last: Option<usize> = None;
    let mut replacements: HashMap<&str, usize> = HashMap::new();
    for (index, found) in events.iter().enumerate() {
        let parent = found.parent.as_deref().filter(|parent| *parent != ROOT_PARENT_ID);
        let parent_index =
            parent.and_then(|parent| indices.get(parent).copied()).filter(|parent| *parent < index);
        let mut new_parent = None;
        match (parent, parent_index) {
            (Some(parent), Some(parent_index)) if id_at(parent_index) != parent => {
                new_parent = Some(id_at(parent_index).to_owned());
                warnings.push(format!(
                    "{} follows event {} by the id inside of its file; it follows it by the id in the file's name now, and \
                     the original file is kept under quarantine/",
                    conversation.entry_name(ArchiveFile::Event(index)),
                    shown(parent)
                ));
            }
            (Some(parent), None) => {
                // Events with the same missing parent get the same replacement.
                let replacement = replacements.get(parent).copied().or(last);
                if let Some(replacement) = replacement {
                    replacements.insert(parent, replacement);
                }
                new_parent = Some(replacement.map_or(ROOT_PARENT_ID, id_at).to_owned());
                warnings.push(format!(
                    "{} follows an event that does not exist before it; it follows {}, and the original file is kept \
                     under quarantine/",
                    conversation.entry_name(ArchiveFile::Event(index)),
                    if replacement.is_some() { "the one before it now" } else { "none now" }
                ));
            }
            _ => {}
        }
        if let Some(id) = &found.other_id {
            warnings.push(format!(
                "{} contains an event with the id {}; it has the id in the file's name now, and the original file is \
                 kept under quarantine/",
                conversation.entry_name(ArchiveFile::Event(index)),
                shown(id)
            ));
        }
        for flaw in &found.flaws {
            warnings.push(format!(
                "{} {flaw}; the original file is kept under quarantine/",
                conversation.entry_name(ArchiveFile::Event(index))
            ));
        }
        let is_mended = !found.flaws.is_empty();
        if is_mended || found.other_id.is_some() || new_parent.is_some() {
            repairs.push(EventRepair { index, is_mended, id: found.other_id.is_some(), parent: new_parent });
        }
        if found.becomes_head {
            last = Some(index);
        }
    }
    repairs
}

/// The highest number of warnings for a conversation.
const MAX_WARNINGS: usize = 100;

fn shortened(mut warnings: Vec<String>) -> Vec<String> {
    let more = warnings.len().saturating_sub(MAX_WARNINGS);
    if more > 0 {
        warnings.truncate(MAX_WARNINGS);
        warnings.push(format!("and {more} more warnings of this kind"));
    }
    warnings
}
