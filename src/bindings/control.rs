//! Deciding about calls, for JavaScript: policies, analyzers, approval.

use super::error::invalid;
use crate::{
    cancel::CancelToken,
    conversation::Conversation,
    error::Result,
    event::{RawJson, SecurityRisk},
    id::EventId,
    json::{FromJson, RawObject, quoted, well_formed},
    security::{ConfirmationPolicy, SecurityAnalyzer, StoredAnalyzer},
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Function, Promise};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

/// Answers a method of `Conversation` in `js/conversation.ts` that is about calls. Events go out as their JSON texts;
/// ids stand between commas.
pub(super) async fn answer(conversation: &Conversation, method: &str, arguments: &Array) -> Result<JsValue> {
    let given = |at| arguments.get(at).as_string();
    let text = |at| given(at).unwrap_or_default();
    match method {
        // `[status, final response or null]`. Of the calls that wait these are run, or all of them.
        "run" => {
            let cancel = CancelToken::default();
            let outcome = match given(0) {
                Some(approved) => conversation.run_approved(&ids(&approved)?, cancel).await?,
                None => conversation.run(cancel).await?,
            };
            let response = outcome.final_response.map_or(JsValue::NULL, JsValue::from);
            return Ok(Array::of2(&outcome.status.as_str().into(), &response).into());
        }
        "pendingActions" => {
            let texts = Array::new();
            for event in conversation.pending_actions().await? {
                texts.push(&(&**event.json()).into());
            }
            return Ok(texts.into());
        }
        // Why, and which of them, or all.
        "rejectPendingActions" => {
            let rejected = given(1).as_deref().map(ids).transpose()?;
            conversation.reject_pending_actions(given(0), rejected.as_deref()).await?;
        }
        // The action that waits in the other's place.
        "editAction" => {
            let event = conversation.edit_action(&text(0).parse()?, &well_formed(&text(1))).await?;
            return Ok((&**event.json()).into());
        }
        // The observation.
        "executeTool" => {
            let observation = conversation.execute_tool(&text(0), &well_formed(&text(1)), text(2)).await?;
            return Ok(observation.as_json().as_str().into());
        }
        "set" => set(conversation, &text(0), &well_formed(&text(1))).await?,
        _ => return Err(invalid(format!("a conversation has no method {method}"))),
    }
    Ok(JsValue::UNDEFINED)
}

/// Stores one of `confirmationPolicy`, `securityAnalyzer`, `allowedTools`, `secretsAllowed` and `agentState`, given as
/// JSON.
async fn set(conversation: &Conversation, setting: &str, json: &str) -> Result<()> {
    let unfit = || invalid(format!("{setting} is not of the documented form"));
    match setting {
        "confirmationPolicy" => conversation.set_confirmation_policy(policy(json)?).await,
        "securityAnalyzer" => conversation.set_security_analyzer(analyzer(json)?).await,
        "secretsAllowed" => conversation.allow_secrets().await,
        "allowedTools" => {
            let names = Vec::<String>::from_json(json).ok_or_else(unfit)?;
            conversation.set_allowed_tools(&names).await
        }
        _ => {
            let values = RawObject::from_json(json).ok_or_else(unfit)?;
            conversation.set_agent_state(&values).await
        }
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
