//! The tool `finish`, by which the model ends the task (`tool/builtins/finish.py`).

use super::{Replay, Tool, ToolAnnotations, ToolCall, ToolDefinition, ToolFailure, ToolKind, ToolOutput};
use crate::json::Object;
use futures_util::future::{LocalBoxFuture, ready};

/// Ends the task with a message to the user.
pub struct FinishTool(ToolDefinition);

impl Default for FinishTool {
    fn default() -> Self {
        Self(ToolDefinition {
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
        })
    }
}

impl Tool for FinishTool {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn check(&self, arguments: &str) -> Result<(), String> {
        message_of(arguments).map(drop)
    }

    fn call(&self, call: ToolCall) -> LocalBoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        Box::pin(ready(message_of(&call.arguments).map(ToolOutput::text).map_err(ToolFailure)))
    }
}

fn message_of(arguments: &str) -> Result<String, String> {
    let message = Object::parse(arguments).and_then(|arguments| arguments.required("message"));
    message.ok_or_else(|| "`message` is required and must be a string".into())
}
