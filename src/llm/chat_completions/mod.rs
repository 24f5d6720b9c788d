//! OpenAI Chat Completions, the wire API of most servers: body and headers of a request, and a decoder. Performs no I/O.
//!
//! Mirrors the SDK's `Message.to_chat_dict` and `select_chat_options`, and LiteLLM's changes to their results.

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
    tool_names::{OPENAI_LIMIT, ToolNames},
    wire_api::{Decoder, LlmRequest, WireApi, WireRequest},
};
use std::rc::Rc;

/// OpenAI Chat Completions, which most servers speak.
pub struct ChatCompletions;

impl WireApi for ChatCompletions {
    fn begin(&self, request: &LlmRequest<'_>) -> Result<(WireRequest, Box<dyn Decoder>), LlmError> {
        let names = ToolNames::of(request, OPENAI_LIMIT);
        let messages = messages::messages_json(request, &names);
        let sent = WireRequest {
            url: request.endpoint.url("/chat/completions"),
            headers: request::request_headers(request),
            body: request::request_body(request, &["[", &messages, "]"], &names).finish(),
        };
        Ok((sent, Box::new(ChatDecoder::of(request, names))))
    }
}

/// Messages as the SDK's `Message.to_chat_dict` writes them for a model with all abilities: a list with images, calls
/// and earlier reasoning, without cache marks. This is the form for a LiteLLM proxy.
///
/// # Errors
/// None in practice: the model's name and base URL are constants.
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
    Ok(["[", &messages::messages_json(&request, &ToolNames::default()), "]"].concat())
}
