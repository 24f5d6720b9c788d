//! The first pass: every content is read and checked, and nothing is stored.

use super::{
    Archive, base_state,
    contents::{Contents, Conversation, Part, QUARANTINE},
    event_text::{EventText, Mend, NOT_UTF8, UTF16, event_text},
    invalid,
    reading::{self, Tagged},
};
use crate::{
    error::{Result, shown},
    format::tree::{Leaf, ROOT_PARENT_ID},
    id::ConversationId,
    names::Names,
};

/// What a conversation of an archive amounts to.
#[derive(Debug)]
pub struct Verified {
    /// Whose it is.
    pub id: ConversationId,
    /// How many events of the log are kept; those after them are set aside.
    pub length: u64,
    /// The new position of HEAD, if the event that HEAD names is not among those that are imported.
    pub new_leaf: Option<Leaf>,
    /// What is changed in events, in the order of the log.
    pub mends: Vec<Mend>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl Verified {
    /// What is changed in the event at this place.
    pub fn mend(&self, index: usize) -> Option<&Mend> {
        let place = self.mends.binary_search_by(|mend| mend.index.cmp(&index)).ok()?;
        self.mends.get(place)
    }
}

/// An index as a position in memory; one that memory cannot have is beyond every end.
pub fn position(index: u64) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

/// Reads every entry in the order of the archive. `progress` is told of the bytes read.
pub async fn verify(
    archive: &dyn Archive,
    contents: &Contents,
    progress: &mut dyn FnMut(u64),
) -> Result<Vec<Verified>> {
    let mut findings: Vec<Findings> = contents.conversations.iter().map(|_| Findings::default()).collect();
    let name = |position| contents.entry_name(position);
    for group in reading::groups(in_archive_order(contents)) {
        let bytes = group.iter().map(|(_, entry)| entry.size).sum();
        // Whether files can be unpacked is all there is to know of them.
        let (files, rest): (Vec<_>, Vec<_>) =
            group.into_iter().partition(|((_, part), _)| matches!(part, Part::File(_) | Part::Aside(_)));
        reading::read(archive, &rest, &name, &mut |(place, part), content| {
            let (Some(conversation), Some(found)) =
                (contents.conversations.get(place), findings.get_mut(place))
            else {
                return Ok(());
            };
            match part {
                Part::BaseState => found.base_state(conversation, Some(content))?,
                Part::Event(index) => found.event(conversation, index, content),
                Part::File(_) | Part::Aside(_) => {}
            }
            Ok(())
        })
        .await?;
        let checked = archive.check(&reading::positions(&files)).await;
        checked.map_err(|unreadable| unreadable.error(&name(unreadable.position)))?;
        progress(bytes);
    }
    let mut ids = Names::default();
    let mut verified = Vec::new();
    for (conversation, found) in contents.conversations.iter().zip(findings) {
        let done = found.verified(conversation)?;
        if !ids.add(&done.id.hex(), 0) {
            return Err(invalid(format!("conversation {} is there twice", done.id)));
        }
        verified.push(done);
    }
    Ok(verified)
}

/// Every entry with its conversation's place in the contents.
fn in_archive_order(contents: &Contents) -> Vec<Tagged> {
    let conversations = contents.conversations.iter().enumerate();
    let mut entries = Vec::new();
    for (place, conversation) in conversations {
        entries.extend(conversation.parts(place, &|_| true));
    }
    entries.sort_by_key(|(_, entry)| entry.position);
    entries
}

/// What was found in one conversation's entries so far.
#[derive(Default)]
struct Findings {
    base_state: Option<BaseStateFindings>,
    /// By their places in the log.
    events: Vec<Found>,
}

/// The findings in a conversation's `base_state.json`.
struct BaseStateFindings {
    id: ConversationId,
    leaf_event_id: Option<String>,
    warnings: Vec<String>,
}

/// The findings in an event's file.
#[derive(Clone, Default)]
struct Found {
    /// What is wrong with it, if it is no JSON object.
    broken: Option<&'static str>,
    can_be_head: bool,
    becomes_head: bool,
    other_id: Option<Box<str>>,
    parent: Option<Box<str>>,
}

impl Findings {
    fn base_state(&mut self, conversation: &Conversation, content: Option<&[u8]>) -> Result<()> {
        let entry = conversation.entry_name(Part::BaseState);
        let read = base_state::read(content, &entry, conversation.folder)?;
        self.base_state = Some(BaseStateFindings {
            id: read.state.id(),
            leaf_event_id: read.state.leaf_event_id(),
            warnings: read.warnings,
        });
        Ok(())
    }

    fn event(&mut self, conversation: &Conversation, index: usize, content: &[u8]) {
        let Some(event) = conversation.events.get(index) else { return };
        self.events.resize(conversation.events.len(), Found::default());
        let Some(found) = self.events.get_mut(index) else { return };
        match event_text(content, &event.id) {
            EventText::Broken(why) => found.broken = Some(why),
            EventText::Sound { can_be_head, becomes_head, other_id, parent } => {
                found.can_be_head = can_be_head;
                found.becomes_head = becomes_head;
                found.other_id = other_id.map(Into::into);
                found.parent = parent.map(Into::into);
            }
        }
    }

