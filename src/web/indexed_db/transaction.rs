//! A transaction whose completion is heard from the moment it exists.

use super::{
    failure::{failure, is_named},
    platform::FinishingTransaction,
    schema::Table,
};
use crate::store::StoreError;
use futures_channel::oneshot;
use std::{cell::RefCell, rc::Rc};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use web_sys::{Event, IdbObjectStore, IdbRequest};

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

/// A transaction. Dropped without [`Transaction::complete`], it ends by itself: kept, if it was told to finish.
pub(super) struct Transaction {
    raw: FinishingTransaction,
    outcome: oneshot::Receiver<Result<(), JsValue>>,
    _handlers: [Closure<dyn FnMut(Event)>; 3],
}

impl Transaction {
    pub(super) fn new(raw: FinishingTransaction) -> Self {
        let (sender, outcome) = oneshot::channel();
        let sender = Rc::new(RefCell::new(Some(sender)));
        let reason = Rc::new(RefCell::new(None));
        let on_complete = {
            let sender = Rc::clone(&sender);
            Closure::<dyn FnMut(Event)>::new(move |_| {
                if let Some(sender) = sender.take() {
                    let _ = sender.send(Ok(()));
                }
            })
        };
        // After an explicit commit, `transaction.error` is AbortError in Firefox and null in WebKit; the reason is on
        // the request whose error event bubbles up to here.
        let on_error = {
            let reason = Rc::clone(&reason);
            Closure::<dyn FnMut(Event)>::new(move |event: Event| {
                let request = event.target().and_then(|target| target.dyn_into::<IdbRequest>().ok());
                if let Some(Ok(Some(error))) = request.map(|request| request.error()) {
                    reason.borrow_mut().get_or_insert_with(|| JsValue::from(error));
                }
            })
        };
        let on_abort = {
            let raw = raw.clone();
            Closure::<dyn FnMut(Event)>::new(move |_| {
                if let Some(sender) = sender.take() {
                    let reason = reason.take().or_else(|| raw.error().map(Into::into));
                    let _ = sender.send(Err(reason.unwrap_or(JsValue::NULL)));
                }
            })
        };
        raw.set_oncomplete(Some(on_complete.as_ref().unchecked_ref()));
        raw.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        raw.set_onabort(Some(on_abort.as_ref().unchecked_ref()));
        Self { raw, outcome, _handlers: [on_complete, on_error, on_abort] }
    }

    pub(super) fn table(&self, table: Table) -> Result<IdbObjectStore, StoreError> {
        self.raw.object_store(table.name()).map_err(|thrown| failure(&thrown))
    }

    /// Nothing of it is kept.
    pub(super) fn abort(self) {
        // Refused only if it has ended already.
        let _ = self.raw.abort();
    }

    /// Commits without waiting for the events of the requests, and waits until it is done.
    pub(super) async fn complete(mut self) -> Result<(), Ended> {
        self.raw.finish().map_err(|thrown| Ended::Failed(failure(&thrown)))?;
        match (&mut self.outcome).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(reason)) if is_named(&reason, "ConstraintError") => Err(Ended::RowInTheWay),
            Ok(Err(reason)) if reason.is_null() || is_named(&reason, "AbortError") => {
                Err(Ended::Failed(StoreError::Closed))
            }
            Ok(Err(reason)) => Err(Ended::Failed(failure(&reason))),
            Err(oneshot::Canceled) => Err(Ended::Failed(StoreError::Closed)),
        }
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        self.raw.set_oncomplete(None);
        self.raw.set_onerror(None);
        self.raw.set_onabort(None);
    }
}
