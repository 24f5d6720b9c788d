//! Calls the host's hooks (`hooks/conversation_hooks.py`).
//!
//! The answer of a hook is stored as an event on the active branch: before the action or message that it decides about,
//! or after the result that it is notified of. A denial is stored in `blocked_actions` or `blocked_messages` by the same
//! commit as the action or message, so that neither a later page nor Python executes what was denied.
//!
//! No lock is held while a hook is asked, because hooks may call any verb.

use crate::{
    agent::{Call, NewEvent},
    cancel::CancelToken,
    error::{Error, ErrorCode, Result},
    event::{Body, Event, HookEventType, MessageEvent, Source},
    format::base_state::ExecutionStatus,
    handle::Conversation,
    hooks::{HookInput, HookResult, Hooks},
    id::EventId,
    json::RawJson,
    llm::message::{Content, Message, Role},
    machine::{Command, Ended, HookAnswers, Phase, answers::call_in},
    store::Durability,
};
use futures_util::future::{Either, LocalBoxFuture, select};
use std::{pin::pin, time::Duration};

/// The longest time to wait for the session-end hook.
const SESSION_END_TIMEOUT: Duration = Duration::from_secs(10);

impl Conversation {
    fn hooks_for(&self, event_type: HookEventType) -> Option<&dyn Hooks> {
        self.0.hooks.as_deref().filter(|hooks| hooks.has(event_type))
    }

