//! The next request of a conversation as far as condensing depends on it: the view, its size, and the model's limit.

use crate::{
    context::{
        condenser::{Reported, Situation, TokenCounts, estimated_tokens, longest_event_text},
        view::View,
    },
    conversation::Conversation,
    error::Result,
    format::base_state::BaseState,
    json::{EditableObject, elements},
    llm::model_data::ModelRow,
};

/// The next request.
pub(super) struct NextRequest {
    pub view: View,
    /// The tokens of the view and of the definitions of the tools.
    pub counts: TokenCounts,
    /// The number of tokens that the model accepts, if it is known.
    pub max_input_tokens: Option<u64>,
}

impl NextRequest {
    /// The next request of this conversation.
    pub async fn of(conversation: &Conversation) -> Result<Self> {
        let llm = conversation.llm();
        let max_input_tokens = match llm.options.max_input_tokens {
            Some(limit) => Some(limit),
            None => ModelRow::of(&llm.options).await?.limit("max_input_tokens"),
        };
        let view = conversation.0.log.read(|branch| branch.view.clone()).await?;
        let last = || last_answer(&conversation.state(), llm.options.usage_id());
        let (response_id, tokens) =
            conversation.0.spending.borrow_mut().last_answer.get_or_insert_with(last).clone();
        let reported = Reported::with_answer(&view, &response_id, tokens);
        let agent = &conversation.0.agent;
        let count = |text: &str| {
            let counted = agent.count_tokens.as_ref().and_then(|count| count(text));
            counted.unwrap_or_else(|| estimated_tokens(text))
        };
        let counts = TokenCounts::of(view.events(), &agent.tool_schemas(), reported, &count);
        Ok(Self { view, counts, max_input_tokens: max_input_tokens.map(u64::from) })
    }

    /// Passes on the input of a decision about this request.
    pub fn judge<T>(&self, judge: impl FnOnce(&Situation<'_>) -> T) -> T {
        judge(&Situation {
            view: &self.view,
            tokens_of_first: &|events| self.counts.first(events),
            max_input_tokens: self.max_input_tokens,
            longest_event_text: &|| longest_event_text(self.view.events()),
        })
    }
}

/// The id of the last answer that is counted under this usage id, and the tokens of its request. Both are empty if there
/// is none, or if the stored metrics cannot be read.
fn last_answer(state: &BaseState, usage_id: &str) -> (String, u64) {
    let last = || {
        let stats = EditableObject::compact(state.stats()?)?;
        let metrics: EditableObject = stats.read::<EditableObject>("usage_to_metrics")?.read(usage_id)?;
        let last = EditableObject::compact(elements(metrics.get("token_usages")?)?.pop()?)?;
        Some((last.read("response_id")?, last.read("prompt_tokens")?))
    };
    last().unwrap_or_default()
}
