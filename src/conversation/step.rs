//! Asking the model once (`agent/agent.py`, `astep`): its answer is committed whole, then its calls run.

use super::{
    Change, Conversation,
    base_state::{BaseState, ExecutionStatus},
    kept_answer::forget_answer,
    open::keep_native_calls,
    run::{Pause, RunError},
    secrets::{MaskedDeltas, hide_in_answer},
    stats,
    status::{Happening, happens},
    warning::unavailable_tools,
};
use crate::{
    agent::{Draft, Known, ReplyKind, read_response},
    cancel::CancelToken,
    context::messages::repair,
    error::{ErrorCode, Result},
    event::{Body, Event, MessageEvent, Source},
    llm::{
        CallContext, Completion,
        message::{Content, Message, Role},
    },
    oneshot,
};
use futures_util::future::{Either, FusedFuture as _, FutureExt as _, join, select};
use std::{cell::Cell, pin::pin, rc::Rc};

impl Conversation {
    /// Asks the model once and runs what it calls.
    pub(super) async fn ask_model(&self, cancel: &CancelToken) -> std::result::Result<Pause, RunError> {
        let messages = self.0.log.read(|branch| repair(branch.view.messages())).await?;
        let asked_with = self.state().last_user_message_id();
        let tools = self.0.agent.tool_schemas();
        let llm = self.llm();
        let question = self.question_to(&llm).await?;
        let (tell, told) = oneshot::channel();
        let tell = Cell::new(Some(tell));
        let context = CallContext {
            conversation_id: Some(self.id().to_string()),
            lost: self.0.spent.clone(),
            kept_answer: self.kept_answer_to(&question),
            on_kept: Some(Rc::new(move |id| {
                if let Some(tell) = tell.take() {
                    let _ = tell.send(id.to_owned());
                }
            })),
        };
        let remember = async {
            if let Ok(id) = told.await {
                self.remember_answer(&id, &question).await;
            }
        };
        let mut remember = Box::pin(remember.fuse());
        let answer = {
            let shown = MaskedDeltas::new(&self.0.log.mask, self.0.on_delta.clone());
            let show = |delta| shown.push(delta);
            // With the answer goes who could still tell of its id.
            let complete = async {
                let context = context;
                llm.complete(&messages, &tools, &context, &show).await
            };
            let both = Box::pin(join(complete, remember.as_mut()));
            let answer = match select(both, pin!(cancel.cancelled())).await {
                Either::Left(((answer, ()), _)) => answer,
                Either::Right((_, both)) => {
                    drop(both);
                    // What the store has begun to take is not torn off.
                    if !remember.is_terminated() {
                        remember.await;
                    }
                    self.cancel_kept_answer(&llm).await;
                    return Ok(Pause::Cancelled);
                }
            };
            if answer.is_ok() {
                shown.end();
            }
            answer
        };
        let completion = match answer {
            Ok(mut completion) => {
                hide_in_answer(&self.0.log.mask, &mut completion.message, &self.0.agent.tools);
                completion
            }
            Err(error) => {
                let _turn = self.0.turn.take().await;
                if error.code() != ErrorCode::LlmContentPolicy || !self.may_nudge(CONTENT_POLICY).await? {
                    return Err(RunError::Llm(error));
                }
                self.nudge(CONTENT_POLICY).await?;
                return Ok(Pause::Done);
            }
        };
        let reply = self.read_reply(&completion).await?;
        // An analyzer or a hook may take its time, or hang: like the model, it holds nobody up.
        let judged = async { (self.assess(&reply).await, self.ask_about_calls(&reply.calls).await) };
        let (assessment, mut said) = match select(pin!(judged), pin!(cancel.cancelled())).await {
            Either::Left((judged, _)) => judged,
            Either::Right(_) => return Ok(Pause::Cancelled),
        };
        let _turn = self.0.turn.take().await;
        let is_superseded = self.state().last_user_message_id() != asked_with;
        let has_parallel_calls =
            reply.drafts.iter().filter(|draft| matches!(draft.body, Body::ActionEvent(_))).count() > 1;
        let mut drafts = std::mem::take(&mut said.drafts);
        drafts.extend(reply.drafts);
        let change = Change::append(drafts).and_edit(|state| {
            said.block_actions(state);
            if has_parallel_calls {
                keep_native_calls(state);
            }
            self.0.spent.borrow_mut().push(completion);
            self.count(state, llm.options.usage_id());
            // A message that came while the model answered is still to be read by it.
            if reply.kind == ReplyKind::Text && !is_superseded {
                happens(state, Happening::Answered);
            }
            if assessment.waits_in(state) {
                happens(state, Happening::CallsWait);
            }
            assessment.keep_risks(state);
            forget_answer(state);
        });
        self.append(change.strictly()).await?;
        // Nothing begins after a pause: if the page died in a tool, nobody would know that it had begun.
        if self.execution_status() != ExecutionStatus::Running {
            return Ok(Pause::Done);
        }
        Ok(self.run_calls(reply.calls, cancel).await?)
    }

    /// Counts what has been spent since the last time.
    pub(super) fn count(&self, state: &mut BaseState, usage_id: &str) {
        for completion in self.0.spent.take() {
            stats::record(state, usage_id, &completion, self.0.log.host.now());
        }
    }

    /// Providers refuse a history that ends with the model's own words, or let it continue them. Ours can end so: a
    /// message that came while the model answered stands before the answer.
    pub(super) async fn leave_the_last_word(&self) -> Result<()> {
        let is_agents = |message: &Message| message.role == Role::Assistant;
        if self.0.log.read(|branch| branch.view.messages().last().is_some_and(is_agents)).await? {
            self.nudge(include_str!("../agent/prompts/go_on.md")).await?;
        }
        Ok(())
    }

    async fn read_reply(&self, completion: &Completion) -> Result<crate::agent::Reply> {
        let unavailable = unavailable_tools(&self.state(), &self.0.agent);
        let taken = self.0.log.read(|branch| branch.taken.clone()).await?;
        let mut new_id = || self.0.log.new_id();
        let mut known = Known {
            tools: &self.0.agent.tools,
            unavailable: &unavailable,
            reads_risk: self.security_analyzer().is_some(),
            taken,
            new_id: &mut new_id,
        };
        Ok(read_response(&completion.message, &completion.response_id, &mut known))
    }

    /// Once per event: a provider that holds back the same answer again is reported as an error.
    async fn may_nudge(&self, text: &str) -> Result<bool> {
        let text = text.trim_end();
        let last = self.0.log.read(|branch| branch.view.events().last().cloned()).await?;
        Ok(!last.is_some_and(|event| match event.body() {
            Body::MessageEvent(message) => message.llm_message.text() == text,
            _ => false,
        }))
    }

    pub(super) async fn nudge(&self, text: &str) -> Result<()> {
        let message = Message::new(Role::User, vec![Content::text(text.trim_end())]);
        let draft = Draft::new(Source::Environment, MessageEvent::new(message));
        self.append(Change::append(vec![draft])).await.map(drop)
    }
}

const CONTENT_POLICY: &str = include_str!("../agent/prompts/content_policy.md");

/// The last `finish` or agent message of these events (`conversation/response_utils.py`).
pub(super) fn final_response(events: &[Event]) -> Option<String> {
    events.iter().rev().find_map(|event| match event.body() {
        Body::ActionEvent(action) if action.tool_name == "finish" => Some(
            action.action.as_ref().and_then(|action| action.as_json().field("message")).unwrap_or_default(),
        ),
        Body::MessageEvent(message) if event.source() == Source::Agent => Some(message.llm_message.text()),
        _ => None,
    })
}
