//! Decides whether a view is condensed, asks the model for the summary, and stores the condensation.

use super::next_request::NextRequest;
use crate::{
    agent::{NewEvent, summary_llm},
    cancel::CancelToken,
    context::{
        condenser::{Attempt, Condenser, Decision, summary_of, summary_request},
        view::View,
    },
    error::{Error, ErrorCode, Result},
    event::{Body, CondensationRequest, Source},
    format::base_state::ExecutionStatus,
    handle::{
        Conversation,
        condensing::{Condensed, ContextUsage},
    },
    llm::{LlmError, LlmFailure},
    machine::{Command, Phase, RunError},
    store::Durability,
};
use wasm_file::wasm_file;

/// The condenser in the SDK's form: that of the agent, or else the stored one.
fn condenser_of(conversation: &Conversation) -> Option<Condenser> {
    let stored = match &conversation.0.agent.condenser {
        Some(given) => given.as_ref().map(|condenser| condenser.to_sdk_json(&conversation.llm())),
        None => conversation.stored_condenser(),
    };
    stored.map(|stored| Condenser::read(&stored))
}

/// Asks for a condensation after this failure of the model.
#[wasm_file(agent)]
pub(super) async fn recover<'a>(conversation: &'a Conversation, error: &'a LlmError) -> Result<()> {
    if error.failure == LlmFailure::MalformedHistory {
        // A view that is built anew omits whatever a provider refuses.
        conversation.0.log.forget_branch();
    }
    let request = NewEvent::new(Source::Environment, CondensationRequest {});
    conversation.perform(Command::CondenseRefused { request }).await.map(drop)
}

/// Condenses the view if that is necessary. `before` is the number of tokens before the last condensation, if it was the
/// run's last step.
#[wasm_file(agent)]
pub(super) async fn condense<'a>(
    conversation: &'a Conversation,
    before: Option<u64>,
    cancel: &'a CancelToken,
) -> std::result::Result<Condensed, RunError> {
    let Some(condenser) = condenser_of(conversation) else { return Ok(Condensed::SendView) };
    let request = NextRequest::of(conversation).await?;
    let mut decision = request.judge(|situation| condenser.decide_in_run(situation, before));
    let mut failure = None;
    loop {
        let attempt = match decision {
            Decision::SendView => return Ok(Condensed::SendView),
            Decision::Summarize(attempt) => attempt,
            Decision::Impossible => return Err(RunError::Llm(failure.unwrap_or_else(does_not_fit), None)),
        };
        let answer = summarize(conversation, &condenser, &attempt, &request.view, cancel).await;
        let error = match answer {
            Some(Ok((summary, response_id))) => {
                let condensation = attempt.condensation(&request.view, summary, response_id);
                let new_event = NewEvent::new(Source::Environment, condensation);
                conversation.append(vec![new_event], Durability::Strict).await?;
                return Ok(Condensed::From(request.counts.total()));
            }
            Some(Err(error)) => error,
            None => return Ok(Condensed::Cancelled),
        };
        // A pause does not wait until the model is available again: the next run asks it.
        if conversation.execution_status() == ExecutionStatus::Paused {
            return Ok(Condensed::Done);
        }
        decision = request.judge(|situation| condenser.decide_in_run_after_failure(&attempt, situation));
        failure = Some(error);
    }
}

fn does_not_fit() -> LlmError {
    let text = "the system prompt, the tools and a summary alone are over the limit of tokens; shorten them, raise maxTokens of the condenser, or use a model with a larger context window";
    LlmError::new(LlmFailure::ContextWindow, text)
}

/// The summary and the id of the response that it comes from; `None` if the run was cancelled.
async fn summarize(
    conversation: &Conversation,
    condenser: &Condenser,
    attempt: &Attempt,
    view: &View,
    cancel: &CancelToken,
) -> Option<std::result::Result<(String, String), LlmError>> {
    let member = condenser.members.get(attempt.member)?;
    let agents = conversation.llm();
    let given = conversation.0.agent.condenser.iter().flatten().next();
    let given = given.and_then(|condenser| condenser.llm(attempt.member, &agents));
    let llm =
        given.unwrap_or_else(|| summary_llm(&agents, member.llm.field::<String>("usage_id").as_deref()));
    let forgotten = view.events().get(attempt.forgotten.clone()).unwrap_or_default();
    let (messages, tools) = summary_request(forgotten, attempt.max_event_text, member.asks_for_fields);
    report(conversation, false);
    let answer = conversation.complete_aside(&llm, messages, &tools, cancel).await;
    report(conversation, true);
    Some(answer?.and_then(|completion| match summary_of(&completion.message) {
        Some(summary) => Ok((summary, completion.response_id)),
        None => Err(LlmError::with_message(LlmFailure::NoResponse, None, "the summary has no text")),
    }))
}

/// Tells listeners that a summary is asked for, or no longer: the model may write it for a minute, and nothing is stored meanwhile.
fn report(conversation: &Conversation, is_over: bool) {
    (conversation.0.on_commit)(&format!(r#"[{{"kind":"CondensingEvent","is_over":{is_over}}}]"#));
}

/// See [`Conversation::condense`].
#[wasm_file(agent)]
pub(super) async fn request<'a>(conversation: &'a Conversation) -> Result<()> {
    let refused = |text: &str| Err(Error::new(ErrorCode::InvalidState, text));
    conversation.ensure_writable()?;
    if !condenser_of(conversation).is_some_and(|condenser| condenser.handles_condensation_requests()) {
        return refused(
            "this agent has no condenser that condenses on request; give it one: new Agent({ condenser: { kind: \"LLMSummarizingCondenser\" } })",
        );
    }
    let request = || vec![NewEvent::new(Source::Environment, CondensationRequest {})];
    let is_running = conversation.0.page.borrow().is_running();
    let has_open_calls = conversation.inspect(|machine| !machine.calls.is_settled()).await?;
    conversation.ensure_writable()?;
    if is_running {
        return conversation.append(request(), Durability::Strict).await;
    }
    if has_open_calls {
        return refused("calls have no result yet; approve or reject them first, or run()");
    }
    let is_empty =
        |view: &View| !view.events().iter().any(|event| !matches!(event.body(), Body::SystemPromptEvent(_)));
    if conversation.0.log.read(|branch| is_empty(&branch.view)).await? {
        return refused("there is nothing to condense yet");
    }
    let cancel = CancelToken::default();
    let running = conversation.begin_run(&cancel, Phase::Decides)?;
    conversation.append(request(), Durability::Relaxed).await?;
    let condensed = condense(conversation, None, &cancel).await;
    drop(running);
    conversation.append_inbox().await?;
    match condensed {
        Ok(Condensed::Cancelled) => {
            Err(Error::new(ErrorCode::Aborted, "the summary was stopped; the next run condenses"))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(conversation.without_secrets(error.into())),
    }
}

/// See [`Conversation::context_usage`].
#[wasm_file(agent)]
pub(super) async fn usage<'a>(conversation: &'a Conversation) -> Result<ContextUsage> {
    let request = NextRequest::of(conversation).await?;
    let condenser = condenser_of(conversation).unwrap_or_default();
    let forgotten = request.judge(|situation| condenser.forgotten_on_request(situation));
    let own_limits = condenser.members.iter().filter_map(|member| member.max_tokens);
    Ok(ContextUsage {
        used: request.counts.total(),
        limit: own_limits.chain(request.max_input_tokens).min(),
        reclaimable: request
            .counts
            .first(forgotten.end)
            .saturating_sub(request.counts.first(forgotten.start)),
    })
}
