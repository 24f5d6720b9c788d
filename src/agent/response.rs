//! Turns one answer of the model into events (`agent/response_dispatch.py`, `agent/agent.py`).
//!
//! Pure: ids come from the caller, nothing is run or stored. Differs from the SDK in two points, so that every provider
//! accepts the resulting history: errors about invalid calls follow all actions of the answer instead of standing
//! between them, and calls after a `finish` are answered at once instead of waiting for the next run.

use super::{
    arguments::{Arguments, argument_names, is_accepted, malformed, read_arguments},
    partial::CutOff,
};
use crate::{
    event::{Action, ActionEvent, AgentErrorEvent, Body, ErrorClassification, Event, MessageEvent, Source},
    id::EventId,
    llm::message::{Content, Message, MessageToolCall, Role},
    tool::{FileChange, ToolKind, ToolRegistry, record_of_call},
};
use std::{collections::HashSet, rc::Rc};

/// An event that is not appended to the log yet.
#[derive(Clone, Debug)]
pub struct NewEvent {
    /// The id; `None` for a new one.
    pub id: Option<EventId>,
    /// The local time of the event; `None` for the time of the commit.
    pub timestamp: Option<String>,
    /// The source of the event.
    pub source: Source,
    /// The kind of the event, with its fields.
    pub body: Body,
    /// Files that are stored together with the event.
    pub files: Vec<FileChange>,
}

impl NewEvent {
    /// An event that gets its id and its time when it is appended.
    pub fn new(source: Source, body: impl Into<Body>) -> Self {
        Self { id: None, timestamp: None, source, body: body.into(), files: Vec::new() }
    }
}

/// A valid call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The action's event id.
    pub action_id: EventId,
    /// The tool's name.
    pub tool_name: String,
    /// The provider's id of the call.
    pub tool_call_id: String,
    /// The arguments for the tool, as JSON text.
    pub arguments: Rc<str>,
}

/// The answer to a call after `finish`.
const AFTER_FINISH: &str = include_str!("prompts/after_finish.md").trim_ascii_end();

/// The reply to a text in place of a structured answer.
const ANSWER_DEMAND: &str = include_str!("prompts/final_answer.md").trim_ascii_end();

/// The kinds of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyKind {
    /// Calls, valid or not.
    ToolCalls,
    /// Text for the user, which ends the run.
    Text,
    /// Neither, an unreadable call, or a text where a structured answer ends the task. The events contain a hint for the
    /// model.
    Nothing,
}

/// A parsed answer of the model.
#[derive(Debug)]
pub struct Reply {
    /// The kind of the answer.
    pub kind: ReplyKind,
    /// The events to append, in order.
    pub events: Vec<NewEvent>,
    /// The valid calls, in order.
    pub calls: Vec<Call>,
}

/// The context in which an answer is read.
pub struct Known<'a> {
    /// The tools of the agent.
    pub tools: &'a ToolRegistry,
    /// Tools that the conversation used elsewhere and that the agent does not have.
    pub unavailable: &'a [String],
    /// Whether the model's own rating of the risk is used.
    pub reads_risk: bool,
    /// The ids of calls and responses in the history. Some providers repeat ids, which have to be replaced: otherwise
    /// a result would be assigned to the wrong call.
    pub taken: &'a HashSet<String>,
    /// Why the answer has ended, as its provider names it.
    pub finish_reason: Option<&'a str>,
    /// The ids of this answer so far.
    pub given: HashSet<String>,
    /// The id of the first event of the answer, which pieces of it were reported under.
    pub first_id: Option<EventId>,
    /// Creates a new event id.
    pub new_id: &'a mut dyn FnMut() -> EventId,
}

/// Turns an answer into events and calls.
pub fn read_response(message: &Message, response_id: &str, known: &mut Known<'_>) -> Reply {
    let response_id = known.unique(response_id, "response-");
    match &message.tool_calls {
        Some(calls) if !calls.is_empty() => read_calls(message, calls, &response_id, known),
        // The answer contained an unreadable call, and this message explains the mistake to the model
        // (`FunctionCallValidationError`).
        _ if message.role == Role::User => {
            let hint = NewEvent::new(Source::Environment, MessageEvent::new(message.clone()));
            Reply { kind: ReplyKind::Nothing, events: vec![hint], calls: Vec::new() }
        }
        _ => read_message(message, response_id, known),
    }
}

fn read_message(message: &Message, response_id: String, known: &mut Known<'_>) -> Reply {
    let has_text = message.content.iter().any(|part| match part {
        Content::Text { text, .. } => !text.trim().is_empty(),
        Content::Image { .. } | Content::File(_) => true,
    });
    let why = known.finish_reason.and_then(|reason| CutOff::of(reason, has_text));
    let mark = why.map(|why| Content::text(why.sentence())).into_iter().collect();
    let event = MessageEvent {
        llm_response_id: Some(response_id),
        extended_content: mark,
        ..MessageEvent::new(message.clone())
    };
    let mut events = vec![NewEvent { id: known.first_id.take(), ..NewEvent::new(Source::Agent, event) }];
    let hint = match has_text {
        // The model is not asked again because of an answer that was cut off: most likely it would reach the same limit.
        _ if why.is_some() => None,
        false => Some(include_str!("prompts/nudge.md").trim_end()),
        true => known.tools.expects_answer().then_some(ANSWER_DEMAND),
    };
    if let Some(hint) = hint {
        let hint = Message::new(Role::User, vec![Content::text(hint)]);
        events.push(NewEvent::new(Source::Environment, MessageEvent::new(hint)));
    }
    Reply {
        kind: if hint.is_none() { ReplyKind::Text } else { ReplyKind::Nothing },
        events,
        calls: Vec::new(),
    }
}

