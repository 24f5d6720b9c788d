//! What every event has: id, time, source, and its place in the tree.
//!
//! Mirrors `event/base.py`.

use crate::{
    format::tree::ROOT_PARENT_ID,
    id::EventId,
    json::{Object, ObjectWriter, string_enum},
};

/// What every event has. Field order is the SDK's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its name.
    pub id: EventId,
    /// The writer's local wall clock, no zone: `2026-01-31T09:15:02.123456`.
    pub timestamp: String,
    /// Who made it.
    pub source: Source,
    /// Which event it follows.
    pub parent: Parent,
}

/// Who made an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The model, or the agent around it.
    Agent,
    /// The user.
    User,
    /// Tools and the conversation itself.
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

/// Which event an event follows, as far as it says itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parent {
    /// It does not say: the first of its log, or from a version of the SDK that had no tree, where every event
    /// follows the one before it.
    Unset,
    /// None: it starts a branch of its own.
    Root,
    /// This one.
    Event(EventId),
    /// Something that cannot be an event's id, so that no event can be meant.
    Nowhere(Box<str>),
}

impl Head {
    /// The head in these fields. What cannot be read is as if it were missing; [`Head::is_valid`] tells.
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
            Parent::Nowhere(text) => out.field("parent_id", &**text),
        }
    }
}

impl Parent {
    fn from_text(text: String) -> Self {
        match text.parse() {
            Ok(id) => Self::Event(id),
            Err(_) if text == ROOT_PARENT_ID => Self::Root,
            Err(_) => Self::Nowhere(text.into()),
        }
    }
}
