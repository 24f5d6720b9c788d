//! The next request of a conversation as far as condensing depends on it: the view, its size, and the model's limit.

use crate::{
    context::{
        condenser::{
            Counting, Reported, Situation, TokenCounts, estimated_tokens, is_of_answer, longest_event_text,
        },
        view::View,
    },
    error::Result,
    event::Event,
    format::base_state::BaseState,
    handle::{Conversation, stats::Counted},
    json::{EditableObject, elements},
    llm::{Llm, attachment::named_file, files::file_input, message::FileContent, model_data::ModelRow},
    log::active_branch::load,
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
        let agent = &conversation.0.agent;
        let tools = agent.tool_schemas();
        let count = |text: &str| {
            let counted = agent.count_tokens.as_ref().and_then(|count| count(text));
            counted.unwrap_or_else(|| estimated_tokens(text))
        };
        let input = file_input(&llm).await?;
        let file = |file: &FileContent| input.tokens(&named_file(&file.text)?.0);
        let counting = Counting { text: &count, file: &file };
        let estimate = |events: &[Event]| TokenCounts::of(events, &tools, None, counting);
        let mut counts = estimate(view.events());
        if let Some(reported) = reported(conversation, &llm, &view, &counts, &estimate).await? {
            counts.correct(reported);
        }
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

/// The provider's count for the start of the view. If the view was condensed since the provider has counted, the estimate
/// for what the condensation left is as much too high as that for the request that was counted.
async fn reported(
    conversation: &Conversation,
    llm: &Llm,
    view: &View,
    counts: &TokenCounts,
    estimate: &dyn Fn(&[Event]) -> TokenCounts,
) -> Result<Option<Reported>> {
    let spending = &conversation.0.spending;
    let last = || last_counted(&conversation.state(), llm.options.usage_id());
    let counted = spending.borrow_mut().last_counted.get_or_insert_with(last).clone();
    if counted.tokens == 0 {
        return Ok(None);
    }
    let reported = Reported::with_answer(view, &counted.response_id, counted.tokens);
    let estimated = match (&reported, counted.estimated) {
        (Some(reported), _) => Some(counts.first(reported.events)),
        (None, Some(known)) => Some(known),
        (None, None) => {
            request_of(conversation, &counted.response_id).await?.map(|events| estimate(&events).total())
        }
    };
    if let Some(last) = &mut spending.borrow_mut().last_counted
        && last.response_id == counted.response_id
    {
        last.estimated = estimated;
    }
    let scaled = |estimated| Reported::scaled(view, counts, counted.tokens, estimated);
    Ok(reported.or_else(|| estimated.and_then(scaled)))
}

/// The events of the request that led to this answer, if the answer is on the active branch. Reads the whole branch.
async fn request_of(conversation: &Conversation, response_id: &str) -> Result<Option<Vec<Event>>> {
    let log = &conversation.0.log;
    let branch = load(&*log.store, log.id, log.head(), usize::MAX).await?.events;
    let answer = branch.iter().position(|event| is_of_answer(event, response_id));
    let before = answer.and_then(|place| branch.get(..place));
    Ok(before.map(|events| View::of_branch(events).events().to_vec()))
}

/// The last answer under this usage id whose request was counted; empty if there is none, or if the stored metrics cannot
/// be read.
fn last_counted(state: &BaseState, usage_id: &str) -> Counted {
    let counted = |usage: &str| {
        let usage = EditableObject::compact(usage)?;
        let tokens = usage.read::<u64>("prompt_tokens").filter(|tokens| *tokens > 0)?;
        Some(Counted { response_id: usage.read("response_id")?, tokens, estimated: None })
    };
    let last = || {
        let stats = EditableObject::compact(state.stats()?)?;
        let metrics: EditableObject = stats.read::<EditableObject>("usage_to_metrics")?.read(usage_id)?;
        elements(metrics.get("token_usages")?)?.into_iter().rev().find_map(counted)
    };
    last().unwrap_or_default()
}
