//! Asks the model once (`agent/agent.py`, `astep`). Its answer is committed in one transaction before any call runs.

use crate::{
    agent::{CutOff, Known, NewEvent, Reply, ShownAnswer, read_response, underway::Underway},
    cancel::CancelToken,
    error::{ErrorCode, Result},
    event::{Body, MessageEvent, Source},
    format::base_state::ExecutionStatus,
    handle::{
        Conversation,
        secrets::{MaskedDeltas, hide_in_answer},
        stats::Counted,
        warning::unavailable_tools,
    },
    id::EventId,
    llm::{
        CallContext, Completion, Llm, LlmError,
        message::{Content, Message, Role},
    },
    log::active_branch::ActiveBranch,
    machine::{Command, Ended, RunError},
    store::Durability,
};
use futures_util::future::{Either, FusedFuture as _, FutureExt as _, join, select};
use std::{collections::HashSet, pin::pin, rc::Rc};

impl Conversation {
    /// Asks the model once and stores its answer.
    pub(crate) async fn ask_model(&self, cancel: &CancelToken) -> std::result::Result<Ended, RunError> {
        if let Either::Right(_) = select(pin!(self.0.agent.tools.listed()), pin!(cancel.cancelled())).await {
            return Ok(Ended::Cancelled);
        }
        let answer = &Rc::new(ShownAnswer::new(self.0.log.new_id(), self.question().await?));
        if let Some(run) = &mut self.0.page.borrow_mut().run {
            run.answer = Some(Rc::clone(answer));
        }
        let mut completion = match self.request(answer, cancel).await? {
            None => return Ok(Ended::Cancelled),
            Some(Err(error)) => return self.go_on_after(error, answer).await,
            Some(Ok(completion)) => completion,
        };
        self.note_counted(&completion);
        hide_in_answer(&self.0.log.mask, &mut completion.message, &self.0.agent.tools);
        let mut reply = self.read_reply(&completion, answer.id.clone()).await?;
        // Like the model, a critic, an analyzer or a hook may take long or never answer, so cancelling has to stop it too.
        let judge = async {
            self.rate(&mut reply).await;
            (self.assess(&reply).await, self.ask_about_calls(&reply.calls).await)
        };
        let (assessment, hook_answers) = match select(pin!(judge), pin!(cancel.cancelled())).await {
            Either::Left((judged, _)) => judged,
            Either::Right(_) => return Ok(Ended::Cancelled),
        };
        self.perform(Command::Answered { reply, assessment, hook_answers }).await?;
        Ok(Ended::Done)
    }

    /// The model's answer to the view, or to the same question asked before, if the provider has worked on it meanwhile;
    /// `None` if the request was cancelled. All that was paid for is recorded.
    async fn request(
        &self,
        answer: &Rc<ShownAnswer>,
        cancel: &CancelToken,
    ) -> Result<Option<std::result::Result<Completion, LlmError>>> {
        let messages = self.0.log.read(|branch| branch.view.messages()).await?;
        let tools = self.0.agent.tool_schemas();
        let llm = self.llm();
        let background_response = self.background_response_to(&answer.question, &llm);
        let started = background_response.as_ref().map(|(llm, id)| llm.started_response(id));
        let request = Rc::new(Underway::new(Rc::clone(answer), background_response));
        let reported = Rc::clone(&request);
        let lost = Rc::default();
        let context = CallContext {
            conversation_id: Some(self.id().to_string()),
            lost: Rc::clone(&lost),
            background_response: started,
            on_background: Some(Rc::new(move |llm: &Llm, id: &str| reported.report(llm, id))),
            files: self.0.files.clone(),
        };
        let mut beside = Box::pin(self.store_for_later(&request).fuse());
        let shown = MaskedDeltas::new(&self.0.log.mask, self.0.on_delta.clone(), Rc::clone(answer));
        let show = |delta| shown.push(delta);
        let complete = async {
            let answer = llm.complete(&messages, &tools, &context, &show).await;
            lost.borrow_mut().extend(answer.iter().cloned());
            request.end();
            answer
        };
        let both = Box::pin(join(complete, beside.as_mut()));
        let answer = match select(both, pin!(cancel.cancelled())).await {
            Either::Left(((answer, _), _)) => Some(answer),
            Either::Right((_, both)) => {
                drop(both);
                request.end();
                // A commit that has begun must not be dropped.
                if !beside.is_terminated() {
                    beside.await;
                }
                None
            }
        };
        self.record_spending(&lost.take(), llm.options.usage_id());
        match &answer {
            None => self.cancel_background_response(&request).await,
            Some(Ok(_)) => shown.end(),
            Some(Err(_)) => {}
        }
        Ok(answer)
    }

