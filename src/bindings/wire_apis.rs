//! Wire APIs that are in other wasm files, which the TypeScript side loads when one is needed.

use super::error::words_of;
use crate::llm::{
    LlmError, LlmFailure,
    elsewhere::{Ask, Elsewhere},
    wire_api::{Api, WireApi, WireApis},
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Function, Promise};
use std::rc::Rc;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

/// A function of a wire API's name that gives, in a promise, the function `begin` of `js/wire-apis.ts`.
pub struct JsWireApis(pub Function);

impl WireApis for JsWireApis {
    fn load(&self, api: Api) -> LocalBoxFuture<'static, Result<Rc<dyn WireApi>, LlmError>> {
        let loading = self.0.call1(&JsValue::UNDEFINED, &api.as_str().into());
        Box::pin(async move {
            let failed = |thrown: JsValue| LlmError::new(LlmFailure::Network, words_of(&thrown));
            let begin = JsFuture::from(Promise::resolve(&loading.map_err(failed)?)).await.map_err(failed)?;
            let begin: Function = begin.unchecked_into();
            Ok(Rc::new(Elsewhere(Rc::new(move |asked| ask_of(&begin, asked)))) as Rc<dyn WireApi>)
        })
    }
}

fn ask_of(begin: &Function, asked: &str) -> Result<Ask, String> {
    let ask = begin.call1(&JsValue::UNDEFINED, &asked.into()).map_err(|thrown| words_of(&thrown))?;
    let ask: Function = ask.unchecked_into();
    Ok(Rc::new(move |question, event, data| {
        let answer = ask.call3(&JsValue::UNDEFINED, &question.into(), &event.into(), &data.into());
        answer.map(|text| text.as_string().unwrap_or_default()).map_err(|thrown| words_of(&thrown))
    }))
}
