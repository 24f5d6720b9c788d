//! Condensing: a chunk of the wasm, see [`super`].

use super::Answer;
use crate::{
    agent::{Agent, AgentCondenser, CondenserMember, GivenCondenser},
    bindings::{
        condensing::CondensingPart,
        conversation::done,
        error::{invalid, set},
        given,
        options::{is_absent, llm, property},
    },
    conversation::{Condensing, ContextUsage, Conversation, Summarizing},
    error::Result,
};
use js_sys::{Array, Function, Object};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};

/// The object of this chunk.
pub struct CondensingChunk;

impl CondensingPart for CondensingChunk {
    fn core(&self) -> Rc<dyn Condensing> {
        Rc::new(Summarizing)
    }

    fn configure(&self, agent: &mut Agent, options: &JsValue) -> Result<()> {
        let given = property(options, "condenser");
        if !given.is_undefined() {
            let condenser = if given.is_null() { None } else { Some(condenser(&given)?) };
            agent.condenser = Some(condenser);
        }
        if let Ok(count) = property(options, "countTokens").dyn_into::<Function>() {
            // If the function throws or does not return a number, the tokens are estimated.
            agent.count_tokens = Some(Rc::new(move |text| {
                let counted = count.call1(&JsValue::UNDEFINED, &text.into()).ok()?.as_f64()?;
                (counted >= 0.0).then_some(counted as u64)
            }));
        }
        Ok(())
    }

    fn condense(&self, conversation: Conversation) -> Answer {
        Box::pin(async move { done(conversation.condense().await) })
    }

    fn summary(&self, conversation: Conversation) -> Answer {
        Box::pin(async move { Ok(JsValue::from(conversation.summary().await?)) })
    }

    fn context_usage(&self, conversation: Conversation) -> Answer {
        Box::pin(async move {
            let ContextUsage { used, limit, reclaimable } = conversation.context_usage().await?;
            let object = Object::new();
            set(&object, "usedTokens", &(used as f64).into());
            set(&object, "limitTokens", &limit.map_or(JsValue::NULL, |limit| (limit as f64).into()));
            set(&object, "reclaimableTokens", &(reclaimable as f64).into());
            Ok(object.into())
        })
    }
}

/// The condenser of a list of members, each with `settings` (JSON) and `llm`.
fn condenser(members: &JsValue) -> Result<Rc<dyn GivenCondenser>> {
    let members: Result<Vec<CondenserMember>> = Array::from(members)
        .iter()
        .map(|member| {
            let settings = property(&member, "settings").as_string();
            let settings = settings.and_then(|settings| given::value(&settings));
            let own = property(&member, "llm");
            Ok(CondenserMember {
                settings: settings
                    .ok_or_else(|| invalid("the settings of a condenser must be a JSON object"))?,
                llm: if is_absent(&own) { None } else { Some(Rc::new(llm(&own)?)) },
            })
        })
        .collect();
    Ok(Rc::new(AgentCondenser { members: members? }))
}
