//! The result of a request as a future.
//!
//! The handlers are attached when the future is made, so that no event is missed, and detached when it is dropped,
//! because an exception in a handler that was dropped would abort the transaction.

use super::failure::failure;
use crate::store::StoreError;
use futures_channel::oneshot;
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use web_sys::{Event, IdbRequest};

/// Resolves with the result of a request.
pub(super) struct Answer {
    /// Signals that the request has succeeded or failed; the request has the result.
    is_done: oneshot::Receiver<()>,
    request: IdbRequest,
    _handler: Closure<dyn FnMut(Event)>,
}

impl Answer {
    /// The result of `request`, which must have been issued in this turn of the event loop.
    pub(super) fn to(request: IdbRequest) -> Self {
        let (sender, is_done) = oneshot::channel();
        let mut sender = Some(sender);
        // Dropping the sender wakes the receiver, with or without a value.
        let handler = Closure::<dyn FnMut(Event)>::new(move |_| drop(sender.take()));
        request.set_onsuccess(Some(handler.as_ref().unchecked_ref()));
        request.set_onerror(Some(handler.as_ref().unchecked_ref()));
        Self { is_done, request, _handler: handler }
    }

    /// The result of a request that may have failed to be issued.
    pub(super) fn of_request(request: Result<IdbRequest, JsValue>) -> Result<Self, StoreError> {
        request.map(Self::to).map_err(|thrown| failure(&thrown))
    }
}

impl Future for Answer {
    type Output = Result<JsValue, StoreError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.is_done).poll(context).map(|_| match self.request.error() {
            Ok(Some(error)) => Err(failure(&error)),
            _ => self.request.result().map_err(|error| failure(&error)),
        })
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.request.set_onsuccess(None);
        self.request.set_onerror(None);
    }
}
