//! The union of two logs of one conversation that have gone on apart. Every event names the one that it follows, so the logs are
//! trees with a common beginning, and their union is a tree: a log in which the new events of the other one are behind its own.
//!
//! Performs no I/O.

use crate::{
    format::tree::ROOT_PARENT_ID,
    id::EventId,
    json::{EditableObject, Object, members, quoted, without_constants},
};
use std::{
    collections::{HashMap, hash_map::DefaultHasher},
    hash::{Hash as _, Hasher as _},
};

/// The field with the id of the event that an event follows.
const PARENT: &str = "parent_id";

/// The fields in front of [`PARENT`] in the SDK's order.
const BEFORE_PARENT: [&str; 3] = ["id", "timestamp", "source"];

/// The events of a log, and those that are added to it.
#[derive(Default)]
pub struct Union {
    nodes: Vec<Node>,
    places: HashMap<EventId, usize>,
}

struct Node {
    id: EventId,
    parent: Option<usize>,
    content: u64,
}

/// An event of the other log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The event's place in the union.
    pub place: usize,
    /// Whether it is the same as that of the first log, or is only in the other one.
    pub is: Is,
    /// Whether its text does not name the event that it follows.
    pub lacks_parent: bool,
}

/// How an event of the other log is related to the first log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Is {
    /// The first log has it.
    Known,
    /// The first log does not have it.
    New,
    /// The first log has another event with this id.
    Different,
}

impl Union {
    /// The number of events.
    pub fn length(&self) -> usize {
        self.nodes.len()
    }

    /// The place of the first event with this id.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// The id of the event at a place.
    pub fn id(&self, place: usize) -> Option<&EventId> {
        self.nodes.get(place).map(|node| &node.id)
    }

    /// Adds the next event of the first log.
    pub fn push(&mut self, id: &EventId, text: &[u8]) {
        let place = self.nodes.len();
        let (node, _) = self.node(id, text, place.checked_sub(1));
        self.places.entry(id.clone()).or_insert(place);
        self.nodes.push(node);
    }

    /// Adds an event of the other log, if it is new. `previous` is the place of the event before it in that log.
    pub fn add(&mut self, id: &EventId, text: &[u8], previous: Option<usize>) -> Found {
        let (node, lacks_parent) = self.node(id, text, previous);
        let (place, is) = match self.place(id.as_str()) {
            Some(place) => {
                let known = self.nodes.get(place);
                let is_same =
                    known.is_some_and(|known| (known.parent, known.content) == (node.parent, node.content));
                (place, if is_same { Is::Known } else { Is::Different })
            }
            None => {
                let place = self.nodes.len();
                self.places.insert(id.clone(), place);
                self.nodes.push(node);
                (place, Is::New)
            }
        };
        Found { place, is, lacks_parent }
    }

    /// The place of the event that the one at a place follows; `None` if it begins a branch.
    pub fn parent(&self, place: usize) -> Option<usize> {
        self.nodes.get(place).and_then(|node| node.parent)
    }

    /// The text of a new event, which names the event that it follows.
    pub fn with_parent(&self, place: usize, text: &[u8]) -> Vec<u8> {
        let parent = self.parent(place).and_then(|parent| self.id(parent));
        let object = std::str::from_utf8(text).ok().and_then(|text| {
            EditableObject::parse(text).or_else(|| EditableObject::parse(&without_constants(text)?))
        });
        let Some(mut object) = object else { return text.to_vec() };
        let follows = object.iter().map(|(name, _)| name).find(|name| !BEFORE_PARENT.contains(name));
        let follows = follows.unwrap_or_default().to_owned();
        let json = quoted(parent.map_or(ROOT_PARENT_ID, EventId::as_str));
        object.set_in_order(PARENT, json.into(), &[PARENT, &follows]);
        object.text().into_bytes()
    }

    /// The event, and whether its text does not say what it follows. As in the SDK it then follows the one before it, and here
    /// also if it names none that comes before it.
    fn node(&self, id: &EventId, text: &[u8], previous: Option<usize>) -> (Node, bool) {
        let spelled;
        let text_of = std::str::from_utf8(text).unwrap_or_default();
        let (json, fields) = match members(text_of) {
            Ok(fields) => (text_of, fields),
            Err(_) => {
                spelled = without_constants(text_of).unwrap_or_default();
                (&*spelled, members(&spelled).unwrap_or_default())
            }
        };
        let named = Object::parse(json).and_then(|event| event.read::<String>(PARENT));
        let lacks_parent = named.is_none() && !fields.is_empty();
        let parent = match named.as_deref() {
            Some(ROOT_PARENT_ID) => None,
            Some(parent) => self.place(parent).or(previous),
            None => previous,
        };
        (Node { id: id.clone(), parent, content: content(text, &fields) }, lacks_parent)
    }
}

