//! Commits and deletion.

use super::{
    IndexedDbStore, Remembered,
    connection::{Connection, Mode},
    encode,
    failure::failure,
    now,
    read::{self, HeadAndLastRow},
    request::Answer,
    schema::Table,
    transaction::{Aborted, Transaction},
};
use crate::{
    id::ConversationId,
    store::{
        Commit, Durability, StoreError,
        rows::{Plan, Planned, TOMBSTONE_LIFETIME, Tip, Write, deletion, plan, plan_files_of},
    },
};
use wasm_bindgen::JsValue;
use web_sys::{IdbObjectStore, IdbRequest};

impl IndexedDbStore {
    /// Appends from the remembered tip, without reading.
    ///
    /// `false` if that is not possible, or if a row exists already because the tip is outdated; nothing is stored then.
    pub(super) async fn append(
        &self,
        conversation: ConversationId,
        commit: &Commit,
    ) -> Result<bool, StoreError> {
        let link = self.connection.link().await?;
        let seen = now();
        let Some((tip, key)) = self.tips.borrow_mut().take(link.generation, conversation, seen) else {
            return Ok(false);
        };
        if !tip.appends_without_reading(commit) {
            return Ok(false);
        }
        let Ok(Planned::Ready(Plan { writes, next })) = plan(tip, commit, None, seen) else {
            return Ok(false);
        };
        let transaction = match self.connection.begin(&link, &tables(&writes), Mode::Write(commit.durability))
        {
            Err(StoreError::Closed) => return Ok(false),
            begun => begun?,
        };
        match carry_out(transaction, &key, &writes, None).await {
            Ok(()) => {
                let remembered = Remembered { seen, tip: next, key };
                self.tips.borrow_mut().remember(link.generation, conversation, remembered);
                Ok(true)
            }
            Err(Aborted::RowExists) => Ok(false),
            Err(Aborted::Failed(error)) => Err(error),
        }
    }

    /// Reads the tip of the conversation and writes, in one transaction.
    pub(super) async fn read_and_write(
        &self,
        conversation: ConversationId,
        commit: &Commit,
    ) -> Result<(), StoreError> {
        let link = self.connection.link().await?;
        let seen = now();
        let transaction = self.connection.transaction(Table::ALL, Mode::Write(commit.durability)).await?;
        let key = encode::key(conversation);
        let (head, last) = HeadAndLastRow::request(&transaction, &key)?.read().await?;
        let tip = Tip::read(conversation, head, last)?;
        let mut planned = plan(tip.clone(), commit, None, seen)?;
        if let Planned::NeedsIds(range) = planned {
            let mut ids = Vec::new();
            for row in read::rows(&transaction, &key, range.start, range.end).await? {
                ids.push(encode::id_of(&row)?);
            }
            planned = plan(tip, commit, Some(ids), seen)?;
        }
        let Planned::Ready(Plan { writes, next }) = planned else {
            return Err(StoreError::Corrupt(format!("events of conversation {conversation} are missing")));
        };
        let mut other = None;
        if let Some(files_of) = &commit.files_of {
            let key = encode::key(files_of.conversation);
            let (head, last) = HeadAndLastRow::request(&transaction, &key)?.read().await?;
            let tip = Tip::read(files_of.conversation, head, last)?;
            other = Some((key, plan_files_of(&tip, files_of, commit.expected_length)?));
        }
        carry_out(transaction, &key, &writes, other.as_ref()).await?;
        self.tips.borrow_mut().remember(link.generation, conversation, Remembered { seen, tip: next, key });
        Ok(())
    }
}

/// Deletes a conversation, even one that cannot be read.
pub(super) async fn delete(connection: &Connection, conversation: ConversationId) -> Result<(), StoreError> {
    let transaction = connection.transaction(Table::ALL, Mode::Write(Durability::Strict)).await?;
    let key = encode::key(conversation);
    let tip = match HeadAndLastRow::request(&transaction, &key)?.read().await {
        Ok((head, last)) => Tip::to_delete(conversation, head, last),
        Err(StoreError::Corrupt(_)) => Tip::unreadable(0),
        Err(error) => return Err(error),
    };
    let seen = now();
    // Rows are in the order in which they were written, so the recent ones are at the end.
    let (mut first_recent, mut end) = (0, tip.length);
    while first_recent < end {
        let middle = first_recent.midpoint(end);
        let position = encode::key_of(&key, &encode::number(middle));
        let row = Answer::of_request(transaction.table(Table::Events)?.get(&position))?.await?;
        if encode::written(&row).is_some_and(|written| seen - written <= TOMBSTONE_LIFETIME) {
            end = middle;
        } else {
            first_recent = middle + 1;
        }
    }
    let writes = deletion(&tip, first_recent, seen);
    match carry_out(transaction, &key, &writes, None).await {
        // On a full disk browsers refuse everything but removing. The tombstones are against writers that have not noticed, and the
        // caller holds the lock of the writer.
        Err(Aborted::Failed(StoreError::Quota)) => {
            let transaction = connection.transaction(Table::ALL, Mode::Write(Durability::Strict)).await?;
            Ok(carry_out(transaction, &key, &[Write::DropAll], None).await?)
        }
        ended => Ok(ended?),
    }
}

