//! The suite that every store must pass: the library's, and those of hosts.
//!
//! Each [`Case`] gets a [`Place`] of its own, where it may open any number of handles. A case fails with a sentence
//! and never panics, because it also runs inside a page, where a panic would end the other cases as well.
//! Nothing here measures time: benchmarks of stores are in `benches/`.

mod commits;
mod failure;
mod files;
mod lifetime;
mod listing;
mod log;
mod writers;

use super::{Commit, FirstReads, Listing, Loaded, Store, StoreError, StoredEvent};
use crate::id::{ConversationId, EventId, StorePath};
use futures_util::future::LocalBoxFuture;
use std::{ops::Range, rc::Rc};
use uuid::Uuid;

pub use failure::Failure;

/// Opens a handle on the store with this name, which is empty when it is first opened.
pub type Open<'a> = dyn Fn(&str) -> LocalBoxFuture<'static, Result<Rc<dyn Store>, StoreError>> + 'a;

/// The outcome of a case.
pub type Outcome = Result<(), Failure>;

/// One requirement for a store.
pub struct Case {
    /// The requirement, as a sentence with underscores.
    pub name: &'static str,
    run: for<'a> fn(&'a Place<'a>) -> LocalBoxFuture<'a, Outcome>,
}

/// The result of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The name of the case.
    pub name: &'static str,
    /// The failure, if any.
    pub failure: Option<Failure>,
}

/// The name of the store of a case, and the function that opens it.
pub struct Place<'a> {
    name: &'a str,
    open: &'a Open<'a>,
}

impl Place<'_> {
    async fn open(&self) -> Result<Handle, String> {
        match (self.open)(self.name).await {
            Ok(store) => Ok(Handle(store)),
            Err(error) => Err(format!("opening the store failed: {error}")),
        }
    }
}

impl Case {
    /// Runs this case alone, in a place called like the case.
    pub async fn run(&self, open: &Open<'_>) -> Report {
        let place = Place { name: self.name, open };
        Report { name: self.name, failure: (self.run)(&place).await.err() }
    }
}

/// Runs all cases, one after the other.
pub async fn run(open: &Open<'_>) -> Vec<Report> {
    let mut reports = Vec::with_capacity(CASES.len());
    for case in CASES {
        reports.push(case.run(open).await);
    }
    reports
}

macro_rules! cases {
    ($($module:ident: $($name:ident)*;)*) => {
        /// All cases, the basic ones first.
        pub const CASES: &[Case] =
            &[$($(Case { name: stringify!($name), run: |place| Box::pin($module::$name(place)) },)*)*];
    };
}

cases! {
    commits:
        all_of_a_commit_is_stored
        a_failed_commit_changes_nothing
        only_the_known_length_is_accepted
        a_commit_without_content_moves_updated_at
        updated_at_never_moves_backwards
        nothing_is_stored_of_a_commit_that_comes_too_late
        relaxed_commits_are_stored_too
        a_base_state_is_replaced_completely
        every_edit_of_a_large_base_state_is_read_back
        a_base_state_committed_by_another_handle_stays
        of_two_writers_one_wins
        interleaved_writers_lose_nothing
        commits_under_way_together_keep_their_order
        a_dropped_commit_is_stored_completely_or_not_at_all
        truncation_cuts_before_it_appends
        truncation_beyond_the_end_changes_nothing
        the_same_id_can_be_committed_after_truncation;
    writers:
        the_number_of_the_writer_grows_with_its_commit
        a_commit_without_a_number_neither_compares_nor_changes_it
        nothing_is_stored_of_a_writer_that_was_replaced
        a_writer_that_was_replaced_changes_no_files_of_another_conversation
        of_two_that_take_a_writers_place_one_wins
        of_two_that_begin_a_conversation_one_wins
        the_number_of_the_writer_survives_reopening_and_not_deletion;
    log:
        ranges_may_reach_beyond_the_end
        an_unknown_conversation_has_no_events
        texts_come_back_exactly
        the_index_of_an_id_is_its_first
        the_same_id_in_two_conversations_has_two_indices
        an_event_of_a_megabyte
        ten_thousand_events_are_read_by_page;
    listing:
        an_empty_store_lists_nothing
        the_most_recently_updated_comes_first
        a_conversation_without_a_base_state_is_not_listed
        an_import_appears_with_its_last_commit;
    files:
        files_come_back_exactly
        paths_are_sorted
        files_are_listed_by_folder
        what_opening_reads_at_once_is_what_is_stored
        unusual_paths_are_distinct_files
        the_last_change_of_a_file_in_a_commit_counts
        the_same_path_in_two_conversations_is_two_files
        files_of_another_conversation_are_in_the_transaction
        files_of_a_conversation_that_is_gone_are_refused_with_the_commit
        files_alone_leave_the_log_the_state_and_the_times
        a_file_of_four_megabytes;
    lifetime:
        another_handle_sees_what_is_committed
        commits_can_be_read_after_reopening
        deletion_leaves_nothing
        deletion_leaves_other_conversations_unchanged
        deletion_ends_an_unfinished_import
        a_writer_of_a_deleted_conversation_conflicts
        a_writer_of_a_conversation_that_was_created_again_conflicts
        a_closed_store_fails_with_closed
        closing_one_handle_leaves_the_others_open
        reading_while_writing_sees_complete_commits;
}

