//! Condensing for JavaScript: `condense`, `summary` and `contextUsage`. All of it is in the agent's file.

use super::{
    conversation::{CoreConversation, done},
    error::{invalid, set},
    given,
    options::{is_absent, llm, property},
};
use crate::{
    agent::{Agent, AgentCondenser, CondenserMember},
    conversation::ContextUsage,
    error::Result,
};
use js_sys::{Array, Function, Object};
use std::rc::Rc;
use wasm_bindgen::{JsCast as _, JsValue, prelude::wasm_bindgen};
use wasm_file::wasm_file;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"import type { ContextUsage } from "../js/agent/context-usage.js";"#;

#[wasm_file(agent)]
#[wasm_bindgen]
impl CoreConversation {
    /// See `Conversation.condense`.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub async fn condense(&self) -> Result<JsValue> {
        done(self.conversation.condense().await)
    }

    /// Resolves to the newest summary of the active branch.
    #[wasm_bindgen(unchecked_return_type = "Promise<string | undefined>")]
    pub async fn summary(&self) -> Result<JsValue> {
        Ok(JsValue::from(self.conversation.summary().await?))
    }

    /// Resolves to the tokens of the next request, their limit, and those that condensing would reclaim.
    #[wasm_bindgen(js_name = contextUsage, unchecked_return_type = "Promise<ContextUsage>")]
    pub async fn context_usage(&self) -> Result<JsValue> {
        let ContextUsage { used, limit, reclaimable } = self.conversation.context_usage().await?;
        let object = Object::new();
        set(&object, "usedTokens", &(used as f64).into());
        set(&object, "limitTokens", &limit.map_or(JsValue::NULL, |limit| (limit as f64).into()));
        set(&object, "reclaimableTokens", &(reclaimable as f64).into());
        Ok(object.into())
    }
}

/// Sets the condenser and the token counter of these options.
#[wasm_file(agent)]
pub(super) async fn configure<'a>(agent: &'a mut Agent, options: &'a JsValue) -> Result<()> {
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

/// The condenser of a list of members, each with `settings` (JSON) and `llm`.
fn condenser(members: &JsValue) -> Result<Rc<AgentCondenser>> {
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