    fn verified(mut self, conversation: &Conversation) -> Result<Verified> {
        if self.base_state.is_none() {
            self.base_state(conversation, None)?;
        }
        let Some(base_state) = self.base_state else {
            return Err(invalid(format!("there is no base_state.json in {}", conversation.prefix)));
        };
        let mut warnings = base_state.warnings;
        warnings.extend_from_slice(&conversation.warnings);
        let name = |index| conversation.entry_name(Part::Event(index));
        // A process that dies leaves its last files half written; what comes before them is sound.
        let sound = self.events.iter().rposition(|found| found.broken.is_none());
        let length = sound.map_or(0, |last| last.saturating_add(1));
        for (index, found) in self.events.iter().enumerate() {
            let Some(why) = found.broken else { continue };
            if index >= length {
                let and = "the conversation ends before it, and";
                warnings.push(format!("{} {why}; {and} {QUARANTINE}", name(index)));
            } else if matches!(why, NOT_UTF8 | UTF16) {
                return Err(invalid(format!("entry {} {why}", name(index))));
            } else {
                warnings.push(format!("{} {why}; it is kept as it is, but cannot be shown", name(index)));
            }
        }
        self.events.truncate(length);
        let mends = mends(conversation, &self.events, &mut warnings);
        let is_kept =
            |head: &String| conversation.events.iter().take(length).any(|event| event.id.as_str() == head);
        let new_leaf = match base_state.leaf_event_id.filter(|head| !is_kept(head)) {
            None => None,
            Some(lost) => {
                let last = self.events.iter().rposition(|found| found.can_be_head);
                let last =
                    last.and_then(|index| conversation.events.get(index)).map(|event| event.id.clone());
                warnings.push(format!(
                    "{} names the event {}, which is not there; the conversation stands at its last event instead",
                    conversation.entry_name(Part::BaseState),
                    shown(&lost)
                ));
                Some(last.map_or(Leaf::Unset, Leaf::Event))
            }
        };
        Ok(Verified {
            id: base_state.id,
            length: length as u64,
            new_leaf,
            mends,
            warnings: shortened(warnings),
        })
    }
}

/// What has to be changed in events so that each has the id in its file's name and follows an event before it.
fn mends(conversation: &Conversation, events: &[Found], warnings: &mut Vec<String>) -> Vec<Mend> {
    // Where each id is; those that are only inside of files as well, if no file is named after them.
    let mut places = Names::default();
    for (index, event) in conversation.events.iter().enumerate().take(events.len()) {
        places.add(event.id.as_str(), index);
    }
    for (index, found) in events.iter().enumerate() {
        if let Some(id) = &found.other_id {
            places.add(id, index);
        }
    }
    let id_at =
        |index: usize| conversation.events.get(index).map_or(ROOT_PARENT_ID, |event| event.id.as_str());
    let mut mends = Vec::new();
    // The last event that the next one would have followed, and what was found in place of lost ones.
    let mut last: Option<usize> = None;
    let mut found_for = Names::default();
    for (index, found) in events.iter().enumerate() {
        let parent = found.parent.as_deref().filter(|parent| *parent != ROOT_PARENT_ID);
        let place = parent.and_then(|parent| places.get(parent)).filter(|place| *place < index);
        let mut new_parent = None;
        match (parent, place) {
            (Some(parent), Some(place)) if id_at(place) != parent => {
                new_parent = Some(id_at(place).to_owned());
                warnings.push(format!(
                    "{} follows an event that calls itself {}; it follows it under the id in its file's name now, and \
                     the file as it was is kept under quarantine/",
                    conversation.entry_name(Part::Event(index)),
                    shown(parent)
                ));
            }
            (Some(parent), None) => {
                // Two that followed the same event still do.
                let place = found_for.get(parent).or(last);
                if let Some(place) = place {
                    found_for.add(parent, place);
                }
                new_parent = Some(place.map_or(ROOT_PARENT_ID, id_at).to_owned());
                warnings.push(format!(
                    "{} follows an event that is not there before it; it follows {}, and the file as it was is kept \
                     under quarantine/",
                    conversation.entry_name(Part::Event(index)),
                    if place.is_some() { "the one before it now" } else { "none now" }
                ));
            }
            _ => {}
        }
        if let Some(id) = &found.other_id {
            warnings.push(format!(
                "{} holds an event that calls itself {}; it has the id in its file's name now, and the file as it was \
                 is kept under quarantine/",
                conversation.entry_name(Part::Event(index)),
                shown(id)
            ));
        }
        if found.other_id.is_some() || new_parent.is_some() {
            mends.push(Mend { index, id: found.other_id.is_some(), parent: new_parent });
        }
        if found.becomes_head {
            last = Some(index);
        }
    }
    mends
}

/// How many warnings anybody reads.
const MOST_WARNINGS: usize = 100;

fn shortened(mut warnings: Vec<String>) -> Vec<String> {
    let more = warnings.len().saturating_sub(MOST_WARNINGS);
    if more > 0 {
        warnings.truncate(MOST_WARNINGS);
        warnings.push(format!("and {more} more like these"));
    }
    warnings
}
