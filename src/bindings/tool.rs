//! A tool that is JavaScript.

use super::{
    error::{invalid, message_of, set},
    options::{Options, function, property},
};
use crate::{
    error::Result,
    json::{RawObject, well_formed},
    llm::option_table::OptionSource as _,
    tool::{Replay, Tool, ToolAnnotations, ToolCall, ToolDefinition, ToolFailure, ToolKind, ToolOutput},
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Function, Object, Promise};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortController;

/// A tool whose check and execution are functions of the host.
pub struct JsTool {
    definition: ToolDefinition,
    check: Function,
    needs_approval: Option<Function>,
    execute: Function,
}

impl JsTool {
    /// Reads a tool in the form that the TypeScript side gives it.
    ///
    /// # Errors
    /// `invalid_options`, naming what does not fit.
    pub fn read(tool: &JsValue) -> Result<Self> {
        let plain = Options::new(tool, "tool");
        let name = plain.required_text("name")?;
        let hints = property(tool, "annotations");
        let hints = Options::new(&hints, "annotations of a tool");
        let annotations = ToolAnnotations {
            title: hints.text("title")?,
            read_only_hint: hints.flag("readOnlyHint")?.unwrap_or(false),
            destructive_hint: hints.flag("destructiveHint")?,
            idempotent_hint: hints.flag("idempotentHint")?.unwrap_or(false),
            open_world_hint: hints.flag("openWorldHint")?,
        };
        let replay = match plain.text("replay")?.as_deref() {
            Some("safe") => Replay::Safe,
            Some("ask") => Replay::Ask,
            Some("never") => Replay::Never,
            Some(_) => return Err(invalid(format!("replay of tool {name} must be safe, ask or never"))),
            None => Replay::for_annotations(&annotations),
        };
        let definition = ToolDefinition {
            name,
            description: plain.required_text("description")?,
            parameters: well_formed(&plain.required_text("parameters")?).into_owned().into(),
            annotations,
            replay,
            kind: ToolKind::Mcp,
        };
        let needs_approval = property(tool, "needsApproval").dyn_into().ok();
        Ok(Self {
            definition,
            check: function(tool, "check")?,
            needs_approval,
            execute: function(tool, "execute")?,
        })
    }
}

impl Tool for JsTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn check(&self, arguments: &str) -> std::result::Result<(), String> {
        match self.check.call1(&JsValue::UNDEFINED, &arguments.into()) {
            Ok(complaint) => complaint.as_string().map_or(Ok(()), Err),
            Err(thrown) => Err(message_of(&thrown)),
        }
    }

    /// Only a plain no lets the call go.
    fn needs_approval(&self, arguments: &str) -> Option<LocalBoxFuture<'static, bool>> {
        let answer = self.needs_approval.as_ref()?.call1(&JsValue::UNDEFINED, &arguments.into());
        Some(Box::pin(async move {
            let Ok(answer) = answer else { return true };
            JsFuture::from(Promise::resolve(&answer)).await != Ok(JsValue::FALSE)
        }))
    }

    fn call(&self, call: ToolCall) -> LocalBoxFuture<'static, std::result::Result<ToolOutput, ToolFailure>> {
        let execute = self.execute.clone();
        Box::pin(async move {
            let failed = |thrown: JsValue| ToolFailure(message_of(&thrown));
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
            let fields = RawObject::parse(&well_formed(&text)).unwrap_or_default();
            match (fields.read("content"), fields.read("is_error")) {
                (Some(content), Some(is_error)) => Ok(ToolOutput { content, is_error }),
                _ => Err(ToolFailure(
                    "the tool's result is no list of texts and images, and cannot be stored".into(),
                )),
            }
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
