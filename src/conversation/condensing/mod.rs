//! Condensing: the methods, and what a run does before it asks the model.
//!
//! The work is done behind [`Condensing`], which a page loads when it first needs it. A condensation is stored durably
//! before the next request. If the page dies while the summary is written, nothing is stored, and the next run decides
//! the same again.

mod next_request;
mod summarizing;

pub use summarizing::Summarizing;

use super::{Conversation, run::RunError};
use crate::{
    agent::{Draft, summary_llm},
    cancel::CancelToken,
    error::Result,
    event::{Body, CondensationRequest, Source},
    json::RawJson,
    llm::{Llm, LlmError, LlmFailure},
};
use futures_util::future::LocalBoxFuture;
use std::rc::Rc;

/// The result of looking at a view before it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condensed {
    /// The view can be sent as it is.
    SendView,
    /// A condensation was stored, or the run has to stop.
    Done,
    /// The run was cancelled.
    Cancelled,
}

/// The use of the model's context window, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextUsage {
    /// The size of the next request.
    pub used: u64,
    /// The limit of the model or of the condenser, whichever is lower; `None` if neither is known.
    pub limit: Option<u64>,
    /// The size of the events that `condense()` would replace by a summary.
    pub reclaimable: u64,
}

/// The part of condensing that a page loads later.
pub trait Condensing {
    /// Condenses the view if that is necessary.
    fn condense<'a>(
        &'a self,
        conversation: &'a Conversation,
        cancel: &'a CancelToken,
    ) -> LocalBoxFuture<'a, std::result::Result<Condensed, RunError>>;

    /// See [`Conversation::condense`].
    fn request<'a>(&'a self, conversation: &'a Conversation) -> LocalBoxFuture<'a, Result<()>>;

    /// See [`Conversation::context_usage`].
    fn usage<'a>(&'a self, conversation: &'a Conversation) -> LocalBoxFuture<'a, Result<ContextUsage>>;
}

/// Loads [`Condensing`].
pub trait LoadCondensing {
    /// Loads it; the next call after a failure tries again.
    fn load(&self) -> LocalBoxFuture<'static, Result<Rc<dyn Condensing>>>;
}

impl Conversation {
    /// Asks for a condensation and makes it: a request event and exactly one step. Without a run, this returns when the
    /// condensation is stored. During a run, it returns when the request is stored; the run condenses before it asks the
    /// model again.
    ///
    /// # Errors
    /// `invalid_state` if the agent has no condenser, if there is nothing to condense, and while calls have no result;
    /// those of the model that writes the summary, after which the next run tries again; `aborted` after an interrupt;
    /// `locked_elsewhere`, and those of the store.
    pub async fn condense(&self) -> Result<()> {
        self.ensure_writable()?;
        self.0.condensing.load().await?.request(self).await
    }

    /// The use of the context window. Reads the history, but asks no model.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn context_usage(&self) -> Result<ContextUsage> {
        self.0.condensing.load().await?.usage(self).await
    }

    /// The newest summary in the view, as far as the history has been read.
    pub fn summary(&self) -> Option<String> {
        self.0.log.with_branch(|branch| {
            branch.view.events().iter().rev().find_map(|event| match event.body() {
                Body::Condensation(condensation) => condensation.summary.clone(),
                _ => None,
            })
        })
    }

    /// Condenses the view if that is necessary.
    pub(super) async fn condense_view(
        &self,
        cancel: &CancelToken,
    ) -> std::result::Result<Condensed, RunError> {
        self.0.condensing.load().await?.condense(self, cancel).await
    }

    /// The condenser in the SDK's form: that of the agent, or else the stored one.
    pub(super) fn condenser(&self) -> Option<RawJson> {
        match &self.0.agent.condenser {
            Some(condenser) => condenser.as_ref().map(|condenser| condenser.to_sdk_json(&self.llm())),
            None => self.state().agent()?.field("condenser"),
        }
    }

    /// The model that writes the summaries of this member of the condenser. `stored` is the member's stored model.
    fn summary_llm(&self, member: usize, stored: &RawJson) -> Rc<Llm> {
        let given =
            self.0.agent.condenser.iter().flatten().find_map(|condenser| condenser.members.get(member));
        match given {
            Some(member) => member.llm(&self.llm()),
            None => summary_llm(&self.llm(), stored.field::<String>("usage_id").as_deref()),
        }
    }

    /// Whether the view has to be looked at before it is sent, and requests for a condensation are handled.
    pub fn condenses(&self) -> bool {
        match &self.0.agent.condenser {
            Some(condenser) => condenser.as_ref().is_some_and(|condenser| !condenser.members.is_empty()),
            None => self.condenser().is_some_and(|stored| is_condensing(&stored)),
        }
    }

    /// After this failure of the model: asks for a condensation, if that can help. Returns whether it did.
    pub(super) async fn condense_after(&self, error: &LlmError) -> Result<bool> {
        let is_malformed = error.failure == LlmFailure::MalformedHistory;
        if !is_malformed && error.failure != LlmFailure::ContextWindow || !self.condenses() {
            return Ok(false);
        }
        if is_malformed {
            // A view that is built anew omits whatever a provider refuses.
            self.0.log.forget_branch();
        }
        self.append(vec![Draft::new(Source::Environment, CondensationRequest {})]).await?;
        Ok(true)
    }
}

/// Whether a stored condenser is of a kind that condenses.
fn is_condensing(stored: &RawJson) -> bool {
    stored.field::<String>("kind").is_some_and(|kind| SUMMARIZING.contains(&&*kind))
}

/// The kinds of condensers that condense.
const SUMMARIZING: [&str; 2] = ["LLMSummarizingCondenser", "PipelineCondenser"];

/// Whether a stored condenser is of a kind that is known here.
pub(super) fn is_known(stored: &RawJson) -> bool {
    is_condensing(stored) || stored.field::<String>("kind").is_some_and(|kind| kind == "NoOpCondenser")
}

/// [`Condensing`] that is compiled in.
pub struct CompiledIn;

impl LoadCondensing for CompiledIn {
    fn load(&self) -> LocalBoxFuture<'static, Result<Rc<dyn Condensing>>> {
        Box::pin(async { Ok(Rc::new(Summarizing) as Rc<dyn Condensing>) })
    }
}
