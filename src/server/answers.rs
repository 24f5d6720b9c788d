//! The answers that a server streams, as the live events that show them. The end of an answer is its event in the log.

use crate::{id::EventId, json::ObjectWriter};

/// How many events are remembered of which only the socket, or only the answer to a request, has told.
const REMEMBERED: usize = 100;

/// The answers that are under way.
#[derive(Default)]
pub(super) struct Answers {
    open: Vec<Open>,
    /// The number of answers without a name that have ended.
    ended: u64,
    /// Events that are stored and of which the socket has not told yet: pieces that it tells before are those of their answers.
    asked: Vec<EventId>,
    /// Events of which the socket has told and that are not stored yet.
    told: Vec<EventId>,
    /// Whether something was asked for since the socket was opened. The first answer has events from before, of which it never tells.
    has_asked: bool,
}

struct Open {
    item: String,
    attempt: u64,
    /// The number of the last piece; `None` before the first.
    last: Option<u64>,
    /// Whether a piece is missing. The rest is not shown, because it would read as if it followed.
    is_lossy: bool,
}

impl Answers {
    /// An answer begins, or begins anew.
    pub fn begin(&mut self, item: String, attempt: u64) {
        self.end(&item);
        self.open.push(Open { item, attempt, last: None, is_lossy: false });
    }

    /// The live event that shows this piece; none if one before it is missing.
    pub fn piece(
        &mut self,
        item: &str,
        attempt: u64,
        order: u64,
        is_reasoning: bool,
        text: &str,
    ) -> Option<String> {
        // One that began before the socket was open has lost its beginning.
        let open = self.open.iter_mut().find(|open| open.item == item && open.attempt == attempt)?;
        let follows = open.last.is_none_or(|last| last.saturating_add(1) == order);
        open.is_lossy |= !follows;
        open.last = Some(order);
        let (content, reasoning) = if is_reasoning { (None, Some(text)) } else { (Some(text), None) };
        (!open.is_lossy).then(|| shown(&named(item, attempt), content, reasoning))
    }

    /// The live event of a piece that has no number; none if its answer is stored already.
    pub fn unnumbered(&self, text: Option<&str>, reasoning: Option<&str>) -> Option<String> {
        let has_text = [text, reasoning].into_iter().flatten().any(|text| !text.is_empty());
        let is_late = !self.asked.is_empty();
        (has_text && !is_late).then(|| shown(&format!("answer-{}", self.ended), text, reasoning))
    }

    /// These events of the agent were stored because they were asked for.
    pub fn asked<'a>(&mut self, events: impl Iterator<Item = &'a EventId>) {
        if !std::mem::replace(&mut self.has_asked, true) {
            return;
        }
        for event in events {
            self.note_asked(event);
        }
    }

    fn note_asked(&mut self, event: &EventId) {
        match self.told.iter().position(|told| told == event) {
            Some(place) => drop(self.told.remove(place)),
            None => remember(&mut self.asked, event),
        }
    }

    /// The socket has told of an event.
    pub fn told(&mut self, event: &EventId) {
        self.ended += 1;
        match self.asked.iter().position(|asked| asked == event) {
            Some(place) => drop(self.asked.remove(place)),
            None => remember(&mut self.told, event),
        }
    }

    /// An answer has ended without an event.
    pub fn end(&mut self, item: &str) {
        self.open.retain(|open| open.item != item);
    }

    /// Nothing is known of what is under way: the socket is a new one.
    pub fn forget(&mut self) {
        self.open.clear();
        self.has_asked = false;
        self.asked.clear();
        self.told.clear();
        self.ended += 1;
    }
}

/// Another attempt is another answer for those who show it, as it is where the loop runs here.
fn named(item: &str, attempt: u64) -> String {
    match attempt {
        0 | 1 => item.to_owned(),
        more => format!("{item}-{more}"),
    }
}

fn remember(events: &mut Vec<EventId>, event: &EventId) {
    if events.len() == REMEMBERED {
        events.remove(0);
    }
    if !events.contains(event) {
        events.push(event.clone());
    }
}

fn shown(id: &str, content: Option<&str>, reasoning: Option<&str>) -> String {
    let mut event = ObjectWriter::new();
    event.field("kind", "StreamingDeltaEvent");
    event.field("message_id", id);
    event.optional("content", &content.map(str::to_owned));
    event.optional("reasoning_content", &reasoning.map(str::to_owned));
    event.finish()
}
