//! Condensing for JavaScript. The work is done by a chunk: see [`super::chunks`].

use super::{
    chunks,
    conversation::CoreConversation,
    error::invalid,
    options::{is_absent, llm, property},
};
use crate::{
    agent::{AgentCondenser, CondenserMember, TokenCounter},
    conversation::{Condensing, ContextUsage, LoadCondensing},
    error::Result,
    json::EditableObject,
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Function, Promise};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};

/// Loads the chunk.
pub struct ChunkCondensing;

impl LoadCondensing for ChunkCondensing {
    fn load(&self) -> LocalBoxFuture<'static, Result<Rc<dyn Condensing>>> {
        Box::pin(chunks::condensing())
    }
}

#[wasm_bindgen]
impl CoreConversation {
    /// See `Conversation.condense`.
    pub fn condense(&self) -> Promise {
        self.verb(|conversation| async move { conversation.condense().await.map(|()| JsValue::UNDEFINED) })
    }

    /// Resolves to the used tokens, the limit or `undefined`, and the tokens that condensing would reclaim.
    #[wasm_bindgen(js_name = contextUsage, unchecked_return_type = "Promise<[number, number | undefined, number]>")]
    pub fn context_usage(&self) -> Promise {
        self.verb(|conversation| async move {
            let ContextUsage { used, limit, reclaimable } = conversation.context_usage().await?;
            let limit = limit.map_or(JsValue::UNDEFINED, |limit| JsValue::from_f64(limit as f64));
            Ok(Array::of3(&(used as f64).into(), &limit, &(reclaimable as f64).into()).into())
        })
    }

    /// The newest summary in the view, as far as the history has been read.
    pub fn summary(&self) -> Option<String> {
        self.conversation.summary()
    }
}

/// The condenser of an agent's options: absent, `null`, or a list of members, each with `settings` (JSON) and `llm`.
pub fn condenser(options: &JsValue) -> Result<Option<Option<AgentCondenser>>> {
    let given = property(options, "condenser");
    if given.is_undefined() {
        return Ok(None);
    }
    if given.is_null() {
        return Ok(Some(None));
    }
    let members: Result<Vec<CondenserMember>> = Array::from(&given)
        .iter()
        .map(|member| {
            let settings = property(&member, "settings").as_string();
            let settings = settings.and_then(|settings| EditableObject::compact(&settings));
            let own = property(&member, "llm");
            Ok(CondenserMember {
                settings: settings
                    .ok_or_else(|| invalid("the settings of a condenser must be a JSON object"))?,
                llm: if is_absent(&own) { None } else { Some(Rc::new(llm(&own)?)) },
            })
        })
        .collect();
    Ok(Some(Some(AgentCondenser { members: members? })))
}

/// The function that counts the tokens of a text. If it throws or does not return a number, the tokens are estimated.
pub fn token_counter(options: &JsValue) -> Option<TokenCounter> {
    let count: Function = property(options, "countTokens").dyn_into().ok()?;
    Some(Rc::new(move |text| {
        let counted = count.call1(&JsValue::UNDEFINED, &text.into()).ok()?.as_f64()?;
        (counted >= 0.0).then_some(counted as u64)
    }))
}
