//! Converts a timeline to events: typed, each the parent of the next, the instructions first, every call with a result.

use super::{
    timeline::{Item, ItemKind, Outcome, Stamp, Timeline},
    turns::{Call, Turn, named, turns},
};
use crate::{
    error::Result,
    event::{
        Action, ActionEvent, AgentErrorEvent, Body, ErrorClassification, Event, Head, MessageEvent,
        Observation, ObservationEvent, Parent, RejectionSource, Source, SystemPromptEvent,
        UserRejectObservation,
    },
    id::EventId,
    llm::message::{Content, Message, Role},
};
use std::collections::{HashMap, HashSet};

/// The error result for a call without a result in the file, because the next run would make such a call again.
const NO_RESULT: &str = "No result of this call was recorded.";

/// The events of a timeline.
pub struct Log {
    /// The events, in order.
    pub events: Vec<Event>,
    /// The last event of the branch that was shown.
    pub leaf: Option<EventId>,
    /// The last message of the user in that branch.
    pub last_user_message: Option<EventId>,
    /// Whether that branch ends with the agent's final message.
    pub is_finished: bool,
}

/// Converts a timeline. Changes are reported in its warnings.
///
/// # Errors
/// `internal` for an event of an unknown kind, which no reader produces.
pub fn log(timeline: &mut Timeline<'_>) -> Result<Log> {
    let mut turns = turns(timeline);
    put_instructions_first(&mut turns, timeline);
    let mut writer = Writer::default();
    let mut unanswered = Vec::new();
    for turn in turns {
        let is_final = is_final(&turn);
        let ids = ids_of(&turn);
        match turn {
            Turn::Back(id) => {
                writer.go_back(id.as_ref());
                continue;
            }
            Turn::Item(item) => writer.item(*item)?,
            Turn::Calls(calls) => {
                for call in &calls {
                    writer.event(&call.stamp, Source::Agent, call.action.clone())?;
                }
                for mut call in calls {
                    match call.result.take() {
                        Some((stamp, outcome)) => writer.result(&call, &stamp, outcome)?,
                        None => {
                            let stamp = Stamp { id: timeline.new_id(), ..call.stamp.clone() };
                            if !writer.missing_result(&call, &stamp)? {
                                unanswered.push(format!("{} in {}", call.action.tool_name, stamp.place));
                            }
                        }
                    }
                }
            }
        }
        writer.end_turn(&ids, is_final);
    }
    if !unanswered.is_empty() {
        timeline.warnings.push(format!(
            "calls without a result were answered with an error, so that no run makes them again: {}",
            named(&unanswered)
        ));
    }
    Ok(writer.log(timeline.leaf.as_ref()))
}

fn put_instructions_first(turns: &mut Vec<Turn>, timeline: &Timeline<'_>) {
    let is_prompt =
        |turn: &Turn| matches!(turn, Turn::Item(item) if matches!(item.kind, ItemKind::Instructions(..)));
    let first = match turns.iter().position(is_prompt) {
        Some(position) => turns.remove(position),
        None => {
            // The SDK requires instructions before messages. Empty ones have no effect.
            let timestamp = match turns.first() {
                Some(Turn::Item(item)) => item.stamp.timestamp.clone(),
                Some(Turn::Calls(calls)) => {
                    calls.first().map(|call| call.stamp.timestamp.clone()).unwrap_or_default()
                }
                Some(Turn::Back(_)) | None => return,
            };
            let stamp = Stamp { id: timeline.new_id(), timestamp, place: String::new() };
            let kind = ItemKind::Instructions(Vec::new(), Vec::new());
            Turn::Item(Box::new(Item { stamp, kind }))
        }
    };
    turns.insert(0, first);
}

/// Whether the agent is finished after this turn.
fn is_final(turn: &Turn) -> bool {
    match turn {
        Turn::Calls(calls) => calls.iter().any(|call| final_message(&call.action).is_some()),
        Turn::Item(item) => {
            matches!(&item.kind, ItemKind::Message(_, message) if message.role == Role::Assistant)
        }
        Turn::Back(_) => false,
    }
}

/// The ids of the items of a turn.
fn ids_of(turn: &Turn) -> Vec<EventId> {
    match turn {
        Turn::Item(item) => vec![item.stamp.id.clone()],
        Turn::Calls(calls) => {
            let answers = calls.iter().filter_map(|call| call.result.as_ref());
            let stamps = calls.iter().map(|call| &call.stamp).chain(answers.map(|(stamp, _)| stamp));
            stamps.map(|stamp| stamp.id.clone()).collect()
        }
        Turn::Back(_) => Vec::new(),
    }
}

/// The message of a call of `finish`.
fn final_message(action: &ActionEvent) -> Option<String> {
    let action = action.action.as_ref()?;
    if action.kind()? == "FinishAction" { action.as_json().field("message") } else { None }
}

#[derive(Default)]
struct Writer {
    events: Vec<Event>,
    /// The place of the event that each one follows.
    parents: Vec<Option<usize>>,
    /// The place of the event that the next one follows.
    last: Option<usize>,
    /// The place of the last event of the turn that an item is in, by the item's id.
    ends: HashMap<EventId, usize>,
    /// The places at which a branch is finished.
    finals: HashSet<usize>,
}

