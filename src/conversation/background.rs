//! An answer that the provider works on by itself: what is remembered of it, so that the next page picks it up.
//!
//! Remembered are its id, which model gives it and where, and behind which event. It is picked up only by the same
//! question: the same model of the same server, asked behind the same event. A request goes where the user's model is,
//! not where the state says.

use super::{Conversation, machine::Plan};
use crate::{
    error::Result,
    format::{agent_state::BACKGROUND_RESPONSE, base_state::BaseState},
    json::{EditableObject, RawJson, quoted},
    llm::{Llm, StartedResponse},
};
use futures_util::future::select;
use std::{
    cell::{Cell, RefCell},
    future::poll_fn,
    iter::once,
    pin::pin,
    task::Poll,
    time::Duration,
};

/// So long is the provider given to hear that nobody waits for an answer.
const WAIT: Duration = Duration::from_secs(2);

/// An answer that a provider keeps, and who gives it: the model that was asked, or a fallback.
pub(super) type Responder = (Llm, String);

/// What a request tells of the answers that are kept for it. Who tells and who remembers are polled together.
#[derive(Default)]
pub(super) struct BackgroundReports {
    /// The answer that is worked on.
    pub last: RefCell<Option<Responder>>,
    is_new: Cell<bool>,
    /// Nobody tells anything any more.
    pub is_over: Cell<bool>,
}

impl BackgroundReports {
    pub fn tell(&self, llm: &Llm, id: &str) {
        *self.last.borrow_mut() = Some((llm.clone(), id.to_owned()));
        self.is_new.set(true);
    }

    async fn next(&self) -> Option<Responder> {
        poll_fn(|_| match (self.is_new.take(), self.is_over.get()) {
            (true, _) => Poll::Ready(self.last.borrow().clone()),
            (false, true) => Poll::Ready(None),
            (false, false) => Poll::Pending,
        })
        .await
    }
}

impl Conversation {
    /// The event behind which a model would be asked.
    pub(super) async fn question(&self) -> Result<String> {
        let last = self.0.log.read(|branch| branch.view.events().last().map(|event| event.id().to_string()));
        Ok(last.await?.unwrap_or_default())
    }

    /// The answer to this question that a provider keeps, as far as anybody remembers, if this model or one of its
    /// fallbacks gives it.
    pub(super) fn background_response_to(&self, after: &str, llm: &Llm) -> Option<Responder> {
        let kept: EditableObject = self.state().in_agent_state(BACKGROUND_RESPONSE)?;
        if kept.read::<String>("after")? != after {
            return None;
        }
        let kept = StartedResponse {
            id: kept.read("id")?,
            model: kept.read("model")?,
            base_url: kept.read("base_url"),
        };
        let giver = once(llm).chain(&llm.fallbacks).find(|llm| kept.is_of(&llm.options))?;
        Some((giver.clone(), kept.id))
    }

    /// Remembers the answers to a question until no more come. Where the store does not take one, only a reload
    /// loses it.
    pub(super) async fn remember_responses(&self, reports: &BackgroundReports, after: &str) {
        while let Some((llm, id)) = reports.next().await {
            let mut kept = EditableObject::default();
            for (name, value) in [("id", id.as_str()), ("model", &llm.options.model), ("after", after)] {
                kept.set(name, &quoted(value));
            }
            if let Some(base_url) = &llm.options.base_url {
                kept.set("base_url", &quoted(base_url));
            }
            let mut edit = |state: &mut BaseState| {
                state.set_in_agent_state(BACKGROUND_RESPONSE, Some(&RawJson::of(&kept)))
            };
            let _ = self.store(Plan::default(), &mut edit).await;
        }
    }

    /// Tells the provider that nobody waits for the answer any more. It need not hear it.
    pub(super) async fn cancel_background_response(&self, reports: &BackgroundReports) {
        let kept = reports.last.take();
        if let Some((llm, id)) = kept {
            select(pin!(llm.cancel_answer(&id)), self.0.log.host.sleep(WAIT)).await;
        }
    }
}

/// The id of the answer that is remembered.
pub(super) fn background_response_in(state: &BaseState) -> Option<String> {
    state.in_agent_state::<EditableObject>(BACKGROUND_RESPONSE)?.read("id")
}

/// The answer is there, or nobody wants it.
pub(super) fn forget_response(state: &mut BaseState) {
    state.set_in_agent_state(BACKGROUND_RESPONSE, None);
}