/// The tables that are written to; with fewer tables a transaction is cheaper.
fn tables(writes: &[Write<'_>]) -> Vec<Table> {
    let mut tables = Vec::new();
    for write in writes {
        let table = match write {
            Write::Add(_) | Write::Put(_) | Write::Vacant { .. } | Write::Tombstone { .. } => Table::Events,
            Write::Page { .. } | Write::DropPages { .. } => Table::Pages,
            Write::Head(_) => Table::Conversations,
            Write::File { .. } | Write::DropFile { .. } => Table::Files,
            Write::DropAll => return Table::ALL.to_vec(),
        };
        if !tables.contains(&table) {
            tables.push(table);
        }
    }
    tables
}

/// Issues all writes at once, those of `other` to another conversation, and waits for the transaction. If one is refused, none
/// is stored.
async fn carry_out(
    transaction: Transaction,
    key: &JsValue,
    writes: &[Write<'_>],
    other: Option<&(JsValue, Vec<Write<'_>>)>,
) -> Result<(), Aborted> {
    let issued = issue(&transaction, key, writes).and_then(|mut requests| {
        if let Some((key, writes)) = other {
            requests.extend(issue(&transaction, key, writes)?);
        }
        Ok(requests)
    });
    match issued {
        Ok(requests) if writes.iter().any(must_be_waited_for) => transaction.end(&requests).await,
        Ok(requests) => transaction.complete(&requests).await,
        Err(error) => {
            transaction.abort();
            Err(Aborted::Failed(error))
        }
    }
}

/// Whether this write may fail when others of its transaction succeed. Firefox stores a large value as a file of its own, and on a
/// full disk completes a transaction without it that was told to commit before the request had failed.
fn must_be_waited_for(write: &Write<'_>) -> bool {
    let size = match write {
        Write::Vacant { .. } => return true,
        Write::Add(row) | Write::Put(row) => {
            row.json.len() + row.patch.as_ref().map_or(0, |patch| patch.middle.len())
        }
        Write::Head(head) => head.base_state.as_ref().map_or(0, |state| state.len()),
        Write::File { content, .. } => content.len(),
        _ => 0,
    };
    size > LARGE
}

/// Far below the size from which on Firefox stores a value as a file, in bytes (`dom.indexedDB.dataThreshold`).
const LARGE: usize = 128 << 10;

fn issue(
    transaction: &Transaction,
    key: &JsValue,
    writes: &[Write<'_>],
) -> Result<Vec<IdbRequest>, StoreError> {
    let mut requests = Vec::with_capacity(writes.len());
    let mut opened: Option<(Table, IdbObjectStore)> = None;
    for write in writes {
        let mut table = |table: Table| match &opened {
            Some((last, store)) if *last == table => Ok(store.clone()),
            _ => transaction.table(table).inspect(|store| opened = Some((table, store.clone()))),
        };
        let position = |index: &u64| encode::key_of(key, &encode::number(*index));
        let request = match write {
            Write::Add(row) => {
                table(Table::Events)?.add_with_key(&encode::row_object(row), &position(&row.index))
            }
            Write::Put(row) => {
                table(Table::Events)?.put_with_key(&encode::row_object(row), &position(&row.index))
            }
            Write::Vacant { index } => {
                // Without a request whose answer would have to be waited for.
                let position = position(index);
                let events = table(Table::Events)?;
                requests.push(issued(events.add_with_key(&encode::TOMBSTONE, &position))?);
                events.delete(&position)
            }
            Write::Tombstone { index } => {
                table(Table::Events)?.put_with_key(&encode::TOMBSTONE, &position(index))
            }
            Write::Page { number, ids } => {
                table(Table::Pages)?.put_with_key(&encode::page_object(ids), &position(number))
            }
            Write::DropPages { from } => match encode::keys_between(key, *from, u64::MAX) {
                Some(range) => table(Table::Pages)?.delete(&range),
                None => continue,
            },
            Write::Head(head) => table(Table::Conversations)?.put(&encode::head_object(key, head)),
            Write::File { path, content } => {
                let path = encode::key_of(key, &JsValue::from_str(path.as_str()));
                table(Table::Files)?.put_with_key(&js_sys::Uint8Array::from(*content), &path)
            }
            Write::DropFile { path } => {
                table(Table::Files)?.delete(&encode::key_of(key, &JsValue::from_str(path.as_str())))
            }
            Write::DropAll => {
                drop_all(transaction, key, &mut requests)?;
                continue;
            }
        };
        requests.push(issued(request)?);
    }
    Ok(requests)
}

/// Removes the head, the picture and all rows, pages and files of a conversation.
pub(super) fn drop_all(
    transaction: &Transaction,
    key: &JsValue,
    requests: &mut Vec<IdbRequest>,
) -> Result<(), StoreError> {
    for table in [Table::Conversations, Table::Pictures] {
        requests.push(issued(transaction.table(table)?.delete(key))?);
    }
    let range = encode::keys_of(key)?;
    for table in [Table::Events, Table::Pages, Table::Files] {
        requests.push(issued(transaction.table(table)?.delete(&range))?);
    }
    Ok(())
}

/// A request whose result is not awaited, because the transaction reports whether it succeeded.
fn issued(request: Result<IdbRequest, JsValue>) -> Result<IdbRequest, StoreError> {
    request.map_err(|thrown| failure(&thrown))
}