/// A store whose failures are reported as sentences.
struct Handle(Rc<dyn Store>);

impl Handle {
    async fn commit(&self, conversation: ConversationId, commit: Commit) -> Outcome {
        self.0.commit(conversation, commit).await.map_err(|error| format!("commit failed: {error}").into())
    }

    /// Commits, and fails unless the store reports a conflict.
    async fn conflict(&self, conversation: ConversationId, commit: Commit) -> Outcome {
        let expected = commit.expected_length;
        match self.0.commit(conversation, commit).await {
            Err(StoreError::Conflict { expected: reported }) if reported == expected => Ok(()),
            other => Err(format!("expected a conflict about length {expected}, got {other:?}").into()),
        }
    }

    fn spans_conversations(&self) -> bool {
        self.0.spans_conversations()
    }

    async fn list(&self) -> Result<Vec<Listing>, String> {
        self.0.list().await.map_err(|error| format!("list failed: {error}"))
    }

    async fn load(&self, conversation: ConversationId) -> Result<Option<Listing>, String> {
        self.0.load(conversation).await.map_err(|error| format!("load failed: {error}"))
    }

    async fn load_to_open(
        &self,
        conversation: ConversationId,
        reads: &FirstReads,
    ) -> Result<Option<Loaded>, String> {
        let loaded = self.0.load_to_open(conversation, reads).await;
        loaded.map_err(|error| format!("load_to_open failed: {error}"))
    }

    async fn loaded(&self, conversation: ConversationId) -> Result<Listing, String> {
        self.load(conversation).await?.ok_or_else(|| "load returned no conversation".to_owned())
    }

    async fn events(
        &self,
        conversation: ConversationId,
        range: Range<u64>,
    ) -> Result<Vec<StoredEvent>, String> {
        self.0.events(conversation, range).await.map_err(|error| format!("events failed: {error}"))
    }

    async fn index_of(&self, conversation: ConversationId, event: &EventId) -> Result<Option<u64>, String> {
        self.0.index_of(conversation, event).await.map_err(|error| format!("index_of failed: {error}"))
    }

    async fn files(&self, conversation: ConversationId) -> Result<Vec<String>, String> {
        self.files_below(conversation, None).await
    }

    async fn files_below(
        &self,
        conversation: ConversationId,
        folder: Option<&str>,
    ) -> Result<Vec<String>, String> {
        let folder = folder.map(store_path).transpose()?;
        let paths = self.0.files(conversation, folder.as_ref()).await;
        let paths = paths.map_err(|error| format!("files failed: {error}"))?;
        Ok(paths.iter().map(|path| path.as_str().to_owned()).collect())
    }

    async fn read_file(&self, conversation: ConversationId, path: &str) -> Result<Option<Vec<u8>>, String> {
        let path = store_path(path)?;
        self.0.read_file(conversation, &path).await.map_err(|error| format!("read_file failed: {error}"))
    }

    async fn delete(&self, conversation: ConversationId) -> Outcome {
        self.0.delete(conversation).await.map_err(|error| format!("delete failed: {error}").into())
    }
}

/// The `n`th conversation.
fn conversation(n: u32) -> ConversationId {
    Uuid::from_u128(0xc0_0000_0000_0000 + u128::from(n)).into()
}

/// The `n`th event id.
fn event_id(n: u64) -> EventId {
    Uuid::from_u128(0xe0_0000_0000_0000 + u128::from(n)).into()
}

fn store_path(path: &str) -> Result<StorePath, String> {
    path.parse().map_err(|error| format!("the suite used an invalid path: {error}"))
}

/// The events `range`, each with its number in its text.
fn numbered(range: Range<u64>) -> Vec<(EventId, Rc<str>)> {
    range.map(|n| (event_id(n), numbered_text(n))).collect()
}

fn numbered_text(n: u64) -> Rc<str> {
    format!("{{\"n\":{n}}}").into()
}

/// The events of [`numbered`] as a store returns them.
fn stored(range: Range<u64>) -> Vec<StoredEvent> {
    range.map(|n| StoredEvent { index: n, id: event_id(n), json: numbered_text(n) }).collect()
}

fn base(text: &str) -> Option<Rc<str>> {
    Some(text.into())
}

/// Fails unless both are equal; `subject` names the compared value.
fn expect<T: PartialEq + std::fmt::Debug>(subject: &str, found: &T, expected: &T) -> Outcome {
    if found == expected {
        return Ok(());
    }
    Err(Failure::of_difference(subject, found, expected))
}
