//! What is known of a model from public metadata: abilities, limits and prices, one row of JSON per model.
//!
//! The rows are not in this crate: [`crate::llm::options::ModelData`] says where they come from. It is asked before each
//! answer, with the model's name and the name that it has at its provider, and gives a row, or nothing where nothing is
//! known. A page loads those of a provider when a model of that provider is first asked.

use crate::{
    json::EditableObject,
    llm::{
        error::{LlmError, LlmFailure},
        metrics::Usage,
        options::LlmOptions,
    },
};

/// A row; without fields where nothing is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelRow(pub EditableObject);

impl ModelRow {
    /// What is known of the model of these options.
    ///
    /// # Errors
    /// Where that could not be read.
    pub async fn of(options: &LlmOptions) -> Result<Self, LlmError> {
        let Some(ask) = &options.model_data.0 else { return Ok(Self::default()) };
        let real_name = options.model_canonical_name.as_ref().unwrap_or(&options.model);
        match ask(&options.model, real_name).await {
            Ok(json) => Ok(Self(EditableObject::compact(&json).unwrap_or_default())),
            Err(words) => Err(LlmError::new(LlmFailure::Network, words)),
        }
    }

    /// Whether it can or wants something, under LiteLLM's name for it; `None` where that is not known.
    pub fn has(&self, name: &str) -> Option<bool> {
        self.0.read(name)
    }

    /// A number of tokens, where it is known.
    pub fn limit(&self, name: &str) -> Option<u32> {
        self.0.read::<u64>(name).and_then(|limit| u32::try_from(limit).ok())
    }

    /// What an answer costs in dollars; `None` where the prices are not known. Mirrors LiteLLM's
    /// `generic_cost_per_token`, its order of additions included, so that sums are the same to the last digit.
    pub fn cost(&self, usage: Usage) -> Option<f64> {
        // Each says above how many prompt tokens it holds; the last that holds is meant.
        let steps = self.0.read::<Vec<EditableObject>>("prices")?;
        let is_above = |step: &&EditableObject| {
            step.read::<u64>("above").is_some_and(|above| usage.prompt_tokens > above)
        };
        let step = steps.iter().rev().find(is_above)?;
        let rate = |name| step.read::<f64>(name);
        let rates = [rate("input")?, rate("output")?, rate("cache_read")?, rate("cache_write")?];
        Some(price(usage, rates, rate("reasoning")))
    }
}

/// What an answer costs by the prices of a token that is read, written, read from the cache and written to it, and of
/// one that is thought where those are billed apart.
pub fn price(usage: Usage, [read, written, from_cache, to_cache]: [f64; 4], thought: Option<f64>) -> f64 {
    let (cached, marked) = (usage.cache_read_tokens, usage.cache_write_tokens);
    let fresh = usage.prompt_tokens.saturating_sub(cached.saturating_add(marked));
    let prompt = fresh as f64 * read + cached as f64 * from_cache + marked as f64 * to_cache;
    let answer = match thought {
        Some(thought) => {
            let said = usage.completion_tokens.saturating_sub(usage.reasoning_tokens);
            said as f64 * written + usage.reasoning_tokens as f64 * thought
        }
        None => usage.completion_tokens as f64 * written,
    };
    prompt + answer
}
