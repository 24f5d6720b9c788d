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
    llm::message::{Content, Message, Role},
};

/// The error result for a call without a result in the file, because the next run would make such a call again.
const NO_RESULT: &str = "No result of this call was recorded.";

/// The events of a timeline.
pub struct Log {
    /// The events, in order.
    pub events: Vec<Event>,
    /// Whether the conversation ends with the agent's final message.
    pub is_finished: bool,
}

/// Converts a timeline. Changes are reported in its warnings.
///
/// # Errors
/// `internal` for an event of an unknown kind, which no reader produces.
pub fn log(timeline: &mut Timeline<'_>) -> Result<Log> {
    let mut turns = turns(timeline);
    let is_finished = turns.last().is_some_and(is_final);
    put_instructions_first(&mut turns, timeline);
    let mut writer = Writer::default();
    let mut unanswered = Vec::new();
    for turn in turns {
        match turn {
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
    }
    if !unanswered.is_empty() {
        timeline.warnings.push(format!(
            "calls without a result were answered with an error, so that no run makes them again: {}",
            named(&unanswered)
        ));
    }
    Ok(Log { events: writer.events, is_finished })
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
                None => return,
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
}

impl Writer {
    fn event(&mut self, stamp: &Stamp, source: Source, body: impl Into<Body>) -> Result<()> {
        let parent = self.events.last().map_or(Parent::Unset, |last| Parent::Event(last.id().clone()));
        let head = Head { id: stamp.id.clone(), timestamp: stamp.timestamp.clone(), source, parent };
        self.events.push(Event::new(head, body.into())?);
        Ok(())
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
            // These are in a turn of calls.
            ItemKind::Call(_) | ItemKind::Result(..) => Ok(()),
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

/// Instructions as the static prompt and the dynamic context, if there is one.
fn prompt(content: &[Content]) -> (Content, Option<Content>) {
    let texts: Vec<&str> = content.iter().filter_map(Content::as_text).collect();
    match texts.split_first() {
        Some((first, [])) => (Content::text(*first), None),
        Some((first, rest)) => (Content::text(*first), Some(Content::text(rest.join("\n")))),
        None => (Content::text(""), None),
    }
}
