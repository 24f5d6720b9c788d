//! Events of the SDK as a list or as lines: what a server's page of events has, or what OpenHands' command line prints. They are
//! stored as they are.

use super::{
    folder::{Folder, minimal_state},
    timeline::Timeline,
};
use crate::{
    event::{Body, Event},
    format::tree::Leaf,
    id::{ConversationId, EventId},
    json::Object,
};
use std::{collections::HashSet, rc::Rc};

/// The events of a file.
pub struct Events {
    events: Vec<(EventId, Rc<str>)>,
}

/// Whether these are events of the SDK: objects that name a kind that it has. Those of V0 name none.
pub fn are_events(list: &[&str]) -> bool {
    let kind = |text: &&str| Object::parse(text)?.read::<String>("kind");
    let mut kinds = list.iter().map(kind);
    kinds.any(|kind| kind.is_some_and(|kind| Body::KINDS.contains(&kind.as_str())))
}

impl Events {
    /// Reads a list of events. What has no id, or one that was there before, is left out.
    pub fn read(timeline: &mut Timeline<'_>, list: &[&str]) -> Self {
        let mut ids = HashSet::new();
        let mut events = Vec::new();
        for text in list {
            match Event::id_in(text) {
                None => timeline.leave_out("what has no id of an event"),
                Some(id) if !ids.insert(id.clone()) => timeline.leave_out("an event that occurs again"),
                Some(id) => events.push((id, (*text).into())),
            }
        }
        Self { events }
    }

    /// The directory of a conversation with these events.
    pub fn folder(self, id: ConversationId) -> Folder {
        let mut state = minimal_state(id, None);
        state.set_leaf(&Leaf::Unset);
        Folder::of(&state, self.events)
    }
}
