//! Background responses: answers that a provider produces independently of the connection.

use crate::llm::{
    client::Llm,
    error::{LlmError, LlmFailure},
    options::LlmOptions,
    requests::with_key,
    wire_api::{LlmRequest, WireRequest},
};

impl Llm {
    /// See [`Llm::cancel_answer`].
    pub(super) async fn request_cancellation(&self, id: &str) -> Result<(), LlmError> {
        let options = LlmOptions {
            background: Some(true),
            background_response: Some(id.to_owned()),
            ..self.options.clone()
        };
        let (endpoint, features, api, wire_api) = self.prepare(&options).await?;
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
