//! Where a conversation asks and tells the host's hooks (`hooks/conversation_hooks.py`).
//!
//! What a hook said is an event of the log, on the active branch: before what it was asked about, and behind what it
//! was told of. What it denied stands in `blocked_actions` and `blocked_messages` from the same commit on that has the
//! action or the message, so that neither a dead page nor Python does what was not allowed.
//!
//! Nothing is held while a hook is asked: a hook may call any verb.

use super::{
    Conversation,
    machine::{Command, Phase, answers::call_in, calls},
    run::Ended,
};
use crate::{
    agent::{Call, Draft},
    cancel::CancelToken,
    error::Result,
    event::{Body, Event, HookEventType, MessageEvent, Source},
    format::base_state::{BaseState, ExecutionStatus},
    hooks::{HookInput, HookResult},
    id::EventId,
    json::{EditableObject, RawJson, ToJson as _},
    llm::message::{Content, Message, Role},
};
use futures_util::future::{Either, LocalBoxFuture, select};
use std::{pin::pin, time::Duration};

/// Where the state says which messages the model is not to be asked about, and why.
const BLOCKED_MESSAGES: &str = "blocked_messages";

/// How long a page waits for the hook that is told of the end of a session.
const LONGEST_GOODBYE: Duration = Duration::from_secs(10);

/// What hooks said, until it is committed together with what they were asked about.
#[derive(Default)]
pub(super) struct HookAnswers {
    /// Their events.
    pub drafts: Vec<Draft>,
    /// What they denied, and why.
    pub denied: Vec<(EventId, String)>,
}

impl HookAnswers {
    /// Keeps what was denied of actions.
    pub fn block_actions(&self, state: &mut BaseState) {
        calls::deny(state, &self.denied);
    }

    /// Keeps what was denied of a message.
    pub fn block_message(&self, state: &mut BaseState) {
        if self.denied.is_empty() {
            return;
        }
        let mut blocked = blocked_messages(state);
        for (id, reason) in &self.denied {
            blocked.set(id.as_str(), &reason.to_json_text());
        }
        state.set_field(BLOCKED_MESSAGES, Some(&RawJson::of(&blocked)));
    }
}

