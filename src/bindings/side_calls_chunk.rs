//! Requests beside the run: a chunk of the wasm, see [`super::chunks`].

use super::{
    options::{Options, llm, property},
    side_calls::SideCalls,
};
use crate::{
    cancel::CancelToken, conversation::Conversation, error::Result, llm::option_table::OptionSource as _,
};
use futures_util::future::{Either, LocalBoxFuture, select};
use js_sys::Promise;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

/// The object of this chunk.
pub struct SideCallsChunk;

impl SideCalls for SideCallsChunk {
    fn call(&self, conversation: Conversation, options: JsValue) -> LocalBoxFuture<'static, Result<JsValue>> {
        Box::pin(async move {
            let cancel = CancelToken::default();
            let call = Box::pin(call(&conversation, &options, &cancel));
            let Ok(stopped) = property(&options, "stopped").dyn_into::<Promise>() else { return call.await };
            match select(call, JsFuture::from(stopped)).await {
                Either::Left((text, _)) => text,
                Either::Right((_, call)) => {
                    cancel.cancel();
                    call.await
                }
            }
        })
    }
}

async fn call(conversation: &Conversation, options: &JsValue, cancel: &CancelToken) -> Result<JsValue> {
    let plain = Options::new(options, "options");
    if let Some(question) = plain.text("question")? {
        return Ok(conversation.ask_agent(&question, cancel).await?.into());
    }
    let given = property(options, "llm");
    let given = if given.is_undefined() { None } else { Some(llm(&given)?) };
    let max_length = plain.count("maxLength")?.unwrap_or(50) as usize;
    Ok(conversation.generate_title(given, max_length, cancel).await?.into())
}
