//! Model data: abilities, limits and prices from public metadata, one row of JSON per model.
//!
//! The rows are not in this crate: the function in [`crate::llm::options::ModelData`] provides them. It is called before
//! each answer with the model's name and the name that it has at its provider, and returns a row, or an empty text for an
//! unknown model. A page loads the rows of a provider when a model of that provider is first used.

use crate::{
    error::shown,
    json::EditableObject,
    llm::{
        error::{LlmError, LlmFailure},
        metrics::Usage,
        options::LlmOptions,
    },
};

/// A row; it has no fields if the model is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelRow(pub EditableObject);

impl ModelRow {
    /// The row of the model of these options.
    ///
    /// # Errors
    /// `Network` if it cannot be loaded, `InvalidOptions` if it is not a JSON object.
    pub async fn of(options: &LlmOptions) -> Result<Self, LlmError> {
        let Some(load) = &options.model_data.0 else { return Ok(Self::default()) };
        let real_name = options.model_canonical_name.as_ref().unwrap_or(&options.model);
        let json = load(&options.model, real_name).await;
        let json = json.map_err(|message| LlmError::new(LlmFailure::Network, message))?;
        Self::parse(&options.model, &json)
    }

    /// Reads the row of `model`, which is empty for an unknown model.
    ///
    /// # Errors
    /// `InvalidOptions` if it is not a JSON object.
    pub fn parse(model: &str, json: &str) -> Result<Self, LlmError> {
        if json.is_empty() {
            return Ok(Self::default());
        }
        EditableObject::compact(json).map(Self).ok_or_else(|| {
            let message = format!("the data of model {} must be a JSON object", shown(model));
            LlmError::new(LlmFailure::InvalidOptions, message)
        })
    }

    /// A flag of the model, with LiteLLM's name for it; `None` if it is unknown.
    pub fn has(&self, name: &str) -> Option<bool> {
        self.0.read(name)
    }

    /// A number of tokens; `None` if it is unknown.
    pub fn limit(&self, name: &str) -> Option<u32> {
        self.0.read::<u64>(name).and_then(|limit| u32::try_from(limit).ok())
    }

    /// The cost of an answer in dollars; `None` if the prices are unknown. Mirrors LiteLLM's `generic_cost_per_token`,
    /// including its order of additions, so that sums are equal to the last digit.
    pub fn cost(&self, usage: Usage) -> Option<f64> {
        // Each step applies above a number of prompt tokens; the last one that applies is used.
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

/// The cost of an answer by the prices per token of input, output, cache reads and cache writes, and of reasoning if it
/// has its own price.
pub fn price(
    usage: Usage,
    [input, output, cache_read, cache_write]: [f64; 4],
    reasoning: Option<f64>,
) -> f64 {
    let (read, written) = (usage.cache_read_tokens, usage.cache_write_tokens);
    let uncached = usage.prompt_tokens.saturating_sub(read.saturating_add(written));
    let prompt = uncached as f64 * input + read as f64 * cache_read + written as f64 * cache_write;
    let answer = match reasoning {
        Some(reasoning) => {
            let text_tokens = usage.completion_tokens.saturating_sub(usage.reasoning_tokens);
            text_tokens as f64 * output + usage.reasoning_tokens as f64 * reasoning
        }
        None => usage.completion_tokens as f64 * output,
    };
    prompt + answer
}
