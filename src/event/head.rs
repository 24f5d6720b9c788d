//! The fields that every event has: id, time, source, and its place in the tree.
//!
//! Mirrors `event/base.py`.

use crate::{
    format::tree::ROOT_PARENT_ID,
    id::EventId,
    json::{Object, ObjectWriter, string_enum},
};

/// The fields that every event has, in the SDK's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The id of the event.
    pub id: EventId,
    /// The writer's local time without a zone: `2026-01-31T09:15:02.123456`.
    pub timestamp: String,
    /// The originator of the event.
    pub source: Source,
    /// The event that this one follows.
    pub parent: Parent,
}

/// The originator of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The model, or the agent around it.
    Agent,
    /// The user.
    User,
    /// A tool, or the conversation itself.
    Environment,
    /// A hook.
    Hook,
}

string_enum!(Source {
    Agent = "agent",
    User = "user",
    Environment = "environment",
    Hook = "hook",
});

/// The parent that an event names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parent {
    /// No parent is named: the event is the first of its log, or was written by a version of the SDK without a tree,
    /// where each event follows the one before it.
    Unset,
    /// The event starts a new branch.
    Root,
    /// This event.
    Event(EventId),
    /// A text that is not a valid event id.
    Invalid(Box<str>),
}

impl Head {
    /// The head in these fields. Unreadable fields count as missing; [`Head::is_valid`] reports them.
    pub(super) fn read(id: EventId, fields: Option<&Object<'_>>, default_source: Option<Source>) -> Self {
        let read = |name| fields.and_then(|fields| fields.read::<String>(name));
        let source = fields.and_then(|fields| fields.read("source")).or(default_source);
        Self {
            id,
            timestamp: read("timestamp").unwrap_or_default(),
            source: source.unwrap_or(Source::Environment),
            parent: read("parent_id").map_or(Parent::Unset, Parent::from_text),
        }
    }

    /// Whether the SDK would accept these fields as a head.
    pub(super) fn is_valid(fields: &Object<'_>, default_source: Option<Source>) -> bool {
        let is_text = |name| fields.get(name).is_none() || fields.read::<String>(name).is_some();
        let parent_is_text = fields.get("parent_id") == Some("null") || is_text("parent_id");
        let has_source = match fields.get("source") {
            Some(_) => fields.read::<Source>("source").is_some(),
            None => default_source.is_some(),
        };
        has_source && parent_is_text && is_text("id") && is_text("timestamp")
    }

    pub(super) fn write(&self, out: &mut ObjectWriter) {
        out.field("id", self.id.as_str());
        out.field("timestamp", &self.timestamp);
        out.field("source", self.source.as_str());
        match &self.parent {
            Parent::Unset => {}
            Parent::Root => out.field("parent_id", ROOT_PARENT_ID),
            Parent::Event(id) => out.field("parent_id", id.as_str()),
            Parent::Invalid(text) => out.field("parent_id", &**text),
        }
    }
}

impl Parent {
    fn from_text(text: String) -> Self {
        match text.parse() {
            Ok(id) => Self::Event(id),
            Err(_) if text == ROOT_PARENT_ID => Self::Root,
            Err(_) => Self::Invalid(text.into()),
        }
    }
}
