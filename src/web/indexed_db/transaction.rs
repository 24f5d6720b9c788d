//! A transaction, and how it ends.
//!
//! The same two handlers serve all transactions: making a closure for each would cost an append a tenth more.

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

/// How a transaction ended that did not complete.
pub(super) enum Ended {
    /// A row was added where there is one.
    RowInTheWay,
    /// Everything else.
    Failed(StoreError),
}

impl From<Ended> for StoreError {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::RowInTheWay => StoreError::Corrupt("a row is where the log was found to end".to_owned()),
            Ended::Failed(error) => error,
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
    /// Who waits for the end of which transaction. Few are under way at a time.
    static UNDER_WAY: RefCell<Vec<(JsValue, oneshot::Sender<()>)>> = const { RefCell::new(Vec::new()) };
}

fn ended(event: &Event, is_complete: bool) {
    let Some(transaction) = event.target().map(JsValue::from) else { return };
    let waiting = UNDER_WAY.with_borrow_mut(|under_way| {
        let place = under_way.iter().position(|(of, _)| *of == transaction)?;
        Some(under_way.swap_remove(place).1)
    });
    // Without a value, the one who waits learns of an abort.
    if let (Some(waiting), true) = (waiting, is_complete) {
        // Whoever gave up meanwhile has no use for the news.
        let _ = waiting.send(());
    }
}

/// A transaction. Dropped without [`Transaction::complete`], it ends by itself.
pub(super) struct Transaction(FinishingTransaction);

impl Transaction {
    pub(super) fn new(raw: FinishingTransaction) -> Self {
        Self(raw)
    }

    pub(super) fn table(&self, table: Table) -> Result<IdbObjectStore, StoreError> {
        self.0.table(&table.name()).map_err(|thrown| failure(&thrown))
    }

    /// Nothing of it is kept.
    pub(super) fn abort(self) {
        // Refused only if it has ended already.
        let _ = self.0.abort();
    }

    /// Commits without waiting for the events of `requests`, which are all its writes, and waits until it is done.
    pub(super) async fn complete(self, requests: &[IdbRequest]) -> Result<(), Ended> {
        self.0.finish().map_err(|thrown| Ended::Failed(failure(&thrown)))?;
        completion(&self.0).await.map_err(|_aborted| why_aborted(&self.0, requests))
    }
}

/// Resolves when a transaction that was told to finish is complete, or is canceled with it. Asked for in the same turn
/// of the event loop, no event is missed; and the browser is at work on the commit meanwhile.
fn completion(transaction: &FinishingTransaction) -> oneshot::Receiver<()> {
    let (sender, completion) = oneshot::channel();
    HANDLERS.with(|handlers| {
        transaction.set_oncomplete(Some(handlers.on_complete.as_ref().unchecked_ref()));
        transaction.set_onabort(Some(handlers.on_abort.as_ref().unchecked_ref()));
    });
    UNDER_WAY.with_borrow_mut(|under_way| under_way.push((transaction.clone().into(), sender)));
    completion
}

fn why_aborted(transaction: &FinishingTransaction, requests: &[IdbRequest]) -> Ended {
    match reason(transaction, requests) {
        Some(reason) if is_named(&reason, "ConstraintError") => Ended::RowInTheWay,
        Some(reason) => Ended::Failed(failure(&reason)),
        None => Ended::Failed(StoreError::Closed),
    }
}

/// After an explicit commit, `transaction.error` is AbortError in Firefox and null in WebKit where a request failed;
/// the request knows the reason everywhere. Without a reason, the connection below was lost.
fn reason(transaction: &FinishingTransaction, requests: &[IdbRequest]) -> Option<DomException> {
    let is_reason = |error: &DomException| !is_named(error, "AbortError");
    for request in requests {
        if let Some(error) = request.error().ok().flatten().filter(is_reason) {
            return Some(error);
        }
    }
    transaction.error().filter(is_reason)
}