/// A number that stands for the content of an event besides its place: two events with the same number are the same.
fn content<N: AsRef<str>>(text: &[u8], fields: &[(N, &str)]) -> u64 {
    let mut hasher = DefaultHasher::new();
    if fields.is_empty() {
        text.hash(&mut hasher);
    }
    for (name, value) in fields.iter().map(|(name, value)| (name.as_ref(), value)) {
        if name != PARENT {
            (name, value).hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(letter: char) -> EventId {
        letter.to_string().repeat(8).parse().unwrap()
    }

    /// An event that follows another one, that begins a branch (`_`), or that does not say what it follows (a space).
    fn event(letter: char, parent: char) -> Vec<u8> {
        let parent = match parent {
            ' ' => String::new(),
            '_' => "\"parent_id\":\"__root__\",".to_owned(),
            parent => format!("\"parent_id\":\"{}\",", id(parent)),
        };
        format!("{{\"id\":\"{}\",\"source\":\"user\",{parent}\"kind\":\"X\"}}", id(letter)).into_bytes()
    }

    fn log(events: &str) -> Union {
        let mut union = Union::default();
        for pair in events.split(',') {
            let mut letters = pair.chars();
            let (letter, parent) = (letters.next().unwrap(), letters.next().unwrap());
            union.push(&id(letter), &event(letter, parent));
        }
        union
    }

    #[test]
    fn an_event_is_new_once_and_follows_what_it_names() {
        let mut union = log("a ,ba,cb");
        let found = union.add(&id('d'), &event('d', 'b'), Some(1));
        assert_eq!(found, Found { place: 3, is: Is::New, lacks_parent: false });
        assert_eq!(union.add(&id('d'), &event('d', 'b'), Some(1)), Found { is: Is::Known, ..found });
        assert_eq!(union.add(&id('d'), &event('d', 'c'), Some(1)).is, Is::Different);
        let other = [&event('d', 'b')[..], b" "].concat();
        assert_eq!(union.add(&id('d'), &other, Some(1)).is, Is::Known, "white space behind the object");
        assert_eq!([0, 1, 2, 3].map(|place| union.parent(place)), [None, Some(0), Some(1), Some(1)]);
    }

    #[test]
    fn a_parent_that_is_not_named_is_the_event_before_in_its_own_log() {
        let mut union = log("a ,b ,c ");
        let found = union.add(&id('d'), &event('d', ' '), Some(1));
        assert_eq!(found, Found { place: 3, is: Is::New, lacks_parent: true });
        let text = union.with_parent(3, &event('d', ' '));
        assert_eq!(String::from_utf8(text.clone()), String::from_utf8(event('d', 'b')));
        // The other device has it without the name of its parent, and this one with it.
        assert_eq!(union.add(&id('d'), &text, Some(2)).is, Is::Known);
        assert_eq!(union.add(&id('d'), &event('d', ' '), Some(1)).is, Is::Known);
        let found = union.add(&id('e'), &event('e', ' '), None);
        assert_eq!(union.with_parent(found.place, &event('e', ' ')), event('e', '_'));
    }

    #[test]
    fn numbers_that_only_python_has_and_texts_that_are_no_json_are_compared() {
        let mut union = log("a ");
        let number = |parent: &str| format!("{{\"id\":\"{}\",{parent}\"n\":NaN}}", id('b')).into_bytes();
        let found = union.add(&id('b'), &number(""), Some(0));
        let text = union.with_parent(found.place, &number(""));
        assert!(String::from_utf8_lossy(&text).contains("\"parent_id\":\"aaaaaaaa\""));
        assert_eq!(union.add(&id('b'), &text, None).is, Is::Known);
        let torn = union.add(&id('c'), b"{\"id\":", Some(1));
        assert_eq!((torn.is, torn.lacks_parent), (Is::New, false));
        assert_eq!(union.add(&id('c'), b"{\"id\":", Some(1)).is, Is::Known);
        assert_eq!(union.add(&id('c'), b"{\"i", Some(1)).is, Is::Different);
        assert_eq!(union.with_parent(torn.place, b"{\"id\":"), b"{\"id\":");
    }
}
