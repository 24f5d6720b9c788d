//! What a writer knows of a conversation: enough to append without reading.

use super::{Head, PAGE, Patch, Row};
use crate::{
    id::{ConversationId, EventId},
    store::{Commit, Listing, StoreError},
};
use std::rc::Rc;

/// Where a conversation stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Tip {
    /// The log's length.
    pub length: u64,
    /// Positions below this may be graves, and are overwritten; from here on rows are added.
    pub used: u64,
    /// Whether anything has been committed since it was last deleted.
    pub exists: bool,
    /// `at` of the first commit.
    pub created_at: f64,
    /// `at` of the last commit.
    pub updated_at: f64,
    /// The head's base state.
    pub checkpoint: Option<Rc<str>>,
    /// What makes the current base state of the checkpoint.
    pub patch: Option<Patch>,
    /// How many bytes of patches have been written since the checkpoint.
    pub spent: usize,
    /// The ids of the events after the last full page, if they are known.
    pub page: Option<Vec<EventId>>,
}

/// The row with the highest index.
#[derive(Clone, Debug, PartialEq)]
pub enum LastRow {
    /// An event.
    Event(Row),
    /// Left by a deletion or truncation.
    Grave {
        /// Its position.
        index: u64,
    },
}

impl Tip {
    /// Where `conversation` stands, from its head and its last row.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if rows that must be there are missing.
    pub fn read(
        conversation: ConversationId,
        head: Option<Head>,
        last: Option<LastRow>,
    ) -> Result<Self, StoreError> {
        let rows = last.as_ref().map_or(0, |last| last.index() + 1);
        let Some(head) = head.filter(|head| !head.deleted) else {
            return Ok(Self::absent(rows));
        };
        let mut tip = Self {
            length: head.length,
            used: head.used.max(rows),
            exists: true,
            created_at: head.created_at,
            updated_at: head.updated_at,
            checkpoint: head.base_state,
            patch: None,
            spent: 0,
            page: None,
        };
        if let Some(LastRow::Event(row)) = last
            && row.index >= head.length
        {
            tip.length = rows;
            tip.updated_at = row.at.max(head.updated_at);
            tip.spent = row.patch.as_ref().map_or(0, |patch| patch.middle.len());
            tip.patch = row.patch;
        } else if rows < head.length {
            return Err(StoreError::Corrupt(format!(
                "conversation {conversation} has events up to {rows} only, but there were {}",
                head.length
            )));
        }
        tip.page = tip.length.is_multiple_of(PAGE).then(Vec::new);
        Ok(tip)
    }

    /// The same for deleting, which must be possible also if rows are missing.
    pub fn to_delete(conversation: ConversationId, head: Option<Head>, last: Option<LastRow>) -> Self {
        let rows = last.as_ref().map_or(0, |last| last.index() + 1);
        let length = head.as_ref().map_or(rows, |head| head.length.max(rows));
        let is_deleted = head.as_ref().is_some_and(|head| head.deleted);
        match Self::read(conversation, head, last) {
            Ok(tip) if tip.exists || is_deleted || rows == 0 => tip,
            _ => Self::unreadable(length),
        }
    }

    /// Where nothing can be made out but that up to `length` events may have been.
    pub fn unreadable(length: u64) -> Self {
        Self { length, exists: true, ..Self::absent(length) }
    }

    fn absent(used: u64) -> Self {
        Self {
            length: 0,
            used,
            exists: false,
            created_at: 0.0,
            updated_at: 0.0,
            checkpoint: None,
            patch: None,
            spent: 0,
            page: Some(Vec::new()),
        }
    }

    /// Whether `commit` only adds rows, so that a row which is in the way tells that this tip is outdated.
    pub fn appends_blindly(&self, commit: &Commit) -> bool {
        let adds = !commit.events.is_empty() && self.used <= self.length;
        adds && commit.truncate_to.is_none_or(|end| end >= self.length)
    }

    /// The text of the base state.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if the last row's patch is not one of the head's text.
    pub fn base_state(&self) -> Result<Option<Rc<str>>, StoreError> {
        match (&self.checkpoint, &self.patch) {
            (Some(text), Some(patch)) => match patch.apply(text) {
                Some(text) => Ok(Some(text.into())),
                None => Err(StoreError::Corrupt(
                    "a conversation's last event changes a base state that is not there".to_owned(),
                )),
            },
            (checkpoint, _) => Ok(checkpoint.clone()),
        }
    }

    /// What `load` answers.
    ///
    /// # Errors
    /// As [`Tip::base_state`].
    pub fn listing(&self, conversation: ConversationId) -> Result<Option<Listing>, StoreError> {
        Ok(self.base_state()?.map(|base_state| Listing {
            conversation,
            base_state,
            length: self.length,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }))
    }
}

impl LastRow {
    fn index(&self) -> u64 {
        match self {
            Self::Event(row) => row.index,
            Self::Grave { index } => *index,
        }
    }
}
