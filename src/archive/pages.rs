//! Reads the events of a stored log one after the other, in pages of about equal size.

use super::limits::PAGE_BYTES;
use crate::{
    error::{Error, ErrorCode, Result},
    id::ConversationId,
    store::{Store, StoredEvent},
};

/// A reader of the events of a conversation. Memory is bounded by one page of about [`PAGE_BYTES`]; if events are larger,
/// a page has few of them.
pub struct Pages<'a> {
    store: &'a dyn Store,
    conversation: ConversationId,
}

/// The position up to which [`Pages`] have been read.
#[derive(Debug, Default)]
pub struct Position {
    next: u64,
    page: std::vec::IntoIter<StoredEvent>,
    /// The number of events to read for the next page.
    count: u64,
}

/// The number of events of the first page, when their size is not known yet.
const FIRST_COUNT: u64 = 8;

/// The highest number of events of a page.
const MAX_COUNT: u64 = 512;

impl<'a> Pages<'a> {
    /// The log of a conversation.
    pub fn new(store: &'a dyn Store, conversation: ConversationId) -> Self {
        Self { store, conversation }
    }

    /// The next event before `end`, or `None` at `end`. Fails if the log has become shorter.
    pub async fn next(&self, at: &mut Position, end: u64) -> Result<Option<StoredEvent>> {
        if let Some(event) = at.page.next() {
            return Ok(Some(event));
        }
        if at.next >= end {
            return Ok(None);
        }
        let stop = end.min(at.next.saturating_add(if at.count == 0 { FIRST_COUNT } else { at.count }));
        let page = self.store.events(self.conversation, at.next..stop).await?;
        if page.is_empty() {
            return Err(Error::new(
                ErrorCode::NotFound,
                format!("event {} of conversation {} does not exist any more", at.next, self.conversation),
            ));
        }
        at.next = at.next.saturating_add(page.len() as u64);
        at.count = fitting_count(&page);
        at.page = page.into_iter();
        Ok(at.page.next())
    }
}

/// The number of events of this size that make about a page. Grows only step by step, because the next may be larger.
fn fitting_count(page: &[StoredEvent]) -> u64 {
    let bytes: usize = page.iter().map(|event| event.json.len()).sum();
    let count = page.len().saturating_mul(PAGE_BYTES) / bytes.max(1);
    (count as u64).min((page.len() as u64).saturating_mul(4)).clamp(1, MAX_COUNT)
}
