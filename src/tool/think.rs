//! The tool `think`, by which the model writes reasoning into the log (`tool/builtins/think.py`).

use super::{Replay, Tool, ToolAnnotations, ToolCall, ToolDefinition, ToolFailure, ToolKind, ToolOutput};
use crate::json::Object;
use futures_util::future::{LocalBoxFuture, ready};

/// Stores a thought as a call in the log, and changes nothing else.
pub struct ThinkTool(ToolDefinition);

impl Default for ThinkTool {
    fn default() -> Self {
        Self(ToolDefinition {
            name: "think".into(),
            description: include_str!("think.md").trim_end().into(),
            parameters: concat!(
                r#"{"type":"object","properties":{"thought":{"type":"string","#,
                r#""description":"The thought to keep."}},"required":["thought"]}"#
            )
            .into(),
            annotations: ToolAnnotations {
                title: None,
                read_only_hint: true,
                destructive_hint: Some(false),
                idempotent_hint: true,
                open_world_hint: Some(false),
            },
            replay: Replay::Safe,
            kind: ToolKind::Think,
        })
    }
}

impl Tool for ThinkTool {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn check(&self, arguments: &str) -> Result<(), String> {
        let thought = Object::parse(arguments).and_then(|arguments| arguments.required::<String>("thought"));
        thought.map(drop).ok_or_else(|| "`thought` is required and must be a string".into())
    }

    fn call(&self, _: ToolCall) -> LocalBoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        Box::pin(ready(Ok(ToolOutput::text("Written down."))))
    }
}
