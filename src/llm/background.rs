//! Background responses: answers that a provider produces independently of the connection.

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
    /// The background response of this model with this id.
    pub fn started_response(&self, id: &str) -> StartedResponse {
        let LlmOptions { model, base_url, .. } = &self.options;
        StartedResponse { id: id.to_owned(), model: model.clone(), base_url: base_url.clone() }
    }

    /// Asks the provider to cancel a background response.
    ///
    /// # Errors
    /// If the request fails.
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
        let Some(response) = decoder.background() else { return Ok(()) };
        let sent = WireRequest { url: response.cancel, body: "{}".into(), ..sent };
        let sent = with_key(sent, api, self.key().await?.as_ref(), &request);
        let sent = self.http.send(sent).await;
        sent.map(drop).map_err(|_| {
            LlmError::new(LlmFailure::Network, "the request to cancel the background response failed")
        })
    }
}
