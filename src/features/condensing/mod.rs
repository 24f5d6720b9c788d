//! Condensing: the methods, and what a run does before it asks the model.
//!
//! A page loads what does the work when it first needs it. A condensation is stored durably
//! before the next request. If the page dies while the summary is written, nothing is stored, and the next run decides
//! the same again.

mod next_request;
mod summarizing;

use crate::{
    agent::condenser::is_summarizing,
    cancel::CancelToken,
    error::Result,
    event::{Body, Event},
    handle::{
        Conversation,
        condensing::{Condensed, ContextUsage},
    },
    json::RawJson,
    llm::{LlmError, LlmFailure},
    log::active_branch::walk_back,
    machine::RunError,
};

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
        self.load_condensing().await?;
        summarizing::request(self).await
    }

    /// The use of the context window. Reads the history, but asks no model.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn context_usage(&self) -> Result<ContextUsage> {
        self.load_condensing().await?;
        summarizing::usage(self).await
    }

    /// Condenses the view, if that is necessary, before it is sent. `before` is the number of tokens before the last condensation,
    /// if the run has made no other step since.
    pub(crate) async fn condense_view(
        &self,
        before: Option<u64>,
        cancel: &CancelToken,
    ) -> std::result::Result<Condensed, RunError> {
        self.load_condensing().await?;
        summarizing::condense(self, before, cancel).await
    }

    /// Asks for a condensation because the provider has refused the view.
    pub(crate) async fn condense_refused(&self, error: &LlmError) -> Result<()> {
        self.load_condensing().await?;
        summarizing::recover(self, error).await
    }

    async fn load_condensing(&self) -> Result<()> {
        match &self.0.load_file {
            Some(load) => load("agent").await,
            None => Ok(()),
        }
    }

    /// The newest summary of the active branch. Reads the events after it.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn summary(&self) -> Result<Option<String>> {
        let log = &self.0.log;
        let mut summary = None;
        let visit = &mut |_, event: Event| {
            if let Body::Condensation(condensation) = event.body() {
                summary.clone_from(&condensation.summary);
            }
            summary.is_none()
        };
        walk_back(&*log.store, log.id, log.head(), visit).await?;
        Ok(summary)
    }

    /// Whether the view has to be looked at before it is sent, and requests for a condensation are handled.
    pub fn condenses(&self) -> bool {
        match &self.0.agent.condenser {
            Some(given) => given.as_ref().is_some_and(|condenser| condenser.condenses()),
            None => self.stored_condenser().is_some_and(|stored| is_summarizing(&stored)),
        }
    }

    /// Whether condensing may help after this failure of the model.
    pub(crate) fn can_recover(&self, error: &LlmError) -> bool {
        matches!(error.failure, LlmFailure::ContextWindow | LlmFailure::MalformedHistory) && self.condenses()
    }

    fn stored_condenser(&self) -> Option<RawJson> {
        self.state().agent()?.field("condenser")
    }
}
