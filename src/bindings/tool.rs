//! A tool whose functions are JavaScript: one of the host, or one of the library that is loaded when it is used.

use super::{
    error::{invalid, message_of, set},
    given,
    options::{Options, function, property},
};
use crate::{
    error::Result,
    event::{self, Action, Observation},
    json::{EditableObject, RawJson},
    llm::option_table::OptionSource as _,
    tool::{
        FileChange, Record, Replay, Tool, ToolAnnotations, ToolCall, ToolDefinition, ToolFailure, ToolKind,
        ToolOutput,
    },
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Function, Object, Promise, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortController;

/// A tool whose check and execution are functions of the host.
pub struct JsTool {
    definition: ToolDefinition,
    check: Function,
    needs_approval: Option<Function>,
    execute: Function,
    stored: Option<StoredForm>,
}

/// The stored form of a tool of the library that is written in JavaScript.
struct StoredForm {
    /// The first part of the names of the SDK's classes.
    class: String,
    /// The entry in the stored agent's `tools`.
    spec: Option<RawJson>,
    /// Returns the stored action of argument JSON.
    action: Function,
    changes_files: bool,
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
            parameters: given::text(&plain.required_text("parameters")?).into(),
            annotations,
            replay,
            kind: if plain.text("className")?.is_some() { ToolKind::Sdk } else { ToolKind::Mcp },
        };
        let stored = match plain.text("className")? {
            Some(class) => {
                let spec = plain.text("spec")?.and_then(|spec| given::value(&spec));
                let changes_files = plain.flag("changesFiles")?.unwrap_or(true);
                Some(StoredForm { class, spec, action: function(tool, "action")?, changes_files })
            }
            None => None,
        };
        let needs_approval = property(tool, "needsApproval").dyn_into().ok();
        Ok(Self {
            definition,
            check: function(tool, "check")?,
            needs_approval,
            execute: function(tool, "execute")?,
            stored,
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
            read_output(&output).ok_or_else(|| {
                ToolFailure(
                    "the tool's result is not a list of texts and images, and cannot be stored".into(),
                )
            })
        })
    }

    fn changes_files(&self) -> bool {
        self.stored.as_ref().is_some_and(|stored| stored.changes_files)
    }

    fn record(&self) -> Option<&dyn Record> {
        self.stored.as_ref().map(|_| self as &dyn Record)
    }
}

impl Record for JsTool {
    fn spec(&self) -> Option<&RawJson> {
        self.stored.as_ref()?.spec.as_ref()
    }

    fn definition(&self) -> event::ToolDefinition {
        let ToolDefinition { name, description, annotations, .. } = &self.definition;
        let annotations = event::ToolAnnotations {
            title: annotations.title.clone(),
            read_only: annotations.read_only_hint,
            destructive: annotations.destructive_hint.unwrap_or(true),
            idempotent: annotations.idempotent_hint,
            open_world: annotations.open_world_hint.unwrap_or(true),
        };
        event::ToolDefinition::of_class(self.class(), name, description, &annotations)
    }

    fn action(&self, arguments: &EditableObject) -> Action {
        let stored = self.stored.as_ref().and_then(|stored| {
            let fields = stored.action.call1(&JsValue::UNDEFINED, &arguments.text().into()).ok()?;
            given::value(&fields.as_string()?)
        });
        Action::of_class(self.class(), stored.as_ref().unwrap_or(arguments))
    }

    fn observation(&self, _arguments: &str, output: &ToolOutput) -> Observation {
        Observation::of_class(self.class(), &output.content, output.is_error, &output.fields)
    }
}

impl JsTool {
    fn class(&self) -> &str {
        self.stored.as_ref().map_or("", |stored| &stored.class)
    }
}

/// The result of a call: JSON text, or an object with `json` and `files`.
fn read_output(output: &JsValue) -> Option<ToolOutput> {
    let json = output.as_string().or_else(|| property(output, "json").as_string())?;
    let object: EditableObject = given::value(&json)?;
    let files = property(output, "files").dyn_into::<Array>().unwrap_or_default();
    Some(ToolOutput {
        content: object.read("content")?,
        is_error: object.read("is_error")?,
        fields: object.read("fields").unwrap_or_default(),
        files: read_files(&files)?,
        waits: object.read("waits").unwrap_or(false),
    })
}

/// Changes of files: `[{ path, content, isOwners? }]`, where `null` as content removes the file.
pub fn read_files(changes: &Array) -> Option<Vec<FileChange>> {
    let mut files = Vec::new();
    for change in changes.iter() {
        let content = property(&change, "content");
        files.push(FileChange {
            path: property(&change, "path").as_string()?.parse().ok()?,
            content: if content.is_null() {
                None
            } else {
                Some(content.dyn_into::<Uint8Array>().ok()?.to_vec())
            },
            is_owners: property(&change, "isOwners").is_truthy(),
        });
    }
    Some(files)
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
