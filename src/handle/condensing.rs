//! The answers of condensing.

/// What has become of a view before it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condensed {
    /// The view can be sent as it is.
    SendView,
    /// A condensation of a view with so many tokens was stored.
    From(u64),
    /// The run has to stop.
    Done,
    /// The run was cancelled.
    Cancelled,
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
