//! Hooks that are JavaScript functions of the host.

use super::{
    error::{invalid, message_of},
    given,
    options::{function, property},
};
use crate::{
    error::Result,
    event::{EventBody as _, HookEventType, HookExecutionEvent},
    hooks::{HookDecision, Hooks},
    json::{EditableObject, objects},
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Function, Promise};
use std::rc::Rc;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Reads the hooks that the TypeScript side sends, if any.
///
/// # Errors
/// `invalid_options`, naming the invalid property.
pub fn hooks(hooks: &JsValue) -> Result<Option<Rc<dyn Hooks>>> {
    if hooks.is_undefined() {
        return Ok(None);
    }
    let names = property(hooks, "eventTypes").dyn_into::<Array>();
    let names = names.map_err(|_| invalid("eventTypes of hooks must be an array"))?;
    let event_types = names.iter().filter_map(|name| name.as_string()).collect();
    Ok(Some(Rc::new(JsHooks { event_types, ask: function(hooks, "ask")? })))
}

/// One function that calls any of the hooks, and the event types that have one.
struct JsHooks {
    event_types: Vec<String>,
    ask: Function,
}

impl Hooks for JsHooks {
    fn has(&self, event_type: HookEventType) -> bool {
        self.event_types.iter().any(|name| name == event_type.as_str())
    }

    fn ask(
        &self,
        event_type: HookEventType,
        input: String,
    ) -> LocalBoxFuture<'static, std::result::Result<HookDecision, String>> {
        let ask = self.ask.clone();
        Box::pin(async move {
            let failed = |thrown: JsValue| message_of(&thrown);
            let answer =
                ask.call2(&JsValue::UNDEFINED, &event_type.as_str().into(), &input.into()).map_err(failed)?;
            let answer = JsFuture::from(Promise::resolve(&answer)).await.map_err(failed)?;
            // An unreadable answer must not count as an allowing one.
            let fields = answer.as_string().and_then(|text| given::value(&text));
            let fields: EditableObject = fields.ok_or("the answer of a hook must be a JSON object")?;
            let executions = fields.get("executions").and_then(objects).unwrap_or_default();
            Ok(HookDecision {
                denies: fields.read::<String>("decision").is_some_and(|decision| decision == "deny"),
                reason: fields.read("reason"),
                additional_context: fields.read("additionalContext"),
                error: fields.read("error"),
                executions: executions.iter().filter_map(HookExecutionEvent::read).collect(),
            })
        })
    }
}