impl Writer {
    fn event(&mut self, stamp: &Stamp, source: Source, body: impl Into<Body>) -> Result<()> {
        let last = self.last.and_then(|last| self.events.get(last));
        let parent = last.map_or(Parent::Unset, |last| Parent::Event(last.id().clone()));
        let head = Head { id: stamp.id.clone(), timestamp: stamp.timestamp.clone(), source, parent };
        self.parents.push(self.last);
        self.last = Some(self.events.len());
        self.events.push(Event::new(head, body.into())?);
        Ok(())
    }

    /// Lets the next event follow the turn with this item, or else the instructions.
    fn go_back(&mut self, id: Option<&EventId>) {
        let end = id.and_then(|id| self.ends.get(id).copied());
        self.last = end.or((!self.events.is_empty()).then_some(0));
    }

    fn end_turn(&mut self, ids: &[EventId], is_final: bool) {
        let Some(last) = self.last else { return };
        for id in ids {
            self.ends.insert(id.clone(), last);
        }
        if is_final {
            self.finals.insert(last);
        }
    }

    fn log(self, leaf: Option<&EventId>) -> Log {
        let end = leaf.and_then(|leaf| self.ends.get(leaf).copied());
        let end = end.or(self.events.len().checked_sub(1));
        let mut last_user_message = None;
        let mut at = end;
        while let Some((place, event)) = at.and_then(|place| Some((place, self.events.get(place)?))) {
            if is_user_message(event) {
                last_user_message = Some(event.id().clone());
                break;
            }
            at = self.parents.get(place).copied().flatten();
        }
        Log {
            leaf: end.and_then(|end| self.events.get(end)).map(|event| event.id().clone()),
            last_user_message,
            is_finished: end.is_some_and(|end| self.finals.contains(&end)),
            events: self.events,
        }
    }

    fn item(&mut self, item: Item) -> Result<()> {
        let stamp = &item.stamp;
        match item.kind {
            ItemKind::Instructions(content, tools) if self.events.is_empty() => {
                let (system_prompt, dynamic_context) = prompt(&content);
                self.event(stamp, Source::Agent, SystemPromptEvent { system_prompt, tools, dynamic_context })
            }
            ItemKind::Instructions(content, _) => {
                let message = Message::new(Role::System, content);
                self.event(stamp, Source::Environment, MessageEvent::new(message))
            }
            ItemKind::Message(source, message) => self.event(stamp, source, MessageEvent::new(message)),
            ItemKind::Other(source, body) => self.event(stamp, source, body),
            // These never get here: `turns.rs` has put them into turns.
            ItemKind::Call(_) | ItemKind::Result(..) | ItemKind::Back(_) => Ok(()),
        }
    }

    fn result(&mut self, call: &Call, stamp: &Stamp, outcome: Outcome) -> Result<()> {
        let ActionEvent { tool_name, tool_call_id, action, .. } = &call.action;
        match outcome {
            Outcome::Content(content) => {
                let kind = action.as_ref().and_then(Action::kind);
                let observation = match (kind.as_deref(), content.as_slice()) {
                    (Some("FinishAction"), [Content::Text { text, .. }]) => Observation::finish(text),
                    (Some("ThinkAction"), [Content::Text { text, .. }]) => Observation::think(text),
                    _ => Observation::mcp_tool(tool_name, &content, false),
                };
                self.observation(call, stamp, observation)
            }
            Outcome::Rejected(rejection_reason) => {
                let body = UserRejectObservation {
                    tool_name: tool_name.clone(),
                    tool_call_id: tool_call_id.clone(),
                    rejection_reason,
                    rejection_source: RejectionSource::User,
                    action_id: call.stamp.id.to_string(),
                };
                self.event(stamp, Source::Environment, body)
            }
            Outcome::Failed(error) => self.error(call, stamp, error),
        }
    }

    /// Adds a result for a call that has none. `finish` has no result in some formats; any other call gets an error, and
    /// the function returns `false`.
    fn missing_result(&mut self, call: &Call, stamp: &Stamp) -> Result<bool> {
        match final_message(&call.action) {
            Some(message) => {
                self.observation(call, stamp, Observation::finish(&message))?;
                Ok(true)
            }
            None => {
                self.error(call, stamp, NO_RESULT.to_owned())?;
                Ok(false)
            }
        }
    }

    fn observation(&mut self, call: &Call, stamp: &Stamp, observation: Observation) -> Result<()> {
        let body = ObservationEvent {
            tool_name: call.action.tool_name.clone(),
            tool_call_id: call.action.tool_call_id.clone(),
            observation,
            action_id: call.stamp.id.to_string(),
            extended_content: Vec::new(),
        };
        self.event(stamp, Source::Environment, body)
    }

    fn error(&mut self, call: &Call, stamp: &Stamp, error: String) -> Result<()> {
        let ActionEvent { tool_name, tool_call_id, .. } = &call.action;
        let unknown = ErrorClassification::UNKNOWN;
        let body = AgentErrorEvent::new(tool_name.as_str(), tool_call_id.as_str(), error, unknown);
        self.event(stamp, Source::Agent, body)
    }
}

fn is_user_message(event: &Event) -> bool {
    event.source() == Source::User
        && matches!(event.body(), Body::MessageEvent(body) if body.llm_message.role == Role::User)
}

/// Instructions as the static prompt and the dynamic context, if there is one.
fn prompt(content: &[Content]) -> (Content, Option<Content>) {
    let texts: Vec<&str> = content.iter().filter_map(Content::as_text).collect();
    match texts.split_first() {
        Some((first, [])) => (Content::text(*first), None),
        Some((first, rest)) => (Content::text(*first), Some(Content::text(rest.join("\n")))),
        None => (Content::text(""), None),
    }
}
