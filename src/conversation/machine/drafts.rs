//! Decides when the draft of an answer is not needed any more. What drafts are: `conversation/drafts.rs`.

use super::Plan;
use crate::{
    event::Body,
    id::{EventId, StorePath},
    tool::FileChange,
};

/// An answer of which a part is stored beside the log.
pub struct StoredDraft {
    /// The id under which it was shown.
    pub id: EventId,
    /// The text that an earlier page has stored of it; `None` for the answer of this page's run.
    pub left: Option<String>,
    /// Its files.
    pub paths: Vec<StorePath>,
}

impl StoredDraft {
    /// The draft of an answer of this page, of which nothing is stored yet.
    pub fn of(id: EventId) -> Self {
        Self { id, left: None, paths: Vec::new() }
    }

    /// The changes that remove its files.
    pub fn removal(&self) -> impl Iterator<Item = FileChange> {
        self.paths.iter().map(|path| FileChange::new(path.clone(), None))
    }

    /// Whether this plan stores what takes its place: the answer, another message, or the end of the run that it came
    /// in. What an earlier page has left stays until there is another message, because it can still be seen.
    pub fn is_ended_by(&self, plan: &Plan) -> bool {
        let is_end = |body: &Body| match body {
            Body::MessageEvent(_) | Body::ActionEvent(_) => true,
            Body::InterruptEvent(_) | Body::ConversationErrorEvent(_) => self.left.is_none(),
            _ => false,
        };
        plan.head_move.is_some() || plan.drafts.iter().any(|draft| is_end(&draft.body))
    }
}
