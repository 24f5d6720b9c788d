//! What a file of another program tells, in its order and before it is a log: one vocabulary for all formats.

use super::{super::invalid, date::is_date};
use crate::{
    error::{Result, shown},
    event::{Action, ActionEvent, Body, Source, ToolDefinition},
    host::Host,
    id::EventId,
    json::{FromJson as _, Object, RawJson},
    llm::message::{Content, Message, MessageToolCall},
};

/// A conversation as it is read.
pub struct Timeline<'a> {
    /// Makes ids, and knows the time.
    host: &'a dyn Host,
    /// What happened.
    pub items: Vec<Item>,
    /// What people call it.
    pub title: Option<String>,
    /// The model that answered last.
    pub model: Option<String>,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// What was left out, in the order in which it was first met, and how often it was.
    left_out: Vec<(String, usize)>,
}

/// Something that happened.
pub struct Item {
    /// When, and where.
    pub stamp: Stamp,
    /// What it was.
    pub what: What,
}

/// What everything has.
#[derive(Clone)]
pub struct Stamp {
    /// What the event will be called.
    pub id: EventId,
    /// When, as the SDK writes it.
    pub timestamp: String,
    /// Where in the file it stands, for messages.
    pub place: String,
}

/// What happened.
pub enum What {
    /// The instructions and the tools that there were.
    Instructions(Vec<Content>, Vec<ToolDefinition>),
    /// Something was said.
    Message(Source, Message),
    /// A call. Calls of one `llm_response_id` with nothing but results in between belong to one answer.
    Call(ActionEvent),
    /// The result of a call, by the call's id.
    Result(String, Outcome),
    /// Anything else.
    Other(Source, Body),
}

/// What came of a call.
pub enum Outcome {
    /// A result.
    Content(Vec<Content>),
    /// The user did not allow it.
    Rejected(String),
    /// It failed.
    Failed(String),
}

impl<'a> Timeline<'a> {
    /// Nothing yet.
    pub fn new(host: &'a dyn Host) -> Self {
        Self { host, items: Vec::new(), title: None, model: None, warnings: Vec::new(), left_out: Vec::new() }
    }

    /// Adds what happened, and returns what its event will be called. Without a time it is that of the item before,
    /// or now.
    pub fn add(&mut self, place: &str, timestamp: Option<String>, what: What) -> EventId {
        let timestamp = timestamp
            .filter(|text| is_date(text))
            .or_else(|| self.items.last().map(|item| item.stamp.timestamp.clone()))
            .unwrap_or_else(|| self.host.local_time());
        let stamp = Stamp { id: self.new_id(), timestamp, place: place.to_owned() };
        let id = stamp.id.clone();
        self.items.push(Item { stamp, what });
        id
    }

    /// Remembers that something of this name is not taken over.
    pub fn leave_out(&mut self, what: &str) {
        match self.left_out.iter_mut().find(|(known, _)| known == what) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => self.left_out.push((what.to_owned(), 1)),
        }
    }

    /// An id that no event has.
    pub fn new_id(&self) -> EventId {
        self.host.random_uuid().into()
    }

    /// All that the user should know.
    pub fn into_warnings(self) -> Vec<String> {
        let mut warnings = self.warnings;
        if !self.left_out.is_empty() {
            let mut words = Vec::new();
            for (what, count) in self.left_out.iter().take(MOST_NAMES) {
                words.push(if *count == 1 { what.clone() } else { format!("{what} ({count} times)") });
            }
            if let Some(more) = self.left_out.len().checked_sub(MOST_NAMES).filter(|more| *more > 0) {
                words.push(format!("{more} further kinds"));
            }
            warnings.push(format!("what a conversation has no place for was left out: {}", words.join(", ")));
        }
        warnings
    }
}

/// How many names a sentence takes.
const MOST_NAMES: usize = 20;

/// A call of the tool `name`. `arguments` is the text that the model wrote; what is no JSON object cannot be executed.
/// The place is for messages.
pub fn call(
    place: &str,
    id: String,
    name: String,
    arguments: String,
    response: String,
) -> Result<ActionEvent> {
    if name.is_empty() {
        return Err(invalid(format!("{place} calls a tool without a name")));
    }
    let fields = Object::parse(&arguments);
    let text = |field| fields.as_ref().and_then(|fields| fields.read::<String>(field));
    let action = match (name.as_str(), text("message"), text("thought")) {
        ("finish", Some(message), _) => Some(Action::finish(&message)),
        ("think", _, Some(thought)) => Some(Action::think(&thought)),
        _ if fields.is_some() => RawJson::from_json(&arguments).map(|json| Action::mcp_tool(&json)),
        _ => None,
    };
    let call =
        MessageToolCall { id, responses_item_id: None, name, arguments, origin: "completion".to_owned() };
    Ok(ActionEvent::new(call, response, action))
}

/// A part with these pictures; what is no picture of the web or in the text itself is left out.
pub fn image(timeline: &mut Timeline<'_>, urls: Vec<String>) -> Option<Content> {
    let mut image_urls = Vec::new();
    for url in urls {
        let start = url.get(..8).unwrap_or(&url).to_ascii_lowercase();
        if ["http://", "https://", "data:"].iter().any(|scheme| start.starts_with(scheme)) {
            image_urls.push(url);
        } else {
            timeline.leave_out(&format!("an image at {}", shown(&url)));
        }
    }
    (!image_urls.is_empty()).then_some(Content::Image { image_urls, cache_prompt: false })
}