impl Conversation {
    /// The answer to come of the hook for this, with the event that keeps it; `None` if there is no such hook.
    fn hook(&self, input: HookInput) -> Option<LocalBoxFuture<'static, (HookResult, Draft)>> {
        let hooks = self.0.hooks.as_ref().filter(|hooks| hooks.has(input.event_type))?;
        let answer = hooks.ask(input.event_type, input.to_json(&self.id().to_string()));
        let conversation = self.clone();
        Some(Box::pin(async move {
            let mut result = HookResult::of(input.event_type, answer.await);
            let decision = &mut result.decision;
            // They go into the state, and into the user's message, where nothing else is hidden.
            for text in [&mut decision.reason, &mut decision.additional_context].into_iter().flatten() {
                *text = conversation.masked(text);
            }
            let draft = Draft::new(Source::Hook, result.execution(&input));
            (result, draft)
        }))
    }

    /// Before the first message or run since the conversation was opened. The instructions come first in the log: the
    /// SDK looks for them there. Only the hook can be cancelled: what the store has begun to take is not torn off.
    pub(super) async fn begin_session(&self, cancel: &CancelToken) -> Result<Ended> {
        if std::mem::replace(&mut self.0.page.borrow_mut().has_session, true) {
            return Ok(Ended::Done);
        }
        let Some(asked) = self.hook(HookInput::new(HookEventType::SessionStart)) else {
            return Ok(Ended::Done);
        };
        let Either::Left(((_, draft), _)) = select(asked, pin!(cancel.cancelled())).await else {
            return Ok(Ended::Cancelled);
        };
        self.perform(Command::BeginSession { hook_event: draft }).await?;
        Ok(Ended::Done)
    }

    /// When the conversation is closed. Whatever happens, it is closed then.
    pub(super) async fn end_session(&self) {
        if !std::mem::take(&mut self.0.page.borrow_mut().has_session) {
            return;
        }
        let Some(asked) = self.hook(HookInput::new(HookEventType::SessionEnd)) else { return };
        if let Either::Left(((_, draft), _)) = select(asked, self.0.log.host.sleep(LONGEST_GOODBYE)).await {
            // The store may be what ends the session.
            let _ = self.append(vec![draft]).await;
        }
    }

    /// Before a user's message is stored under this id; may add to what the model reads.
    pub(super) async fn ask_about_message(&self, id: &EventId, message: &mut MessageEvent) -> HookAnswers {
        let input = HookInput {
            message: Some(message.llm_message.text()),
            message_id: Some(id.as_str().to_owned()),
            ..HookInput::new(HookEventType::UserPromptSubmit)
        };
        let Some(asked) = self.hook(input) else { return HookAnswers::default() };
        let (result, draft) = asked.await;
        if let Some(text) = result.additional_context() {
            message.extended_content.push(Content::text(text));
        }
        let denied = result.denial().map(|reason| (id.clone(), reason));
        HookAnswers { drafts: vec![draft], denied: denied.into_iter().collect() }
    }

    /// Before the calls of an answer are stored, in their order.
    pub(super) async fn ask_about_calls(&self, calls: &[Call]) -> HookAnswers {
        let mut hook_answers = HookAnswers::default();
        for call in calls {
            let Some(asked) = self.hook(about_call(HookEventType::PreToolUse, call)) else { break };
            let (result, draft) = asked.await;
            hook_answers.drafts.push(draft);
            hook_answers.denied.extend(result.denial().map(|reason| (call.action_id.clone(), reason)));
        }
        hook_answers
    }

    /// Before a call that waits is stored with other arguments.
    pub(super) async fn ask_about_edited(&self, edited: &Draft, id: &EventId) -> HookAnswers {
        match call_in(&edited.body, id) {
            Some(call) => self.ask_about_calls(&[call]).await,
            None => HookAnswers::default(),
        }
    }

    /// After a tool has answered, and its answer is stored: what the hook says of it, if there is one.
    pub(super) fn about_result(&self, call: &Call, result: &Event) -> Option<LocalBoxFuture<'static, Draft>> {
        let Body::ObservationEvent(observation) = result.body() else { return None };
        let mut input = about_call(HookEventType::PostToolUse, call);
        input.tool_response = Some(RawJson::of(&observation.observation));
        let asked = self.hook(input)?;
        Some(Box::pin(async move { asked.await.1 }))
    }

    /// The agent says that it is done: whether the run goes on all the same, because a hook denies the end or a message
    /// came meanwhile. Whoever interrupts the hook lets the agent be done.
    pub(super) async fn goes_on_after_finish(&self, cancel: &CancelToken) -> Result<bool> {
        if cancel.is_cancelled() {
            return Ok(false);
        }
        let input = HookInput { reason: Some("agent_finished"), ..HookInput::new(HookEventType::Stop) };
        let Some(asked) = self.hook(input) else { return Ok(false) };
        // Messages wait meanwhile, and the hook may call any verb.
        self.enter(Phase::RunsTools);
        let answer = match select(asked, pin!(cancel.cancelled())).await {
            Either::Left((answer, _)) => Some(answer),
            Either::Right(_) => None,
        };
        self.enter(Phase::Decides);
        let Some((result, draft)) = answer else { return Ok(false) };
        let mut drafts = vec![draft];
        let denial = result.denial();
        if let Some(reason) = &denial {
            let feedback = result.additional_context().unwrap_or(reason);
            // The SDK looks for this prefix in what is stored.
            let text = format!("[Stop hook feedback] {feedback}");
            let message = Message::new(Role::User, vec![Content::text(text)]);
            drafts.push(Draft::new(Source::Environment, MessageEvent::new(message)));
        }
        let is_denied = denial.is_some() && self.execution_status() == ExecutionStatus::Finished;
        self.perform(Command::AskedToStop { hook_events: drafts, is_denied }).await?;
        Ok(is_denied || !self.0.page.borrow().inbox.is_empty())
    }
}

/// Whether the model is not to be asked about this message.
pub(super) fn is_blocked_message(state: &BaseState, message: &EventId) -> bool {
    blocked_messages(state).get(message.as_str()).is_some()
}

/// The conversation ends at this message, so that it is not asked about again.
pub(super) fn unblock_message(state: &mut BaseState, message: &EventId) {
    let mut blocked = blocked_messages(state);
    if blocked.remove(message.as_str()).is_some() {
        state.set_field(BLOCKED_MESSAGES, Some(&RawJson::of(&blocked)));
    }
}

fn blocked_messages(state: &BaseState) -> EditableObject {
    state.field(BLOCKED_MESSAGES).and_then(|blocked| blocked.read()).unwrap_or_default()
}

fn about_call(event_type: HookEventType, call: &Call) -> HookInput {
    HookInput {
        tool_name: Some(call.tool_name.clone()),
        tool_input: RawJson::parse(&call.arguments),
        action_id: Some(call.action_id.as_str().to_owned()),
        ..HookInput::new(event_type)
    }
}
