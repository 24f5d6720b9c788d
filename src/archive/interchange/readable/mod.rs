//! A branch for people to read: as Markdown, or as one page of HTML.
//!
//! Texts of a conversation are not trusted. What both forms show is decided here; a form only decides how it looks, and that
//! nothing in a text becomes more than text.

mod html;
mod markdown;
mod text;

pub use html::html;
pub use markdown::markdown;

use crate::{
    event::{ActionEvent, Body, Event, Source},
    id::EventId,
    json::{FromJson as _, members},
    llm::{
        beside::{Beside, WebSource, Work},
        message::{Content, ReasoningItem, ThinkingBlock},
    },
};
use std::collections::HashMap;

/// The name of the aside with the system prompt.
const INSTRUCTIONS: &str = "Instructions";

/// A conversation for people.
pub struct Readable {
    pub title: String,
    /// The name of the model that answers next.
    pub model: Option<String>,
    pub items: Vec<Item>,
}

/// Something that is shown, and the event that it comes from.
pub struct Item {
    pub event: String,
    /// The date and time to the minute, as stored.
    pub time: String,
    pub kind: Kind,
}

/// The kinds of items.
pub enum Kind {
    /// A message, with the name of who has written it.
    Message(Speaker, String, Vec<Content>),
    /// A text that most readers skip, under this name.
    Aside(&'static str, String),
    /// The sources that the message before names.
    Sources(Vec<WebSource>),
    Call(Call),
    /// Something that has happened, in one line.
    Note(String),
}

/// The author of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    User,
    Agent,
}

/// A call of a tool.
pub struct Call {
    pub tool: String,
    /// The purpose in a few words.
    pub purpose: Option<String>,
    /// The arguments by name; one without a name if they are not an object.
    pub arguments: Vec<(String, String)>,
    /// The name of its outcome, and its result.
    pub result: Option<(&'static str, Vec<Content>)>,
}

/// The items of these events of a branch. `mask` hides secrets in a text: the user's own messages are stored as they were
/// written.
pub fn readable(
    title: Option<String>,
    model: Option<String>,
    branch: &[Event],
    mask: &dyn Fn(&str) -> String,
) -> Readable {
    let mut reader = Reader::default();
    for event in branch {
        reader.take(event);
    }
    let mut items = reader.items;
    for item in &mut items {
        item.kind.mask(mask);
    }
    Readable { title: mask(title.as_deref().unwrap_or("Conversation")), model, items }
}

impl Kind {
    fn mask(&mut self, mask: &dyn Fn(&str) -> String) {
        match self {
            Self::Message(_, name, content) => {
                *name = mask(name);
                mask_content(content, mask);
            }
            Self::Aside(_, text) | Self::Note(text) => *text = mask(text),
            Self::Sources(sources) => {
                for WebSource { url, title } in sources {
                    *url = mask(url);
                    *title = title.as_deref().map(mask);
                }
            }
            Self::Call(Call { tool, purpose, arguments, result }) => {
                for text in arguments.iter_mut().flat_map(|(name, value)| [name, value]).chain(purpose) {
                    *text = mask(text);
                }
                *tool = mask(tool);
                if let Some((_, content)) = result {
                    mask_content(content, mask);
                }
            }
        }
    }
}

fn mask_content(content: &mut [Content], mask: &dyn Fn(&str) -> String) {
    for part in content {
        match part {
            Content::Text { text, .. } => *text = mask(text),
            Content::File(file) => file.text = mask(&file.text),
            Content::Image { image_urls, .. } => {
                // The data of a picture is long, and what is in it is no text.
                for url in image_urls.iter_mut().filter(|url| text::picture(url).is_none()) {
                    *url = mask(url);
                }
            }
        }
    }
}

/// The items so far, and the places of calls by the ids of their events, and of their calls.
#[derive(Default)]
struct Reader {
    items: Vec<Item>,
    actions: HashMap<EventId, usize>,
    calls: HashMap<String, usize>,
}

impl Reader {
    fn add(&mut self, event: &Event, kind: Kind) {
        let time = event.timestamp().get(..16).unwrap_or_default().replace('T', " ");
        self.items.push(Item { event: event.id().to_string(), time, kind });
    }

    fn aside(&mut self, event: &Event, name: &'static str, text: &str) {
        if !text.trim().is_empty() {
            self.add(event, Kind::Aside(name, text.to_owned()));
        }
    }

    fn say(&mut self, event: &Event, speaker: Speaker, name: &str, content: &[Content]) {
        let is_blank = |part: &Content| part.as_text().is_some_and(|text| text.trim().is_empty());
        if !content.iter().all(is_blank) {
            self.add(event, Kind::Message(speaker, name.to_owned(), content.to_vec()));
        }
    }