/// Whether this event tells the model that its text is not the structured answer that ends the task.
pub fn is_answer_demand(event: &Event) -> bool {
    match event.body() {
        Body::MessageEvent(message) if event.source() == Source::Environment => {
            message.llm_message.text() == ANSWER_DEMAND
        }
        _ => false,
    }
}

fn read_calls(
    message: &Message,
    tool_calls: &[MessageToolCall],
    response_id: &str,
    known: &mut Known<'_>,
) -> Reply {
    let mut reply = Reply { kind: ReplyKind::ToolCalls, events: Vec::new(), calls: Vec::new() };
    let mut errors = Vec::new();
    let mut is_finished = false;
    for (place, tool_call) in tool_calls.iter().enumerate() {
        let mut tool_call = tool_call.clone();
        tool_call.id = known.unique(&tool_call.id, "call_");
        let id = known.first_id.take().unwrap_or_else(|| (known.new_id)());
        let (action, arguments) = match read_call(&mut tool_call, &id, known) {
            Ok((action, arguments, call, kind)) => {
                if is_finished {
                    errors.push(error_for(&tool_call, AFTER_FINISH));
                } else {
                    reply.calls.push(call);
                }
                is_finished |= kind == ToolKind::Finish;
                (Some(action), Some(arguments))
            }
            Err(error) => {
                if !is_accepted(&tool_call.arguments) {
                    tool_call.arguments = malformed(&error);
                }
                errors.push(error_for(&tool_call, &error));
                (None, None)
            }
        };
        let (risk, summary) = arguments.map(|arguments| (arguments.risk, arguments.summary)).unzip();
        let is_first = place == 0;
        let texts = message.content.iter().filter(|part| is_first && part.as_text().is_some());
        let event = ActionEvent {
            thought: texts.cloned().collect(),
            reasoning_content: message.reasoning_content.clone().filter(|_| is_first),
            thinking_blocks: if is_first { message.thinking_blocks.clone() } else { Vec::new() },
            responses_reasoning_item: message.responses_reasoning_item.clone().filter(|_| is_first),
            security_risk: risk.unwrap_or_default(),
            summary,
            ..ActionEvent::new(tool_call, response_id.to_owned(), action)
        };
        reply.events.push(NewEvent { id: Some(id), ..NewEvent::new(Source::Agent, event) });
    }
    reply.events.extend(errors);
    reply
}

/// The action to store and the call to run. The arguments in `tool_call` are replaced by the corrected ones.
fn read_call(
    tool_call: &mut MessageToolCall,
    action_id: &EventId,
    known: &Known<'_>,
) -> Result<(Action, Arguments, Call, ToolKind), String> {
    let name = tool_call.name.clone();
    let Some(tool) = known.tools.get(&name) else { return Err(missing_tool(&name, known)) };
    let definition = tool.definition();
    let invalid = |error: String, text: &str| {
        // A schema of the host may describe the error in a sentence, whose full stop would be in the middle of this text.
        let error = error.trim_end().trim_end_matches('.');
        match argument_names(text) {
            Some(names) => {
                format!("Invalid call of '{name}': {error}. Arguments given: {}", names.join(", "))
            }
            None => format!("Invalid call of '{name}': {error}. Send the arguments as one JSON object"),
        }
    };
    let arguments = read_arguments(&tool_call.arguments, definition, known.reads_risk)
        .map_err(|error| invalid(error, &tool_call.arguments))?;
    let for_tool: Rc<str> = arguments.for_tool.text().into();
    tool.check(&for_tool).map_err(|error| invalid(error, &tool_call.arguments))?;
    tool_call.arguments.clone_from(&arguments.stored);
    let call = Call {
        action_id: action_id.clone(),
        tool_name: name,
        tool_call_id: tool_call.id.clone(),
        arguments: for_tool.clone(),
    };
    Ok((record_of_call(&*tool, &arguments.for_tool), arguments, call, definition.kind))
}

fn missing_tool(name: &str, known: &Known<'_>) -> String {
    let available = known.tools.names().join(", ");
    if known.unavailable.iter().any(|other| other == name) {
        format!("The tool '{name}' is not available here. Available: {available}")
    } else {
        format!("There is no tool named '{name}'. Available: {available}")
    }
}

/// An error that answers a call.
fn error_for(tool_call: &MessageToolCall, error: &str) -> NewEvent {
    error_event(&tool_call.name, &tool_call.id, error)
}

/// An error that answers the call of this id.
pub fn error_event(tool_name: &str, tool_call_id: &str, error: &str) -> NewEvent {
    let event = AgentErrorEvent::new(tool_name, tool_call_id, error, ErrorClassification::AGENT_OUTCOME);
    NewEvent::new(Source::Agent, event)
}

impl Known<'_> {
    /// This id, or a new one with this prefix if it is empty or used already.
    fn unique(&mut self, id: &str, prefix: &str) -> String {
        let id = if id.is_empty() || self.taken.contains(id) || self.given.contains(id) {
            // OpenAI refuses call ids of more than 40 characters.
            let mut new = prefix.to_owned();
            new.extend((self.new_id)().as_str().chars().filter(|c| *c != '-'));
            new
        } else {
            id.to_owned()
        };
        self.given.insert(id.clone());
        id
    }
}
