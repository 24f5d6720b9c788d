//! The part of a conversation's JavaScript interface that runs, approves and rejects calls: policies, analyzers, approval.

use super::{
    conversation::{CoreConversation, done, event_texts, text_or_null},
    error::{invalid, set},
    given,
    options::{limits_json, run_limits},
};
use crate::{
    cancel::CancelToken,
    conversation::{RunOutcome, TotalUsage},
    error::Result,
    event::SecurityRisk,
    id::EventId,
    json::{EditableObject, FromJson as _, RawJson, quoted},
    security::{ConfirmationPolicy, SecurityAnalyzer, StoredAnalyzer},
};
use futures_util::future::LocalBoxFuture;
use js_sys::{Function, Object, Promise};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** How a run ended, and what it took: the names of the tokens are those of the SDK. */
export interface CoreRunResult {
  status: "idle" | "running" | "paused" | "waiting_for_confirmation" | "finished" | "error" | "stuck" | "deleting";
  finalResponse: string | null;
  finishReason: "stop" | "length" | "content_filter" | "incomplete" | null;
  steps: number;
  tokenUsage: {
    prompt_tokens: number;
    completion_tokens: number;
    cache_read_tokens: number;
    cache_write_tokens: number;
    reasoning_tokens: number;
  };
  cost: number;
  durationMs: number;
}
"#;

#[wasm_bindgen]
impl CoreConversation {
    /// Runs the approved ones of the pending calls, or all of them.
    #[wasm_bindgen(unchecked_return_type = "Promise<CoreRunResult>")]
    pub fn run(&self, approved: Option<Vec<String>>) -> Promise {
        self.verb(move |conversation| async move {
            let cancel = CancelToken::default();
            let outcome = match approved {
                Some(approved) => conversation.run_approved(&ids(&approved)?, cancel).await,
                None => conversation.run(cancel).await,
            };
            outcome.map(run_result)
        })
    }

    /// Runs from the last message of the user on; resolves as `run` does.
    #[wasm_bindgen(unchecked_return_type = "Promise<CoreRunResult>")]
    pub fn regenerate(&self) -> Promise {
        self.verb(|conversation| async move {
            conversation.regenerate(CancelToken::default()).await.map(run_result)
        })
    }

    /// The limits of each run, as JSON.
    pub fn limits(&self) -> String {
        limits_json(&self.conversation.limits(), self.conversation.stuck_thresholds())
    }

    /// Replaces the limits of each run.
    #[wasm_bindgen(js_name = setLimits, unchecked_return_type = "Promise<void>")]
    pub fn set_limits(&self, #[wasm_bindgen(unchecked_param_type = "object")] limits: JsValue) -> Promise {
        self.changing(run_limits(&limits).map(|limits| self.conversation.set_limits(limits)))
    }

