//! The mark of a copy, with everything that the server does not know: see [`crate::format::server_mark`].

use crate::{
    event::{Event, MessageEvent},
    format::server_mark::{ARRIVED, BEGUN, HOST, MESSAGE, MOVING, OUTBOX, RUNS, SINCE, SKIPPED, UNLOGGED},
    id::EventId,
    json::{EditableObject, FromJson, Object, RawJson, ToJson, object},
    llm::message::{Content, Message},
};

/// How many messages that have arrived are remembered, so that each page learns their ids.
const MOST_ARRIVED: usize = 20;

/// The content of the mark.
#[derive(Clone, Debug, Default)]
pub(super) struct Mark {
    pub host: String,
    pub moving: bool,
    pub skipped: u64,
    pub outbox: Vec<Kept>,
    pub begun: Vec<String>,
}

/// A message of the outbox.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub event: RawJson,
    pub since: Option<u64>,
    pub runs: bool,
    /// The server has taken it and not logged it. It is not sent again by itself, because each attempt could be another message there.
    pub unlogged: bool,
    pub arrived: Option<EventId>,
}

impl Mark {
    /// The mark of a copy that has just begun: only the server's address is known.
    pub fn new(host: &str) -> Self {
        Self { host: host.to_owned(), ..Self::default() }
    }

    pub fn read(mark: &EditableObject) -> Self {
        Self {
            host: mark.read(HOST).unwrap_or_default(),
            moving: mark.read(MOVING).unwrap_or_default(),
            skipped: mark.read(SKIPPED).unwrap_or_default(),
            outbox: mark.read(OUTBOX).unwrap_or_default(),
            begun: mark.read(BEGUN).unwrap_or_default(),
        }
    }

    pub fn json(&self) -> RawJson {
        let mark = object! {
            HOST: self.host,
            MOVING?: self.moving.then_some(true),
            SKIPPED?: Some(self.skipped).filter(|skipped| *skipped > 0),
            OUTBOX?: Some(&*self.outbox).filter(|outbox| !outbox.is_empty()),
            BEGUN?: Some(&*self.begun).filter(|begun| !begun.is_empty()),
        };
        mark.into()
    }

    /// Takes note of a message of the user that is in the log, at this position.
    pub fn arrived(&mut self, position: u64, id: &EventId, message: &MessageEvent) {
        let text = message.llm_message.text();
        self.begun.retain(|action| !text.contains(&**action));
        let is_it = |kept: &Kept| {
            kept.arrived.is_none()
                && kept.since.is_some_and(|since| since <= position)
                && is_same(&message.llm_message, &kept.content())
        };
        let Some(kept) = self.outbox.iter_mut().find(|kept| is_it(kept)) else { return };
        kept.arrived = Some(id.clone());
        kept.unlogged = false;
        let arrived = self.outbox.iter().filter(|kept| kept.arrived.is_some()).count();
        let mut surplus = arrived.saturating_sub(MOST_ARRIVED);
        self.outbox.retain(|kept| {
            let is_dropped = surplus > 0 && kept.arrived.is_some();
            surplus -= usize::from(is_dropped);
            !is_dropped
        });
    }
}

impl Kept {
    /// A message that was not sent yet.
    pub fn new(event: &Event) -> Option<Self> {
        Some(Self {
            event: RawJson::parse(event.json())?,
            since: None,
            runs: false,
            unlogged: false,
            arrived: None,
        })
    }

    /// Whether it is to be sent, or was and is expected in the log.
    pub fn is_due(&self) -> bool {
        self.arrived.is_none() && !self.unlogged
    }

    pub fn id(&self) -> Option<EventId> {
        Event::id_in(self.event.as_str())
    }

    /// The parts of the message.
    pub fn content(&self) -> Vec<Content> {
        self.event
            .field::<RawJson>("llm_message")
            .and_then(|message| message.field("content"))
            .unwrap_or_default()
    }
}

impl FromJson for Kept {
    fn from_json(json: &str) -> Option<Self> {
        let fields = Object::parse(json)?;
        Some(Self {
            event: fields.read(MESSAGE)?,
            since: fields.read(SINCE),
            runs: fields.read(RUNS).unwrap_or_default(),
            unlogged: fields.read(UNLOGGED).unwrap_or_default(),
            arrived: fields.read::<String>(ARRIVED).and_then(|id| id.parse().ok()),
        })
    }
}

impl ToJson for Kept {
    fn write_json(&self, out: &mut String) {
        let kept = object! {
            MESSAGE: self.event,
            SINCE?: self.since,
            RUNS?: self.runs.then_some(true),
            UNLOGGED?: self.unlogged.then_some(true),
            ARRIVED?: self.arrived.as_ref().map(EventId::as_str),
        };
        kept.write_json(out);
    }
}

/// Whether the message says the same. A server adds marks for the cache of a model.
fn is_same(message: &Message, content: &[Content]) -> bool {
    let part = |one: &Content, other: &Content| match (one, other) {
        (Content::Image { image_urls: one, .. }, Content::Image { image_urls: other, .. }) => one == other,
        _ => one.as_text().is_some() && one.as_text() == other.as_text(),
    };
    message.content.len() == content.len()
        && message.content.iter().zip(content).all(|(one, other)| part(one, other))
}
