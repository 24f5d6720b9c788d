//! A request's answer as a future.
//!
//! The handlers are attached when the future is made, so that no answer is missed, and detached when it is dropped,
//! so that a reader who gave up does not abort the transaction with an exception in a handler that is gone.

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

/// Resolves with the request's result.
pub(super) struct Answer {
    /// That there is an answer; which one, the request knows.
    is_there: oneshot::Receiver<()>,
    request: IdbRequest,
    _handler: Closure<dyn FnMut(Event)>,
}

impl Answer {
    /// The answer to `request`, which was issued in this same turn of the event loop.
    pub(super) fn to(request: IdbRequest) -> Self {
        let (sender, is_there) = oneshot::channel();
        let mut sender = Some(sender);
        // Dropped with or without a value, the sender tells that there is an answer.
        let handler = Closure::<dyn FnMut(Event)>::new(move |_| drop(sender.take()));
        request.set_onsuccess(Some(handler.as_ref().unchecked_ref()));
        request.set_onerror(Some(handler.as_ref().unchecked_ref()));
        Self { is_there, request, _handler: handler }
    }

    /// The answer to a request that may have been refused at once.
    pub(super) fn asked(request: Result<IdbRequest, JsValue>) -> Result<Self, StoreError> {
        request.map(Self::to).map_err(|thrown| failure(&thrown))
    }
}

impl Future for Answer {
    type Output = Result<JsValue, StoreError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.is_there).poll(context).map(|_| match self.request.error() {
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
