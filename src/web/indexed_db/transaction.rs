//! A transaction and its end.
//!
//! The same two event handlers serve all transactions: a closure for each would make an append a tenth slower.

use super::{
    failure::{failure, is_named},
    platform::FinishingTransaction,
    schema::Table,
};
use crate::store::StoreError;
use futures_channel::oneshot;
use std::cell::RefCell;
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use web_sys::{DomException, Event, IdbObjectStore, IdbRequest};

/// The reason why a transaction did not complete.
pub(super) enum Aborted {
    /// A row was added at a key that exists.
    RowExists,
    /// Any other failure.
    Failed(StoreError),
}

impl From<Aborted> for StoreError {
    fn from(reason: Aborted) -> Self {
        match reason {
            Aborted::RowExists => {
                StoreError::Corrupt("there is an event beyond the end of the log".to_owned())
            }
            Aborted::Failed(error) => error,
        }
    }
}

struct Handlers {
    on_complete: Closure<dyn FnMut(Event)>,
    on_abort: Closure<dyn FnMut(Event)>,
}

thread_local! {
    static HANDLERS: Handlers = Handlers {
        on_complete: Closure::new(|event| ended(&event, true)),
        on_abort: Closure::new(|event| ended(&event, false)),
    };
    /// The transactions that have not ended, and the senders for their completion. A list, because there are few at a time.
    static PENDING: RefCell<Vec<(JsValue, oneshot::Sender<()>)>> = const { RefCell::new(Vec::new()) };
}

fn ended(event: &Event, is_complete: bool) {
    let Some(transaction) = event.target().map(JsValue::from) else { return };
    let waiting = PENDING.with_borrow_mut(|pending| {
        let position = pending.iter().position(|(of, _)| *of == transaction)?;
        Some(pending.swap_remove(position).1)
    });
    // After an abort the sender is dropped without a value.
    if let (Some(waiting), true) = (waiting, is_complete) {
        // The receiver may have been dropped.
        let _ = waiting.send(());
    }
}

/// A transaction. If it is dropped without [`Transaction::complete`], it commits by itself.
pub(super) struct Transaction(FinishingTransaction);

impl Transaction {
    pub(super) fn new(raw: FinishingTransaction) -> Self {
        Self(raw)
    }

    pub(super) fn table(&self, table: Table) -> Result<IdbObjectStore, StoreError> {
        self.0.table(&table.name()).map_err(|thrown| failure(&thrown))
    }

    /// Aborts the transaction, so that none of its writes is stored.
    pub(super) fn abort(self) {
        // Fails only if the transaction has ended already.
        let _ = self.0.abort();
    }

    /// Commits without waiting for the events of `requests`, which are all its writes, and waits until it has completed. Of
    /// these, only the last one may fail: Firefox would store the others.
    pub(super) async fn complete(self, requests: &[IdbRequest]) -> Result<(), Aborted> {
        if let Err(thrown) = self.0.finish() {
            self.abort();
            return Err(Aborted::Failed(failure(&thrown)));
        }
        self.end(requests).await
    }

    /// Waits until it has completed, which it does once `requests` have, of which any may fail.
    pub(super) async fn end(self, requests: &[IdbRequest]) -> Result<(), Aborted> {
        completion(&self.0).await.map_err(|_aborted| reason_of_abort(&self.0, requests))
    }
}

/// Resolves when a transaction that was told to commit has completed, and is cancelled if it is aborted. Must be called in
/// the same turn of the event loop, so that no event is missed; it is called after the commit has begun, which saves time.
fn completion(transaction: &FinishingTransaction) -> oneshot::Receiver<()> {
    let (sender, completion) = oneshot::channel();
    HANDLERS.with(|handlers| {
        transaction.set_oncomplete(Some(handlers.on_complete.as_ref().unchecked_ref()));
        transaction.set_onabort(Some(handlers.on_abort.as_ref().unchecked_ref()));
    });
    PENDING.with_borrow_mut(|pending| pending.push((transaction.clone().into(), sender)));
    completion
}

fn reason_of_abort(transaction: &FinishingTransaction, requests: &[IdbRequest]) -> Aborted {
    match reason(transaction, requests) {
        Some(reason) if is_named(&reason, "ConstraintError") => Aborted::RowExists,
        Some(reason) => Aborted::Failed(failure(&reason)),
        None => Aborted::Failed(StoreError::Closed),
    }
}

/// If a request fails after an explicit commit, `transaction.error` is AbortError in Firefox and null in WebKit; the
/// request has the reason in all browsers. Without a reason, the connection was lost.
fn reason(transaction: &FinishingTransaction, requests: &[IdbRequest]) -> Option<DomException> {
    let is_reason = |error: &DomException| !is_named(error, "AbortError");
    for request in requests {
        if let Some(error) = request.error().ok().flatten().filter(is_reason) {
            return Some(error);
        }
    }
    transaction.error().filter(is_reason)
}
