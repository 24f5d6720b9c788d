//! The first pass: every content is read and checked, and nothing is stored.

use super::{
    Archive, base_state,
    contents::{Contents, Conversation, Part},
    event_text::{EventText, event_text},
    invalid,
    reading::{self, Tagged},
};
use crate::{
    error::{Result, shown},
    id::{ConversationId, EventId},
    names::Names,
    order,
};

/// What a conversation of an archive amounts to.
#[derive(Debug)]
pub struct Verified {
    /// Whose it is.
    pub id: ConversationId,
    /// How many events of the log are kept; those after them are set aside.
    pub length: u64,
    /// Where the conversation stands instead, if the event that it stands at is not among those kept.
    pub head: Head,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// The head of a conversation, as an import leaves it.
#[derive(Debug)]
pub enum Head {
    /// As it is in `base_state.json`.
    Kept,
    /// At the last event that the SDK would take for it, or at none.
    Moved(Option<EventId>),
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
            group.into_iter().partition(|((_, part), _)| matches!(part, Part::File(_)));
        reading::read(archive, &rest, &name, &mut |(place, part), content| {
            let (Some(conversation), Some(found)) =
                (contents.conversations.get(place), findings.get_mut(place))
            else {
                return Ok(());
            };
            match part {
                Part::BaseState => found.base_state(conversation, content),
                Part::Event(index) => found.event(conversation, index, content),
                Part::File(_) => Ok(()),
            }
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
    order::by_key(entries, |(_, entry)| order::number(entry.position as u64))
}

/// What was found in one conversation's entries so far.
#[derive(Default)]
struct Findings {
    base_state: Option<base_state::BaseState>,
    /// Events that are no JSON object, as they were read; whether each is at least text.
    broken: Vec<(usize, bool)>,
    /// The last sound event that a conversation can stand at.
    head: Option<usize>,
}

impl Findings {
    fn base_state(&mut self, conversation: &Conversation, content: &[u8]) -> Result<()> {
        let entry = conversation.entry_name(Part::BaseState);
        let mut read = base_state::read(content, &entry, conversation.folder)?;
        read.text = String::new();
        self.base_state = Some(read);
        Ok(())
    }

    fn event(&mut self, conversation: &Conversation, index: usize, content: &[u8]) -> Result<()> {
        let Some((id, _)) = conversation.events.get(index) else { return Ok(()) };
        match event_text(content, id) {
            EventText::Sound { can_be_head: true } => self.head = self.head.max(Some(index)),
            EventText::Sound { can_be_head: false } => {}
            EventText::Broken => self.broken.push((index, true)),
            EventText::NotUtf8 => self.broken.push((index, false)),
            EventText::OtherId(found) => {
                return Err(invalid(format!(
                    "entry {} holds an event with another id, {}",
                    conversation.entry_name(Part::Event(index)),
                    shown(&found)
                )));
            }
        }
        Ok(())
    }

    fn verified(self, conversation: &Conversation) -> Result<Verified> {
        let Some(base_state) = self.base_state else {
            return Err(invalid(format!("there is no base_state.json in {}", conversation.prefix)));
        };
        let mut warnings = base_state.warnings;
        let name = |index| conversation.entry_name(Part::Event(index));
        // A process that dies leaves its last files half written; what comes before them is sound.
        let mut broken = order::by_key(self.broken, |(index, _)| order::number(*index as u64));
        let mut length = conversation.events.len();
        while broken.last().is_some_and(|(index, _)| index.checked_add(1) == Some(length)) {
            broken.pop();
            length -= 1;
        }
        for index in length..conversation.events.len() {
            warnings.push(format!(
                "{} is empty or breaks off; the conversation ends before it, and the file is kept under set-aside/",
                name(index)
            ));
        }
        for (index, is_text) in broken {
            if !is_text {
                return Err(invalid(format!("entry {} is not UTF-8 text", name(index))));
            }
            warnings.push(format!(
                "{} is not a JSON object; it is kept as it is, but cannot be shown",
                name(index)
            ));
        }
        let is_kept =
            |head: &String| conversation.events.iter().take(length).any(|(id, _)| id.as_str() == head);
        let head = match base_state.head.filter(|head| !is_kept(head)) {
            None => Head::Kept,
            Some(lost) => {
                let last =
                    self.head.and_then(|index| conversation.events.get(index)).map(|(id, _)| id.clone());
                warnings.push(format!(
                    "{} names the event {}, which is not there; the conversation stands at its last event instead",
                    conversation.entry_name(Part::BaseState),
                    shown(&lost)
                ));
                Head::Moved(last)
            }
        };
        Ok(Verified { id: base_state.id, length: length as u64, head, warnings })
    }
}
