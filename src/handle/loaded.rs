//! The parts of the features that a page loads when it first needs them.

use super::Conversation;
use crate::{
    agent::underway::Underway,
    cancel::CancelToken,
    error::Result,
    id::StorePath,
    llm::LlmError,
    machine::{Resume, RunError},
};
use futures_util::future::LocalBoxFuture;
use std::rc::Rc;

/// A task of [`Condensing`].
#[derive(Clone, Copy)]
pub enum Task<'a> {
    /// Condense the view, if that is necessary, before it is sent. The number is that of the tokens before the last
    /// condensation, if the run has made no other step since.
    Prepare(&'a CancelToken, Option<u64>),
    /// Ask for a condensation because the provider has refused the view.
    Recover(&'a LlmError),
    /// See [`Conversation::condense`].
    Request,
    /// See [`Conversation::context_usage`].
    Measure,
}

/// The result of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condensed {
    /// The view can be sent as it is.
    SendView,
    /// A condensation of a view with so many tokens was stored.
    From(u64),
    /// A request for a condensation was stored, or the run has to stop.
    Done,
    /// The run was cancelled.
    Cancelled,
    /// The use of the context window.
    Measured(ContextUsage),
}

/// The use of the model's context window, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// Performs a task.
    fn perform<'a>(
        &'a self,
        conversation: &'a Conversation,
        task: Task<'a>,
    ) -> LocalBoxFuture<'a, std::result::Result<Condensed, RunError>>;
}

/// Loads [`Condensing`]; the next call after a failure tries again.
pub type LoadCondensing = Rc<dyn Fn() -> LocalBoxFuture<'static, Result<Rc<dyn Condensing>>>>;

/// The part of drafts that a page loads later.
pub trait Drafts {
    /// Stores what a later page needs of a request until it is over.
    fn store<'a>(&'a self, conversation: &'a Conversation, request: &'a Underway) -> LocalBoxFuture<'a, ()>;

    /// Reads the draft in these files, and does with it as the host wants. One that the log has gone past, because another
    /// program has continued it, is removed.
    fn open<'a>(
        &'a self,
        conversation: &'a Conversation,
        paths: Vec<StorePath>,
        resume: Resume,
    ) -> LocalBoxFuture<'a, Result<()>>;
}

/// Loads [`Drafts`]; the next call after a failure tries again.
pub type LoadDrafts = Rc<dyn Fn() -> LocalBoxFuture<'static, Result<Rc<dyn Drafts>>>>;