    fn take(&mut self, event: &Event) {
        match event.body() {
            Body::Unreadable => self.add(event, Kind::Note("An event that cannot be read.".to_owned())),
            Body::SystemPromptEvent(prompt) => {
                self.aside(event, INSTRUCTIONS, &prompt.to_llm_message().text());
            }
            Body::MessageEvent(message) => {
                let said = &message.llm_message;
                let (speaker, name) = match event.source() {
                    Source::User => (Speaker::User, message.sender.as_deref().unwrap_or("User")),
                    Source::Agent => (Speaker::Agent, "Agent"),
                    _ => (Speaker::User, "Environment"),
                };
                let item = said.responses_reasoning_item.as_ref();
                self.think(event, said.reasoning_content.as_deref(), &said.thinking_blocks, item);
                let beside = self.note_work(event, item);
                self.say(event, speaker, name, &said.content);
                self.cite(event, beside.sources);
                let added: Vec<&str> = message.extended_content.iter().filter_map(Content::as_text).collect();
                self.aside(event, "Added for the agent", &added.join("\n\n"));
            }
            Body::ActionEvent(action) => self.act(event, action),
            Body::ObservationEvent(result) => {
                let outcome = if result.observation.is_error() { "Failed" } else { "Result" };
                let place = self.actions.get(result.action_id.as_str()).copied();
                self.answer(event, place, &result.tool_name, outcome, result.observation.to_llm_content());
            }
            Body::UserRejectObservation(rejection) => {
                let reason = vec![Content::text(rejection.rejection_reason.as_str())];
                let place = self.actions.get(rejection.action_id.as_str()).copied();
                self.answer(event, place, &rejection.tool_name, "Rejected", reason);
            }
            Body::AgentErrorEvent(error) => {
                let place = self.calls.get(&error.tool_call_id).copied();
                self.answer(event, place, &error.tool_name, "Failed", vec![Content::text(&*error.error)]);
            }
            Body::Condensation(condensation) => {
                self.aside(
                    event,
                    "Summary of what came before, for the agent",
                    condensation.summary.as_deref().unwrap_or_default(),
                );
            }
            Body::ConversationErrorEvent(error) => {
                self.add(event, Kind::Note(format!("The run has failed: {} ({})", error.detail, error.code)));
            }
            Body::PauseEvent(_) => self.add(event, Kind::Note("Paused.".to_owned())),
            Body::InterruptEvent(_) => self.add(event, Kind::Note("Interrupted.".to_owned())),
            _ => {}
        }
    }

    /// Adds reasoning. Signed blocks repeat it, if it is there as text; a reasoning item does not.
    fn think(
        &mut self,
        event: &Event,
        reasoning: Option<&str>,
        blocks: &[ThinkingBlock],
        item: Option<&ReasoningItem>,
    ) {
        let signed: Vec<&str> = blocks
            .iter()
            .filter_map(|block| match block {
                ThinkingBlock::Thinking { thinking, .. } => Some(thinking.as_str()),
                ThinkingBlock::Redacted { .. } => None,
            })
            .collect();
        let signed = signed.join("\n\n");
        let said = reasoning.filter(|text| !text.is_empty()).unwrap_or(&signed);
        let item = item.into_iter().flat_map(|item| item.shown().iter().map(String::as_str));
        let all: Vec<&str> = std::iter::once(said).chain(item).filter(|text| !text.is_empty()).collect();
        self.aside(event, "Thoughts", &all.join("\n\n"));
    }

    /// Adds what the model's server has done by itself before it answered.
    fn note_work(&mut self, event: &Event, item: Option<&ReasoningItem>) -> Beside {
        let beside = Beside::of(item);
        for Work { name, detail } in &beside.work {
            let detail = detail.as_deref().map(|detail| format!(": {detail}")).unwrap_or_default();
            self.add(event, Kind::Note(format!("The server has used {name}{detail}")));
        }
        beside
    }

    fn cite(&mut self, event: &Event, sources: Vec<WebSource>) {
        if !sources.is_empty() {
            self.add(event, Kind::Sources(sources));
        }
    }

    fn act(&mut self, event: &Event, action: &ActionEvent) {
        let item = action.responses_reasoning_item.as_ref();
        self.think(event, action.reasoning_content.as_deref(), &action.thinking_blocks, item);
        let beside = self.note_work(event, item);
        self.say(event, Speaker::Agent, "Agent", &action.thought);
        let mut arguments = arguments(&action.tool_call.arguments);
        let taken = match action.tool_name.as_str() {
            "finish" => take(&mut arguments, "message"),
            "think" => take(&mut arguments, "thought"),
            _ => None,
        };
        match &taken {
            Some(text) if action.tool_name == "finish" => {
                self.say(event, Speaker::Agent, "Agent", &[Content::text(text.as_str())]);
            }
            Some(text) => self.aside(event, "Thoughts", text),
            None => {}
        }
        self.cite(event, beside.sources);
        // The model writes both beside the arguments of every call. Without a summary, the stored one repeats the arguments.
        take(&mut arguments, "security_risk");
        let purpose = take(&mut arguments, "summary");
        if taken.is_some() && arguments.is_empty() {
            return;
        }
        self.actions.insert(event.id().clone(), self.items.len());
        self.calls.insert(action.tool_call_id.clone(), self.items.len());
        let call = Call { tool: action.tool_name.clone(), purpose, arguments, result: None };
        self.add(event, Kind::Call(call));
    }

    /// Adds a result to its call, or by itself where the call is not shown. Those of `finish` and `think` repeat their call.
    fn answer(
        &mut self,
        event: &Event,
        place: Option<usize>,
        tool: &str,
        outcome: &'static str,
        content: Vec<Content>,
    ) {
        match place.and_then(|place| self.items.get_mut(place)) {
            Some(Item { kind: Kind::Call(call), .. }) => call.result = Some((outcome, content)),
            _ if outcome == "Result" && matches!(tool, "finish" | "think") => {}
            _ => {
                let result = Some((outcome, content));
                let call = Call { tool: tool.to_owned(), purpose: None, arguments: Vec::new(), result };
                self.add(event, Kind::Call(call));
            }
        }
    }
}

/// The arguments of a call by name: texts as they are, other values as JSON. What is not an object is one text without a name.
fn arguments(json: &str) -> Vec<(String, String)> {
    let Ok(members) = members(json) else { return vec![(String::new(), json.to_owned())] };
    let text = |value: &str| String::from_json(value).unwrap_or_else(|| value.to_owned());
    members.into_iter().map(|(name, value)| (name.into_owned(), text(value))).collect()
}

fn take(arguments: &mut Vec<(String, String)>, name: &str) -> Option<String> {
    let place = arguments.iter().position(|(known, _)| known == name)?;
    Some(arguments.remove(place).1)
}