    /// Asks the hook for this event type. The future gives its answer and the events that record it; `None` if there is
    /// no such hook.
    fn hook(&self, input: HookInput) -> Option<LocalBoxFuture<'static, (HookResult, Vec<NewEvent>)>> {
        let hooks = self.hooks_for(input.event_type)?;
        let answer = hooks.ask(input.event_type, input.to_json(&self.id().to_string()));
        let conversation = self.clone();
        Some(Box::pin(async move {
            let mut result = HookResult::of(input.event_type, answer.await);
            let decision = &mut result.decision;
            // These texts go into the base state and the user's message, which are not masked later.
            for text in [&mut decision.reason, &mut decision.additional_context].into_iter().flatten() {
                *text = conversation.masked(text);
            }
            let executions = result.executions(&input).into_iter();
            let new_events = executions.map(|execution| NewEvent::new(Source::Hook, execution)).collect();
            (result, new_events)
        }))
    }

    /// Asks the session-start hook, before the first message or run since the conversation was opened. The events are
    /// stored behind the system prompt, which the SDK expects to be first. `cancel` stops the hook, but not a commit.
    pub(crate) async fn begin_session(&self, cancel: &CancelToken) -> Result<Ended> {
        if std::mem::replace(&mut self.0.page.borrow_mut().has_session, true) {
            return Ok(Ended::Done);
        }
        let Some(asked) = self.hook(HookInput::new(HookEventType::SessionStart)) else {
            return Ok(Ended::Done);
        };
        let Either::Left(((_, hook_events), _)) = select(asked, pin!(cancel.cancelled())).await else {
            return Ok(Ended::Cancelled);
        };
        self.perform(Command::BeginSession { hook_events }).await?;
        Ok(Ended::Done)
    }

    /// Asks the session-end hook when the conversation is closed, and ignores failures.
    pub(crate) async fn end_session(&self) {
        if !std::mem::take(&mut self.0.page.borrow_mut().has_session) {
            return;
        }
        let Some(asked) = self.hook(HookInput::new(HookEventType::SessionEnd)) else { return };
        if let Either::Left(((_, new_events), _)) =
            select(asked, self.0.log.host.sleep(SESSION_END_TIMEOUT)).await
        {
            // A store that fails may be the reason for closing.
            let _ = self.append(new_events, Durability::Relaxed).await;
        }
    }

    /// Asks the hook about a user's message before it is stored with this id. The hook may add text to the message.
    pub(crate) async fn ask_about_message(&self, id: &EventId, message: &mut MessageEvent) -> HookAnswers {
        let input = HookInput {
            message: Some(message.llm_message.text()),
            message_id: Some(id.as_str().to_owned()),
            ..HookInput::new(HookEventType::UserPromptSubmit)
        };
        let Some(asked) = self.hook(input) else { return HookAnswers::default() };
        let (result, events) = asked.await;
        if let Some(text) = result.additional_context() {
            message.extended_content.push(Content::text(text));
        }
        let denied = result.denial().map(|reason| (id.clone(), reason));
        HookAnswers { events, denied: denied.into_iter().collect() }
    }

    /// Asks the hook about each call of an answer, in order, before they are stored.
    pub(crate) async fn ask_about_calls(&self, calls: &[Call]) -> HookAnswers {
        let mut hook_answers = HookAnswers::default();
        // The input of a hook is a copy of all arguments.
        if self.hooks_for(HookEventType::PreToolUse).is_none() {
            return hook_answers;
        }
        for call in calls {
            let Some(asked) = self.hook(call_input(HookEventType::PreToolUse, call)) else { break };
            let (result, new_events) = asked.await;
            hook_answers.events.extend(new_events);
            hook_answers.denied.extend(result.denial().map(|reason| (call.action_id.clone(), reason)));
        }
        hook_answers
    }

    /// Asks the hook about an edited call before it is stored.
    pub(crate) async fn ask_about_edited(&self, edited: &NewEvent, id: &EventId) -> HookAnswers {
        match call_in(&edited.body, id) {
            Some(call) => self.ask_about_calls(&[call]).await,
            None => HookAnswers::default(),
        }
    }

    /// Asks the hook about a result after it was stored. The future gives the events that record the answer.
    pub(crate) fn ask_after_call(
        &self,
        call: &Call,
        result: &Event,
    ) -> Option<LocalBoxFuture<'static, Vec<NewEvent>>> {
        self.hooks_for(HookEventType::PostToolUse)?;
        let Body::ObservationEvent(observation) = result.body() else { return None };
        let mut input = call_input(HookEventType::PostToolUse, call);
        input.tool_response = Some(RawJson::of(&observation.observation));
        let asked = self.hook(input)?;
        Some(Box::pin(async move { asked.await.1 }))
    }

    /// Asks the stop hook when the agent is done. Returns whether the run goes on, because the hook demands it or a
    /// message arrived meanwhile. If the hook is cancelled, the run ends.
    pub(crate) async fn continues_after_finish(&self, cancel: &CancelToken) -> Result<bool> {
        if cancel.is_cancelled() {
            return Ok(false);
        }
        let input = HookInput { reason: Some("agent_finished"), ..HookInput::new(HookEventType::Stop) };
        let Some(asked) = self.hook(input) else { return Ok(false) };
        // The hook may call any verb. Messages that it sends have to wait in the inbox.
        self.enter(Phase::RunsTools);
        let answer = match select(asked, pin!(cancel.cancelled())).await {
            Either::Left((answer, _)) => Some(answer),
            Either::Right(_) => None,
        };
        self.enter(Phase::Decides);
        let Some((result, mut events)) = answer else { return Ok(false) };
        let denial = result.denial();
        if let Some(reason) = &denial {
            let feedback = result.additional_context().unwrap_or(reason);
            // The SDK looks for this prefix in stored messages.
            let text = format!("[Stop hook feedback] {feedback}");
            let message = Message::new(Role::User, vec![Content::text(text)]);
            events.push(NewEvent::new(Source::Environment, MessageEvent::new(message)));
        }
        let is_denied = denial.is_some() && self.execution_status() == ExecutionStatus::Finished;
        self.perform(Command::AskedToStop { hook_events: events, is_denied }).await?;
        Ok(is_denied || !self.0.page.borrow().inbox.is_empty())
    }
}

/// The answers of hooks, unless the user interrupts before they have come.
///
/// # Errors
/// `aborted`.
pub(crate) async fn unless_interrupted(
    asked: LocalBoxFuture<'_, HookAnswers>,
    cancel: &CancelToken,
) -> Result<HookAnswers> {
    match select(asked, pin!(cancel.cancelled())).await {
        Either::Left((answers, _)) => Ok(answers),
        Either::Right(_) => Err(interrupted()),
    }
}

pub(crate) fn interrupted() -> Error {
    Error::new(ErrorCode::Aborted, "interrupted before a hook had answered; nothing was stored")
}

fn call_input(event_type: HookEventType, call: &Call) -> HookInput {
    HookInput {
        tool_name: Some(call.tool_name.clone()),
        tool_input: RawJson::parse(&call.arguments),
        action_id: Some(call.action_id.as_str().to_owned()),
        ..HookInput::new(event_type)
    }
}
