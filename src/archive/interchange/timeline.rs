//! The content of a file of another program, in its order: the common intermediate form of all formats.

use super::{super::invalid, date::is_date};
use crate::{
    error::{Result, shown},
    event::{Action, ActionEvent, Body, Source, ToolDefinition},
    host::{self, Host},
    id::EventId,
    json::{FromJson as _, Object, RawJson},
    llm::message::{Content, Message, MessageToolCall},
};

/// A conversation that is being read.
pub struct Timeline<'a> {
    /// The source of ids and of the current time.
    host: &'a dyn Host,
    /// The items, in the order of the file.
    pub items: Vec<Item>,
    /// The title.
    pub title: Option<String>,
    /// The model that answered last.
    pub model: Option<String>,
    /// The last item of the branch that was shown; `None` for the last of all.
    pub leaf: Option<EventId>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// Kinds of content that were not imported, in the order of their first occurrence, and how often they occurred.
    left_out: Vec<(String, usize)>,
}

/// An item of a timeline.
pub struct Item {
    /// The id, the time and the position.
    pub stamp: Stamp,
    /// The kind and content.
    pub kind: ItemKind,
}

/// The data that all items have.
#[derive(Clone)]
pub struct Stamp {
    /// The id for the event.
    pub id: EventId,
    /// The time, in the SDK's form.
    pub timestamp: String,
    /// The path in the file, for messages.
    pub place: String,
}

/// The kind of an item.
pub enum ItemKind {
    /// The instructions and the tools.
    Instructions(Vec<Content>, Vec<ToolDefinition>),
    /// A message.
    Message(Source, Message),
    /// A call. Calls of one `llm_response_id` with nothing but results in between belong to one answer.
    Call(ActionEvent),
    /// The result of a call, by the call's id.
    Result(String, Outcome),
    /// Any other event.
    Other(Source, Body),
    /// What comes next follows the event of this item, or begins the conversation anew.
    Back(Option<EventId>),
}

/// The result of a call.
pub enum Outcome {
    /// The call succeeded, with this content.
    Content(Vec<Content>),
    /// The user rejected the call.
    Rejected(String),
    /// The call failed.
    Failed(String),
}

impl<'a> Timeline<'a> {
    /// An empty timeline.
    pub fn new(host: &'a dyn Host) -> Self {
        Self {
            host,
            items: Vec::new(),
            title: None,
            model: None,
            leaf: None,
            warnings: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// The beginning of a text with at most so many code points, which ends with a whole character.
    pub fn beginning_of<'t>(&self, text: &'t str, most: usize) -> &'t str {
        host::beginning(self.host, text, most)
    }

    /// Adds an item, and returns the id of its event. An item without a time gets that of the item before, or the current
    /// time.
    pub fn add(&mut self, place: &str, timestamp: Option<String>, kind: ItemKind) -> EventId {
        let timestamp = timestamp
            .filter(|text| is_date(text))
            .or_else(|| self.items.last().map(|item| item.stamp.timestamp.clone()))
            .unwrap_or_else(|| self.host.local_time());
        let stamp = Stamp { id: self.new_id(), timestamp, place: place.to_owned() };
        let id = stamp.id.clone();
        self.items.push(Item { stamp, kind });
        id
    }

    /// Lets what comes next follow this item, or begin the conversation anew.
    pub fn go_back(&mut self, item: Option<EventId>) {
        self.add("", None, ItemKind::Back(item));
    }

    /// Records that content of this kind is not imported.
    pub fn leave_out(&mut self, name: &str) {
        self.leave_out_many(name, 1);
    }

    /// Records that so many pieces of this kind are not imported.
    pub fn leave_out_many(&mut self, name: &str, number: usize) {
        if number == 0 {
            return;
        }
        match self.left_out.iter_mut().find(|(known, _)| known == name) {
            Some((_, count)) => *count = count.saturating_add(number),
            None => self.left_out.push((name.to_owned(), number)),
        }
    }

    /// A new id.
    pub fn new_id(&self) -> EventId {
        self.host.random_uuid().into()
    }

    /// All warnings for the user.
    pub fn into_warnings(self) -> Vec<String> {
        let mut warnings = self.warnings;
        if !self.left_out.is_empty() {
            let mut names = Vec::new();
            for (name, count) in self.left_out.iter().take(MAX_NAMES) {
                names.push(if *count == 1 { name.clone() } else { format!("{name} ({count} times)") });
            }
            if let Some(more) = self.left_out.len().checked_sub(MAX_NAMES).filter(|more| *more > 0) {
                names.push(format!("{more} further kinds"));
            }
            warnings
                .push(format!("content that a conversation cannot store was left out: {}", names.join(", ")));
        }
        warnings
    }
}

/// The highest number of names in a warning.
const MAX_NAMES: usize = 20;

/// A call of the tool `name`. `arguments` is the text of the model; if it is not a JSON object, the call cannot be executed.
/// `place` is the path in the file, for messages.
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

/// A part with these images. URLs other than `http(s):` and `data:` are left out.
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
