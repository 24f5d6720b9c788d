//! A request to the model that is under way: what it has brought so far, for the code that stores that for a later page.
//! Both are polled together, so nobody has to be woken.

use crate::{agent::ShownAnswer, llm::Llm};
use std::{
    cell::{Cell, RefCell},
    future::{Future, poll_fn},
    rc::Rc,
    task::Poll,
};

/// The id of a background response and its model, which is the one that was asked or a fallback.
pub type BackgroundResponse = (Llm, String);

/// A request that is under way.
pub struct Underway {
    /// The answer as far as it was shown.
    pub answer: Rc<ShownAnswer>,
    /// The background response that was reported last.
    pub response: RefCell<Option<BackgroundResponse>>,
    has_new_response: Cell<bool>,
    is_over: Cell<bool>,
}

impl Underway {
    /// A request of which nothing has come, or the rest of an earlier one.
    pub fn new(answer: Rc<ShownAnswer>, response: Option<BackgroundResponse>) -> Self {
        Self {
            answer,
            response: response.into(),
            has_new_response: Cell::default(),
            is_over: Cell::default(),
        }
    }

    /// Takes note of the id of a background response.
    pub fn report(&self, llm: &Llm, id: &str) {
        *self.response.borrow_mut() = Some((llm.clone(), id.to_owned()));
        self.has_new_response.set(true);
    }

    /// Takes note of the end, after which nothing more is to be stored.
    pub fn end(&self) {
        self.is_over.set(true);
    }

    /// Ready once the request is over, or something has come that is not stored.
    pub fn news(&self) -> impl Future<Output = ()> {
        self.over_or(|| self.has_new_response.get() || self.answer.has_unstored())
    }

    /// Ready once the request is over.
    pub fn over(&self) -> impl Future<Output = ()> {
        self.over_or(|| false)
    }

    /// The next id of a background response; `None` once the request is over.
    pub async fn next_response(&self) -> Option<BackgroundResponse> {
        self.over_or(|| self.has_new_response.get()).await;
        if self.has_new_response.take() { self.response.borrow().clone() } else { None }
    }

    /// Ready once there is text that is not stored, or the request is over.
    pub async fn text(&self) {
        self.over_or(|| self.answer.has_unstored()).await;
    }

    fn over_or(&self, is_ready: impl Fn() -> bool) -> impl Future<Output = ()> {
        poll_fn(move |_| if self.is_over.get() || is_ready() { Poll::Ready(()) } else { Poll::Pending })
    }
}
