//! Writes a branch as V0 events.

use super::terms::{arguments, metadata, result, risk, text_of, tool_json};
use crate::{
    event::{ActionEvent, Body, Event},
    json::{ListWriter, ObjectWriter, object},
    llm::message::{Content, Message, Role},
};
use std::collections::HashMap;

/// The trajectory of a branch: a JSON list. Events without a counterpart in V0 are left out.
pub fn write(branch: &[Event]) -> String {
    let mut writer = Writer::default();
    for event in branch {
        if let Body::ActionEvent(action) = event.body() {
            writer.answers.entry(&action.llm_response_id).or_default().push(action);
        }
    }
    for event in branch {
        writer.event(event);
    }
    format!("[{}]", writer.entries.join(","))
}

#[derive(Default)]
struct Writer<'a> {
    entries: Vec<String>,
    /// The numbers of the entries so far, by their events' ids.
    numbers: HashMap<&'a str, usize>,
    /// The actions so far, by the ids of their events.
    by_event: HashMap<&'a str, Call<'a>>,
    /// The actions so far, by the ids of their calls.
    by_call: HashMap<&'a str, Call<'a>>,
    /// The calls of each answer.
    answers: HashMap<&'a str, Vec<&'a ActionEvent>>,
}

/// An action that has been written.
#[derive(Clone, Copy)]
struct Call<'a> {
    action: &'a ActionEvent,
    number: usize,
    /// V0's name of the action.
    name: &'static str,
}

impl<'a> Writer<'a> {
    fn event(&mut self, event: &'a Event) {
        match event.body() {
            Body::SystemPromptEvent(body) => {
                let tools: ListWriter = body.tools.iter().map(tool_json).collect();
                let args = object! { "content": body.to_llm_message().text(), "tools": tools };
                self.action(event, "agent", "system", "", args);
            }
            Body::MessageEvent(body) => self.message(event, &body.to_llm_message()),
            Body::ActionEvent(body) => self.call(event, body),
            Body::ObservationEvent(body) => {
                let by_event = self.by_event.get(body.action_id.as_str()).copied();
                let call = by_event.or_else(|| self.call_of(&body.tool_call_id));
                let message = body.to_llm_message();
                match call {
                    // In V0 `finish` has no observation.
                    Some(call) if call.name == "finish" => {}
                    Some(call) => {
                        let (content, extras) = result(
                            call.name,
                            call.action,
                            &body.observation,
                            &message,
                            &body.extended_content,
                        );
                        self.observation(event, Some(&call), call.result_name(), &content, extras);
                    }
                    None => self.observation(
                        event,
                        None,
                        "success",
                        &text_of(&message.content),
                        ObjectWriter::new(),
                    ),
                }
            }
            Body::UserRejectObservation(body) => {
                let call = self.call_of(&body.tool_call_id);
                self.observation(
                    event,
                    call.as_ref(),
                    "user_rejected",
                    &body.rejection_reason,
                    ObjectWriter::new(),
                );
            }
            Body::AgentErrorEvent(body) => {
                let call = self.call_of(&body.tool_call_id);
                self.observation(event, call.as_ref(), "error", &body.error, object! { "error_id": "" });
            }
            Body::ConversationErrorEvent(body) => {
                self.observation(event, None, "error", &body.detail, object! { "error_id": body.code });
            }
            Body::Condensation(body) => {
                let mut numbers: Vec<usize> = Vec::new();
                for id in &body.forgotten_event_ids {
                    numbers.extend(self.numbers.get(id.as_str()));
                }
                let mut args = object! { "forgotten_event_ids": numbers };
                // V0 requires both or neither.
                if let (Some(summary), Some(offset)) = (&body.summary, body.summary_offset) {
                    args.field("summary", summary);
                    args.field("summary_offset", &offset);
                }
                self.action(event, "agent", "condensation", "", args);
            }
            Body::CondensationRequest(_) => {
                self.action(event, "agent", "condensation_request", "", ObjectWriter::new());
            }
            Body::PauseEvent(_) => {
                let args = object! { "agent_state": "paused", "thought": "" };
                self.action(event, "user", "change_agent_state", "", args);
            }
            _ => {}
        }
    }

    fn message(&mut self, event: &'a Event, message: &Message) {
        let text = message.text();
        let mut args = object! { "content": text };
        if message.role == Role::System {
            return self.action(event, "agent", "system", &text, args);
        }
        let mut urls = Vec::new();
        for part in &message.content {
            if let Content::Image { image_urls, .. } = part {
                urls.extend(image_urls.iter().cloned());
            }
        }
        args.field("image_urls", &urls);
        let is_from_model = message.role == Role::Assistant;
        args.field("wait_for_response", &is_from_model);
        // V0 knows messages of the user and of the agent only.
        self.action(event, if is_from_model { "agent" } else { "user" }, "message", &text, args);
    }

    fn call(&mut self, event: &'a Event, body: &'a ActionEvent) {
        let thought = Message::new(Role::Assistant, body.thought.clone()).text();
        let (name, mut args) = arguments(body);
        if !matches!(name, "think") {
            args.field("thought", &thought);
        }
        if !matches!(name, "think" | "finish" | "task_tracking") {
            args.raw("security_risk", risk(body.security_risk));
        }
        let call = Call { action: body, number: self.entries.len(), name };
        self.by_event.insert(event.id().as_str(), call);
        self.by_call.insert(&body.tool_call_id, call);
        let mut out = self.start(event, "agent", body.summary.as_deref().unwrap_or_default());
        out.field("action", name);
        out.raw("tool_call_metadata", &metadata(body, self.calls_beside(body), true));
        out.raw("args", &args.finish());
        self.entries.push(out.finish());
    }

    fn call_of(&self, id: &str) -> Option<Call<'a>> {
        self.by_call.get(id).copied()
    }

    /// The calls of the answer with this one.
    fn calls_beside(&self, action: &ActionEvent) -> &[&'a ActionEvent] {
        self.answers.get(action.llm_response_id.as_str()).map(Vec::as_slice).unwrap_or_default()
    }

    fn action(&mut self, event: &'a Event, source: &str, name: &str, message: &str, args: ObjectWriter) {
        let mut out = self.start(event, source, message);
        out.field("action", name);
        out.raw("args", &args.finish());
        self.entries.push(out.finish());
    }

    fn observation(
        &mut self,
        event: &'a Event,
        call: Option<&Call<'_>>,
        name: &str,
        content: &str,
        extras: ObjectWriter,
    ) {
        let mut out = self.start(event, if call.is_some() { "agent" } else { "environment" }, content);
        if let Some(call) = call {
            out.field("cause", &call.number);
        }
        out.field("observation", name);
        if let Some(call) = call {
            out.raw("tool_call_metadata", &metadata(call.action, self.calls_beside(call.action), false));
        }
        out.field("content", content);
        out.raw("extras", &extras.finish());
        self.entries.push(out.finish());
    }

    /// Begins an entry with its common fields. `message` is V0's summary of it in one line.
    fn start(&mut self, event: &'a Event, source: &str, message: &str) -> ObjectWriter {
        let number = self.entries.len();
        self.numbers.insert(event.id().as_str(), number);
        object! { "id": number, "timestamp": event.timestamp(), "source": source, "message": message }
    }
}

impl Call<'_> {
    /// V0's name of the observation.
    fn result_name(&self) -> &'static str {
        if self.name == "call_tool_mcp" { "mcp" } else { self.name }
    }
}
