//! An answer that the provider works on by itself: what is remembered of it, so that the next page picks it up.
//!
//! Remembered are its id, for which model it is, and behind which event. It is picked up only by the same question: the
//! same model, asked behind the same event. No URL is remembered: a request goes where the user's model is.

use super::{Change, Conversation, base_state::BaseState};
use crate::{
    error::Result,
    event::RawJson,
    json::{RawObject, quoted},
    llm::Llm,
};
use futures_util::future::select;
use std::{pin::pin, time::Duration};

/// Where `agent_state` says which answer the provider keeps.
pub(super) const KEPT_ANSWER: &str = "kept_answer";

/// So long is the provider given to hear that nobody waits for an answer.
const WAIT: Duration = Duration::from_secs(2);

/// The question, as it can be told from others.
pub(super) struct Question {
    model: String,
    after: String,
}

impl Conversation {
    /// What this model would be asked.
    pub(super) async fn question_to(&self, llm: &Llm) -> Result<Question> {
        let last = self.0.log.read(|branch| branch.view.events().last().map(|event| event.id().to_string()));
        Ok(Question { model: llm.options.model.clone(), after: last.await?.unwrap_or_default() })
    }

    /// The answer to this question that the provider keeps, as far as anybody remembers.
    pub(super) fn kept_answer_to(&self, question: &Question) -> Option<String> {
        let kept: RawObject = self.state().in_agent_state(KEPT_ANSWER)?;
        let is = |name, value: &str| kept.read::<String>(name).is_some_and(|kept| kept == value);
        if is("model", &question.model) && is("after", &question.after) { kept.read("id") } else { None }
    }

    /// Remembers the answer to a question. Where the store does not take it, only a reload loses it.
    pub(super) async fn remember_answer(&self, id: &str, question: &Question) {
        let mut kept = RawObject::EMPTY;
        for (name, value) in [("id", id), ("model", &question.model), ("after", &question.after)] {
            kept.set(name, &quoted(value));
        }
        let _turn = self.0.turn.take().await;
        let change = Change::edit(|state| state.set_in_agent_state(KEPT_ANSWER, Some(&RawJson::of(&kept))));
        let _ = self.append(change).await;
    }

    /// Tells the provider that nobody waits for the answer any more. It need not hear it.
    pub(super) async fn cancel_kept_answer(&self, llm: &Llm) {
        let kept: Option<RawObject> = self.state().in_agent_state(KEPT_ANSWER);
        if let Some(id) = kept.and_then(|kept| kept.read::<String>("id")) {
            select(pin!(llm.cancel_answer(&id)), self.0.log.host.sleep(WAIT)).await;
        }
    }
}

/// The answer is there, or nobody wants it.
pub(super) fn forget_answer(state: &mut BaseState) {
    state.set_in_agent_state(KEPT_ANSWER, None);
}
