//! A tool whose functions are JavaScript.

use super::{
    error::{invalid, message_of, set},
    options::{Options, function, property},
};
use crate::{
    error::Result,
    json::{EditableObject, well_formed},
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
    /// Reads a tool that the TypeScript side sends.
    ///
    /// # Errors
    /// `invalid_options`, naming the invalid property.
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
        mistake(&self.check, arguments)
    }

    /// Only `false` lets the call run without approval; any other answer and any error requires it.
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
            let output = || {
                let fields = EditableObject::compact(&well_formed(&output.as_string()?))?;
                Some(ToolOutput { content: fields.read("content")?, is_error: fields.read("is_error")? })
            };
            output().ok_or_else(|| {
                ToolFailure(
                    "the tool's result is not a list of texts and images, and cannot be stored".into(),
                )
            })
        })
    }
}

/// Calls a function of JavaScript that returns the mistake in these arguments, or null.
pub fn mistake(check: &Function, arguments: &str) -> std::result::Result<(), String> {
    match check.call1(&JsValue::UNDEFINED, &arguments.into()) {
        Ok(mistake) => mistake.as_string().map_or(Ok(()), Err),
        Err(thrown) => Err(message_of(&thrown)),
    }
}

/// Aborts the signal of a call when its future is dropped, as when the run is interrupted. For a call that has returned
/// this has no effect.
struct AbortOnDrop(AbortController);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
