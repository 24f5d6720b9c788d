//! Deciding about calls, for JavaScript: policies, analyzers, approval.

use super::{conversation::CoreConversation, error::invalid};
use crate::{
    cancel::CancelToken,
    error::Result,
    event::{RawJson, SecurityRisk},
    id::EventId,
    json::{FromJson, RawObject, quoted, well_formed},
    security::{ConfirmationPolicy, SecurityAnalyzer, StoredAnalyzer},
    web::guard::promise,
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Function, Promise};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
impl CoreConversation {
    /// Runs; resolves to `[status, final response or null]`. Of the calls that wait these are run, whose ids stand
    /// between commas, or all of them.
    pub fn run(&self, approved: Option<String>) -> Promise {
        let conversation = self.conversation.clone();
        promise(async move {
            let cancel = CancelToken::default();
            let outcome = match approved {
                Some(approved) => conversation.run_approved(&ids(&approved)?, cancel).await?,
                None => conversation.run(cancel).await?,
            };
            let response = outcome.final_response.map_or(JsValue::NULL, JsValue::from);
            Ok(Array::of2(&outcome.status.as_str().into(), &response).into())
        })
    }

    /// The JSON texts of the actions that wait for a result.
    #[wasm_bindgen(js_name = pendingActions)]
    pub fn pending_actions(&self) -> Promise {
        let conversation = self.conversation.clone();
        promise(async move {
            let pending = conversation.pending_actions().await?;
            Ok(pending.iter().map(|event| JsValue::from(&**event.json())).collect::<Array>().into())
        })
    }

    /// Answers the actions that wait with a rejection: those whose ids stand between commas, or all.
    #[wasm_bindgen(js_name = rejectPendingActions)]
    pub fn reject_pending_actions(&self, reason: Option<String>, rejected: Option<String>) -> Promise {
        let conversation = self.conversation.clone();
        promise(async move {
            let rejected = rejected.as_deref().map(ids).transpose()?;
            conversation.reject_pending_actions(reason, rejected.as_deref()).await?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Gives an action that waits other arguments; resolves to the JSON of the action that waits in its place.
    #[wasm_bindgen(js_name = editAction)]
    pub fn edit_action(&self, action: String, arguments: String) -> Promise {
        let conversation = self.conversation.clone();
        promise(async move {
            let event = conversation.edit_action(&action.parse()?, &well_formed(&arguments)).await?;
            Ok((&**event.json()).into())
        })
    }

    /// Runs a tool; resolves to the JSON of its observation.
    #[wasm_bindgen(js_name = executeTool)]
    pub fn execute_tool(&self, name: String, arguments: String, tool_call_id: String) -> Promise {
        let conversation = self.conversation.clone();
        promise(async move {
            let observation =
                conversation.execute_tool(&name, &well_formed(&arguments), tool_call_id).await?;
            Ok(observation.as_json().as_str().into())
        })
    }

    /// Stores one of `confirmationPolicy`, `securityAnalyzer`, `allowedTools` and `agentState`, given as JSON.
    pub fn set(&self, setting: String, json: String) -> Promise {
        let conversation = self.conversation.clone();
        promise(async move {
            let json = well_formed(&json);
            let unfit = || invalid(format!("{setting} is not of the documented form"));
            match &*setting {
                "confirmationPolicy" => conversation.set_confirmation_policy(policy(&json)?).await?,
                "securityAnalyzer" => conversation.set_security_analyzer(analyzer(&json)?).await?,
                "allowedTools" => {
                    let names = Vec::<String>::from_json(&json).ok_or_else(unfit)?;
                    conversation.set_allowed_tools(&names).await?;
                }
                _ => {
                    let values = RawObject::from_json(&json).ok_or_else(unfit)?;
                    conversation.set_agent_state(&values).await?;
                }
            }
            Ok(JsValue::UNDEFINED)
        })
    }
}

/// The policy in this JSON of the SDK's.
pub(super) fn policy(json: &str) -> Result<ConfirmationPolicy> {
    ConfirmationPolicy::from_json(json).ok_or_else(|| {
        invalid("confirmationPolicy must be AlwaysConfirm, NeverConfirm, or ConfirmRisky with a threshold of LOW, MEDIUM or HIGH")
    })
}

/// The analyzer in this JSON of the SDK's, where `null` is nobody.
pub(super) fn analyzer(json: &str) -> Result<Option<StoredAnalyzer>> {
    if json == "null" {
        return Ok(None);
    }
    let stored = RawJson::from_json(json).and_then(StoredAnalyzer::of);
    stored.map(Some).ok_or_else(|| invalid("securityAnalyzer has no kind"))
}

fn ids(text: &str) -> Result<Vec<EventId>> {
    text.split(',').filter(|id| !id.is_empty()).map(str::parse).collect()
}

/// An analyzer that is a function: it takes the JSON of an `ActionEvent` and gives a promise of a risk.
pub(super) struct JsAnalyzer(pub Function);

impl SecurityAnalyzer for JsAnalyzer {
    fn security_risk(&self, action: &str) -> LocalBoxFuture<'static, Option<SecurityRisk>> {
        let answer = self.0.call1(&JsValue::UNDEFINED, &action.into());
        Box::pin(async move {
            let risk = JsFuture::from(Promise::resolve(&answer.ok()?)).await.ok()?;
            SecurityRisk::from_json(&quoted(&risk.as_string()?))
        })
    }
}