    /// Keeps the number of tokens that the server has counted. Some servers count nothing; what they were sent is
    /// estimated.
    fn note_counted(&self, completion: &Completion) {
        let tokens = completion.usage.map_or(0, |usage| usage.prompt_tokens);
        if tokens > 0 {
            let response_id = completion.response_id.clone();
            let counted = Counted { response_id, tokens, estimated: None };
            self.0.spending.borrow_mut().last_counted = Some(counted);
        }
    }

    /// Lets the run go on after a failed request, if a pause, condensing or a reminder to the model allows it.
    ///
    /// # Errors
    /// The failure of the request for the answer with this id, if nothing does.
    async fn go_on_after(
        &self,
        error: LlmError,
        answer: &ShownAnswer,
    ) -> std::result::Result<Ended, RunError> {
        // A pause does not wait until the model is available again: the next run asks it.
        if error.is_retryable() && self.execution_status() == ExecutionStatus::Paused {
            if let Some(partial) = answer.cut_off(CutOff::BrokenOff) {
                self.append(vec![partial], Durability::Relaxed).await?;
            }
            return Ok(Ended::Done);
        }
        if self.can_recover(&error) {
            self.condense_refused(&error).await?;
            return Ok(Ended::Done);
        }
        if error.code() != ErrorCode::LlmContentPolicy || !self.may_nudge(CONTENT_POLICY).await? {
            return Err(RunError::Llm(error, Some(answer.id.clone())));
        }
        self.nudge(CONTENT_POLICY).await?;
        Ok(Ended::Done)
    }

    /// The events and calls of an answer.
    async fn read_reply(&self, completion: &Completion, first_id: EventId) -> Result<Reply> {
        let unavailable = unavailable_tools(&self.state(), &self.0.agent);
        let reads_risk = self.security_analyzer().is_some();
        let mut new_id = || self.0.log.new_id();
        let read = |branch: &ActiveBranch| {
            let mut known = Known {
                tools: &self.0.agent.tools,
                unavailable: &unavailable,
                reads_risk,
                finish_reason: completion.finish_reason.as_deref(),
                taken: &branch.taken,
                given: HashSet::new(),
                first_id: Some(first_id),
                new_id: &mut new_id,
            };
            read_response(&completion.message, &completion.response_id, &mut known)
        };
        self.0.log.read(read).await
    }

    /// Has the critic rate the answer, if the agent has one.
    async fn rate(&self, reply: &mut Reply) {
        let Some(critic) = &self.0.agent.critic else { return };
        let log = &self.0.log;
        let view = log.with_branch(|branch| branch.view.events().to_vec());
        critic.rate(view, reply, log.host.local_time(), &|| log.new_id()).await;
    }

    /// Whether the model was not reminded with this text just before. If a provider blocks the next answer as well, that
    /// is reported as an error.
    async fn may_nudge(&self, text: &str) -> Result<bool> {
        let text = text.trim_end();
        let last = self.0.log.read(|branch| branch.view.events().last().cloned()).await?;
        Ok(!last.is_some_and(|event| match event.body() {
            Body::MessageEvent(message) => message.llm_message.text() == text,
            _ => false,
        }))
    }

    /// Appends a reminder to the model.
    pub(crate) async fn nudge(&self, text: &str) -> Result<()> {
        let message = Message::new(Role::User, vec![Content::text(text.trim_end())]);
        let new_event = NewEvent::new(Source::Environment, MessageEvent::new(message));
        self.append(vec![new_event], Durability::Relaxed).await
    }
}

const CONTENT_POLICY: &str = include_str!("../agent/prompts/content_policy.md");
