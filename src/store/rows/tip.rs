//! The end of a conversation's log as a writer remembers it: enough to append without reading.

use super::{Head, PAGE, Patch, Row};
use crate::{
    id::{ConversationId, EventId},
    store::{Commit, Listing, StoreError},
};
use std::rc::Rc;

/// The end of a conversation's log, with its base state and times.
#[derive(Clone, Debug, PartialEq)]
pub struct Tip {
    /// The length of the log.
    pub length: u64,
    /// Positions below this may be tombstones, and are overwritten; from here on rows are added.
    pub used: u64,
    /// Whether the conversation has any commit since its last deletion.
    pub exists: bool,
    /// `at` of the first commit.
    pub created_at: f64,
    /// `at` of the last commit.
    pub updated_at: f64,
    /// The number of the writer.
    pub writer: u64,
    /// The head's base state.
    pub checkpoint: Option<Rc<str>>,
    /// The patch from the checkpoint to the current base state.
    pub patch: Option<Patch>,
    /// The total size of the patches written since the checkpoint, in bytes.
    pub patch_bytes: usize,
    /// The ids of the events after the last full page, if they are known.
    pub page: Option<Vec<EventId>>,
}

/// The row with the highest index.
#[derive(Clone, Debug, PartialEq)]
pub enum LastRow {
    /// An event.
    Event(Row),
    /// Left by a deletion or truncation.
    Tombstone {
        /// The position.
        index: u64,
    },
}

impl Tip {
    /// The tip of `conversation`, from its head and its last row.
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
            writer: head.writer,
            checkpoint: head.base_state,
            patch: None,
            patch_bytes: 0,
            page: None,
        };
        if let Some(LastRow::Event(row)) = last
            && row.index >= head.length
        {
            tip.length = rows;
            tip.updated_at = row.at.max(head.updated_at);
            tip.writer = row.writer.unwrap_or(head.writer);
            tip.patch_bytes = row.patch.as_ref().map_or(0, |patch| patch.middle.len());
            tip.patch = row.patch;
        } else if rows < head.length {
            return Err(StoreError::Corrupt(format!(
                "conversation {conversation} has only {rows} events, but {} were stored",
                head.length
            )));
        }
        tip.page = tip.length.is_multiple_of(PAGE).then(Vec::new);
        Ok(tip)
    }

    /// The same for a deletion, which must also be possible if rows are missing.
    pub fn to_delete(conversation: ConversationId, head: Option<Head>, last: Option<LastRow>) -> Self {
        let rows = last.as_ref().map_or(0, |last| last.index() + 1);
        let length = head.as_ref().map_or(rows, |head| head.length.max(rows));
        let is_deleted = head.as_ref().is_some_and(|head| head.deleted);
        match Self::read(conversation, head, last) {
            Ok(tip) if tip.exists || is_deleted || rows == 0 => tip,
            _ => Self::unreadable(length),
        }
    }

    /// The tip of an unreadable conversation of up to `length` events.
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
            writer: 0,
            checkpoint: None,
            patch: None,
            patch_bytes: 0,
            page: Some(Vec::new()),
        }
    }

    /// Whether `commit` changes files only, and neither `updated_at` nor the number of the writer, so that this stays the tip.
    pub fn is_left_by(&self, commit: &Commit) -> bool {
        let changes_log = !commit.events.is_empty() || commit.truncate_to.is_some();
        let changes_writer = commit.writer.is_some_and(|writer| writer.next != self.writer);
        self.exists
            && !changes_log
            && !changes_writer
            && commit.base_state.is_none()
            && commit.at <= self.updated_at
    }

    /// Whether `commit` only adds rows or files of this conversation, so that a row that exists already shows that this tip is
    /// outdated.
    pub fn appends_without_reading(&self, commit: &Commit) -> bool {
        let adds = !commit.events.is_empty() || self.is_left_by(commit);
        adds && self.used <= self.length
            && commit.files_of.is_none()
            && commit.truncate_to.is_none_or(|end| end >= self.length)
    }

    /// The text of the base state.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if the patch of the last row does not fit the head's base state.
    pub fn base_state(&self) -> Result<Option<Rc<str>>, StoreError> {
        match (&self.checkpoint, &self.patch) {
            (Some(text), Some(patch)) => match patch.apply(text) {
                Some(text) => Ok(Some(text.into())),
                None => Err(StoreError::Corrupt(
                    "the last change of the base state does not fit the stored base state".to_owned(),
                )),
            },
            (checkpoint, _) => Ok(checkpoint.clone()),
        }
    }

    /// The listing that `load` returns.
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
            writer: Some(self.writer),
        }))
    }
}

impl LastRow {
    fn index(&self) -> u64 {
        match self {
            Self::Event(row) => row.index,
            Self::Tombstone { index } => *index,
        }
    }
}
