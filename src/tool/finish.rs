//! The tool `finish`, by which the model ends the task (`tool/builtins/finish.py`).
//!
//! With a schema of the host its arguments contain a structured answer beside the message, as with the SDK's
//! `response_schema`. The stored action has only the message, because Python's class has no other field; the answer is in
//! the event's `tool_call`, where Python reads it too.

use super::{
    Record, Replay, Tool, ToolAnnotations, ToolCall, ToolDefinition, ToolFailure, ToolKind, ToolOutput,
};
use crate::{
    event::{self, Action, Observation},
    json::{EditableObject, Object, RawJson, object},
};
use futures_util::future::{LocalBoxFuture, ready};
use std::rc::Rc;

/// Checks argument JSON. `Err` describes the mistake for the model.
pub type CheckArguments = Rc<dyn Fn(&str) -> Result<(), String>>;

/// The structured answer that ends a task.
pub struct AnswerSchema {
    /// The JSON Schema of the answer, as it is stored.
    pub schema: RawJson,
    /// The JSON Schema of the arguments: the message and the properties of the answer.
    pub parameters: Rc<str>,
    /// Checks the answer in the arguments.
    pub check: CheckArguments,
}

/// Ends the task with a message to the user.
pub struct FinishTool {
    definition: ToolDefinition,
    answer: Option<Answer>,
}

struct Answer {
    check: CheckArguments,
    spec: RawJson,
}

impl Default for FinishTool {
    fn default() -> Self {
        let definition = ToolDefinition {
            name: "finish".into(),
            description: include_str!("finish.md").trim_end().into(),
            parameters: concat!(
                r#"{"type":"object","properties":{"message":{"type":"string","#,
                r#""description":"What the user should read at the end."}},"required":["message"]}"#
            )
            .into(),
            annotations: ToolAnnotations {
                title: Some("finish".into()),
                read_only_hint: true,
                destructive_hint: Some(false),
                idempotent_hint: true,
                open_world_hint: Some(false),
            },
            replay: Replay::Safe,
            kind: ToolKind::Finish,
        };
        Self { definition, answer: None }
    }
}

impl FinishTool {
    /// The tool with a structured answer.
    pub fn with_answer(AnswerSchema { schema, parameters, check }: AnswerSchema) -> Self {
        let mut tool = Self::default();
        tool.definition.parameters = parameters;
        let spec = object! { "name": "FinishTool", "params": object! { "response_schema": schema } };
        tool.answer = Some(Answer { check, spec: spec.into() });
        tool
    }
}

impl Tool for FinishTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn check(&self, arguments: &str) -> Result<(), String> {
        message_of(arguments)?;
        self.answer.as_ref().map_or(Ok(()), |answer| (answer.check)(arguments))
    }

    fn call(&self, call: ToolCall) -> LocalBoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        Box::pin(ready(message_of(&call.arguments).map(ToolOutput::text).map_err(ToolFailure)))
    }

    fn record(&self) -> Option<&dyn Record> {
        self.answer.as_ref().map(|_| self as &dyn Record)
    }
}

impl Record for FinishTool {
    fn spec(&self) -> Option<&RawJson> {
        self.answer.as_ref().map(|answer| &answer.spec)
    }

    fn definition(&self) -> event::ToolDefinition {
        event::ToolDefinition::finish(&self.definition.description)
    }

    fn action(&self, arguments: &EditableObject) -> Action {
        Action::finish(&arguments.read::<String>("message").unwrap_or_default())
    }

    fn observation(&self, _arguments: &str, output: &ToolOutput) -> Observation {
        Observation::finish(output.content.first().and_then(|part| part.as_text()).unwrap_or_default())
    }
}

fn message_of(arguments: &str) -> Result<String, String> {
    let message = Object::parse(arguments).and_then(|arguments| arguments.required("message"));
    message.ok_or_else(|| "`message` is required and must be a string".into())
}
