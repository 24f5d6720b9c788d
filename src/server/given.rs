//! Reading of what a server sends. All of it is untrusted: what cannot be read is an error, and nothing of it is stored.

use crate::{
    error::{Error, ErrorCode, Result, shown},
    event::Event,
    format::fields::STATE_FIELDS,
    id::EventId,
    json::{EditableObject, Object, elements, is_json, string_length},
};
use std::{borrow::Cow, rc::Rc};

/// The key of an update that has all fields of the state.
const FULL_STATE: &str = "full_state";

/// A text from the server.
#[derive(Clone, Copy, Debug)]
pub enum Given<'a> {
    /// A frame of `/sockets/session/{id}`, which servers have since 1.58.
    Session(&'a str),
    /// A frame of `/sockets/events/{id}`. Its events have no number, so it only tells that there is something to ask for.
    Event(&'a str),
    /// An answer to `events/search`, asked from this event on, or if the name is empty from the first.
    Page {
        /// `page_id` of the request.
        from: &'a str,
        /// The answer.
        text: &'a str,
    },
    /// The description of the conversation.
    Info {
        /// The length of the copy when it was asked for. What has changed behind that is newer.
        length: u64,
        /// The answer.
        text: &'a str,
    },
}

/// When a snapshot of the state was made.
#[derive(Clone)]
pub(super) enum Moment {
    /// It was made at this time, by the server's clock.
    Time(String),
    /// Its time is not known. It was made after the copy had this length.
    Length(u64),
}

/// One thing that a server has told.
pub(super) enum Told {
    /// The log has events up to this number, and those that were asked for follow.
    Sync { through: Option<u64> },
    /// An event of the log, with its number.
    Stored { number: u64, event: Event },
    /// Events of the log that follow each other, asked from this one on.
    Page { from: Option<EventId>, events: Vec<Event>, has_more: bool },
    /// There is an event from this time, which has to be asked for.
    Behind { time: String },
    /// All fields of the state, or those of a description.
    Snapshot { of: Moment, fields: EditableObject },
    /// A field of the state has another value, which is not in the log.
    Changed(Event),
    /// An answer begins.
    Begins { item: String, attempt: u64 },
    /// A piece of an answer.
    Piece { item: String, attempt: u64, order: u64, is_reasoning: bool, text: String },
    /// A piece of an answer of which the server tells nothing else.
    Unnumbered { time: Option<String>, text: Option<String>, reasoning: Option<String> },
    /// An answer has ended without an event.
    Aborted { item: String },
}

/// The text with small numbers as the files of a server have them. Requests and the older socket spell them as Python does:
/// `1.5e-07` for `1.5e-7`, and `1.5e-05` for `0.000015`. A text that is not JSON stays as it is.
fn respelled(text: &str) -> Cow<'_, str> {
    if !text.contains("e-0") || !is_json(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((numbers, string)) = rest.find('"').and_then(|quote| rest.split_at_checked(quote)) {
        push_numbers(&mut out, numbers);
        let (string, after) = string.split_at_checked(string_length(string)).unwrap_or((string, ""));
        out.push_str(string);
        rest = after;
    }
    push_numbers(&mut out, rest);
    Cow::Owned(out)
}

/// Adds a piece of JSON between two strings.
fn push_numbers(out: &mut String, mut text: &str) {
    while let Some((before, after)) = text.split_once("e-0") {
        let start = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let mantissa = before.strip_prefix(start).unwrap_or_default();
        text = after.trim_start_matches(|c: char| c.is_ascii_digit());
        out.push_str(start);
        match after.strip_suffix(text).unwrap_or_default() {
            "5" => {
                out.push_str("0.0000");
                out.extend(mantissa.chars().filter(|c| *c != '.'));
            }
            digits => {
                out.push_str(mantissa);
                out.push_str("e-");
                out.push_str(digits);
            }
        }
    }
    out.push_str(text);
}

/// Everything that this text tells. A frame of a kind that is not known here tells nothing.
///
/// # Errors
/// `network` for a text that is none of a server's.
pub(super) fn read(given: Given<'_>, told: &mut Vec<Told>) -> Result<()> {
    let read = match given {
        Given::Session(text) => session_frame(text),
        Given::Event(text) => event_frame(text),
        Given::Page { from, text } => page(from, &respelled(text)),
        Given::Info { length, text } => info(length, text),
    };
    told.extend(read?);
    Ok(())
}

fn session_frame(text: &str) -> Result<Option<Told>> {
    let frame = Object::parse(text).ok_or_else(|| unreadable(text))?;
    let required = || unreadable(text);
    let item = || frame.read::<String>("item_id").ok_or_else(required);
    let attempt = frame.read("attempt").unwrap_or(1);
    Ok(Some(match frame.read::<String>("type").as_deref() {
        Some("sync") => Told::Sync { through: frame.read("through_seq") },
        Some("durable") => Told::Stored {
            number: frame.read("seq").ok_or_else(required)?,
            event: event(frame.get("event").ok_or_else(required)?)?,
        },
        Some("transient") => return event_frame(frame.get("event").ok_or_else(required)?),
        Some("item_started") => Told::Begins { item: item()?, attempt },
        Some("delta") => Told::Piece {
            item: item()?,
            attempt,
            order: frame.read("order").ok_or_else(required)?,
            is_reasoning: frame.read::<String>("kind").as_deref() == Some("reasoning"),
            text: frame.read("content").unwrap_or_default(),
        },
        Some("item_aborted") => Told::Aborted { item: item()? },
        _ => return Ok(None),
    }))
}

/// Reads an event that the server sends over the socket. It may be one of the log, but has no number.
fn event_frame(text: &str) -> Result<Option<Told>> {
    let fields = Object::parse(text).ok_or_else(|| unreadable(text))?;
    let key = || fields.read::<String>("key").unwrap_or_default();
    Ok(Some(match fields.read::<String>("kind").as_deref() {
        Some("ConversationStateUpdateEvent") if key() == FULL_STATE => Told::Snapshot {
            of: Moment::Time(fields.read("timestamp").unwrap_or_default()),
            fields: fields.get("value").and_then(EditableObject::parse).ok_or_else(|| unreadable(text))?,
        },
        Some("ConversationStateUpdateEvent") => return Ok(Some(Told::Changed(event(text)?))),
        Some("StreamingDeltaEvent") => Told::Unnumbered {
            time: fields.read("timestamp"),
            text: fields.read("content"),
            reasoning: fields.read("reasoning_content"),
        },
        // The server complains with this about what a page has sent over the socket, and this one sends nothing.
        Some("ServerErrorEvent") => return Ok(None),
        Some(_) => Told::Behind { time: fields.read("timestamp").unwrap_or_default() },
        None => return Err(unreadable(text)),
    }))
}

fn page(from: &str, text: &str) -> Result<Option<Told>> {
    let fields = Object::parse(text).ok_or_else(|| unreadable(text))?;
    let items = fields.get("items").and_then(elements).ok_or_else(|| unreadable(text))?;
    let events = items.into_iter().map(event).collect::<Result<Vec<_>>>()?;
    let has_more = fields.read::<String>("next_page_id").is_some();
    Ok(Some(Told::Page { from: from.parse().ok(), events, has_more }))
}

/// The description has the fields of the state, and others.
fn info(length: u64, text: &str) -> Result<Option<Told>> {
    let mut fields = EditableObject::parse(text).ok_or_else(|| unreadable(text))?;
    fields.retain(&|name, value| STATE_FIELDS.contains(&name) && value != "null");
    // It has no field for a HEAD before the first event; an empty one says the same of a log with events.
    if fields.get("leaf_event_id").is_none() {
        fields.set("head_is_empty", "true");
    }
    Ok(Some(Told::Snapshot { of: Moment::Length(length), fields }))
}

fn event(json: &str) -> Result<Event> {
    let id: EventId = Event::id_in(json).ok_or_else(|| unreadable(json))?;
    Ok(Event::decode(id, Rc::from(json)))
}

fn unreadable(text: &str) -> Error {
    Error::new(
        ErrorCode::Network,
        format!("the agent server has sent something that cannot be read: {}", shown(text)),
    )
}
