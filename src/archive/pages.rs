//! The events of a stored log one after the other, read in pages of about one size.

use super::limits::PAGE_BYTES;
use crate::{
    error::{Error, ErrorCode, Result},
    id::ConversationId,
    store::{Store, StoredEvent},
};

/// The events `0..end` of a conversation. Memory is bounded by a page, and a page is about [`PAGE_BYTES`] or, where
/// events are larger, as few events as that.
pub struct Pages<'a> {
    store: &'a dyn Store,
    conversation: ConversationId,
}

/// How far [`Pages`] have been read.
#[derive(Debug, Default)]
pub struct Position {
    next: u64,
    page: std::vec::IntoIter<StoredEvent>,
    /// How many events the next page has.
    count: u64,
}

/// How many events the first page has, when their size is not known yet, and how many a page has at most.
const FIRST: u64 = 8;
const MOST: u64 = 512;

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
        let stop = end.min(at.next.saturating_add(if at.count == 0 { FIRST } else { at.count }));
        let page = self.store.events(self.conversation, at.next..stop).await?;
        if page.is_empty() {
            return Err(Error::new(
                ErrorCode::NotFound,
                format!("event {} of conversation {} is not there any more", at.next, self.conversation),
            ));
        }
        at.next = at.next.saturating_add(page.len() as u64);
        at.count = fitting_count(&page);
        at.page = page.into_iter();
        Ok(at.page.next())
    }
}

/// How many events like these make about a page. Only grows step by step, because the next may be larger.
fn fitting_count(page: &[StoredEvent]) -> u64 {
    let bytes: usize = page.iter().map(|event| event.json.len()).sum();
    let count = page.len().saturating_mul(PAGE_BYTES).checked_div(bytes.max(1)).unwrap_or_default();
    (count as u64).min((page.len() as u64).saturating_mul(4)).clamp(1, MOST)
}