    /// See `Conversation.pause`.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn pause(&self) -> Promise {
        self.verb(|conversation| async move { done(conversation.pause().await) })
    }

    /// See `Conversation.interrupt`.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn interrupt(&self) -> Promise {
        self.verb(|conversation| async move { done(conversation.interrupt().await) })
    }

    /// Resolves to the JSON texts of the events.
    #[wasm_bindgen(js_name = pendingActions, unchecked_return_type = "Promise<string[]>")]
    pub fn pending_actions(&self) -> Promise {
        self.verb(|conversation| async move { Ok(event_texts(&conversation.pending_actions().await?)) })
    }

    /// Those of them that would not wait if their tools were allowed.
    #[wasm_bindgen(js_name = allowableActions, unchecked_return_type = "Promise<string[]>")]
    pub fn allowable_actions(&self) -> Promise {
        self.verb(|conversation| async move {
            let pending = conversation.pending_actions().await?;
            Ok(event_texts(&conversation.allowable(pending).await))
        })
    }

    /// Rejects these pending calls, or all of them, for this reason.
    #[wasm_bindgen(js_name = rejectPendingActions, unchecked_return_type = "Promise<void>")]
    pub fn reject_pending_actions(&self, reason: Option<String>, actions: Option<Vec<String>>) -> Promise {
        self.verb(move |conversation| async move {
            let actions = actions.as_deref().map(ids).transpose()?;
            done(conversation.reject_pending_actions(reason, actions.as_deref()).await)
        })
    }

    /// Takes a confirmation policy in the SDK's JSON.
    #[wasm_bindgen(js_name = setConfirmationPolicy, unchecked_return_type = "Promise<void>")]
    pub fn set_confirmation_policy(&self, json: String) -> Promise {
        self.changing(policy(&json).map(|policy| self.conversation.set_confirmation_policy(policy)))
    }

    /// Takes a security analyzer in the SDK's JSON, or `null` for none.
    #[wasm_bindgen(js_name = setSecurityAnalyzer, unchecked_return_type = "Promise<void>")]
    pub fn set_security_analyzer(&self, json: String) -> Promise {
        self.changing(analyzer(&json).map(|analyzer| self.conversation.set_security_analyzer(analyzer)))
    }

    /// Takes the names of tools.
    #[wasm_bindgen(js_name = setAllowedTools, unchecked_return_type = "Promise<void>")]
    pub fn set_allowed_tools(&self, names: Vec<String>) -> Promise {
        self.changing(Ok(self.conversation.set_allowed_tools(&names)))
    }

    /// See `Conversation.allowSecrets`.
    #[wasm_bindgen(js_name = allowSecrets, unchecked_return_type = "Promise<void>")]
    pub fn allow_secrets(&self) -> Promise {
        self.changing(Ok(self.conversation.allow_secrets()))
    }

    /// Takes a JSON object, in which `null` removes a value.
    #[wasm_bindgen(js_name = setAgentState, unchecked_return_type = "Promise<void>")]
    pub fn set_agent_state(&self, json: String) -> Promise {
        let values: Result<EditableObject> =
            given::value(&json).ok_or_else(|| invalid("agentState must be a JSON object"));
        self.changing(values.map(|values| self.conversation.set_agent_state(&values)))
    }

    /// Takes JSON that the library itself notes under this name: see `Conversation::note`.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn note(&self, name: String, json: String) -> Promise {
        let value: Result<RawJson> = given::value(&json).ok_or_else(|| invalid("a note must be JSON"));
        self.changing(value.map(|value| self.conversation.note(&name, &value)))
    }
}

/// The `CoreRunResult` of a run.
fn run_result(outcome: RunOutcome) -> JsValue {
    let result = Object::new();
    set(&result, "status", &outcome.status.as_str().into());
    set(&result, "finalResponse", &text_or_null(outcome.final_response));
    set(&result, "finishReason", &text_or_null(outcome.finish_reason));
    set(&result, "steps", &outcome.steps.into());
    let TotalUsage { cost, tokens } = outcome.usage;
    let token_usage = Object::new();
    for (name, count) in [
        ("prompt_tokens", tokens.prompt_tokens),
        ("completion_tokens", tokens.completion_tokens),
        ("cache_read_tokens", tokens.cache_read_tokens),
        ("cache_write_tokens", tokens.cache_write_tokens),
        ("reasoning_tokens", tokens.reasoning_tokens),
    ] {
        set(&token_usage, name, &(count as f64).into());
    }
    set(&result, "tokenUsage", &token_usage);
    set(&result, "cost", &cost.into());
    set(&result, "durationMs", &outcome.duration.into());
    result.into()
}

/// Reads changes of tags from a JSON object, in which `null` removes one.
pub fn tag_changes(json: &str) -> Result<EditableObject> {
    given::value(json).ok_or_else(|| invalid("tags must be an object of strings, in which null removes one"))
}

/// Reads a confirmation policy from the SDK's JSON.
pub(super) fn policy(json: &str) -> Result<ConfirmationPolicy> {
    given::value(json).ok_or_else(|| {
        invalid("confirmationPolicy must be AlwaysConfirm, NeverConfirm, or ConfirmRisky with a threshold of LOW, MEDIUM or HIGH")
    })
}

/// Reads a security analyzer from the SDK's JSON, in which `null` is none.
pub(super) fn analyzer(json: &str) -> Result<Option<StoredAnalyzer>> {
    if json == "null" {
        return Ok(None);
    }
    let stored = given::value(json).and_then(StoredAnalyzer::of);
    stored.map(Some).ok_or_else(|| invalid("securityAnalyzer must be an object with a kind"))
}

fn ids(texts: &[String]) -> Result<Vec<EventId>> {
    texts.iter().map(|id| id.parse()).collect()
}

/// An analyzer that is a JavaScript function: it takes the JSON of an `ActionEvent` and returns or promises a risk.
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
