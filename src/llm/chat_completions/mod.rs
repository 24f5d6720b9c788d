//! OpenAI Chat Completions, the wire API that most servers speak: a body, headers, and a decoder. No I/O.
//!
//! Mirrors the SDK's `Message.to_chat_dict` and `select_chat_options`, and what LiteLLM makes of them.

mod decoder;
pub(super) mod messages;
pub(super) mod request;
mod tool_calls;

pub use decoder::ChatDecoder;

use crate::llm::{
    endpoint::Endpoint,
    error::LlmError,
    message::Message,
    model_features::ModelFeatures,
    options::LlmOptions,
    wire_api::{Decoder, LlmRequest, WireApi, WireRequest},
};
use std::rc::Rc;

/// The wire API.
pub struct ChatCompletions;

impl WireApi for ChatCompletions {
    fn begin(&self, request: &LlmRequest<'_>) -> Result<(WireRequest, Box<dyn Decoder>), LlmError> {
        let messages = messages::messages_json(request);
        let sent = WireRequest {
            url: request.endpoint.url("/chat/completions"),
            headers: request::request_headers(request),
            body: request::request_body(request, &["[", &messages, "]"]).finish(),
        };
        Ok((sent, Box::new(ChatDecoder::default())))
    }
}

/// Messages as the SDK's `Message.to_chat_dict` writes them for a model that can do everything: a list with images,
/// calls and earlier reasoning, and without marks for a cache. A LiteLLM proxy is the server that gets them so.
///
/// # Errors
/// None that could be met.
pub fn chat_messages(messages: &[Message]) -> Result<String, LlmError> {
    let options = LlmOptions::new("litellm_proxy/any");
    let endpoint = Endpoint::resolve(&options.model, Some("/"))?;
    let features =
        ModelFeatures { supports_vision: true, send_reasoning_content: true, ..ModelFeatures::default() };
    let messages: Vec<_> = messages.iter().cloned().map(Rc::new).collect();
    let request = LlmRequest {
        options: &options,
        endpoint: &endpoint,
        features: &features,
        messages: &messages,
        tools: &[],
        conversation_id: None,
        is_streaming: false,
    };
    Ok(["[", &messages::messages_json(&request), "]"].concat())
}
