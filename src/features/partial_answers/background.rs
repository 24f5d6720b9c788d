//! Background responses: answers that the provider works on without an open connection. Their ids are stored, so that a
//! later page can fetch them.
//!
//! Stored are the id of the response, its model and server, and the event after which the model was asked. A response
//! is fetched only for the same question: the same model on the same server, after the same event. The request goes to
//! the server of the configured model, never to one that only the stored state names.

use crate::{
    agent::underway::{BackgroundResponse, Underway},
    error::Result,
    format::agent_state::BACKGROUND_RESPONSE,
    handle::Conversation,
    json::{EditableObject, object},
    llm::{Llm, StartedResponse},
    machine::{Command, Setting},
};
use futures_util::future::select;
use std::{iter::once, pin::pin, time::Duration};

/// The longest time to wait for a provider to confirm a cancellation.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);

impl Conversation {
    /// The id of the last event that the model sees, which identifies a question; empty if there is none.
    pub(crate) async fn question(&self) -> Result<String> {
        let last = self.0.log.read(|branch| branch.view.events().last().map(|event| event.id().to_string()));
        Ok(last.await?.unwrap_or_default())
    }

    /// The stored background response to this question, if it is one of this model or of its fallbacks.
    pub(crate) fn background_response_to(&self, after: &str, llm: &Llm) -> Option<BackgroundResponse> {
        let stored: EditableObject = self.state().in_agent_state(BACKGROUND_RESPONSE)?;
        if stored.read::<String>("after")? != after {
            return None;
        }
        let response = StartedResponse {
            id: stored.read("id")?,
            model: stored.read("model")?,
            base_url: stored.read("base_url"),
        };
        let llm = once(llm).chain(&llm.fallbacks).find(|llm| response.is_of(&llm.options))?;
        Some((llm.clone(), response.id))
    }

    /// Stores the ids of the background responses of a request until it ends. If the store fails, the request goes on; only
    /// a reload would lose the response.
    pub(crate) async fn store_responses(&self, request: &Underway) {
        while let Some((llm, id)) = request.next_response().await {
            let response = object! {
                "id": id,
                "model": llm.options.model,
                "after": request.answer.question,
                "base_url"?: llm.options.base_url,
            };
            let setting = Setting::BackgroundResponse(response.into());
            let _ = self.perform(Command::ChangeSetting(setting)).await;
        }
    }

    /// Asks the provider to cancel the background response. Whether that succeeds makes no difference here.
    pub(crate) async fn cancel_background_response(&self, request: &Underway) {
        let response = request.response.take();
        if let Some((llm, id)) = response {
            select(pin!(llm.cancel_answer(&id)), self.0.log.host.sleep(CANCEL_TIMEOUT)).await;
        }
    }
}
