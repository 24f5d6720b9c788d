//! Answers that a provider works on by itself, seen from who asked.

use crate::llm::{
    client::{Llm, with_key},
    completion::StartedResponse,
    endpoint::Endpoint,
    error::{LlmError, LlmFailure},
    model_data::ModelRow,
    model_features::ModelFeatures,
    options::LlmOptions,
    wire_api::{Api, LlmRequest, WireRequest},
};

impl Llm {
    /// The answer of this id, which this model gives.
    pub fn started_response(&self, id: &str) -> StartedResponse {
        let LlmOptions { model, base_url, .. } = &self.options;
        StartedResponse { id: id.to_owned(), model: model.clone(), base_url: base_url.clone() }
    }

    /// Tells the provider to work no longer on an answer that it keeps.
    ///
    /// # Errors
    /// Where it could not be told.
    pub async fn cancel_answer(&self, id: &str) -> Result<(), LlmError> {
        let options = LlmOptions {
            background: Some(true),
            background_response: Some(id.to_owned()),
            ..self.options.clone()
        };
        let endpoint = Endpoint::resolve(&options.model, options.base_url.as_deref())?;
        let features = ModelFeatures::of(&options, &endpoint, &ModelRow::of(&options).await?);
        let api = Api::of(&options, &endpoint, &features);
        let wire_api = self.wire_api(api).await?;
        let request = LlmRequest {
            options: &options,
            endpoint: &endpoint,
            features: &features,
            messages: &[],
            tools: &[],
            conversation_id: None,
            is_streaming: false,
        };
        let (sent, decoder) = wire_api.begin(&request)?;
        let Some(kept) = decoder.background() else { return Ok(()) };
        let sent = WireRequest { url: kept.cancel, body: "{}".into(), ..sent };
        let sent = with_key(sent, api, self.key().await?.as_ref(), &request);
        let told = self.http.send(sent).await;
        told.map(drop)
            .map_err(|_| LlmError::new(LlmFailure::Network, "the provider could not be told to stop"))
    }
}
