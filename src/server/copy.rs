//! The copy of one conversation, and what is written to it.

use super::{
    answers::Answers,
    given::{Given, Moment, Told, read},
    mark::Mark,
};
use crate::{
    archive::masked,
    context::beginning::note_beginning,
    error::{Error, ErrorCode, Result, shown},
    event::{Body, Event, Source},
    fair_mutex::FairMutex,
    format::{
        base_state::BaseState,
        fields::STATE_FIELDS,
        server_mark::SERVER,
        tree::{Leaf, becomes_head},
    },
    host::Host,
    id::{ConversationId, EventId},
    json::EditableObject,
    store::{Commit, Durability, Store, StoreError, WriterNumber},
};
use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
    rc::Rc,
};

/// How often a commit is tried while other pages write the same copy.
pub(super) const ATTEMPTS: usize = 100;

/// The names of this library's own fields begin like this. Nobody else sets them.
const OWN: &str = "threadkeep_";

/// How many events that came too early are kept.
const MOST_EARLY: usize = 1_000;

/// The most events of a page: so many `js/conversation/server/link.ts` asks for.
const MOST_IN_PAGE: usize = 100;

/// The most events of a copy. A server that never stops would fill the disk.
const MOST_EVENTS: u64 = 250_000;

/// The copy of a conversation of an agent server.
pub struct ServerCopy {
    id: ConversationId,
    /// The address of the server.
    pub(super) server: String,
    pub(super) store: Rc<dyn Store>,
    pub(super) host: Rc<dyn Host>,
    pub(super) turns: FairMutex,
    /// The stored copy as it was last; `None` if it has to be read.
    pub(super) known: RefCell<Option<Known>>,
    answers: RefCell<Answers>,
    /// The ids of the events that this page has stored.
    ids: RefCell<BTreeSet<EventId>>,
    /// Events that have arrived too early: one with a smaller number is still missing.
    early: RefCell<Vec<(u64, Event)>>,
    /// The number of the next event when the socket was opened.
    expected: Cell<u64>,
    /// The last event that the server reads from its disk for this socket, in the order of their numbers.
    replayed: Cell<Option<u64>>,
    /// Where the fields of the state were changed last, so that an older snapshot does not bring back what they were.
    changed: RefCell<Vec<LastChange>>,
    /// When the last whole state was made.
    latest: RefCell<Option<Moment>>,
}

/// The last change of a field by an event of the log.
struct LastChange {
    /// The name of the field; that of HEAD is empty.
    name: String,
    /// The time of the change, by the server's clock.
    time: String,
    /// The number of the event in the copy.
    number: u64,
}

/// The stored copy.
#[derive(Clone)]
pub(super) struct Known {
    pub length: u64,
    pub last: Option<EventId>,
    pub created_at: Option<f64>,
    pub writer: Option<u64>,
    /// `None` as long as nothing is stored.
    pub state: Option<BaseState>,
    pub mark: Mark,
}

impl Known {
    /// The number that the next event has on the server.
    fn number(&self) -> u64 {
        self.length.saturating_add(self.mark.skipped)
    }
}

/// The duties of a page after it has passed something in.
#[derive(Debug, Default, PartialEq)]
pub struct Taken {
    /// The live events that are not in the log, as JSON.
    pub live: Vec<String>,
    /// Whether the server has more events, which have to be asked for.
    pub is_behind: bool,
    /// Whether an event is missing between others, so that the socket has to be opened again if it does not come soon.
    pub has_gap: bool,
    /// Whether the whole state came, as at the end of each run.
    pub is_snapshot: bool,
    /// Whether the log has told of another status since the last whole state was made, so that another one follows.
    pub is_outdated: bool,
}

impl ServerCopy {
    /// The copy of this conversation of the server at this address.
    pub fn new(store: Rc<dyn Store>, host: Rc<dyn Host>, id: ConversationId, server: &str) -> Self {
        Self {
            id,
            server: server.to_owned(),
            store,
            host,
            turns: FairMutex::default(),
            known: RefCell::default(),
            answers: RefCell::default(),
            ids: RefCell::default(),
            early: RefCell::default(),
            expected: Cell::default(),
            replayed: Cell::default(),
            changed: RefCell::default(),
            latest: RefCell::default(),
        }
    }

