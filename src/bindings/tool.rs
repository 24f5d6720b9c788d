//! A tool that is JavaScript.

use super::{
    error::{invalid, set, words_of},
    options::{function, plain, property},
};
use crate::{
    error::Result,
    json::well_formed,
    llm::message::Content,
    tool::{Replay, Tool, ToolAnnotations, ToolCall, ToolDefinition, ToolFailure, ToolKind, ToolOutput},
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Function, Object, Promise};
use serde::Deserialize;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortController;

/// A tool whose check and execution are functions of the host.
pub struct JsTool {
    definition: ToolDefinition,
    check: Function,
    execute: Function,
}

#[derive(Deserialize)]
struct PlainTool {
    name: String,
    description: String,
    parameters: String,
    #[serde(default)]
    replay: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlainAnnotations {
    title: Option<String>,
    read_only_hint: Option<bool>,
    destructive_hint: Option<bool>,
    idempotent_hint: Option<bool>,
    open_world_hint: Option<bool>,
}

#[derive(Deserialize)]
struct PlainOutput {
    content: Vec<Content>,
    is_error: bool,
}

impl JsTool {
    /// Reads a tool in the form that the TypeScript side gives it.
    ///
    /// # Errors
    /// `invalid_options`, naming what does not fit.
    pub fn read(tool: &JsValue) -> Result<Self> {
        let PlainTool { name, description, parameters, replay } = plain(tool, "tool")?;
        let hints: PlainAnnotations = plain(&property(tool, "annotations"), "annotations of a tool")?;
        let annotations = ToolAnnotations {
            title: hints.title,
            read_only_hint: hints.read_only_hint.unwrap_or(false),
            destructive_hint: hints.destructive_hint,
            idempotent_hint: hints.idempotent_hint.unwrap_or(false),
            open_world_hint: hints.open_world_hint.unwrap_or(true),
        };
        let replay = match replay.as_deref() {
            Some("safe") => Replay::Safe,
            Some("ask") => Replay::Ask,
            Some("never") => Replay::Never,
            Some(_) => return Err(invalid(format!("replay of tool {name} must be safe, ask or never"))),
            None => Replay::for_annotations(&annotations),
        };
        let parameters = well_formed(&parameters).into_owned().into();
        let definition =
            ToolDefinition { name, description, parameters, annotations, replay, kind: ToolKind::Mcp };
        Ok(Self { definition, check: function(tool, "check")?, execute: function(tool, "execute")? })
    }
}

impl Tool for JsTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn check(&self, arguments: &str) -> std::result::Result<(), String> {
        match self.check.call1(&JsValue::UNDEFINED, &arguments.into()) {
            Ok(complaint) => complaint.as_string().map_or(Ok(()), Err),
            Err(thrown) => Err(words_of(&thrown)),
        }
    }

    fn call(&self, call: ToolCall) -> LocalBoxFuture<'static, std::result::Result<ToolOutput, ToolFailure>> {
        let execute = self.execute.clone();
        Box::pin(async move {
            let failed = |thrown: JsValue| ToolFailure(words_of(&thrown));
            let abort = AbortOnDrop(AbortController::new().map_err(failed)?);
            let context = Object::new();
            set(&context, "signal", &abort.0.signal());
            set(&context, "toolCallId", &call.tool_call_id.as_str().into());
            set(&context, "conversationId", &call.conversation.to_string().into());
            set(&context, "idempotencyKey", &call.idempotency_key.as_str().into());
            let promise =
                execute.call2(&JsValue::UNDEFINED, &(&*call.arguments).into(), &context).map_err(failed)?;
            let output = JsFuture::from(Promise::resolve(&promise)).await.map_err(failed)?;
            let text = output.as_string().unwrap_or_default();
            let output: PlainOutput = serde_json::from_str(&well_formed(&text))
                .map_err(|error| ToolFailure(format!("the tool's result cannot be stored: {error}")))?;
            Ok(ToolOutput { content: output.content, is_error: output.is_error })
        })
    }
}

/// Tells the call that nobody waits for it any more: when the run is interrupted its future is dropped. A call that
/// has returned does not mind.
struct AbortOnDrop(AbortController);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