    /// Reads it. It need not exist yet.
    ///
    /// # Errors
    /// `invalid_state` if a conversation with this id is stored that is no copy, or that of another server; those of the store.
    pub async fn open(&self) -> Result<()> {
        let known = self.load().await?;
        self.known.replace(Some(known));
        Ok(())
    }

    /// The conversation.
    pub fn id(&self) -> ConversationId {
        self.id
    }

    /// The last event of the copy, from which the next page is asked for.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn last(&self) -> Result<Option<EventId>> {
        Ok(self.read_known().await?.last)
    }

    /// The number on the server behind which a socket is to send everything. The last known event is sent again, so that a log
    /// that is another one is noticed.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn cursor(&self) -> Result<i64> {
        let known = self.read_known().await?;
        self.expected.set(known.number());
        Ok(i64::try_from(known.number()).unwrap_or(i64::MAX).saturating_sub(2).max(-1))
    }

    /// A new socket is about to be opened: nothing is known of what is under way.
    pub fn reconnect(&self) {
        self.answers.borrow_mut().forget();
        self.early.borrow_mut().clear();
        self.replayed.set(None);
    }

    /// Stores what the server has told, in one transaction. Passing in the same again changes nothing.
    ///
    /// # Errors
    /// `network` for what cannot be read or does not fit together, `invalid_state` if the server's log is not the one that was
    /// copied, `too_large` for a log that has no end, and those of the store. Nothing is stored then.
    pub async fn take(&self, given: &[Given<'_>]) -> Result<Taken> {
        let mut told = Vec::new();
        for given in given {
            read(*given, &mut told)?;
        }
        let _turn = self.turns.lock().await;
        let taken = self.note(&told);
        let mut left = ATTEMPTS;
        let has_gap = loop {
            let known = self.read_known().await?;
            self.known.replace(None);
            let Changed { known: next, events, has_gap } = self.apply(known.clone(), &told)?;
            self.ensure_new(&known, &events).await?;
            let ids: Vec<_> = events.iter().map(|event| event.id().clone()).collect();
            // Relaxed, because whatever is lost with the page can be read from the server again.
            match self.commit(&known, next, events, Durability::Relaxed).await {
                Ok(known) => {
                    self.known.replace(Some(known));
                    self.ids.borrow_mut().extend(ids);
                    break has_gap;
                }
                Err(StoreError::Conflict { .. }) if left > 0 => left -= 1,
                Err(error) => return Err(error.into()),
            }
        };
        let is_outdated =
            self.latest.borrow().as_ref().is_some_and(|of| self.is_newer("execution_status", of));
        Ok(Taken { has_gap, is_outdated, ..taken })
    }

    /// Whether none of these events, which are to follow the log, is in it or comes twice. Otherwise what is built on an id, such as a
    /// branch, would mean several events.
    async fn ensure_new(&self, known: &Known, events: &[Event]) -> Result<()> {
        let mut new = BTreeSet::new();
        // The store is not asked for each event of a long log that this page has copied from its beginning.
        let has_all = self.ids.borrow().len() as u64 == known.length;
        for event in events {
            let id = event.id();
            let is_known = if has_all {
                self.ids.borrow().contains(id)
            } else {
                // Another page may have stored it a moment ago, which is no mistake.
                self.store.index_of(self.id, id).await?.is_some_and(|place| place < known.length)
            };
            if is_known || !new.insert(id) {
                return Err(nonsense(&format!("the event {} twice", shown(id.as_str()))));
            }
        }
        Ok(())
    }

    /// Takes note of everything that is not stored.
    fn note(&self, told: &[Told]) -> Taken {
        let answers = &mut *self.answers.borrow_mut();
        let mut taken = Taken::default();
        for told in told {
            match told {
                Told::Sync { through } => self.replayed.set(*through),
                Told::Stored { event, .. } => answers.end(event.id().as_str()),
                Told::Page { events, has_more, .. } => {
                    taken.is_behind |= *has_more;
                    for event in events.iter().filter(|event| event.source() == Source::Agent) {
                        answers.stored(event.timestamp());
                    }
                }
                Told::Behind { time } => {
                    taken.is_behind = true;
                    answers.told(time);
                }
                // The change comes without a number: it may be an event of the log, which then has to be asked for.
                Told::Changed(_) => taken.is_behind = true,
                Told::Snapshot { .. } => taken.is_snapshot = true,
                Told::Begins { item, attempt } => answers.begin(item.clone(), *attempt),
                Told::Piece { item, attempt, order, is_reasoning, text } => {
                    taken.live.extend(answers.piece(item, *attempt, *order, *is_reasoning, text));
                }
                Told::Unnumbered { time, text, reasoning } => {
                    let piece = answers.unnumbered(time.as_deref(), text.as_deref(), reasoning.as_deref());
                    taken.live.extend(piece);
                }
                Told::Aborted { item } => answers.end(item),
            }
        }
        taken
    }

    async fn read_known(&self) -> Result<Known> {
        let known = self.known.borrow().clone();
        match known {
            Some(known) if known.state.is_some() => Ok(known),
            // Another page of this app may have begun the copy.
            _ => self.load().await,
        }
    }

    pub(super) async fn load(&self) -> Result<Known> {
        let Some(listing) = self.store.load(self.id).await? else {
            self.ids.borrow_mut().clear();
            let (writer, mark) = (Some(0), Mark::new(&self.server));
            return Ok(Known { length: 0, last: None, created_at: None, writer, state: None, mark });
        };
        let state = BaseState::parse(&listing.base_state)?;
        let mark: EditableObject =
            state.field(SERVER).and_then(|mark| mark.read()).ok_or_else(|| self.no_copy())?;
        let mark = Mark::read(&mark);
        if mark.host != self.server {
            let text = format!(
                "this conversation is a copy of one on the agent server {}; open it with that server",
                shown(&mark.host)
            );
            return Err(Error::new(ErrorCode::InvalidState, text));
        }
        let end = listing.length;
        let last = self.store.events(self.id, end.saturating_sub(1)..end).await?.pop();
        Ok(Known {
            length: end,
            last: last.map(|event| event.id),
            created_at: Some(listing.created_at),
            writer: listing.writer,
            mark,
            state: Some(state),
        })
    }

    fn no_copy(&self) -> Error {
        let text = "a conversation with this id is stored here and runs here; open it without a server, or give the one on the server another id";
        Error::new(ErrorCode::InvalidState, text)
    }

    fn apply(&self, mut known: Known, told: &[Told]) -> Result<Changed> {
        let mut events = Vec::new();
        for told in told {
            match told {
                // A server that was set up anew, or from an older backup, has fewer events.
                Told::Sync { through }
                    if through.map_or(0, |through| through.saturating_add(1)) < self.expected.get() =>
                {
                    return Err(diverged());
                }
                Told::Stored { number, event } => self.place(&mut known, &mut events, *number, event)?,
                Told::Page { from, events: page, has_more } => {
                    if page.len() > MOST_IN_PAGE {
                        return Err(nonsense(&format!("a page of {} events", page.len())));
                    }
                    // Asking for the next page would be the same question again, without an end.
                    if *has_more && page.len() <= usize::from(from.is_some()) {
                        return Err(nonsense("a page without events that is not the last one"));
                    }
                    for event in Self::new_events(&known, from.as_ref(), page)? {
                        self.append(&mut known, &mut events, event);
                    }
                }
                Told::Snapshot { of, fields } => {
                    self.take_snapshot(&mut known, of, fields)?;
                    self.latest.replace(Some(of.clone()));
                    known.mark.moving = false;
                }
                // The socket tells of it without its number; a page that was asked for may have been faster.
                Told::Changed(event) if self.is_known_change(event) => {}
                Told::Changed(event) => self.take_change(&mut known, event),
                _ => {}
            }
        }
        if known.length > MOST_EVENTS {
            return Err(too_long());
        }
        let has_gap = !self.early.borrow().is_empty();
        Ok(Changed { known, events, has_gap })
    }

    /// Appends an event at its number, and those that have come before it.
    fn place(&self, known: &mut Known, events: &mut Vec<Event>, number: u64, event: &Event) -> Result<()> {
        let next = known.number();
        if number > MOST_EVENTS {
            return Err(too_long());
        }
        if number + 1 == next && known.last.as_ref() != Some(event.id()) {
            return Err(diverged());
        }
        if number < next {
            return Ok(());
        }
        // An event that is missing between those from the server's disk cannot be read there either.
        let is_replayed = self.replayed.get().is_some_and(|through| number <= through);
        let early = &mut *self.early.borrow_mut();
        if number > next && !is_replayed {
            if early.len() < MOST_EARLY && early.iter().all(|(known, _)| *known != number) {
                early.push((number, event.clone()));
            }
            return Ok(());
        }
        known.mark.skipped += number - next;
        self.append(known, events, event);
        while let Some(place) = early.iter().position(|(number, _)| *number <= known.number()) {
            let (number, event) = early.swap_remove(place);
            if number == known.number() {
                self.append(known, events, &event);
            }
        }
        Ok(())
    }

    /// The events of a page that the copy does not have. A page begins with the event from which it was asked for.
    fn new_events<'a>(known: &Known, from: Option<&EventId>, page: &'a [Event]) -> Result<&'a [Event]> {
        if from.is_some() && page.first().map(Event::id) != from {
            return Err(diverged());
        }
        let Some(last) = &known.last else { return Ok(page) };
        // Without the last one, another page of this app has gone on meanwhile.
        let place = page.iter().position(|event| event.id() == last);
        Ok(place.and_then(|place| page.get(place + 1..)).unwrap_or_default())
    }

    fn append(&self, known: &mut Known, events: &mut Vec<Event>, event: &Event) {
        if let Some(state) = &mut known.state {
            note_beginning(state, &*self.host, known.length, [event]);
            if becomes_head(event.kind()) {
                state.set_leaf(&Leaf::Event(event.id().clone()));
                self.note_change("", event.timestamp(), known.length);
            }
            if let (Source::User, Body::MessageEvent(message)) = (event.source(), event.body()) {
                state.set_last_user_message_id(Some(event.id()));
                known.mark.arrived(known.length, event.id(), message);
            }
        }
        self.take_change(known, event);
        known.length += 1;
        known.last = Some(event.id().clone());
        events.push(event.clone());
    }

    /// Changes the field that this event names.
    fn take_change(&self, known: &mut Known, event: &Event) {
        let (Body::ConversationStateUpdateEvent(update), Some(state)) = (event.body(), &mut known.state)
        else {
            return;
        };
        // Other keys are no fields of the state, or those of this library, which nobody else writes. The id does not change.
        if update.key != "id" && STATE_FIELDS.contains(&&*update.key) {
            state.set_field(&update.key, update.value.as_ref());
            self.note_change(&update.key, event.timestamp(), known.length);
        }
    }

    fn take_snapshot(&self, known: &mut Known, of: &Moment, fields: &EditableObject) -> Result<()> {
        let mut fields = fields.clone();
        fields.retain(&|name, _| !name.starts_with(OWN));
        let text = fields.text();
        let (text, _) = masked(&text).map_err(|error| {
            Error::new(
                ErrorCode::Network,
                format!("the state on the agent server cannot be read: {}", error.message()),
            )
        })?;
        let mut snapshot = BaseState::read(&text)
            .map_err(|why| Error::new(ErrorCode::Network, format!("the state on the agent server {why}")))?;
        if snapshot.id() != self.id {
            let text =
                format!("the agent server has sent the state of another conversation, {}", snapshot.id());
            return Err(Error::new(ErrorCode::IdMismatch, text));
        }
        if let Some(old) = &known.state {
            let mut kept = Vec::new();
            old.differences(&snapshot, &mut |name, value| {
                // A snapshot without a time is a description of the conversation: it leaves out some fields of the state, and
                // shows the agent in another form.
                let is_other = matches!(of, Moment::Length(_)) && (value.is_none() || name == "agent");
                if is_other || self.is_newer(name, of) || name.starts_with(OWN) {
                    kept.push(name.to_owned());
                }
            });
            for name in kept {
                snapshot.set_field(&name, old.field(&name).as_ref());
            }
            if let Some(beginning) = old.beginning() {
                snapshot.set_beginning(&beginning);
            }
            if self.is_newer("", of) {
                snapshot.set_leaf(&old.leaf());
            }
        }
        known.state = Some(snapshot);
        Ok(())
    }

    fn note_change(&self, name: &str, time: &str, number: u64) {
        let changed = &mut *self.changed.borrow_mut();
        let known = changed.iter().position(|last| last.name == name);
        let last = known.map(|place| changed.swap_remove(place));
        // Changes are not always stored in the order of their times, so the latest time counts.
        let time = last.map_or("".to_owned(), |last| last.time).max(time.to_owned());
        changed.push(LastChange { name: name.to_owned(), time, number });
    }

    /// Whether the field that this event names was changed by it already, or by a later one.
    fn is_known_change(&self, event: &Event) -> bool {
        let Body::ConversationStateUpdateEvent(update) = event.body() else { return false };
        let changed = self.changed.borrow();
        changed.iter().any(|last| *last.name == *update.key && *last.time >= *event.timestamp())
    }

    /// Whether the field was changed after this moment. Times of one server have the same form.
    fn is_newer(&self, name: &str, than: &Moment) -> bool {
        let is_after = |last: &LastChange| match than {
            Moment::Time(time) => last.time > *time,
            Moment::Length(length) => last.number >= *length,
        };
        self.changed.borrow().iter().any(|last| last.name == name && is_after(last))
    }

    pub(super) async fn commit(
        &self,
        before: &Known,
        mut next: Known,
        events: Vec<Event>,
        durability: Durability,
    ) -> std::result::Result<Known, StoreError> {
        let state = match &mut next.state {
            Some(state) => state,
            None if events.is_empty() => return Ok(next),
            // The description comes first, unless the copy was deleted meanwhile.
            None => return Err(StoreError::Lost),
        };
        state.set_field(SERVER, Some(&next.mark.json()));
        let has_changed = before.state.as_ref() != Some(state);
        if !has_changed && events.is_empty() {
            return Ok(next);
        }
        let at = self.host.now();
        let writer = next.writer.map(|expected| WriterNumber { expected, next: expected + 1 });
        let commit = Commit {
            created_at: next.created_at,
            writer,
            events: events.iter().map(|event| (event.id().clone(), event.json().clone())).collect(),
            base_state: has_changed.then(|| state.json()),
            durability,
            ..Commit::new(before.length, at)
        };
        self.store.commit(self.id, commit).await?;
        next.created_at = next.created_at.or(Some(at));
        next.writer = writer.map(|writer| writer.next);
        Ok(next)
    }
}

struct Changed {
    known: Known,
    events: Vec<Event>,
    has_gap: bool,
}

/// The error about a server that has sent this, which no server does.
fn nonsense(sent: &str) -> Error {
    Error::new(ErrorCode::Network, format!("the agent server has sent {sent}"))
}

fn too_long() -> Error {
    let text =
        format!("the log on the agent server has more than {MOST_EVENTS} events, the most that are copied");
    Error::new(ErrorCode::TooLarge, text)
}

fn diverged() -> Error {
    Error::new(
        ErrorCode::InvalidState,
        "the log on the agent server is not the one that was copied; delete the copy, or export it first, and open the conversation again",
    )
}
